package history

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// Run is the result of the packs of one run directory. It is made from files alone.
type Run struct {
	Dir      string // absolute path
	Name     string // of the folder: the time at which the run started
	Started  time.Time
	Ended    time.Time
	Duration time.Duration     // from the first event to the last
	Cases    []RunCase         // in the order of their places
	Choice   Choice            // what the run was asked to run
	Env      *Environment      // where the run ran; nil: unknown
	Logs     []string          // the logs of the servers of the app: files of the run's folder
	Weak     *finding.Weakness // its weak assertions; nil: not known
	Repairs  []finding.Repair  // of steps that did not find their element
	Notes    []string          // which of the run's own files could not be read
}

// RunCase is one case of a run. With several attempts, the last one decides its result.
type RunCase struct {
	Pack       string            // folder of the last attempt; empty: the case was planned and never started
	Key        string            // folder without the number of the attempt: the same in every run
	CaseResult *event.CaseResult // of the last attempt; never nil
	Attempts   []Attempt         // those before the last, oldest first
	Broken     string            // why its report is incomplete
	Page       string            // the page to read, relative to the run: report.html, or run.md without one; may be empty
	Trend      Trend             // results of the case in earlier runs
}

// Attempt is an attempt that was followed by another one.
type Attempt struct {
	Pack       string
	CaseResult *event.CaseResult
}

// LoadRun folds the events of every pack of a run. A pack that cannot be read becomes an error with the reason; the
// error of LoadRun itself means that the directory cannot be read.
func LoadRun(runDir string) (*Run, error) {
	abs, err := filepath.Abs(runDir)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", runDir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", runDir, err)
	}
	run := &Run{Dir: abs, Name: filepath.Base(abs)}
	packs, err := pack.Folders(root, pack.NamePattern.MatchString)
	run.load(root, packs)
	if err = errors.Join(err, root.Close()); err != nil {
		return nil, fmt.Errorf("read run %s: %w", runDir, err)
	}
	run.addTrends()
	return run, nil
}

func (r *Run) load(root *os.Root, packs []string) {
	tries := map[string][]RunCase{}
	for _, name := range packs {
		if c, ok := loadPack(root, name); ok {
			tries[c.Key] = append(tries[c.Key], c)
		}
	}
	for _, list := range tries {
		slices.SortFunc(list, func(a, b RunCase) int { return cmp.Compare(attemptOf(a.Pack), attemptOf(b.Pack)) })
		last := list[len(list)-1]
		for _, t := range list[:len(list)-1] {
			last.Attempts = append(last.Attempts, Attempt{Pack: t.Pack, CaseResult: t.CaseResult})
		}
		r.Cases = append(r.Cases, last)
	}
	planned, err := readPlan(root)
	if err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	if r.Choice, err = readChoice(root); err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	if r.Env, err = readEnvironment(root); err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	if r.Weak, err = readWeak(root); err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	if r.Repairs, err = readRepairs(root); err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	if r.Logs, err = fs.Glob(root.FS(), "start-*.log"); err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	for _, c := range planned {
		if tries[CaseKey(c.Pack)] == nil {
			tries[CaseKey(c.Pack)] = []RunCase{{}} // the plan names it twice
			r.Cases = append(r.Cases, neverStarted(c))
		}
	}
	slices.SortFunc(r.Cases, func(a, b RunCase) int {
		p, q := a.CaseResult.Case.Place, b.CaseResult.Case.Place
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(a.Key, b.Key))
	})
	r.times()
}

func (r *Run) times() {
	see := func(res *event.CaseResult) {
		if !res.Started.IsZero() && (r.Started.IsZero() || res.Started.Before(r.Started)) {
			r.Started = res.Started
		}
		if res.Ended.After(r.Ended) {
			r.Ended = res.Ended
		}
	}
	for _, c := range r.Cases {
		see(c.CaseResult)
		for _, t := range c.Attempts {
			see(t.CaseResult)
		}
	}
	r.Duration = max(0, r.Ended.Sub(r.Started))
}

// loadPack reports whether a folder is a pack, also when its events are lost.
func loadPack(run *os.Root, name string) (RunCase, bool) {
	c := RunCase{Pack: name, Key: CaseKey(name)}
	unknown := event.Case{ID: packID(name), Pack: name, Solver: "dsl"}
	root, err := run.OpenRoot(name)
	if err != nil {
		c.CaseResult = brokenResult(unknown, err)
		c.Broken = c.CaseResult.Problem.Message
		return c, true
	}
	defer root.Close() // nothing was written
	if !filetree.There(root, event.EventsFile) && !filetree.There(root, event.SummaryFile) &&
		!filetree.There(root, event.WorkDir) && !filetree.There(root, event.ScreenshotsDir) {
		return c, false
	}
	for _, page := range []string{event.RunFile, event.PageFile} {
		if filetree.There(root, page) {
			c.Page = path.Join(name, page)
		}
	}
	res, err := pack.FoldFile(root, unknown)
	c.CaseResult = res
	res.Case.Pack = name // links must lead to the folder, whatever the events contain
	if err != nil {
		c.Broken = "its events cannot be read: " + err.Error()
		if res.Result != event.Fail {
			res.Result, res.Problem, res.ProblemStep = event.Error, &event.Problem{Message: "the report is broken: " +
				c.Broken}, 0
		}
		return c, true
	}
	c.Broken = applySummary(root, res)
	return c, true
}

func brokenResult(c event.Case, err error) *event.CaseResult {
	return &event.CaseResult{Case: c, Result: event.Error, Problem: &event.Problem{Message: "the report is broken: " +
		err.Error()}, Recording: event.Recording{Kind: event.NoRecording}}
}

// applySummary takes over what only summary.json can contain: that the report could not be kept. It never improves a
// result.
func applySummary(root *os.Root, res *event.CaseResult) string {
	if !filetree.There(root, event.SummaryFile) {
		return ""
	}
	s, err := pack.ReadSummaryFile(root)
	if err != nil {
		return err.Error()
	}
	if good := res.Result.Good(); !good || s.Result != event.Error &&
		s.Result != event.Interrupted {
		return ""
	}
	res.Result, res.ProblemStep, res.Problem = s.Result, 0, &event.Problem{Message: "summary.json says " +
		string(s.Result)}
	if s.Problem != nil {
		res.Problem = &event.Problem{Message: s.Problem.Message}
	}
	return res.Problem.Message
}

// packID is the test's id as it is written in the name of its pack.
func packID(pack string) string {
	id, _, _ := strings.Cut(pack, "--")
	return id
}

// attemptOf is the number of the attempt in a pack's name: 2 for login--attempt-2; 1 without one.
func attemptOf(pack string) int {
	for _, part := range strings.Split(pack, "--")[1:] {
		if n, err := strconv.Atoi(strings.TrimPrefix(part, "attempt-")); err == nil && strings.HasPrefix(part, "attempt-") &&
			n > 0 {
			return n
		}
	}
	return 1
}

// CaseKey is the name of a pack without the number of its attempt.
func CaseKey(pack string) string {
	parts := strings.Split(pack, "--")
	kept := parts[:1]
	for _, part := range parts[1:] {
		if _, err := strconv.Atoi(strings.TrimPrefix(part, "attempt-")); err == nil && strings.HasPrefix(part, "attempt-") {
			continue
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, "--")
}

// FullName names the case in reports of other formats: a Go spec by its own text, of which its id is a shortened form,
// and every other test by its Title.
func (c *RunCase) FullName() string {
	d := c.CaseResult.Case
	if d.Name == "" || !strings.HasSuffix(d.Place.File, ".go") {
		return c.Title()
	}
	if rest, more := strings.CutPrefix(c.Title(), d.ID); more {
		return d.Name + rest
	}
	return d.Name
}

// Title names the case for people: the test's id, and what distinguishes its cases: "login (android, row 2)".
func (c *RunCase) Title() string {
	id := c.CaseResult.Case.ID
	_, rest, more := strings.Cut(c.Key, "--")
	if !more {
		return id
	}
	parts := strings.Split(rest, "--")
	for i, part := range parts {
		for _, word := range []string{"row-", "rep-"} {
			if n, ok := strings.CutPrefix(part, word); ok {
				parts[i] = strings.TrimSuffix(word, "-") + " " + n
			}
		}
	}
	return id + " (" + strings.Join(parts, ", ") + ")"
}
