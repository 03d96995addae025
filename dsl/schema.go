package dsl

import (
	"github.com/taproot-dev/taproot/dsl/internal/schema"
)

// Bodies are the JSON Schemas of the arguments that programs send: what the check accepts, without variables, step
// options and the short forms of whole arguments.
type Bodies = schema.Bodies

// BodySchemas makes the schemas of all operations that an interface offers; references start with prefix. TimeoutMs is
// the one step option that makes sense without a test.
func BodySchemas(of Interface, prefix string) Bodies {
	return schema.BodySchemas(of, prefix)
}

// ToolSchema is the schema of a struct with tags as the vocabulary has them, for assistants: in the one form that
// programs write, without the keys that only tests need, and in words for those who write none.
func ToolSchema(args any, prefix string) map[string]any {
	return schema.ToolSchema(args, prefix)
}

// ConfigSchema is the JSON Schema (2020-12) of a suite's taproot.yaml, made from the same structs.
func ConfigSchema() map[string]any {
	return schema.OfSuites()
}

// Reference writes the reference of the test syntax in Markdown, out of the structs: every action with its arguments,
// then what steps, tests, selectors and taproot.yaml can hold.
func Reference() string {
	return schema.Reference()
}

// Topics are the names that ReferenceOf knows: the actions, and what else the reference has a section on.
func Topics() []string {
	return schema.Topics()
}

// ReferenceOf writes the part of the reference that is about one of the Topics.
func ReferenceOf(name string) (text string, known bool) {
	return schema.ReferenceOf(name)
}

// Schema is the JSON Schema (2020-12) of a test file's documents, made from the structs: a test, or a block for a run
// step. It knows what holds for one value and for its neighbours; what depends on variables, on the platform or on
// other files only Parse knows.
func Schema() map[string]any {
	return schema.OfTests()
}
