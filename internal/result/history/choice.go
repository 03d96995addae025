package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const (
	choiceFile = "choice.json"
	maxChoice  = 64 << 10
)

// Choice says which cases a run was asked to run, how often and in which order. The zero value: all, once, in the order
// of the files.
type Choice struct {
	Labels   string `json:"labels,omitempty"`    // the label filter
	Platform string `json:"platform,omitempty"`  // the only one
	RerunOf  string `json:"rerun_of,omitempty"`  // name of the run with the failures that were run again
	Shard    string `json:"shard,omitempty"`     // "2/3"
	Repeat   int    `json:"repeat,omitempty"`    // how often each case was run, when more than once
	Seed     *int64 `json:"seed,omitempty"`      // of the random order; missing: the order was not random
	FailFast bool   `json:"fail_fast,omitempty"` // nothing was started after the first case that did not pass
	Browser  string `json:"browser,omitempty"`   // of tests of pages that name none
}

// Empty reports whether all cases are run, once, in the order of the files.
func (c Choice) Empty() bool { return c == Choice{} }

// String describes it for people, in the words of the flags.
func (c Choice) String() string {
	var parts []string
	add := func(on bool, format string, args ...any) {
		if on {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(c.Labels != "", "labels %s", markdown.Visible(c.Labels, markdown.MaxArg))
	add(c.Platform != "", "platform %s", markdown.Visible(c.Platform, markdown.MaxArg))
	add(c.Browser != "", "browser %s", markdown.Visible(c.Browser, markdown.MaxArg))
	add(c.RerunOf != "", "failures of %s", markdown.Visible(c.RerunOf, markdown.MaxArg))
	add(c.Shard != "", "shard %s", markdown.Visible(c.Shard, markdown.MaxArg))
	add(c.Repeat > 1, "each %d times", c.Repeat)
	if c.Seed != nil {
		add(true, "random order, seed %d", *c.Seed)
	}
	add(c.FailFast, "stop at the first failure")
	return strings.Join(parts, " · ")
}

// WriteChoice writes the choice of the run to the run directory. Call it once, before the first case.
func WriteChoice(d *pack.RunDir, c Choice) error {
	if c.Empty() {
		return nil
	}
	data, err := pack.MarshalIndent(ChoiceFile{Format: format.Choice, Choice: c})
	if err == nil {
		err = filetree.WriteFile(d.Path(), choiceFile, data)
	}
	if err != nil {
		return fmt.Errorf("keep the choice of tests: %w", err)
	}
	return nil
}

// readChoice returns the zero value for a run without a choice.
func readChoice(root *os.Root) (c Choice, err error) {
	var file ChoiceFile
	if there, err := readJSON(root, choiceFile, maxChoice, &file); !there || err != nil {
		return Choice{}, err
	}
	return file.Choice, format.Check(choiceFile, file.Format, format.Choice)
}

// readJSON reads a file of a run of at most limit bytes; there is false without it.
func readJSON(root *os.Root, name string, limit int64, into any) (there bool, err error) {
	data, err := filetree.ReadCapped(root, name, limit)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return true, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return true, nil
}

// ChoiceFile is choice.json.
type ChoiceFile struct {
	Format string `json:"format"`
	Choice
}

// LastRun loads the newest run under root that has ended and has a case. A run that a process still works on is
// skipped; one that died is not.
func LastRun(root string, now time.Time) (run *Run, err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("there are no reports: %w", err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	names, err := pack.Folders(dir, pack.IsRunName)
	if err != nil {
		return nil, fmt.Errorf("list the runs: %w", err)
	}
	look := pruner{root: dir, now: now}
	for _, name := range slices.Backward(names) {
		over, unlock, err := look.lock(name)
		if err = errors.Join(err, unlock()); err != nil {
			return nil, fmt.Errorf("check run %s: %w", name, err)
		}
		if !over {
			continue
		}
		if run, err := LoadRun(filepath.Join(root, name)); err != nil || len(run.Cases) > 0 {
			return run, err
		}
	}
	return nil, fmt.Errorf("there is no run in %s", root)
}

// Failed names the cases of the run to run again: those that failed, ended with an error, were interrupted, never
// started, or were skipped because a test that they need did not pass or the run had no time left. A name is that of
// the pack without the numbers of attempt and repetition.
func (r *Run) Failed() []string {
	var names []string
	again := r.Bad()
	for i := range r.Cases {
		if p := r.Cases[i].CaseResult.Problem; p != nil && (p.Kind == event.NeedsNotMet || p.Kind == event.OutOfTime) {
			again = append(again, &r.Cases[i])
		}
	}
	for _, c := range again {
		if name := withoutRep(c.Key); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// PlannedKey is the name of a pack without the numbers of attempt and repetition, as a plan has it.
func PlannedKey(pack string) string { return withoutRep(CaseKey(pack)) }

func withoutRep(key string) string {
	parts := strings.Split(key, "--")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		n, isRep := strings.CutPrefix(part, "rep-")
		_, err := strconv.Atoi(n)
		return isRep && err == nil
	}), "--")
}
