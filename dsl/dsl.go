// Package dsl reads Taproot's test files: YAML bytes go in; tests with the file, line and column of every node,
// or all errors of the file, come out.
package dsl

import (
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/schema"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// MaxFileSize is the size, in bytes, of the largest file that Parse takes.
const MaxFileSize = source.MaxBytes

// Suggest returns the candidate that a mistyped word most likely means, or "".
func Suggest(word string, candidates []string) string { return phrase.Nearest(word, candidates) }

// Ptr returns the pointer that fields want which may be left out: dsl.Selector{Label: "News", Checked: dsl.Ptr(true)}.
func Ptr[T any](v T) *T { return &v }

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
// own are the own actions of the project, one set at most.
func ConfigSchema(own ...*Own) map[string]any {
	return schema.OfSuites(ownOf(own))
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

// ReferenceOf writes the part of the reference that is about one of the Topics, or about one of the own actions of the
// project, of which there is one set at most.
func ReferenceOf(name string, own ...*Own) (text string, known bool) {
	return schema.ReferenceOf(name, ownOf(own))
}

// Schema is the JSON Schema (2020-12) of a test file's documents, made from the structs: a test, or a block for a run
// step. It knows what holds for one value and for its neighbours; what depends on variables, on the platform or on
// other files only Parse knows. own are the own actions of the project, one set at most.
func Schema(own ...*Own) map[string]any {
	return schema.OfTests(ownOf(own))
}

// Fill fills in the variables of all texts in a value that did not come from a file. The error is an *Error.
func Fill(v source.Value, s *Scope) (source.Value, error) {
	return expr.Fill(v, s)
}

// Expr is an expression in the syntax of github.com/expr-lang/expr. It names variables without ${ }.
type Expr = expr.Expr

// Scope holds the values of a test's variables while it runs: those saved by steps, then those given by the caller,
// then those of the data row, then the test's own, then the suite's. It belongs to one run of one test; it is not safe
// for concurrent use.
type Scope = expr.Scope

// ScopeOptions are where a test's variables get their values from.
type ScopeOptions = expr.ScopeOptions

// Row is one row of data.
type Row = expr.Row

// Var is one entry of a test's vars, in the order of the file.
type Var = expr.Var

// Show writes a variable's value as ${NAME} prints it: a list or a map as JSON, nothing as an empty text.
func Show(x any) string {
	return expr.Show(x)
}
