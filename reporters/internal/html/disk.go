package html

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// The names of the pages.
const (
	PackFile  = event.PageFile // in a pack
	IndexFile = "index.html"   // in a run, and next to the runs
)

const (
	eventsFile  = "events.ndjson"
	summaryFile = "summary.json"
	maxSummary  = 4 << 20
	maxRunsBack = 50 // runs to search for the last one that passed
	dots        = 10 // runs that the head of a page shows
	maxPast     = 30 // earlier runs that its history has
)

// Options add what is known of a pack in addition to the files of its folder. The zero value works: the rest is read
// from the disk.
type Options struct {
	Cause    *CauseLink
	Attempts []Past
	Flaky    string
	Slow     string
}

// WritePack makes report.html in a pack, and searches for earlier runs of the same test next to the pack's run. For a
// folder that is broken, or not a pack, the page says so.
func WritePack(ctx context.Context, packDir string, o Options) error {
	page, err := loadPage(ctx, packDir, o)
	if err != nil {
		return fmt.Errorf("write %s of %s: %w", PackFile, packDir, err)
	}
	var b bytes.Buffer
	if err := Pack(&b, page); err != nil {
		return fmt.Errorf("write %s of %s: %w", PackFile, packDir, err)
	}
	return filetree.WriteFile(packDir, PackFile, b.Bytes())
}

// loadPage collects what the page of a pack needs.
func loadPage(ctx context.Context, packDir string, o Options) (PackPage, error) {
	dir, err := filepath.Abs(packDir)
	if err != nil {
		return PackPage{}, err
	}
	res, err := loadResult(dir)
	if err != nil {
		return PackPage{}, err
	}
	page := PackPage{CaseResult: res, Dir: dir, Attempts: o.Attempts, Cause: o.Cause, Flaky: o.Flaky, Slow: o.Slow}
	run := filepath.Dir(dir)
	if !pack.IsRunName(filepath.Base(run)) {
		return page, nil
	}
	page.Run, page.Up = filepath.Base(run), "../"+IndexFile
	if page.Env, err = history.ReadEnvironment(run); err != nil {
		return page, err
	}
	err = lookBack(ctx, &page, filepath.Dir(run))
	return page, err
}

// loadResult folds the events of a pack, and takes over what only its summary contains. A file that cannot be read
// makes the result an error.
func loadResult(dir string) (*event.CaseResult, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() // nothing was written
	name := filepath.Base(dir)
	res, err := foldEvents(root)
	if res.Case.ID == "" {
		res.Case.ID = name
	}
	res.Case.Pack = name // whatever the events contain
	s, bad := readSummary(root, summaryFile)
	if bad == nil {
		overlay(res, s)
	}
	if err != nil && res.Result != event.Fail {
		res.Result, res.ProblemStep = event.Error, 0
		res.Problem = &event.Problem{Message: "the report is broken: its events cannot be read: " + err.Error()}
	}
	return res, nil
}

func foldEvents(root *os.Root) (*event.CaseResult, error) {
	f, err := openFile(root, eventsFile)
	if err != nil {
		return event.Fold(nil), err
	}
	events, err := event.ReadEvents(f)
	return event.Fold(events), errors.Join(err, f.Close())
}

// overlay takes over what the events lack: that the pack was completed after its run had died, or could not be kept. It
// never improves a result.
func overlay(res *event.CaseResult, s pack.Summary) {
	for _, n := range s.Notes {
		if !slices.Contains(res.Notes, n) {
			res.Notes = append(res.Notes, n)
		}
	}
	if res.Recording.Why == "" {
		res.Recording.Why = s.Recording.Why
	}
	if !res.Result.Good() || s.Result.Good() || s.Result == "" {
		return
	}
	res.Result, res.ProblemStep, res.Problem = result(s.Result), 0, &event.Problem{Message: "summary.json says " +
		string(s.Result)}
	if s.Problem != nil {
		res.Problem.Message = s.Problem.Message
	}
}

func readSummary(root *os.Root, name string) (pack.Summary, error) {
	var s pack.Summary
	data, err := readFile(root, name, maxSummary)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil {
		err = format.Check(name, s.Format, format.Summary)
	}
	return s, err
}
