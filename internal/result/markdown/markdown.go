// Package markdown writes a case for people: a Result goes in, run.md comes out. Foreign text cannot become markup.
package markdown

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

const (
	MaxArg   = 200  // runes of a table's cell
	MaxLong  = 4000 // runes of a block
	inlineUp = 120  // runes that still read well within a line
	nearest  = 8    // candidates shown
)

// RunMarkdown returns the bytes of run.md. It has no side effects.
func RunMarkdown(r *event.CaseResult) []byte {
	w := &Writer{}
	w.head(r)
	w.steps(r)
	w.problem(r)
	w.notes(r)
	w.troubles(r)
	w.files(r)
	return []byte(w.String())
}

type Writer struct{ strings.Builder }

func (w *Writer) Printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *Writer) head(r *event.CaseResult) {
	c := r.Case
	w.Printf("# %s\n\n", Text(c.ID, MaxArg))
	w.Printf("- id: %s\n- platform: %s\n- solver: %s\n", Text(c.ID, MaxArg), Text(string(c.Platform), MaxArg),
		Text(c.Solver, MaxArg))
	w.Printf("- duration: %.1fs\n- result: %s\n", r.Duration.Seconds(), Mark(r.Result))
	if c.Name != "" && c.Name != c.ID {
		w.Printf("- name: %s\n", Text(c.Name, MaxArg))
	}
	for _, d := range c.Devices {
		w.Printf("- device %s: %s\n", Text(d.Name, MaxArg), deviceText(d))
	}
	if len(c.Devices) == 0 && (c.Device != "" || c.Model != "") {
		w.Printf("- device: %s\n", strings.TrimSpace(Text(c.Model, MaxArg)+" "+Code(c.Device, MaxArg)))
	}
	if c.OS != "" && len(c.Devices) == 0 {
		w.Printf("- os: %s\n", Text(c.OS, MaxArg))
	}
	if c.Session != "" {
		w.Printf("- session: %s\n", Text(c.Session, MaxLong))
	}
	if app := r.App.String(); app != "" {
		w.Printf("- app: %s\n", Text(app, MaxArg))
	}
	if place := c.Place.String(); place != "" {
		w.Printf("- file: %s\n", Code(place, MaxLong))
	}
	for _, more := range [][2]string{{"description", c.Description}, {"owner", c.Owner},
		{"links", strings.Join(c.Links, ", ")}} {
		if more[1] != "" {
			w.Printf("- %s: %s\n", more[0], Text(more[1], MaxArg))
		}
	}
	if c.Fails != nil {
		w.Printf("- known failure: %s\n", Text(c.Fails.String(), MaxArg))
	}
	if len(c.Tags) > 0 {
		w.Printf("- tags: %s\n", Text(strings.Join(c.Tags, ", "), MaxArg))
	}
	if !r.Started.IsZero() {
		w.Printf("- started: %s UTC\n", r.Started.UTC().Format("2006-01-02 15:04:05"))
	}
	n := r.Count()
	w.Printf("- steps: %d of %d passed", n.Passed, n.Total)
	for _, part := range []struct {
		n    int
		what string
	}{{n.Warned, "with a warning"}, {n.Failed, "failed"}, {n.Errored, "with an error"}, {n.Skipped, "skipped"},
		{n.Interrupted, "interrupted"}, {n.Unreached, "not reached"}} {
		if part.n > 0 {
			w.Printf(", %d %s", part.n, part.what)
		}
	}
	w.Printf("\n")
}

// deviceText describes one of several devices.
func deviceText(d event.CaseDevice) string {
	text := Text(string(d.Platform), MaxArg)
	if d.OS != "" {
		text = Text(d.OS, MaxArg)
	}
	if d.Model != "" {
		text += ", " + Text(d.Model, MaxArg)
	}
	if d.ID != "" {
		text += " " + Code(d.ID, MaxArg)
	}
	return text
}

// Mark is how a result is displayed.
func Mark(v event.Result) string {
	switch v {
	case event.Pass:
		return "✅ PASS"
	case event.Fail:
		return "❌ FAIL"
	case event.Error:
		return "⚠️ ERROR"
	case event.Warned:
		return "⚠️ WARNING"
	case event.Skipped:
		return "⏭️ SKIPPED"
	case event.Expected:
		return "☑️ EXPECTED FAILURE"
	case event.Interrupted:
		return "⏹️ INTERRUPTED"
	}
	return "– not reached"
}

func (w *Writer) steps(r *event.CaseResult) {
	several, steps := len(r.Case.Devices) > 0, r.Steps
	if several { // those of several devices end in any order
		steps = slices.SortedStableFunc(slices.Values(steps),
			func(a, b event.StepResult) int { return cmp.Compare(a.N, b.N) })
		w.Printf("\n## Steps\n\n| # | Device | Action | Args | Result | Time |\n|--:|---|---|---|---|--:|\n")
	} else {
		w.Printf("\n## Steps\n\n| # | Action | Args | Result | Time |\n|--:|---|---|---|--:|\n")
	}
	for _, s := range steps {
		action := Text(s.Action, MaxArg)
		if s.Name != "" {
			action += " · " + Text(s.Name, MaxArg)
		}
		if s.In != "" {
			action += " (" + Text(s.In, MaxArg) + ")"
		}
		took := "–"
		if s.Result == event.Pass || s.Result == event.Fail || s.Result == event.Error {
			took = StepTime(s.Duration)
		}
		if several {
			action = Text(s.Device, MaxArg) + " | " + action
		}
		w.Printf("| %d | %s | %s | %s | %s |\n", s.N, action, mdCell(s.Args, MaxArg), stepMark(s), took)
	}
}

// stepMark is how the result of a step is displayed: with its reason, where another device is the reason.
func stepMark(s event.StepResult) string {
	if s.Device == "" || s.Problem == nil || s.Result != event.Unreached && s.Result != event.Interrupted {
		return Mark(s.Result)
	}
	return Mark(s.Result) + ", " + Text(s.Problem.Message, MaxArg)
}

// StepTime is in milliseconds below a second, in seconds with one decimal from there on.
func StepTime(d time.Duration) string {
	if ms := d.Milliseconds(); ms < 1000 {
		return fmt.Sprintf("%dms", ms)
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

func (w *Writer) problem(r *event.CaseResult) {
	if r.Result == event.Pass {
		return
	}
	title := "What went wrong"
	if r.Result == event.Skipped {
		title = "Why it was skipped"
	}
	if r.Result == event.Expected {
		title = "What went wrong, as expected"
	}
	w.Printf("\n## %s\n\n", title)
	list := r.Failures()
	for i, f := range list {
		if i > 0 {
			w.Printf("\n### Also: ")
			if f.Step != nil {
				w.Printf("step %d, ", f.Step.N)
			}
			w.Printf("%d of %d\n\n", i+1, len(list))
		}
		w.failure(f)
	}
}

// failure writes one thing that went wrong: where, what, what was found instead, what else happened meanwhile.
func (w *Writer) failure(f event.Failure) {
	s, p := f.Step, f.Problem
	if s != nil {
		what := Text(s.Action, MaxArg)
		if s.Device != "" {
			what += " on " + Text(s.Device, MaxArg)
		}
		w.Printf("**Step %d, %s** · %s\n\n", s.N, what, Code(f.Place.String(), MaxLong))
	}
	w.Printf("%s\n", Text(p.Message, MaxLong))
	if s != nil {
		if cause := s.LikelyCause(); cause != nil {
			w.Printf("\n**Around the failure** %s\n", Code(FirstLine(cause.Text), MaxLong))
		}
		if s.Source != "" {
			w.Printf("\n%s", Block("yaml", Excerpt(s.Place, s.Source, s.Action), MaxLong))
		}
	}
	w.Value("Expected", p.Expected)
	w.Value("Actual", p.Actual)
	w.Candidates(p.Candidates, p.Rejected)
	if p.Stack != "" {
		w.Printf("\nWhere it happened:\n\n%s", Block("", p.Stack, MaxLong))
	}
	if f.Screenshot != "" {
		w.Printf("\nThe screen at that time:\n\n!%s\n", mdLink(path.Base(f.Screenshot), f.Screenshot))
	}
	w.moments(s)
	w.around(s)
}

// moments shows what the other devices of the test showed when the step failed.
func (w *Writer) moments(s *event.StepResult) {
	if s == nil {
		return
	}
	for _, a := range s.Attachments {
		if a.Kind == event.KindMoment {
			w.Printf("\n%s at that time:\n\n!%s\n", Text(a.Device, MaxArg), mdLink(path.Base(a.Path), a.Path))
		}
	}
}

// around lists what else went wrong while the step ran.
func (w *Writer) around(s *event.StepResult) {
	if s == nil || len(s.Around) == 0 {
		return
	}
	w.Printf("\n**While the step ran**\n\n")
	for _, in := range s.Around {
		w.Printf("- %s, %s: %s\n", in.Offset(s), in.Kind, Code(FirstLine(in.Text), MaxLong))
	}
}

func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Value shows a value within the line when it is short, in a block otherwise.
func (w *Writer) Value(name, v string) {
	switch {
	case strings.TrimSpace(v) == "":
	case strings.Contains(v, "\n") || len([]rune(v)) > inlineUp:
		w.Printf("\n**%s**\n\n%s", name, Block("", v, MaxLong))
	default:
		w.Printf("\n**%s** %s\n", name, Code(v, MaxLong))
	}
}

// Candidates lists what was near, and why each was not picked, where that is known.
func (w *Writer) Candidates(list, rejected []string) {
	if len(list) == 0 {
		return
	}
	w.Printf("\n**Nearest on the screen**\n\n")
	for i, c := range list[:min(len(list), nearest)] {
		why := ""
		if len(rejected) == len(list) && rejected[i] != "" {
			why = ": " + Text(rejected[i], MaxArg)
		}
		w.Printf("%d. %s%s\n", i+1, Code(c, MaxArg), why)
	}
	if more := len(list) - nearest; more > 0 {
		w.Printf("\n… and %d more\n", more)
	}
}

func (w *Writer) notes(r *event.CaseResult) {
	var lines []string
	for _, n := range append([]string{r.ScreenRead}, r.Notes...) {
		if n != "" {
			lines = append(lines, Text(n, MaxLong))
		}
	}
	lines = append(lines, proofs(r)...)
	for _, s := range r.Steps {
		notes := s.Notes
		if s.Detail != nil {
			notes = slices.Concat(notes, s.Detail.Notes, s.Detail.Warnings)
		}
		for _, n := range notes {
			lines = append(lines, fmt.Sprintf("step %d: %s", s.N, Text(n, MaxLong)))
		}
	}
	if len(lines) > 0 {
		w.Printf("\n## Warnings\n\n- %s\n", strings.Join(lines, "\n- "))
	}
}

// troubles lists messages of the console and the network, step by step.
func (w *Writer) troubles(r *event.CaseResult) {
	var lines []string
	for _, s := range r.Steps {
		if s.Detail == nil {
			continue
		}
		for _, t := range s.Detail.Troubles {
			lines = append(lines, fmt.Sprintf("step %d: %s", s.N, Code(t, MaxLong)))
		}
	}
	if len(lines) > 0 {
		w.Printf("\n## Console and network\n\n- %s\n", strings.Join(lines, "\n- "))
	}
}

// proofs counts the results of taps, and names the steps with a tap that was not a hit.
func proofs(r *event.CaseResult) []string {
	count, which := map[string]int{}, map[string][]string{}
	for _, s := range r.Steps {
		if s.Detail != nil && s.Detail.Proof != "" {
			proof := s.Detail.ProofKind()
			count[proof]++
			which[proof] = append(which[proof], strconv.Itoa(s.N))
		}
	}
	var parts []string
	for _, proof := range []string{event.ProofHit, event.ProofOccluded, event.ProofMoved, event.ProofNoEffect} {
		switch {
		case count[proof] == 0:
		case proof == event.ProofHit:
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

func (w *Writer) files(r *event.CaseResult) {
	w.Printf("\n## Files\n\n")
	w.recording(r)
	for _, a := range r.Attachments {
		if !slices.Contains([]string{event.KindScreenshot, event.KindFailure, event.KindMoment, event.KindRecording,
			event.KindDOM}, a.Kind) {
			w.Printf("- %s\n", mdLink(a.Path, a.Path))
		}
	}
	w.Printf("- [events.ndjson](events.ndjson): all events in order\n")
	shots := r.Screenshots()
	w.Printf("- screenshots: %d\n", len(shots))
	for _, a := range shots {
		w.Printf("  - %s\n", mdLink(path.Base(a.Path), a.Path))
	}
}

func (w *Writer) recording(r *event.CaseResult) {
	if len(r.Case.Devices) == 0 {
		w.recordingOf(r.Recording, event.RecordingFile, "")
		return
	}
	for i, d := range r.Case.Devices {
		rec := r.Recording
		if i > 0 {
			rec = r.Recordings[d.Name]
		}
		w.recordingOf(rec, r.Case.DeviceFile(event.RecordingFile, d.Name), " of "+Text(d.Name, MaxArg))
	}
}

// recordingOf writes of the recording in a file; of is " of bob", for one of several devices.
func (w *Writer) recordingOf(rec event.Recording, file, of string) {
	why := ""
	if rec.Why != "" {
		why = " (" + Text(rec.Why, MaxLong) + ")"
	}
	link := mdLink(file, file)
	switch rec.Kind {
	case event.NativeRecording:
		w.Printf("- %s: the screen%s as it was recorded%s\n", link, of, why)
	case event.SlideShow:
		w.Printf("- %s: a slide show of the screenshots%s, each shown until the next one%s\n", link, of, why)
	default:
		w.Printf("- no recording%s%s\n", of, why)
	}
}
