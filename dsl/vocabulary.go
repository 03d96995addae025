package dsl

import (
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// Block is what a run step runs: the vars and steps of a file, or of one of its named blocks.
type Block = vocabulary.Block

// The browsers that a test can name.
const (
	Chromium = vocabulary.Chromium
	Firefox  = vocabulary.Firefox
	WebKit   = vocabulary.WebKit
	// Remote is the browser of a remote, whichever it is, in the table of browsers.
	Remote = vocabulary.RemoteBrowser
)

// BrowserTitle is a browser's name as people write it.
func BrowserTitle(name string) string {
	return vocabulary.BrowserTitle(name)
}

// Refusal is why a browser does not do what a word says; "" when it does.
func Refusal(browser, word string) string {
	return vocabulary.Refusal(browser, word)
}

// Config is a suite's taproot.yaml.
type Config = vocabulary.Config

// RemoteServer is a remote of a taproot.yaml with its variables filled in.
type RemoteServer = vocabulary.RemoteServer

// Cost is the longest that steps can take.
type Cost = vocabulary.Cost

// StepTimeout is how long a step waits when nothing says it.
const StepTimeout = vocabulary.StepTimeout

// Field is a key of an operation's arguments, as a command line shows it.
type Field = vocabulary.Field

// The kinds of fields.
const (
	TextField    = vocabulary.TextField
	BoolField    = vocabulary.BoolField
	ElementField = vocabulary.ElementField
	StepsField   = vocabulary.StepsField
)

// NoFile is the error of a reader of files when there is none of that name.
type NoFile = vocabulary.NoFile

// Need is what a test wants of its device.
type Need = vocabulary.Need

// Entry is one device of a test with several.
type Entry = vocabulary.Entry

// IsPool reports whether a text can be the name of a pool.
func IsPool(text string) bool {
	return vocabulary.IsPool(text)
}

// IsDeviceLabel reports whether a text can be the label of a device, NAME=VALUE.
func IsDeviceLabel(text string) bool {
	return vocabulary.IsDeviceLabel(text)
}

// DeviceFacts are what a Need is compared with. What is not known of a device is "" or 0.
type DeviceFacts = vocabulary.DeviceFacts

// Keys returns the keys that the map of an argument struct can have, in the order of the reference.
func Keys(args any) []string {
	return vocabulary.Keys(args)
}

// Steps are the steps inside of another one. Parse checks them like those of the test; Bind leaves them alone: they are
// bound when they are run.
type Steps = vocabulary.Steps

// Test is one YAML document.
type Test = vocabulary.Test

// Property is a name and a value that junit.xml says of a test.
type Property = vocabulary.Property

// Step is one action of a test, with what every step can have.
type Step = vocabulary.Step

// StepOptions are the keys that every step takes in addition to its own arguments.
type StepOptions = vocabulary.StepOptions

// NewScope resolves the test's vars: Scope with overrides and environment alone. The error is an Errors.
func NewScope(t *Test, overrides map[string]string, env func(string) (string, bool)) (*Scope, error) {
	return vocabulary.NewScope(t, overrides, env)
}

// Platform is what a test runs on.
type Platform = vocabulary.Platform

// The platforms. Both is for a test's header only: one case on Android and one on iOS.
const (
	Android = vocabulary.Android
	IOS     = vocabulary.IOS
	Web     = vocabulary.Web
	Both    = vocabulary.Both
)

// Interface is a way in which an operation can be asked for.
type Interface = vocabulary.Interface

// The interfaces. A Def's Interfaces is their union.
const (
	YAML = vocabulary.YAML
	REST = vocabulary.REST
	MCP  = vocabulary.MCP
)

// Def is one word of the vocabulary. Everything else that is known of an operation (its YAML, REST and MCP spelling,
// its schema, its reference page) is derived from its Def by reflection over Args.
type Def = vocabulary.Def

// Effect is what an operation does to the world, for clients that ask for confirmation before they act.
type Effect = vocabulary.Effect

// The effects, and what most operations do.
const (
	ReadOnly    = vocabulary.ReadOnly
	Destructive = vocabulary.Destructive
	Idempotent  = vocabulary.Idempotent
	OpenWorld   = vocabulary.OpenWorld
	Apart       = vocabulary.Apart
	Looks       = vocabulary.Looks
	Acts        = vocabulary.Acts
	Sets        = vocabulary.Sets
)

// Lookup finds an operation by its YAML name. The Def is shared: do not change it.
func Lookup(name string) (*Def, bool) {
	return vocabulary.Lookup(name)
}

// Vocabulary returns every operation that Taproot can do, in the order of the reference.
func Vocabulary() []Def {
	return vocabulary.Vocabulary()
}

// SelectorKey reports whether selectors have a key of this name.
func SelectorKey(name string) bool {
	return vocabulary.SelectorKey(name)
}

// DefOf finds the operation of an argument struct; nil: it is of none. The Def is shared: do not change it.
func DefOf(args any) *Def {
	return vocabulary.DefOf(args)
}
