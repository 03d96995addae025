package reporters

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxArg   = 200  // runes of a table's cell
	maxLong  = 4000 // runes of a block
	inlineUp = 120  // runes that still read well within a line
	nearest  = 8    // candidates shown
)

// RunMarkdown gives the bytes of run.md. It is pure.
func RunMarkdown(r *Result) []byte {
	w := &mdWriter{}
	w.head(r)
	w.steps(r)
	w.problem(r)
	w.notes(r)
	w.troubles(r)
	w.files(r)
	return []byte(w.String())
}

type mdWriter struct{ strings.Builder }

func (w *mdWriter) f(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *mdWriter) head(r *Result) {
	c := r.Case
	w.f("# %s\n\n", mdText(c.ID, maxArg))
	w.f("- id: %s\n- platform: %s\n- solver: %s\n", mdText(c.ID, maxArg), mdText(string(c.Platform), maxArg), mdText(c.Solver, maxArg))
	w.f("- duration: %.1fs\n- result: %s\n", r.Duration.Seconds(), mark(r.Verdict))
	if c.Name != "" && c.Name != c.ID {
		w.f("- name: %s\n", mdText(c.Name, maxArg))
	}
	if c.Device != "" || c.Model != "" {
		w.f("- device: %s\n", strings.TrimSpace(mdText(c.Model, maxArg)+" "+mdCode(c.Device, maxArg)))
	}
	if c.OS != "" {
		w.f("- os: %s\n", mdText(c.OS, maxArg))
	}
	if app := r.App.String(); app != "" {
		w.f("- app: %s\n", mdText(app, maxArg))
	}
	if place := c.Place.String(); place != "" {
		w.f("- file: %s\n", mdCode(place, maxLong))
	}
	for _, more := range [][2]string{{"description", c.Description}, {"owner", c.Owner}, {"links", strings.Join(c.Links, ", ")}} {
		if more[1] != "" {
			w.f("- %s: %s\n", more[0], mdText(more[1], maxArg))
		}
	}
	if len(c.Tags) > 0 {
		w.f("- tags: %s\n", mdText(strings.Join(c.Tags, ", "), maxArg))
	}
	if !r.Started.IsZero() {
		w.f("- started: %s UTC\n", r.Started.UTC().Format("2006-01-02 15:04:05"))
	}
	n := r.Count()
	w.f("- steps: %d of %d passed", n.Passed, n.Total)
	for _, part := range []struct {
		n    int
		what string
	}{{n.Warned, "with a warning"}, {n.Failed, "failed"}, {n.Errored, "with an error"}, {n.Skipped, "skipped"}, {n.Interrupted, "interrupted"}, {n.Unreached, "not reached"}} {
		if part.n > 0 {
			w.f(", %d %s", part.n, part.what)
		}
	}
	w.f("\n")
}

// mark is how a verdict is shown.
func mark(v Verdict) string {
	switch v {
	case Pass:
		return "✅ PASS"
	case Fail:
		return "❌ FAIL"
	case Error:
		return "⚠️ ERROR"
	case Warned:
		return "⚠️ WARNING"
	case Skipped:
		return "⏭️ SKIPPED"
	case Interrupted:
		return "⏹️ INTERRUPTED"
	}
	return "– not reached"
}

func (w *mdWriter) steps(r *Result) {
	w.f("\n## Steps\n\n| # | Action | Args | Result | Time |\n|--:|---|---|---|--:|\n")
	for _, s := range r.Steps {
		action := mdText(s.Action, maxArg)
		if s.Name != "" {
			action += " · " + mdText(s.Name, maxArg)
		}
		took := "–"
		if s.Verdict == Pass || s.Verdict == Fail || s.Verdict == Error {
			took = stepTime(s.Duration)
		}
		w.f("| %d | %s | %s | %s | %s |\n", s.N, action, mdCell(s.Args, maxArg), mark(s.Verdict), took)
	}
}

// stepTime is in milliseconds below a second, in seconds with one decimal from there on.
func stepTime(d time.Duration) string {
	if ms := d.Milliseconds(); ms < 1000 {
		return fmt.Sprintf("%dms", ms)
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

func (w *mdWriter) problem(r *Result) {
	if r.Verdict == Pass {
		return
	}
	title := "What went wrong"
	if r.Verdict == Skipped {
		title = "Why it was skipped"
	}
	w.f("\n## %s\n\n", title)
	list := r.Failures()
	for i, f := range list {
		if i > 0 {
			w.f("\n### Also: ")
			if f.Step != nil {
				w.f("step %d, ", f.Step.N)
			}
			w.f("%d of %d\n\n", i+1, len(list))
		}
		w.failure(f)
	}
}

// failure is one thing that went wrong: where, what, what was there instead, what else happened meanwhile.
func (w *mdWriter) failure(f Failure) {
	s, p := f.Step, f.Problem
	if s != nil {
		w.f("**Step %d, %s** · %s\n\n", s.N, mdText(s.Action, maxArg), mdCode(f.Place.String(), maxLong))
	}
	w.f("%s\n", mdText(p.Message, maxLong))
	if s != nil {
		if cause := s.LikelyCause(); cause != nil {
			w.f("\n**Around the failure** %s\n", mdCode(firstLine(cause.Text), maxLong))
		}
		if s.Source != "" {
			w.f("\n%s", mdBlock("yaml", Excerpt(s.Place, s.Source, s.Action), maxLong))
		}
	}
	w.value("Expected", p.Expected)
	w.value("Actual", p.Actual)
	w.candidates(p.Candidates, p.Rejected)
	if p.Stack != "" {
		w.f("\nWhere it happened:\n\n%s", mdBlock("", p.Stack, maxLong))
	}
	if f.Picture != "" {
		w.f("\nThe screen at that time:\n\n!%s\n", mdLink(path.Base(f.Picture), f.Picture))
	}
	w.around(s)
}

// around lists what else went wrong while the step ran.
func (w *mdWriter) around(s *StepResult) {
	if s == nil || len(s.Around) == 0 {
		return
	}
	w.f("\n**While the step ran**\n\n")
	for _, in := range s.Around {
		w.f("- %s, %s: %s\n", in.Offset(s), in.Kind, mdCode(firstLine(in.Text), maxLong))
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// value shows a value within the line when it is short, in a block otherwise.
func (w *mdWriter) value(name, v string) {
	switch {
	case strings.TrimSpace(v) == "":
	case strings.Contains(v, "\n") || len([]rune(v)) > inlineUp:
		w.f("\n**%s**\n\n%s", name, mdBlock("", v, maxLong))
	default:
		w.f("\n**%s** %s\n", name, mdCode(v, maxLong))
	}
}

// candidates lists what was near, and why each was not picked, where that is known.
func (w *mdWriter) candidates(list, rejected []string) {
	if len(list) == 0 {
		return
	}
	w.f("\n**Nearest on the screen**\n\n")
	for i, c := range list[:min(len(list), nearest)] {
		why := ""
		if len(rejected) == len(list) && rejected[i] != "" {
			why = ": " + mdText(rejected[i], maxArg)
		}
		w.f("%d. %s%s\n", i+1, mdCode(c, maxArg), why)
	}
	if more := len(list) - nearest; more > 0 {
		w.f("\n… and %d more\n", more)
	}
}

func (w *mdWriter) notes(r *Result) {
	var lines []string
	for _, n := range r.Notes {
		lines = append(lines, mdText(n, maxLong))
	}
	lines = append(lines, proofs(r)...)
	for _, s := range r.Steps {
		notes := s.Notes
		if s.Detail != nil {
			notes = slices.Concat(notes, s.Detail.Notes, s.Detail.Doubts)
		}
		for _, n := range notes {
			lines = append(lines, fmt.Sprintf("step %d: %s", s.N, mdText(n, maxLong)))
		}
	}
	if len(lines) > 0 {
		w.f("\n## Notes\n\n- %s\n", strings.Join(lines, "\n- "))
	}
}

// troubles tells of the console and the network, step by step.
func (w *mdWriter) troubles(r *Result) {
	var lines []string
	for _, s := range r.Steps {
		if s.Detail == nil {
			continue
		}
		for _, t := range s.Detail.Troubles {
			lines = append(lines, fmt.Sprintf("step %d: %s", s.N, mdCode(t, maxLong)))
		}
	}
	if len(lines) > 0 {
		w.f("\n## Console and network\n\n- %s\n", strings.Join(lines, "\n- "))
	}
}

// proofs sums up what is known of the taps, and names the steps whose tap went otherwise than hoped for.
func proofs(r *Result) []string {
	count, which := map[string]int{}, map[string][]string{}
	for _, s := range r.Steps {
		if s.Detail != nil && s.Detail.Proof != "" {
			proof := s.Detail.ProofKind()
			count[proof]++
			which[proof] = append(which[proof], strconv.Itoa(s.N))
		}
	}
	var parts []string
	for _, proof := range []string{ProofHit, ProofOccluded, ProofMoved, ProofNoEffect} {
		switch {
		case count[proof] == 0:
		case proof == ProofHit:
			parts = append(parts, fmt.Sprintf("%d hit", count[proof]))
		default:
			parts = append(parts, fmt.Sprintf("%d %s (step %s)", count[proof], proof, strings.Join(which[proof], ", ")))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"taps on elements: " + strings.Join(parts, ", ")}
}

func (w *mdWriter) files(r *Result) {
	w.f("\n## Files\n\n")
	w.recording(r)
	for _, a := range r.Attachments {
		if a.Kind != KindScreenshot && a.Kind != KindFailure && a.Kind != KindRecording {
			w.f("- %s\n", mdLink(a.Path, a.Path))
		}
	}
	w.f("- [events.ndjson](events.ndjson): what happened, event by event\n")
	shots := r.Screenshots()
	w.f("- screenshots: %d\n", len(shots))
	for _, a := range shots {
		w.f("  - %s\n", mdLink(path.Base(a.Path), a.Path))
	}
}

func (w *mdWriter) recording(r *Result) {
	why := ""
	if r.Recording.Why != "" {
		why = " (" + mdText(r.Recording.Why, maxLong) + ")"
	}
	link := mdLink(recordingFile, recordingFile)
	switch r.Recording.Kind {
	case NativeFilm:
		w.f("- %s: the screen as it was filmed%s\n", link, why)
	case SlideShow:
		w.f("- %s: a slide show of the screenshots, each for as long as it was the newest%s\n", link, why)
	default:
		w.f("- no recording%s\n", why)
	}
}
