// Package run takes one case from lease to pack: from a planned case it makes an outcome and its report pack. The code
// is in runner/internal/run; this is what other folders need of it.
package run

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// Runner runs cases into one run directory. Safe for concurrent use.
type Runner = run.Runner

// Outcome is the result of one case.
type Outcome = run.Outcome

// LatestRun selects the newest run that has ended, as the value of Config.RerunFailed.
const LatestRun = run.LatestRun

// Config configures a run. The zero value of a field means its default.
type Config = run.Config

// FromEnv sets the fields from the process environment and the defaults.
func FromEnv(dir string, lookup func(string) (string, bool)) (Config, error) {
	return run.FromEnv(dir, lookup)
}

// ProjectRoot returns the nearest folder upward that holds go.mod or .git, or dir itself when there is none.
func ProjectRoot(dir string) string {
	return run.ProjectRoot(dir)
}

// Drivers lists all drivers.
func Drivers(c Config) []drivers.Driver {
	return run.Drivers(c)
}

// Browsers returns only the driver of pages.
func Browsers(c Config) drivers.Driver {
	return run.Browsers(c)
}

// FindFFmpeg returns the path of ffmpeg, "" without one.
func FindFFmpeg(ctx context.Context, c Config) string {
	return run.FindFFmpeg(ctx, c)
}

// RemoteRunner runs cases on the devices of other machines. The Runner still decides what runs, in which order and how
// often, and keeps the results. Safe for concurrent use.
type RemoteRunner = run.RemoteRunner

// Attempt is one attempt of one case.
type Attempt = run.Attempt

// Merged makes the files of a run that was merged from several.
func Merged(ctx context.Context, runDir string, o reporters.Options) (*history.Run, error) {
	return run.Merged(ctx, runDir, o)
}

// Start finalizes dead runs and opens a new run.
func Start(c Config, observe func(event.Case, event.Event)) (*Runner, []history.Finalized, error) {
	return run.Start(c, observe)
}

// Resume continues a run of a process that ended before its first case.
func Resume(c Config, dir string, observe func(event.Case, event.Event)) (*Runner, error) {
	return run.Resume(c, dir, observe)
}

// Exit codes of a run.
const (
	ExitPass        = run.ExitPass
	ExitFail        = run.ExitFail
	ExitUsage       = run.ExitUsage
	ExitError       = run.ExitError
	ExitInterrupted = run.ExitInterrupted
)

// ExitCode sums the outcomes up: failed tests take precedence over errors; a run in which nothing ran is not a success.
func ExitCode(outcomes []Outcome, allowEmpty bool) int {
	return run.ExitCode(outcomes, allowEmpty)
}
