package replay

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	found "github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// kinds of findings.
const (
	heldBefore   = "held-before"    // it holds on the screen before the last action ahead of it
	heldAround   = "held-elsewhere" // the first after openBrowser or launch: on most final screens of other tests
	neverFails   = "never-fails"    // what must not be there is on no screen of the run
	alwaysTrue   = "always-true"    // assertTrue: no value of a variable makes it false
	anyCount     = "any-count"      // any number meets the count
	noAssertion  = found.NoAssertion
	noMainAction = found.ActionNotShown
)

// weakness judges the assertions of reports.
type weakness struct {
	reports []*Report
	screens []*screenAt // of all reports, each tree once
	finals  []*screenAt // the last of each report
	groups  map[source.Pos]*assertion
	order   []source.Pos
	out     found.Weakness
	budget  int // evaluations on screens that are left; less than 0: no limit
}

// screenAt is a recorded screen, and where it is recorded.
type screenAt struct {
	*shown
	step int
	test string
}

// assertion is one assertion of a file; it may have run several times: in rows of data, in loops, on several devices.
type assertion struct {
	strong  bool
	finding *found.Weak
	why     string // it could not be judged
}

// weak judges the assertions of passed tests.
func weak(reports []*Report, budget int) found.Weakness {
	w := &weakness{groups: map[source.Pos]*assertion{}, budget: budget}
	for _, r := range reports {
		if r.Result.Result == event.Pass {
			w.reports = append(w.reports, r)
		}
	}
	known := map[string]bool{}
	for _, r := range w.reports {
		w.collect(r, known)
	}
	for _, r := range w.reports {
		w.judge(r)
	}
	return w.result()
}

// collect keeps the screens of a report, each once in the run.
func (w *weakness) collect(r *Report, known map[string]bool) {
	seen := map[*screen.Node]bool{}
	last := map[string]*screenAt{} // by device
	for i := range r.Searches {
		rec := &r.Searches[i]
		if len(rec.Frames) == 0 {
			continue
		}
		s, _ := r.shown(rec)
		if s == nil {
			continue
		}
		s.brief = true
		at := &screenAt{shown: s, step: rec.Step, test: r.Result.Case.ID}
		if s.frame.Tree != nil && len(s.frame.Tree.Windows) > 0 {
			if root := s.frame.Tree.Windows[0]; !seen[root] && (s.frame.Digest == "" || !known[s.frame.Digest]) {
				seen[root], known[s.frame.Digest] = true, true
				w.screens = append(w.screens, at)
			}
		}
		device := ""
		if step := r.Result.Step(rec.Step); step != nil {
			device = step.Device
		}
		last[device] = at
	}
	for _, device := range slices.Sorted(maps.Keys(last)) {
		w.finals = append(w.finals, last[device])
	}
}

// ran is a step that ran, with its argument.
type ran struct {
	*event.StepResult
	args    any
	acts    bool
	asserts bool
	opens   bool
	checks  bool // it checks something that is not on the screen, or may do so
	foreign bool // it is a command of a flow of Maestro
}

// steps are the steps of a report that ran, those of the hooks after the test left out.
func (r *Report) steps() []ran {
	var list []ran
	for i := range r.Result.Steps {
		s := &r.Result.Steps[i]
		if s.Result != event.Pass && s.Result != event.Warned || strings.HasPrefix(s.In, "after") ||
			strings.HasPrefix(s.In, "onFailure") {
			continue
		}
		def, known := dsl.Lookup(s.Action)
		if !known {
			acts := !isAssertion(s.Action) && s.Action != "extendedWaitUntil"
			list = append(list, ran{StepResult: s, acts: acts, checks: true, foreign: true})
			continue
		}
		step := ran{StepResult: s}
		step.args, _ = argsOf(s, r.platformOf(s))
		request, is := step.args.(dsl.HTTP)
		step.checks = is && request.Expect != nil
		step.asserts = isAssertion(s.Action)
		step.opens = slices.Contains([]string{"openBrowser", "launch"}, s.Action)
		// scrollTo shows by itself that its element is there
		step.acts = !step.asserts && s.Action != "scrollTo" && def.Acts() && (def.ChangesScreen() || step.opens)
		list = append(list, step)
	}
	for i := range list { // a waitFor after which nothing asserts is an assertion
		if s := &list[i]; s.Action == "waitFor" || s.Action == "webWait" {
			s.acts = false
			s.asserts = !r.inGo() && !slices.ContainsFunc(list[i+1:], func(o ran) bool { return isAssertion(o.Action) })
		}
	}
	return list
}

// inGo reports whether the test is a spec in Go: Gomega's matchers, which are not in its steps, may assert after
// each of these.
func (r *Report) inGo() bool { return strings.HasSuffix(r.Result.Case.Place.File, ".go") }

// isAssertion reports whether an action asserts something.
func isAssertion(action string) bool {
	return strings.HasPrefix(action, "assert") || action == "webAssert"
}

// judge judges the assertions of one report.
func (w *weakness) judge(r *Report) {
	list := r.steps()
	parts := byDevice(list)
	for _, device := range slices.Sorted(maps.Keys(parts)) {
		one, last := parts[device], -1
		for i, s := range one {
			if s.acts {
				last = i
			}
			if s.asserts {
				w.assertion(r, one, i, last)
			}
		}
	}
	last := lastIndex(list, func(s ran) bool { return s.acts })
	if last < 0 || r.inGo() || slices.ContainsFunc(list[last:], func(s ran) bool { return s.checks }) {
		return // what follows the last action is not known from the steps alone
	}
	after := slices.DeleteFunc(slices.Clone(list[last+1:]), func(s ran) bool { return !s.asserts })
	if len(after) == 0 {
		w.add(r, list[last], noAssertion, "nothing is asserted after the last action, "+describe(list[last])+
			": whether it did anything is not tested", "")
		return
	}
	if slices.ContainsFunc(after, func(s ran) bool { return s.Device != list[last].Device }) {
		return // what another device shows is the effect of other actions, too
	}
	own := parts[list[last].Device]
	w.mainAction(r, own, lastIndex(own, func(s ran) bool { return s.acts }), after)
}

// byDevice parts the steps of a test with several devices.
func byDevice(list []ran) map[string][]ran {
	parts := map[string][]ran{}
	for _, s := range list {
		parts[s.Device] = append(parts[s.Device], s)
	}
	return parts
}

func lastIndex(list []ran, is func(ran) bool) int {
	for i := len(list) - 1; i >= 0; i-- {
		if is(list[i]) {
			return i
		}
	}
	return -1
}

// mainAction reports a test that would pass without its last action: all that is asserted after it held before.
func (w *weakness) mainAction(r *Report, list []ran, last int, after []ran) {
	if list[last].opens {
		return
	}
	before := w.before(r, list, last)
	if before == nil {
		return
	}
	for _, s := range after {
		q, ok := w.question(r, s)
		if !ok || before.ask(q).Word != Holds {
			return
		}
	}
	w.add(r, list[last], noMainAction, "the test would pass without "+describe(list[last])+
		": all that is asserted after it held before", before.place(r))
}

// question is what an assertion requires of a screen; ok is false where it is about something else.
func (w *weakness) question(r *Report, s ran) (question, bool) {
	if s.args == nil {
		return question{}, false
	}
	q, err := questionOf(s.Action, s.args)
	return q, err == nil && (q.claim != nil || q.page != nil)
}

// negates reports whether a question is that something is not there.
func (q question) negates() bool {
	if q.claim != nil {
		return q.claim.Normal().Not
	}
	return q.page != nil && (q.page.Hidden || q.page.Count != nil && *q.page.Count == 0)
}

func (w *weakness) assertion(r *Report, list []ran, i, last int) {
	s := list[i]
	a := w.group(s.Place)
	if s.Result == event.Warned { // it has failed
		a.strong = true
		return
	}
	if t, is := s.args.(dsl.AssertTrue); is {
		if why := alwaysHolds(t.Expr); why != "" {
			a.weak(w.finding(r, s, alwaysTrue, describe(s)+" "+why, ""))
		} else {
			a.strong = true
		}
		return
	}
	if e, is := s.args.(dsl.AssertElement); is && e.Count != nil && *e.Count > 0 && (e.First || e.Index != nil) {
		a.weak(w.finding(r, s, anyCount, describe(s)+
			" is met by any number of elements: first and index leave one", w.frameOf(r, s.N)))
		return
	}
	q, ok := w.question(r, s)
	switch {
	case !ok:
		a.strong, a.why = true, "it is not about the elements of a screen"
	case q.negates():
		w.negative(r, s, q, a)
	default:
		w.positive(r, list, i, last, q, a)
	}
}

// negative judges an assertion that something is not there: it must fail on a screen of the run.
func (w *weakness) negative(r *Report, s ran, q question, a *assertion) {
	asked, unknown := 0, ""
	for _, at := range w.screens {
		if !w.may() {
			unknown = "the run has too many screens to judge it at its end: taproot weak has no limit"
			break
		}
		switch got := at.ask(q); got.Word {
		case Fails:
			a.strong = true
			return
		case Holds:
			asked++
		default:
			unknown = got.Why
		}
	}
	if asked == 0 || unknown != "" {
		a.strong, a.why = true, cmp.Or(unknown, "there is no recorded screen")
		return
	}
	a.weak(w.finding(r, s, neverFails, fmt.Sprintf("%s fails on none of the %d screens of this run", describe(s), asked),
		w.frameOf(r, s.N)))
}

// positive judges an assertion that something is there: it must fail on the screen before the last action.
func (w *weakness) positive(r *Report, list []ran, i, last int, q question, a *assertion) {
	s := list[i]
	if last >= 0 && list[last].foreign {
		a.strong, a.why = true, "the last action ahead of it is in a flow of Maestro"
		return
	}
	if last >= 0 && !list[last].opens {
		if before := w.before(r, list, last); before != nil {
			switch got := before.ask(q); got.Word {
			case Holds:
				a.weak(w.finding(r, s, heldBefore, fmt.Sprintf("%s %s; it held before step %d (%s) already", describe(s),
					w.share(q), list[last].N, describe(list[last])), before.place(r)))
			case Unknown:
				a.strong, a.why = true, got.Why
			default:
				a.strong = true
			}
			return
		}
	}
	others, held, proof := 0, 0, ""
	for _, at := range w.finals {
		if at.test == r.Result.Case.ID {
			continue
		}
		switch at.ask(q).Word {
		case Holds:
			others, held = others+1, held+1
			proof = cmp.Or(proof, at.place(at.report))
		case Fails:
			others++
		}
	}
	switch {
	case others == 0:
		a.strong, a.why = true, "no screen before it is recorded, and none of another test decides it"
	case 2*held > others:
		a.weak(w.finding(r, s, heldAround, fmt.Sprintf("%s %s, and on %d of %d final screens of other tests", describe(s),
			w.share(q), held, others), proof))
	default:
		a.strong = true
	}
}

// may reports whether another screen may be evaluated.
func (w *weakness) may() bool {
	if w.budget > 0 {
		w.budget--
	}
	return w.budget != 0
}

// share says on how many screens of the run an assertion holds.
func (w *weakness) share(q question) string {
	held, all := 0, 0
	for _, at := range w.screens {
		if !w.may() {
			break
		}
		switch at.ask(q).Word {
		case Holds:
			held, all = held+1, all+1
		case Fails:
			all++
		}
	}
	return fmt.Sprintf("holds on %d of %d screens of this run", held, all)
}

// before is the screen before an action: that on which it was decided, or the last one of the steps ahead of it; nil
// where none is recorded since the app was opened.
func (w *weakness) before(r *Report, list []ran, action int) *screenAt {
	for i := action; i >= 0; i-- {
		if i < action && list[i].opens {
			return nil
		}
		recs := r.of(list[i].N)
		for k := len(recs) - 1; k >= 0; k-- {
			rec := recs[k]
			if len(rec.Frames) == 0 || i == action && rec.Want.Purpose != decide.Act {
				continue
			}
			if s, _ := r.shown(rec); s != nil {
				return &screenAt{shown: s, step: rec.Step, test: r.Result.Case.ID}
			}
		}
	}
	return nil
}

// place names the frame of a screen.
func (s *screenAt) place(r *Report) string { return frameName(r, s.step) }

func (w *weakness) frameOf(r *Report, step int) string { return frameName(r, step) }

// frameName names the frame that decided a step.
func frameName(r *Report, step int) string {
	return fmt.Sprintf("%s#step=%d", path.Join(r.Pack, cmp.Or(r.files[step], FramesFile)), step)
}

// describe is a step as a person says it.
func describe(s ran) string {
	if s.Name != "" {
		return s.Name
	}
	text := s.Action + ": " + s.Args
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:79]) + "…"
	}
	return text
}

func (w *weakness) group(at source.Pos) *assertion {
	if w.groups[at] == nil {
		w.groups[at] = &assertion{}
		w.order = append(w.order, at)
	}
	return w.groups[at]
}

func (a *assertion) weak(f *found.Weak) {
	if a.finding == nil {
		a.finding = f
	}
}

func (w *weakness) finding(r *Report, s ran, kind, why, frame string) *found.Weak {
	return &found.Weak{Kind: kind, File: s.Place.File, Line: s.Place.Line, Test: r.Result.Case.ID, Step: s.N,
		Why: why, Frame: frame}
}

// add adds a finding about a test, once for each place.
func (w *weakness) add(r *Report, s ran, kind, why, frame string) {
	f := w.finding(r, s, kind, why, cmp.Or(frame, w.frameOf(r, s.N)))
	if !slices.ContainsFunc(w.out.Findings, func(o found.Weak) bool {
		return o.Kind == f.Kind && o.File == f.File && o.Line == f.Line && o.Test == f.Test
	}) {
		w.out.Findings = append(w.out.Findings, *f)
	}
}

// result sums up: one strong execution makes an assertion strong.
func (w *weakness) result() found.Weakness {
	tests := w.out.Findings
	w.out.Findings = []found.Weak{}
	for _, at := range w.order {
		a := w.groups[at]
		w.out.Assertions++
		switch {
		case a.finding != nil && !a.strong:
			w.out.Weak++
			w.out.Findings = append(w.out.Findings, *a.finding)
		case a.why != "":
			w.out.Unjudged = append(w.out.Unjudged, found.Unjudged{File: at.File, Line: at.Line, Why: a.why})
		}
	}
	w.out.Findings = append(w.out.Findings, tests...)
	w.out.Strength = 100
	if w.out.Assertions > 0 {
		w.out.Strength = 100 * (w.out.Assertions - w.out.Weak) / w.out.Assertions
	}
	slices.SortStableFunc(w.out.Findings, func(a, b found.Weak) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Step, b.Step))
	})
	return w.out
}
