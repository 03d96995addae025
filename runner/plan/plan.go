// Package plan turns the arguments of a run (files, folders, test ids, filters) into the cases to run, in a
// deterministic order. The code is in runner/internal/plan; this is what other folders need of it.
package plan

import (
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// maxShards and MaxRepeat catch typing errors.
const (
	MaxRepeat = plan.MaxRepeat
)

// ParseShard reads "2/3".
func ParseShard(text string) (plan.Shard, error) {
	return plan.ParseShard(text)
}

// ConfigName is the file at a suite's root with the suite's settings.
const ConfigName = plan.ConfigName

// ConfigError is an error in a project's taproot.yaml: its file, its line, and how to fix it. It is not an error of the
// caller who requested a run of the project's tests.
type ConfigError = plan.ConfigError

// PrefersID reports whether the taproot.yaml that applies to a folder prefers an element's id to its text in recorded
// tests.
func PrefersID(dir string) (bool, error) {
	return plan.PrefersID(dir)
}

// Draft plans the one test in the text of an editor, as if it were in the file that it names, relative to Options.Dir:
// with its suite's settings, the files that it runs, and the first row of its data. Missing values of variables are
// found when it runs. Of a test for several platforms or browsers it returns the case for the platform of the options,
// otherwise the first one. The error is a *Usage, or an error in the text.
func Draft(o Options, file Source) (Case, error) {
	return plan.Draft(o, file)
}

// SkipFolder reports whether folders of that name contain no tests.
func SkipFolder(name string) bool {
	return plan.SkipFolder(name)
}

// YAMLFile reports whether a file's name is one of YAML.
func YAMLFile(name string) bool {
	return plan.YAMLFile(name)
}

// Folders returns the folders of the arguments of a run: a named folder, the folder of a named file, the default folder
// for ids and for no argument.
func Folders(dir string, args []string) []string {
	return plan.Folders(dir, args)
}

// Needs are the files that the cases need, with absolute paths, sorted.
type Needs = plan.Needs

// Options say which tests to plan.
type Options = plan.Options

// Source is an uploaded file of tests.
type Source = plan.Source

// Plan is the cases of a run.
type Plan = plan.Plan

// Case is one test on one platform, with one row of its data.
type Case = plan.Case

// Usage is an error in the user's arguments, not in a test file.
type Usage = plan.Usage

// Build reads the tests and plans their cases. The error contains all errors of all files.
func Build(o Options) (*Plan, error) {
	return plan.Build(o)
}

// Problems are the errors of the files, file after file.
type Problems = plan.Problems

// Ref names a case, so that it can be found again in a copy of its files on another machine.
type Ref = plan.Ref

// Repeated returns the arguments that name a file or a test which an earlier one names already: each runs once, and the
// user should know. A file within a folder that is also named is not a repetition.
func Repeated(dir string, args []string) []string {
	return plan.Repeated(dir, args)
}
