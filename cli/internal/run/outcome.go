package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/reporters/console"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// watch runs the cases and prints their progress. The error is one of printing.
func watch(ctx context.Context, env *process.Env, f runFlags, run *run.Runner, cases []plan.Case) (
	[]run.Outcome, error) {
	screen := newConsole(env, f, len(cases))
	run.Observe, run.Warn = f.observing(screen.Event), screen.Warn
	run.Waits = func(c plan.Case, reason string) { screen.Waits(c.Pack, reason) }
	began := time.Now()
	run.Last = true
	outcomes := run.All(ctx, cases)
	for _, o := range outcomes {
		if o.Err != nil && o.CaseResult != nil {
			screen.Correct(o.CaseResult)
		}
		if o.Err != nil {
			f.correct(o)
		}
	}
	return outcomes, screen.End(console.Run{Dir: run.Dir.Path(), Took: time.Since(began), Choice: run.Config.Choice(),
		Planned: len(cases)})
}

// conclude prints what the console does not print, and returns the exit code as an error.
func conclude(env *process.Env, f runFlags, conf run.Config, outcomes []run.Outcome) error {
	skipped, waiting, full := 0, 0, false
	var flaky []string
	for _, o := range outcomes {
		if o.Err != nil {
			fmt.Fprintf(env.Stderr, "taproot: the report of %s is incomplete: %v\n", o.Case.Pack, o.Err)
			full = full || errors.Is(o.Err, syscall.ENOSPC)
		}
		if o.Flaky() {
			flaky = append(flaky, o.Case.Pack)
		}
		switch {
		case o.Result() == event.Skipped:
			skipped++
		case o.CaseResult == nil && o.Err == nil:
			waiting++
		}
	}
	if full {
		fmt.Fprintf(env.Stderr, "taproot: the disk of %s is full\n", conf.Reports)
	}
	code := run.ExitCode(outcomes, conf.AllowEmpty)
	if f.failOnFlaky && len(flaky) > 0 {
		fmt.Fprintf(
			env.Stderr,
			"taproot: passed only in a later attempt: %s (--fail-on-flaky)\n",
			strings.Join(flaky, ", "),
		)
		if code == run.ExitPass {
			code = run.ExitFail
		}
	}
	if code == run.ExitPass {
		return nil
	}
	if code == run.ExitInterrupted {
		fmt.Fprintf(env.Stderr, "taproot: interrupted; %s\n", notStarted(waiting))
	}
	if skipped == len(outcomes) {
		fmt.Fprintf(env.Stderr,
			"taproot: every test was skipped, so nothing was tested: exit code %d (0 with --allow-empty)\n", code)
	}
	return process.Exit(code)
}

func notStarted(n int) string {
	switch n {
	case 0:
		return "every test had started"
	case 1:
		return "1 test was not started"
	}
	return fmt.Sprintf("%d tests were not started", n)
}

// newConsole chooses the style of the output: terminal, colour, verbosity.
func newConsole(env *process.Env, f runFlags, total int) *console.Console {
	o := console.Options{Quiet: f.quiet, Verbose: f.verbose, Width: 100, Total: total,
		Groups: env.Getenv("GITHUB_ACTIONS") == "true"}
	if file, ok := env.Stdout.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		o.TTY = env.Getenv("TERM") != "dumb" // such a terminal has no cursor control and no colour
		o.Color = o.TTY && env.Getenv("NO_COLOR") == ""
		if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 0 {
			o.Width = w
		}
	}
	return console.New(env.Stdout, o)
}
