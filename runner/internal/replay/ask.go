package replay

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// Word is the answer to a question about a recorded screen.
type Word string

// The words.
const (
	Holds     Word = "holds"
	Fails     Word = "fails"
	Ambiguous Word = "ambiguous"
	Unknown   Word = "not recorded"
)

// Answer is an answer with its reason.
type Answer struct {
	Word    Word
	Why     string
	Matches []string // the elements
}

// Usage says that a question is not one, or names a step that there is not.
type Usage struct{ Msg string }

func (e *Usage) Error() string { return e.Msg }

// Ask evaluates a question on the screen that decided a step: before the touch for an action, the last one for an
// assertion. The question is a step with an assertion or an action, or a selector, in YAML. The error is a *Usage.
func (r *Report) Ask(step int, question string) (Answer, error) {
	s := r.Result.Step(step)
	platform := dsl.Platform(r.Result.Case.Platform)
	if s != nil {
		platform = r.platformOf(s)
	}
	q, err := parseQuestion(question, platform)
	if err != nil {
		return Answer{}, err
	}
	if s == nil {
		return Answer{}, &Usage{fmt.Sprintf("there is no step %d: %s has %d", step, r.Pack, len(r.Result.Steps))}
	}
	if s.Result == event.Unreached || s.Result == event.Skipped {
		return Answer{Word: Unknown, Why: fmt.Sprintf("step %d was not reached", step)}, nil
	}
	screen, why := r.screenOf(step)
	if q.page != nil && q.text == nil && (screen == nil || q.page.URL != nil || q.page.Title != nil) {
		if page, known := r.lookOf(step); known {
			return (*pageAsk)(q.page).ask(page), nil
		}
	}
	if screen == nil {
		return Answer{Word: Unknown, Why: why}, nil
	}
	return screen.ask(q), nil
}

// question is what a screen is asked.
type question struct {
	claim    *decide.Claim  // an assertion
	touch    []dsl.Selector // an action touches these
	typing   bool           // and types: it prefers fields
	selector *dsl.Selector  // which element is it?
	page     *decide.PageLook
	text     *string // of page
	match    dsl.MatchMode
}

// actionLike is how a step starts: the name of an action, and a colon.
var actionLike = lazyregexp.New(`^\s*-?\s*([a-z][A-Za-z]*)\s*:(\s|$)`)

// parseQuestion reads a question.
func parseQuestion(text string, platform dsl.Platform) (question, error) {
	if strings.TrimSpace(text) == "" {
		return question{}, &Usage{`--try is empty: write a step or a selector, such as 'assert: {label: Paid}'`}
	}
	m := actionLike.FindStringSubmatch(text)
	_, known := dsl.Lookup(nameOf(m))
	if !known && (m == nil || dsl.SelectorKey(m[1])) {
		sel, err := dsl.ParseSelector("--try", text)
		if err != nil {
			return question{}, &Usage{err.Error()}
		}
		if sel.Point != nil {
			return question{}, &Usage{"--try: a point names no element"}
		}
		return question{selector: &sel}, nil
	}
	line := strings.TrimPrefix(strings.TrimSpace(text), "- ")
	lines := strings.ReplaceAll(line, "\n", "\n    ")
	block, err := dsl.ParseBlock("--try", []byte("steps:\n  - "+lines+"\n"), platform)
	if err != nil {
		return question{}, &Usage{err.Error()}
	}
	if len(block.Steps) != 1 {
		return question{}, &Usage{fmt.Sprintf("--try holds %d steps: write one", len(block.Steps))}
	}
	args, _, err := dsl.Bind(block.Steps[0], &dsl.Scope{})
	if err != nil {
		return question{}, &Usage{err.Error()}
	}
	return questionOf(block.Steps[0].Def.Name, args)
}

func nameOf(m []string) string {
	if m == nil {
		return ""
	}
	return m[1]
}

// questionOf is what an action requires of a screen before it touches it.
func questionOf(name string, args any) (question, error) {
	if c, ok := decide.ClaimOfArgs(args); ok {
		return question{claim: &c}, nil
	}
	q := question{}
	switch a := args.(type) {
	case dsl.ScrollTo:
		q.claim = &decide.Claim{Selector: a.Selector, Anywhere: true}
		return q, nil
	case dsl.CopyText:
		q.claim = &decide.Claim{Selector: a.Selector, Anywhere: true}
		return q, nil
	case dsl.Extract:
		if a.Text == "" && a.Prompt == "" {
			q.claim = &decide.Claim{Selector: a.Selector, Anywhere: true}
			return q, nil
		}
	case dsl.WebAssert:
		return pageQuestion(a), nil
	default:
		if def, ok := dsl.Lookup(name); ok && def.Effect&dsl.ReadOnly == 0 {
			q.touch = elementsOf(args)
			_, q.typing = args.(dsl.Input)
		}
	}
	if len(q.touch) == 0 {
		return q, &Usage{fmt.Sprintf("--try: %s decides nothing on a recorded screen; use an assertion, an action "+
			"on an element, or a selector", name)}
	}
	return q, nil
}

func pageQuestion(a dsl.WebAssert) question {
	look := &decide.PageLook{Selector: a.Selector, Frame: a.Frame, Hidden: a.Visible != nil && !*a.Visible,
		Value: a.Value, Count: a.Count, NoConsoleErrors: a.NoConsoleErrors}
	if a.URL != "" {
		look.URL = &a.URL
	}
	if a.Title != "" {
		look.Title = &a.Title
	}
	return question{page: look, text: a.Text, match: a.Match}
}

// shown is a recorded screen that can be asked.
type shown struct {
	report *Report
	want   decide.Want
	frame  decide.Frame
	page   func() *document // the snapshot of it, nil where there is none
	fits   *bool            // page is of this screen
	brief  bool             // nothing is explained
}

// screenOf is the screen that decided a step; nil: there is none, and why.
func (r *Report) screenOf(step int) (*shown, string) {
	list := r.of(step)
	if len(list) == 0 {
		if !r.present {
			return nil, "the report keeps no frames (taproot run --keep-frames)"
		}
		return nil, fmt.Sprintf("step %d decided nothing on a screen that the report keeps", step)
	}
	why := fmt.Sprintf("step %d asked the browser itself, and read no screen", step)
	for i := len(list) - 1; i >= 0; i-- {
		rec := list[i]
		if rec.Gone > 0 {
			return nil, fmt.Sprintf("the frames of step %d were beyond the size limit of the report", step)
		}
		if len(rec.Frames) == 0 {
			continue
		}
		return r.shown(rec)
	}
	return nil, why
}

// shown is the last frame of a search, to be asked.
func (r *Report) shown(rec *decide.Recorded) (*shown, string) {
	f := rec.Frames[len(rec.Frames)-1]
	switch {
	case f.Failed != "":
		return nil, "the screen could not be read: " + f.Failed
	case f.Tree == nil || f.Quick:
		return nil, "the elements of the screen are not in the report"
	case f.PixelsOnly:
		return nil, "the screen never stopped moving, so that its elements were not read"
	}
	s := &shown{report: r, want: rec.Want, frame: f}
	s.frame.Evidence = maps.Clone(f.Evidence)
	s.page = func() *document {
		if rec.Want.Purpose == decide.Act {
			return r.before(rec.Step)
		}
		if d := r.after(rec.Step); d != nil {
			return d
		}
		return r.before(rec.Step)
	}
	return s, ""
}

// lookOf is what the browser reported for the last question of a step.
func (r *Report) lookOf(step int) (*decide.PageLook, bool) {
	list := r.of(step)
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Page != nil {
			return list[i].Page, true
		}
	}
	return nil, false
}

// typing is the screen as the search of an action sees it that types, or not: see decide.Want.
func (s *shown) typing(types bool) *shown {
	other := *s
	other.want.Typing = types
	return &other
}

// search starts one decision on the screen, with all the time of a step behind it.
func (s *shown) search(purpose decide.Purpose, sel dsl.Selector, check decide.Check) *decide.Search {
	w := s.want
	w.Purpose, w.Selector, w.Check, w.Policy = purpose, sel, check, decide.ByTaproot
	w.Timing, w.Anywhere, w.UnseenToo = decide.Native(), false, false
	w.Began, w.Timeout, w.StepTimeout = s.frame.Now.Add(-time.Hour), time.Hour, time.Second
	w.Deadline = time.Time{}
	w.Device.Pixels, w.Device.KnowsParts, w.Device.Quick = false, false, false
	search := decide.New(w)
	search.Observe(&s.frame)
	return search
}

// unknown is the error of a question that the frame has no answer to.
type unknown struct{ why string }

func (e *unknown) Error() string { return e.why }

// asked evaluates until the frame has all that it lacks, or something is missing: an *unknown.
func asked[T any](s *shown, ask func() (T, error)) (T, error) {
	for {
		got, err := ask()
		q, lacks := decide.Lacks(err)
		if !lacks {
			return got, err
		}
		a, why := s.answer(q)
		if why != "" {
			return got, &unknown{why}
		}
		if s.frame.Evidence == nil {
			s.frame.Evidence = map[string]decide.Answer{}
		}
		s.frame.Evidence[q.Key()] = a
	}
}

// answer is what the report knows of a question, or why it does not know.
func (s *shown) answer(q decide.Question) (decide.Answer, string) {
	switch q.Ask {
	case decide.AskShot:
		s.frame.ShotFailed = true
		return decide.Answer{}, ""
	case decide.AskDark, decide.AskBlank: // what the tree has in view is drawn, as far as the report knows
		return decide.Answer{}, ""
	case decide.AskObstacle:
		return decide.Answer{}, ""
	case decide.AskPicked:
		if css, is := strings.CutPrefix(q.Text, "css="); is {
			if numbers, ok := s.picked(css); ok {
				return decide.Answer{Nodes: numbers}, ""
			}
		}
		return decide.Answer{}, "which elements " + q.Text + " picks was not asked of the page"
	case decide.AskKeyboard:
		return decide.Answer{}, "where the on-screen keyboard was is not in the report"
	case decide.AskSeen, decide.AskBrief:
		return decide.Answer{}, "what the pixels show was not asked"
	}
	return decide.Answer{}, "whether the pixels show it was not asked: something is drawn over it"
}

// picked evaluates CSS on the snapshot of the page, if that is of this screen.
func (s *shown) picked(css string) ([]int, bool) {
	d := s.page()
	if d == nil {
		return nil, false
	}
	if s.fits == nil {
		fits := d.shows(s.frame.Tree)
		s.fits = &fits
	}
	if !*s.fits {
		return nil, false
	}
	return d.picked(css, s.frame.Tree)
}

func (s *shown) ask(q question) Answer {
	switch {
	case q.claim != nil:
		return s.claim(*q.claim)
	case q.selector != nil:
		return s.selected(*q.selector)
	case q.page != nil:
		return s.onPage(q)
	}
	var last Answer
	of := s.typing(q.typing)
	for _, sel := range q.touch {
		if last = of.touch(sel); last.Word != Holds {
			return last
		}
	}
	return last
}

// claim reports whether an assertion is true of the screen.
func (s *shown) claim(c decide.Claim) Answer {
	c = c.Normal()
	matches, err := s.matching(c)
	if err != nil {
		return answerOf(err)
	}
	met := len(matches) > 0
	if n := c.Check.Count; n != nil {
		met = len(matches) == *n
	}
	if why := s.masked(c.Selector, c.Check); why != "" && (!met || c.Not || c.Check.Count != nil || saysMasked(c)) {
		return Answer{Word: Unknown, Why: why}
	}
	if !met && c.Check.Count == nil {
		if cut := s.frame.Tree.Cut(); cut != "" && (len(matches) == 0) {
			return Answer{Word: Unknown, Why: "a part of the screen is not in the report: " + cut}
		}
	}
	a := Answer{Word: Holds, Matches: namesOf(matches)}
	if met == c.Not {
		a.Word = Fails
	}
	switch {
	case len(matches) > 0 && c.Check.Count != nil:
		a.Why = fmt.Sprintf("%d elements match: %s", len(matches), matches[0].Node)
	case len(matches) > 0:
		a.Why = matches[0].Node.String()
	case !s.brief:
		a.Why = s.missing(c)
	}
	return a
}

func (s *shown) missing(c decide.Claim) string {
	plain, err := s.found(c.Selector, c.Anywhere)
	if err == nil && len(plain) > 0 && !c.Check.None() {
		return fmt.Sprintf("%s is not with %s", plain[0].Node, c.Check)
	}
	return decide.Missing(screen.Query{Selector: c.Selector}, s.frame.Tree).Actual
}

// found are the elements that a selector picks.
func (s *shown) found(sel dsl.Selector, anywhere bool) ([]screen.Match, error) {
	search := s.search(decide.See, sel, decide.Check{})
	return asked(s, func() ([]screen.Match, error) {
		if anywhere {
			return search.Reachable(&s.frame, sel, nil)
		}
		return search.Find(&s.frame, sel, false, nil)
	})
}

// matching are the elements of which a claim is true, its number and its negation aside.
func (s *shown) matching(c decide.Claim) ([]screen.Match, error) {
	if c.Anywhere {
		return s.found(c.Selector, true)
	}
	purpose := decide.See
	switch {
	case c.Not:
		purpose = decide.Absent
	case !c.Check.None():
		purpose = decide.State
	}
	search := s.search(purpose, c.Selector, c.Check)
	return asked(s, func() ([]screen.Match, error) { return search.Claimed(&s.frame, c.Selector, c.Check) })
}

// touch reports whether an action would touch one element, and which.
func (s *shown) touch(sel dsl.Selector) Answer {
	search := s.search(decide.Act, sel, decide.Check{})
	var m *screen.Match
	why, err := asked(s, func() (why string, err error) {
		m, why, err = search.Touchable(&s.frame, sel)
		return why, err
	})
	if err != nil {
		return answerOf(err)
	}
	masked := s.masked(sel, decide.Check{})
	if masked != "" && (m == nil || strings.Contains(selText(sel), decide.Masked)) {
		return Answer{Word: Unknown, Why: masked}
	}
	switch {
	case m == nil:
		return Answer{Word: Fails, Why: decide.Missing(screen.Query{Selector: sel}, s.frame.Tree).Actual}
	case why != "":
		return Answer{Word: Fails, Why: fmt.Sprintf("%s %s", m.Node, why), Matches: []string{m.Node.String()}}
	}
	a := Answer{Word: Holds, Why: m.Node.String(), Matches: []string{m.Node.String()}}
	if m.Away(s.frame.Tree) {
		a.Why += ", which would be scrolled into view first"
	}
	return a
}

// selected reports which element a selector picks: several are ambiguous, unless an action would choose one of them.
func (s *shown) selected(sel dsl.Selector) Answer {
	c := decide.ClaimOf(sel)
	a := s.claim(c)
	if a.Word != Holds || len(a.Matches) < 2 {
		return a
	}
	if one := s.typing(false).touch(sel); one.Word == Ambiguous {
		return one
	}
	return a
}

func namesOf(matches []screen.Match) []string {
	var names []string
	for _, m := range matches {
		names = append(names, m.Node.String())
	}
	return names
}

// answerOf is the answer that an error is.
func answerOf(err error) Answer {
	var several *screen.AmbiguousError
	var missing *unknown
	var unplaced *screen.UnplacedError
	switch {
	case errors.As(err, &several):
		return Answer{Word: Ambiguous, Why: several.Error(), Matches: several.Candidates}
	case errors.As(err, &missing):
		return Answer{Word: Unknown, Why: missing.why}
	case errors.As(err, &unplaced):
		return Answer{Word: Unknown, Why: err.Error()}
	}
	if p, ok := decide.ProblemIn(err); ok {
		return Answer{Word: Fails, Why: p.Message}
	}
	return Answer{Word: Unknown, Why: err.Error()}
}
