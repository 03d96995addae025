package studio

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/reporters/html"
	"github.com/taproot-dev/taproot/server/internal/auth"
)

const (
	maxRuns     = 20  // on the page of reports
	maxPacks    = 200 // of a run
	maxQuestion = 16 << 10
	maxShot     = 32 << 20
)

// Recorded is where reports are, and what evaluates questions on their recorded screens.
type Recorded struct {
	Dir string // the folder of the runs
	// Try evaluates a question on the screen that decided a step of a report pack: the word is holds, fails, ambiguous or
	// not recorded. The error says what is wrong with the question, or with the report.
	Try func(dir string, step int, question string) (word, why string, err error)
}

// mayReadReports reports whether a person may read reports, and writes the error otherwise.
func (s *Studio) mayReadReports(w http.ResponseWriter, who auth.Identity) bool {
	if s.o.Reports.Try == nil || s.o.Identify != nil && !who.May("reports:read") {
		http.Error(w, "There are no reports here that you may read.", http.StatusForbidden)
		return false
	}
	return true
}

// runItem is a run on the page of reports.
type runItem struct {
	Name  string
	Packs []packItem
	More  int // packs that are not listed
}

type packItem struct{ Name, Link, Result, Sign string }

// reports lists the newest runs with their tests.
func (s *Studio) reports(w http.ResponseWriter, _ *http.Request, who auth.Identity) {
	if !s.mayReadReports(w, who) {
		return
	}
	var page struct{ Runs []runItem }
	root, err := os.OpenRoot(s.o.Reports.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing has run yet
	case err != nil:
		http.Error(w, "The reports cannot be read: "+reason(err), http.StatusInternalServerError)
		return
	default:
		defer root.Close()
		page.Runs = runsIn(root)
	}
	s.show(w, http.StatusOK, "reports.html", page)
}

func runsIn(root *os.Root) (list []runItem) {
	names, err := pack.Folders(root, pack.IsRunName)
	if err != nil {
		return nil
	}
	for _, name := range slices.Backward(names[max(0, len(names)-maxRuns):]) {
		dir, err := root.OpenRoot(name)
		if err != nil {
			continue // it was removed meanwhile
		}
		item := runItem{Name: name}
		packs, _ := pack.Folders(dir, pack.NamePattern.MatchString)
		for _, p := range packs[:min(len(packs), maxPacks)] {
			result := resultOf(dir, p)
			item.Packs = append(item.Packs, packItem{Name: p, Link: reportLink(name, p), Result: html.Word(result),
				Sign: html.Sign(result)})
		}
		item.More = len(packs) - len(item.Packs)
		_ = dir.Close() // nothing was written
		list = append(list, item)
	}
	return list
}

// resultOf is the result in the summary of a pack; one that has none ended with an error.
func resultOf(run *os.Root, name string) event.Result {
	dir, err := run.OpenRoot(name)
	if err != nil {
		return event.Error
	}
	defer dir.Close()
	summary, err := pack.ReadSummaryFile(dir)
	if err != nil {
		return event.Error
	}
	return summary.Result
}

func reportLink(run, name string) string {
	return "/studio/reports/" + url.PathEscape(run) + "/" + url.PathEscape(name)
}

// openPack opens the pack that a request names, without following links; nil: the response is written.
func (s *Studio) openPack(w http.ResponseWriter, r *http.Request, who auth.Identity) *os.Root {
	if !s.mayReadReports(w, who) {
		return nil
	}
	run, name := r.PathValue("run"), r.PathValue("pack")
	if !pack.IsRunName(run) || !pack.NamePattern.MatchString(name) {
		http.NotFound(w, r)
		return nil
	}
	root, err := os.OpenRoot(s.o.Reports.Dir)
	if err != nil {
		http.NotFound(w, r)
		return nil
	}
	defer root.Close()
	for _, dir := range []string{run, path.Join(run, name)} {
		if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
			http.NotFound(w, r)
			return nil
		}
	}
	at, err := root.OpenRoot(path.Join(run, name))
	if err != nil {
		http.NotFound(w, r)
		return nil
	}
	return at
}

// stepItem is a step of a report.
type stepItem struct {
	N                             int
	Action, Args, Result, Sign    string
	Question                      string // the step itself, as a question
	Shot, Problem, Place, Current string
}

// report shows the steps of a report, each with a form for questions about its screen.
func (s *Studio) report(w http.ResponseWriter, r *http.Request, who auth.Identity) {
	root := s.openPack(w, r, who)
	if root == nil {
		return
	}
	defer root.Close()
	run, name := r.PathValue("run"), r.PathValue("pack")
	res, err := pack.FoldFile(root, event.Case{ID: name, Pack: name})
	page := struct {
		Run, Pack, Result, Sign, Try, Problem string
		Steps                                 []stepItem
	}{Run: run, Pack: name, Result: html.Word(res.Result), Sign: html.Sign(res.Result),
		Try: reportLink(run, name) + "/try"}
	if err != nil {
		page.Problem = "The events of the report cannot be read: " + err.Error()
	}
	chosen, _ := strconv.Atoi(r.URL.Query().Get("step"))
	if res.Step(chosen) == nil {
		chosen = max(res.ProblemStep, min(1, len(res.Steps)))
	}
	for _, step := range res.Steps {
		item := stepItem{N: step.N, Action: step.Action, Args: step.Args, Result: html.Word(step.Result),
			Sign: html.Sign(step.Result), Question: step.Action + ": " + step.Args}
		if step.Problem != nil {
			item.Problem = step.Problem.Message
		}
		if step.Place.Line > 0 {
			item.Place = step.Place.String()
		}
		for _, a := range step.Attachments {
			if a.Kind == event.KindScreenshot || a.Kind == event.KindFailure {
				item.Shot = reportLink(run, name) + "/" + path.Clean(a.Path)
			}
		}
		if step.N == chosen {
			item.Current = "step"
		}
		page.Steps = append(page.Steps, item)
	}
	s.show(w, http.StatusOK, "report.html", page)
}

// shot serves a screenshot of a report.
func (s *Studio) shot(w http.ResponseWriter, r *http.Request, who auth.Identity) {
	root := s.openPack(w, r, who)
	if root == nil {
		return
	}
	defer root.Close()
	name := path.Join(event.ScreenshotsDir, r.PathValue("file"))
	kind := mime.TypeByExtension(path.Ext(name))
	if !strings.HasPrefix(kind, "image/") || strings.Contains(kind, "svg") || !filepath.IsLocal(name) {
		http.NotFound(w, r)
		return
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxShot {
		http.NotFound(w, r)
		return
	}
	f, err := root.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.Copy(w, io.LimitReader(f, maxShot)) // a client that disconnected reads nothing
}

// tried is the answer to a question.
type tried struct {
	Word string `json:"word"`
	Why  string `json:"why"`
}

// try evaluates a question on the screen that decided a step.
func (s *Studio) try(w http.ResponseWriter, r *http.Request, who auth.Identity) {
	root := s.openPack(w, r, who)
	if root == nil {
		return
	}
	_ = root.Close() // it was opened to see that it is there
	var question struct {
		Step     int    `json:"step"`
		Question string `json:"question"`
	}
	if r.Header.Get("Content-Type") != "application/json" ||
		json.NewDecoder(http.MaxBytesReader(w, r.Body, maxQuestion)).Decode(&question) != nil {
		http.Error(w, `Send {"step": 3, "question": "assert: Paid"}.`, http.StatusBadRequest)
		return
	}
	word, why, err := s.o.Reports.Try(filepath.Join(s.o.Reports.Dir, r.PathValue("run"), r.PathValue("pack")),
		question.Step, question.Question)
	if err != nil {
		why := strings.ReplaceAll(err.Error(), s.o.Reports.Dir+string(filepath.Separator), "")
		http.Error(w, why, http.StatusUnprocessableEntity)
		return
	}
	answer(w, http.StatusOK, tried{Word: word, Why: why})
}
