package html

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// PackPage is the input of the page of one pack. Only Result is needed.
type PackPage struct {
	CaseResult *event.CaseResult
	Dir        string       // of the pack; without it the page has no screenshots, no recording and no log
	Run        string       // name of the run
	Up         string       // URL of the run's page, relative to the pack's; "": not linked
	Green      *PassedPack  // the last run in which the test passed
	History    []Past       // earlier runs, oldest first
	Attempts   []Past       // the other attempts in this run, oldest first
	Attempt    int          // which one this is, from 1; 0: there is only one
	Of         int          // how many there were
	Final      event.Result // of the last one, when this is an earlier one
	Beside     []PackPage   // the pages of other attempts, which are tabs of this one
	// URL of the pack's folder, relative to the page, with a slash at its end; "": the page is in it
	Base   string
	Cause  *CauseLink
	Env    *history.Environment // environment of the run
	Story  *history.Story       // results of earlier runs; nil: unknown
	Flaky  string               // why the test cannot be trusted, if so
	Repair *finding.Repair      // of the step that failed; nil: none is offered
	Weak   []finding.Weak       // weak assertions of the test
	Slow   string               // how much longer than expected it took, if so
}

// PassedPack is a pack of the same test that passed.
type PassedPack struct {
	CaseResult *event.CaseResult
	Dir        string
	Run        string
	Link       string // URL of the pack's folder, relative to the page, with a slash at its end
}

// Past is an earlier run of a test, or another attempt.
type Past struct {
	Run      string
	Result   event.Result
	Duration time.Duration
	Link     string // URL of its page; "": it was removed
	Commit   string // of the tested project
}

// CauseLink names the cause, among those of the run's failures, of this test's failure.
type CauseLink struct {
	N      int
	Others int // other tests with the same cause
	Link   string
}

// Pack writes the page of one pack. The page lists the files of the pack that cannot be read.
func Pack(w io.Writer, in PackPage) error {
	_, err := writePack(w, in, false)
	return err
}

func writePack(w io.Writer, in PackPage, whole bool) ([]string, error) {
	all, left := append([]PackPage{in}, in.Beside...), []string(nil)
	here := map[int]bool{}
	for _, p := range all {
		here[p.Attempt] = true
	}
	var pages []*packData
	for _, p := range all {
		b := builder{in: p, res: p.CaseResult, whole: whole, here: here}
		if err := b.open(); err != nil {
			return nil, fmt.Errorf("make page: %w", err)
		}
		pages = append(pages, b.build())
		b.close()
		left = append(left, b.left...)
	}
	if err := render(w, packView(pages[0], pages[1:]...)); err != nil {
		return nil, fmt.Errorf("make page: %w", err)
	}
	return left, nil
}

// builder makes the data of one page.
type builder struct {
	in    PackPage
	res   *event.CaseResult
	root  *os.Root     // of the pack, or nil
	green *os.Root     // of the last green pack, or nil
	whole bool         // the files themselves are embedded
	left  []string     // files that a bundle lacks
	here  map[int]bool // attempts that are tabs of this page
	files map[string]int
	out   *packData
	made  sync.Map // the previews by their sameFile
}

func (b *builder) open() (err error) {
	if b.in.Dir != "" {
		if b.root, err = os.OpenRoot(b.in.Dir); err != nil {
			return err
		}
	}
	if g := b.in.Green; g != nil {
		if b.green, err = os.OpenRoot(g.Dir); err != nil {
			b.in.Green, b.green = nil, nil // it was pruned in between
		}
	}
	return nil
}

func (b *builder) close() {
	for _, r := range []*os.Root{b.root, b.green} {
		if r != nil {
			_ = r.Close() // nothing was written
		}
	}
}

// link makes the URL of a file of the pack, relative to the page.
func (b *builder) link(path string) string {
	if b.in.Base == "" {
		return link(path)
	}
	return b.in.Base + link(path)[len("./"):]
}

func (b *builder) build() *packData {
	res, c := b.res, b.res.Case
	b.files = map[string]int{}
	b.out = &packData{
		Page: "pack", Pack: shown(cmp.Or(c.Pack, c.ID), maxLabel), ID: shown(cmp.Or(c.Pack, c.ID), maxLabel),
		Name: shown(c.Name, maxLabel), Result: result(res.Result), Platform: shown(string(c.Platform), maxLabel),
		Device: shown(c.Device, maxLabel), Model: shown(c.Model, maxLabel), Run: shown(b.in.Run, maxLabel), Up: b.in.Up,
		Started: clock(res.Started), Took: took(res.Duration), Place: shown(c.Place.String(), maxLabel), Cause: b.in.Cause,
		Flaky: shown(b.in.Flaky, maxLabel), Slow: shown(b.in.Slow, maxLabel), Steps: []*stepData{},
		History: pasts(b.in.History[max(0, len(b.in.History)-dots+1):]), Attempts: pasts(b.in.Attempts),
		OS:    shown(c.OS, maxLabel),
		Final: b.in.Final, Of: b.in.Of, Nth: b.in.Attempt,
		Length: max(0, res.Ended.Sub(res.Started).Milliseconds()),
	}
	if !res.Started.IsZero() {
		b.out.StartedAt = res.Started.UTC().Format(time.RFC3339Nano)
	}
	b.facts()
	b.history()
	b.story()
	b.numberAttempts()
	for _, tag := range c.Tags {
		b.out.Tags = append(b.out.Tags, shown(tag, maxLabel))
	}
	if res.Result != event.Pass {
		b.out.Problem, b.out.At = problem(res.Problem), res.ProblemStep
		b.out.Headline = causeLine(res)
		if s := res.Step(res.ProblemStep); s != nil {
			if in := s.LikelyCause(); in != nil {
				d := incident(s, *in)
				b.out.Around = &d
			}
		}
	}
	if g := b.in.Green; g != nil {
		b.out.Green = &greenData{Run: shown(g.Run, maxLabel), Link: g.Link}
	}
	for i := range res.Steps {
		b.out.Steps = append(b.out.Steps, b.step(&res.Steps[i]))
	}
	b.screenshots()
	b.failures()
	b.recording()
	b.log()
	b.devices()
	b.cost()
	b.network()
	b.pages()
	b.elements()
	b.trace()
	b.caseFiles()
	b.out.Warnings = append(warningsOf(res), weakNotes(b.in.Weak)...)
	if !res.Result.Good() || res.Result == event.Expected {
		b.out.Brief = b.brief()
	}
	if b.whole {
		b.inline()
	}
	return b.out
}

func (b *builder) step(s *event.StepResult) *stepData {
	d := &stepData{
		N: s.N, Action: shown(s.Action, maxLabel), Name: shown(s.Name, maxLabel), Args: shown(s.Args, maxLabel),
		Line: s.Place.Line, Source: shown(strings.TrimRight(s.Source, "\r\n"), maxLabel), Result: result(s.Result),
		Problem: problem(s.Problem), Notes: shownAll(s.Notes, maxText), Device: shown(s.Device, maxLabel),
	}
	for _, in := range s.Around {
		d.Around = append(d.Around, incident(s, in))
	}
	if s.In != "" {
		for _, part := range strings.Split(s.In, " › ") {
			d.In = append(d.In, shown(part, maxLabel))
		}
	}
	if s.Place.Line > 0 {
		d.Col, d.Caret = s.Place.Col, caret(s)
		d.Place = shown(s.Place.String(), maxLabel)
		d.File = b.file(s.Place.File)
	}
	if !s.Started.IsZero() {
		d.MS, d.Took, d.Begin = s.Duration.Milliseconds(), took(s.Duration),
			max(0, s.Started.Sub(b.res.Started).Milliseconds())
	}
	if t := s.Detail; t != nil {
		d.Matched, d.Tier, d.Bounds, d.Point, d.ScreenReads = shown(t.Matched, maxLabel), shown(t.Tier, maxLabel), t.Bounds,
			t.Point, t.ScreenReads
		d.Proof = shown(t.Proof, maxLabel)
		d.Notes = append(d.Notes, shownAll(t.Notes, maxText)...)
		d.Notes = append(d.Notes, shownAll(t.Warnings, maxText)...)
		if t.Model != nil {
			d.Notes = append(d.Notes, shown(cost(t.Model), maxLabel))
		}
		d.Troubles = shownAll(t.Troubles, maxText)
	}
	if r := b.in.Repair; r != nil && r.Evidence.Step == s.N {
		d.Notes = append(d.Notes, shown(repairText(*r), maxText))
	}
	for _, f := range b.in.Weak {
		if f.Step == s.N {
			d.Notes = append(d.Notes, shown(weakText(f), maxText))
		}
	}
	d.Compared = b.compared(s)
	for _, a := range s.Attachments {
		if a.Kind == event.KindDOM {
			continue // the page shows it
		}
		if a.Kind == event.KindMoment {
			d.Moments = append(d.Moments, &shotData{Src: b.link(a.Path), Device: shown(a.Device, maxLabel), path: a.Path})
			continue
		}
		if a.Kind == event.KindScreenshot || a.Kind == event.KindFailure {
			d.Shots = append(d.Shots, &shotData{Src: b.link(a.Path), Failure: a.Kind == event.KindFailure, path: a.Path})
			continue
		}
		d.Files = append(d.Files, fileData{Path: shown(a.Path, maxLabel), Src: b.link(a.Path)})
	}
	return d
}

// facts lists what was tested, and on what.
func (b *builder) facts() {
	res := b.res
	add := func(name, value string) {
		if value != "" {
			f := factData{Name: name, Value: shown(value, maxLabel)}
			if strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://") {
				f.Link = value
			}
			b.out.Environment = append(b.out.Environment, f)
		}
	}
	add("app", res.App.String())
	add("screen", res.ScreenRead)
	for _, d := range res.Case.Devices {
		add(d.Name, strings.TrimSpace(d.Model+" "+d.ID))
	}
	if len(res.Case.Devices) == 0 {
		add("device", strings.TrimSpace(res.Case.Model+" "+res.Case.Device))
		add("system", res.Case.OS)
	}
	add("session", res.Case.Session)
	for _, f := range b.in.Env.Facts() {
		add(f[0], f[1])
	}
}

// trace finds Playwright's trace of the browser.
func (b *builder) trace() {
	for _, a := range b.res.Attachments {
		if a.Path == fileOf(b.res, "artifacts/trace.zip") {
			b.out.Trace = b.link(a.Path)
		}
	}
}

// caret is how many runes of the source line to mark for a step: its action, if that is at the step's place.
func caret(s *event.StepResult) int {
	if line := []rune(s.Source); s.Place.Col > 0 && s.Place.Col <= len(line) &&
		strings.HasPrefix(string(line[s.Place.Col-1:]), s.Action) {
		return max(1, utf8.RuneCountInString(s.Action))
	}
	return 1
}

func incident(s *event.StepResult, in event.Incident) incidentData {
	first, more, _ := strings.Cut(in.Text, "\n")
	return incidentData{Offset: in.Offset(s), Kind: string(in.Kind), Text: shown(first, maxLabel),
		More: shownLines(more, maxText), Cause: in.Cause}
}

// failures lists all that went wrong, with a small screenshot each.
func (b *builder) failures() {
	list := b.res.Failures()
	if len(list) < 2 {
		return
	}
	small := map[int]string{}
	for _, s := range b.out.Steps {
		if len(s.Shots) > 0 {
			small[s.N] = mainShot(s.Shots).Small
		}
	}
	for _, f := range list {
		d := failureData{Place: shown(f.Place.String(), maxLabel), Message: headline(f.Problem.Message)}
		if f.Step != nil {
			d.Step, d.Small = f.Step.N, small[f.Step.N]
			if in := f.Step.LikelyCause(); in != nil {
				first, _, _ := strings.Cut(in.Text, "\n")
				d.Around = shown(first, maxLabel)
			}
		}
		b.out.Failures = append(b.out.Failures, d)
	}
}

// file numbers the YAML files of the steps, from 1.
func (b *builder) file(name string) int {
	if b.files[name] == 0 {
		b.files[name] = len(b.files) + 1
	}
	return b.files[name]
}

// caseFiles lists the files that belong to no step.
func (b *builder) caseFiles() {
	of := map[string]bool{}
	for _, s := range b.res.Steps {
		for _, a := range s.Attachments {
			of[a.Path] = true
		}
	}
	for _, a := range b.res.Attachments {
		if !of[a.Path] {
			b.out.Files = append(b.out.Files, fileData{Path: shown(a.Path, maxLabel), Src: b.link(a.Path)})
			of[a.Path] = true
		}
	}
	for _, name := range []string{"run.md", "summary.json", "events.ndjson"} {
		if b.root == nil || of[name] {
			continue
		}
		if info, err := b.root.Lstat(name); err == nil && info.Mode().IsRegular() {
			b.out.Files = append(b.out.Files, fileData{Path: name, Src: b.link(name)})
		}
	}
}

func (b *builder) recording() {
	rec := b.res.Recording
	i := slices.IndexFunc(b.res.Attachments, func(a event.Attachment) bool {
		return a.Kind == event.KindRecording && a.Device == ""
	})
	if i < 0 || rec.Kind == event.NoRecording {
		b.out.NoRecording = shown(cmp.Or(rec.Why, "none was made"), maxLabel)
		return
	}
	path := b.res.Attachments[i].Path
	list, err := recordingMarks(b.root, path)
	if err != nil && len(list) == 0 {
		if _, gone := openFile(b.root, path); gone != nil {
			b.out.NoRecording = shown(path+" cannot be read: "+gone.Error(), maxLabel)
			return
		}
	}
	at, exact := cues(b.res, list)
	for _, s := range b.out.Steps {
		if t, ok := at[s.N]; ok {
			seconds := t.Seconds()
			s.Cue = &seconds
		}
	}
	b.out.Recording = &recordingData{Src: b.link(path), Kind: shown(rec.Kind, maxLabel), Why: shown(rec.Why, maxLabel),
		Exact: exact}
}

func (b *builder) log() { b.out.Log = b.logOf("", firstDevice(b.res)) }

// spans returns the steps that ran, in the order of time; of several devices, those of the named one.
func spans(res *event.CaseResult, device string) []span {
	var list []span
	for _, s := range res.Steps {
		if !s.Started.IsZero() && s.Device == device {
			list = append(list, span{step: s.N, from: s.Started})
		}
	}
	slices.SortStableFunc(list, func(a, b span) int { return a.from.Compare(b.from) })
	return list
}

func problem(p *event.Problem) *problemData {
	if p == nil {
		return nil
	}
	d := &problemData{Message: shownLines(p.Message, maxText), Headline: headline(p.Message),
		Expected: shownLines(p.Expected, maxText), Actual: shownLines(p.Actual, maxText),
		Stack: shownLines(p.Stack, maxText)}
	found := false
	for _, c := range p.Candidates[:min(len(p.Candidates), 20)] {
		box := boxOf(c)
		found = found || box != nil
		d.Candidates, d.Boxes = append(d.Candidates, shownLines(c, maxLabel)), append(d.Boxes, box)
	}
	if !found {
		d.Boxes = nil
	}
	if len(p.Rejected) == len(p.Candidates) {
		d.Rejected = shownAll(p.Rejected[:len(d.Candidates)], maxLabel)
	}
	return d
}

// result returns v if the page has colours for it, otherwise Error.
func result(v event.Result) event.Result {
	switch v {
	case event.Pass, event.Warned, event.Fail, event.Error, event.Skipped, event.Expected, event.Interrupted,
		event.Unreached:
		return v
	}
	return event.Error
}

func pasts(list []Past) []pastData {
	var out []pastData
	for _, p := range list {
		out = append(out, pastData{Run: shown(p.Run, maxLabel), Result: result(p.Result), Took: took(p.Duration),
			Link: p.Link})
	}
	return out
}

// cost describes what the requests to a model cost.
func cost(m *event.ModelUse) string {
	return fmt.Sprintf("model %s: %d calls, %d responses of earlier runs, %d + %d tokens", m.Name, m.Calls, m.Replayed,
		m.PromptTokens, m.CompletionTokens)
}
