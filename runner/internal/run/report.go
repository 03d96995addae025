package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/reporters/html"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// reportLimit limits the work at the end of a run: pages, chats.
const reportLimit = 5 * time.Minute

// Report writes the files of the run as a whole (junit.xml, pages, history, …), sends its notifications, and removes
// runs beyond the limits. Call it once, when every case has ended, while the run directory is still open. Its errors do
// not change the run's result.
func (r *Runner) Report(ctx context.Context, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportLimit)
	defer cancel()
	r.noting.Wait()
	if packs, err := pack.Packs(r.Dir.Path()); err == nil { // otherwise the reporters say it
		judgeAssertions(r, packs)
		offerRepairs(r, packs, stdout)
	}
	_, err := reporters.Finish(ctx, r.Dir.Path(), r.Config.assembly(ctx, stdout))
	return err
}

// judgeAssertions writes which assertions of the run are weak, for its pages.
func judgeAssertions(r *Runner, packs []string) {
	if r.Config.NoWeak {
		return
	}
	err := action.Guard(func() error {
		began := time.Now()
		if found, ok := r.Config.Replays().WeakAtEnd(packs); ok {
			found.TookMS = max(1, time.Since(began).Milliseconds())
			return history.WriteWeak(r.Dir.Path(), found)
		}
		return nil
	})
	if err != nil {
		r.warn("weak assertions are not reported: %v", err)
	}
}

// offerRepairs writes and prints the repairs of steps that did not find their element.
func offerRepairs(r *Runner, packs []string, stdout io.Writer) {
	err := action.Guard(func() error {
		offered, err := r.Config.Replays().Repairs(packs)
		if err != nil || len(offered.Repairs) == 0 {
			return nil // what cannot be read is reported elsewhere
		}
		if r.Config.RepairSuggest {
			if err := writePatch(r.Dir.Path(), r.Config.Dir, offered.Repairs, stdout); err != nil {
				r.warn("the repairs are in no patch: %v", err)
			}
		}
		for _, one := range offered.Repairs {
			fmt.Fprintf(stdout, "%s:%d: the element of the step may be %s now; taproot repair %s/%s shows why\n", one.File,
				one.Line, one.Evidence.Now, filepath.Base(r.Dir.Path()), one.Evidence.Pack)
		}
		return history.WriteRepairs(r.Dir.Path(), offered)
	})
	if err != nil {
		r.warn("repairs are not reported: %v", err)
	}
}

// maxSource is how many bytes of the file of a test are read.
const maxSource = 4 << 20

// writePatch writes the repairs of files of the working folder as a patch of the run, which git apply and patch -p1
// take there. Of several repairs of one line it has the best.
func writePatch(runDir, dir string, list []finding.Repair, stdout io.Writer) error {
	was, now, files := map[string]string{}, map[string]string{}, []string(nil)
	for _, one := range list {
		if _, known := was[one.File]; !known && filepath.IsLocal(filepath.FromSlash(one.File)) {
			text, err := sourceOf(dir, one.File)
			if err != nil {
				return err
			}
			was[one.File], now[one.File] = text, text
			files = append(files, one.File)
		}
		if changed, ok := one.Apply(now[one.File]); ok {
			now[one.File] = changed
		}
	}
	var patch bytes.Buffer
	slices.Sort(files)
	for _, file := range files {
		end := ""
		if strings.ContainsAny(file, " ") { // the name ends there
			end = "\t"
		}
		text := diff.Diff("a/"+file+end, []byte(was[file]), "b/"+file+end, []byte(now[file]))
		_, text, _ = bytes.Cut(text, []byte("\n")) // the line of the command
		patch.Write(text)
	}
	if patch.Len() == 0 {
		return nil
	}
	if err := filetree.WriteFile(runDir, finding.PatchFile, patch.Bytes()); err != nil {
		return err
	}
	name := filepath.Join(runDir, finding.PatchFile)
	if below, err := filepath.Rel(dir, name); err == nil {
		name = below
	}
	fmt.Fprintf(stdout, "the repairs as a patch: git apply %s\n", name)
	return nil
}

func sourceOf(dir, file string) (text string, err error) {
	folder, base, err := filetree.ProjectFile(dir, file)
	if err != nil {
		return "", err
	}
	data, err := filetree.ReadCapped(folder, base, maxSource)
	return string(data), errors.Join(err, folder.Close())
}

// Announce writes the planned cases, so that a case which never started is reported. Under Ginkgo, with filters that
// decide later, it is not called.
func (r *Runner) Announce(cases []plan.Case) error {
	described := make([]event.Case, len(cases))
	for i, c := range cases {
		described[i] = engine.Describe(c)
		if len(c.Test.Secrets) > 0 {
			described[i].Steps = nil // steps may contain secrets, which only the pack masks
		}
	}
	return history.WritePlan(r.Dir, described)
}

// ReportFinalized is Report for dead runs that were finalized, as far as it still makes sense.
func (c Config) ReportFinalized(ctx context.Context, sealed []history.Finalized) error {
	return reporters.FinishFinalized(ctx, sealed, c.assembly(ctx, io.Discard))
}

func (c Config) assembly(ctx context.Context, stdout io.Writer) reporters.Options {
	return reporters.Options{Getenv: c.Getenv, Stdout: stdout, Dir: c.Dir, Project: ProjectRoot(c.Dir),
		Pages: func(runDir string) error { return pages(ctx, runDir) }}
}

// pages writes report.html of each pack, and index.html of the run and of all runs.
func pages(ctx context.Context, runDir string) error {
	run, err := history.LoadRun(runDir)
	if err != nil {
		return err
	}
	return errors.Join(html.WritePacks(ctx, run), html.WriteRun(ctx, run), html.WriteRuns(ctx, filepath.Dir(runDir)))
}

// Received makes the files of a run with packs from elsewhere, and removes runs beyond the limits. It sends no
// notifications.
func (c Config) Received(ctx context.Context, runDir string) error {
	o := c.assembly(ctx, io.Discard)
	getenv := c.getenv()
	o.Getenv = func(name string) string {
		if strings.HasPrefix(name, "REPORT_MAX_") {
			return getenv(name)
		}
		return "" // chats and GitHub are for this machine's own runs
	}
	_, err := reporters.Finish(ctx, runDir, o)
	return err
}

// Merged makes the files of a run that was merged from several.
func Merged(ctx context.Context, runDir string, o reporters.Options) (*history.Run, error) {
	o.Pages = func(runDir string) error { return pages(ctx, runDir) }
	return reporters.Finish(ctx, runDir, o)
}
