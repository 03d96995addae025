package run

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/history"
	"github.com/taproot-dev/taproot/reporters/html"
	"github.com/taproot-dev/taproot/runner/engine"
	"github.com/taproot-dev/taproot/runner/plan"
)

// reportLimit bounds what the end of a run may take: pages, chats.
const reportLimit = 5 * time.Minute

// Report writes what belongs to the run as a whole (junit.xml, pages, history, …), tells those who want to be told, and
// removes runs beyond the limits. It is called once, when every case has ended, while the run directory is still open.
// What goes wrong is no part of the run's verdict.
func (r *Runner) Report(ctx context.Context, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportLimit)
	defer cancel()
	r.noting.Wait()
	_, err := reporters.Finish(ctx, r.Dir.Path(), r.Config.assembly(ctx, stdout))
	return err
}

// Announce keeps what the run is going to run, so that a case which never began is missed. Under Ginkgo, whose filters
// decide later, it is not called.
func (r *Runner) Announce(cases []plan.Case) error {
	described := make([]event.Case, len(cases))
	for i, c := range cases {
		described[i] = engine.Describe(c)
		if len(c.Test.Secrets) > 0 {
			described[i].Steps = nil // what they say of the secrets is masked by the pack, which is not there yet
		}
	}
	return history.WritePlan(r.Dir, described)
}

// ReportSealed does the same for dead runs whose packs were sealed, as far as it still makes sense.
func (c Config) ReportSealed(ctx context.Context, sealed []history.Sealed) error {
	return reporters.FinishSealed(ctx, sealed, c.assembly(ctx, io.Discard))
}

func (c Config) assembly(ctx context.Context, stdout io.Writer) reporters.Options {
	return reporters.Options{Getenv: c.Getenv, Stdout: stdout, Dir: c.Dir, Project: ProjectRoot(c.Dir),
		Pages: func(runDir string) error { return pages(ctx, runDir) }}
}

// pages writes report.html of each pack, index.html of the run and of all runs.
func pages(ctx context.Context, runDir string) error {
	run, err := history.LoadRun(runDir)
	if err != nil {
		return err
	}
	return errors.Join(html.WritePacks(ctx, run), html.WriteRun(ctx, run), html.WriteRuns(ctx, filepath.Dir(runDir)))
}

// Received makes what belongs to a run whose packs came from elsewhere, and removes runs beyond the limits. Nobody is
// told of it.
func (c Config) Received(ctx context.Context, runDir string) error {
	o := c.assembly(ctx, io.Discard)
	getenv := c.getenv()
	o.Getenv = func(name string) string {
		if strings.HasPrefix(name, "REPORT_MAX_") {
			return getenv(name)
		}
		return "" // chats and GitHub are for runs of one's own
	}
	_, err := reporters.Finish(ctx, runDir, o)
	return err
}

// Merged makes what belongs to a run that was put together of several.
func Merged(ctx context.Context, runDir string, o reporters.Options) (*history.Run, error) {
	o.Pages = func(runDir string) error { return pages(ctx, runDir) }
	return reporters.Finish(ctx, runDir, o)
}
