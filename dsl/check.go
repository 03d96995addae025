package dsl

import (
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/check"
	"github.com/taproot-dev/taproot/dsl/internal/decode"
	"github.com/taproot-dev/taproot/dsl/internal/fix"
	"github.com/taproot-dev/taproot/dsl/internal/foreign"
	"github.com/taproot-dev/taproot/dsl/internal/lint"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// Bind fills in the variables of a step and checks it again, now with every type. args is the action's struct by value,
// for example a Tap. The steps inside of a control step and all expressions stay as they are: they wait until they are
// run. The error is an Errors.
func Bind(step *Step, s *Scope) (args any, opts StepOptions, err error) {
	return check.Bind(step, s)
}

// Args returns the argument of a step for reports: Flow with the variables filled in, without the steps inside of it.
// What cannot be filled in stays as it is written.
func Args(step *Step, s *Scope) string {
	return check.Args(step, s)
}

// Decode checks a value as the argument of an operation and returns its struct by value. The text is final: ${NAME} has
// no meaning in it. The keys of StepOptions are unknown to it; see DecodeStep. The error is an Errors.
func Decode(def *Def, v source.Value) (args any, err error) {
	return check.Decode(def, v)
}

// DecodeStep is Decode for a map that may hold the keys of StepOptions in addition to the arguments.
func DecodeStep(def *Def, v source.Value) (args any, opts StepOptions, err error) {
	return check.DecodeStep(def, v)
}

// ParseBlock reads a file for a run step: only vars and steps, or a whole test, of which vars and steps are taken.
// platform is that of the test that runs it; empty: not known yet. own are the own actions of the project, one set at
// most. The error is an Errors.
func ParseBlock(file string, src []byte, platform Platform, own ...*Own) (*Block, error) {
	return check.ParseBlock(file, src, platform, ownOf(own))
}

// Own are the own actions of a project: the files in its folder actions.
type Own = check.Own

// ownOf returns the one set of own actions, if there is one.
func ownOf(own []*Own) vocabulary.OwnActions {
	if len(own) == 0 || own[0] == nil {
		return nil
	}
	return own[0]
}

// CheckPlatform finds the steps that a platform cannot do: those of hooks and blocks, which were read before it was
// known. The error is an Errors.
func CheckPlatform(steps Steps, p Platform) error {
	return check.OnPlatform(steps, p)
}

// Link reads the blocks of all run steps of the test, those in blocks too, and sets Step.Block. read gets Ref.Path and
// has to refuse what is outside of the suite; its error is reported at the run step. The error is an Errors: files
// that cannot be read or are wrong, blocks that are not there, and those that run each other in a circle.
func Link(t *Test, read func(path string) ([]byte, error)) error {
	return check.Link(t, read)
}

// LinkWith is Link for tests with run steps that may name files in another language. foreign reads such a file; it
// returns nil, nil for one that is not, and may itself be nil.
func LinkWith(t *Test, read func(path string) ([]byte, error),
	foreign func(file string, src []byte) (*Block, error)) error {
	return check.LinkWith(t, read, foreign)
}

// CheckBrowser finds what a browser refuses of a test, before anything runs: it goes by the table of browsers. A page
// that names a browser of its own is judged by that one. The error is a source.Errors.
func CheckBrowser(t *Test, browser string) error {
	return check.Browser(t, browser)
}

// CheckDevice is CheckBrowser for one of the devices of a test with several; browser is the one in which its pages
// open.
func CheckDevice(t *Test, e Entry, browser string) error {
	return check.BrowserOf(t, e, browser)
}

// NamedBrowser is the one browser that all pages name which a test opens; "" when they do not agree.
func NamedBrowser(t *Test) string {
	return check.NamedBrowser(t)
}

// CheckVars binds every step of the test, its hooks and linked blocks, and returns all errors: undefined variables, and
// values that do not fit. Names that a step saves (as, set) are known to the steps after it, the variable of a forEach
// to those in it. The error is an Errors.
func CheckVars(t *Test, s *Scope) error {
	return check.Vars(t, s)
}

// ParseConfig reads a taproot.yaml; an empty one is fine. own are the own actions of the project, one set at most.
func ParseConfig(file string, src []byte, own ...*Own) (Config, error) {
	return check.ParseConfig(file, src, ownOf(own))
}

// NewStep makes a step of an argument struct, or of a pointer to one, for tests that are written in Go. The argument is
// checked as in a YAML file, where ${NAME} would have a meaning; full is the argument with its defaults filled in. The
// error says what is wrong with it; the step is nil only when it is not an action at all.
func NewStep(args any, pos source.Pos, src *source.Source) (step *Step, full any, err error) {
	return check.NewStep(args, pos, src)
}

// ForeignStep makes a step of another language. def names it in reports; args is what they show of it.
func ForeignStep(def *Def, pos source.Pos, src *source.Source, args source.Value, says vocabulary.Foreign) *Step {
	return vocabulary.ForeignStep(def, pos, src, args, says)
}

// NamedStep makes a step that is not an action of the vocabulary, for reports: an expectation of a test that is written
// in Go.
func NamedStep(name, text string, pos source.Pos, src *source.Source) *Step {
	return check.NamedStep(name, text, pos, src)
}

// Lint finds what is allowed in a test and yet hardly meant: variables that nothing uses, steps that can never be run,
// sleeps, tests that cannot fail, tests of pages that open none, variables as other tools write them, and CSS where a
// label is read. Link comes first, where the test runs other files.
func Lint(t *Test) []*source.Error {
	return lint.Test(t)
}

// Parse reads a file of tests: each YAML document is one. The error is an Errors: the first syntax error alone, else
// all semantic errors of the file; the tests are then nil. Variables stay in place: see Scope, Bind and CheckVars.
//
// Of YAML 1.2 it takes the core schema, anchors, aliases and merge keys (<<, where a test's own keys win). Directives
// and tags are errors, and so is every key that has no meaning. own are the own actions of the project, one set at
// most.
func Parse(file string, src []byte, own ...*Own) ([]*Test, error) {
	return check.Parse(file, src, ownOf(own))
}

// Secrets returns the values in a step's argument that no report may show, with the variables filled in that have
// values now.
func Secrets(step *Step, s *Scope) []string {
	return check.Secrets(step, s)
}

// SecretsIn is Secrets for an argument.
func SecretsIn(args source.Value) []string {
	return check.SecretsIn(args)
}

// MailServers returns the URLs of the mail servers that steps wait for mail of, also in the files and actions that they
// run, as far as their variables have values now.
func MailServers(s *Scope, lists ...Steps) []string {
	return check.MailServers(s, lists...)
}

// ParseSelector reads a selector as a person writes it outside a test: YAML when it is a map with the keys of a
// selector, in braces or without ("{id: email, below: E-mail}"), otherwise the text itself as a label. The error is an
// Errors; its places are those of a file called name.
func ParseSelector(name, text string) (Selector, error) {
	return decode.ParseSelector(name, text)
}

// WorstCase returns the longest that one run of a test can take, everything late and every wait in vain: time limits,
// loops and retries of steps, hooks included; those of the whole test not. scope knows the variables before the run.
func WorstCase(t *Test, scope *Scope, timeout time.Duration) Cost {
	return check.WorstCase(t, scope, timeout)
}

// FixWords replaces the refused words of a test file, such as those of other tools, and leaves everything else as it
// is; with places, only the words there. left are the steps that it could not translate; changed counts the others. The
// error is that of a file that is not YAML, an Errors.
func FixWords(file string, src []byte, at ...source.Pos) (text []byte, changed int, left []*source.Error, err error) {
	r, err := fix.File(file, src, at...)
	return r.Text, r.Changed, r.Left, err
}

// OwnSteps translates a step with the name that another tool, or an older version, has for an action; none: no action
// is called like this. Without an argument it is an example. certain reports whether the steps mean the same.
func OwnSteps(step source.Field, p Platform) (steps []source.Field, certain bool) {
	f, _ := foreign.Refused(step, foreign.Place{Platform: p, Opened: foreign.Unknown})
	return f.Steps, f.Certain()
}
