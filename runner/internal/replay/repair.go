package replay

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	found "github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// The points of an element that may be the one that a step used before. An element is offered only with leastScore and
// leastLead, and only if its id or its label says that it is the same.
const (
	pointsID         = 30 // the same id, which no other element has
	pointsLabel      = 25 // the same label; a part of it for labels that share words
	pointsKind       = 10 // the same type and role
	pointsPlace      = 10 // near the old place, with the old size
	pointsNeighbours = 15 // the texts around it
	pointsAncestors  = 10 // what it is in
	pointsPixels     = 10 // the same pixels, in addition to the others: at most 100
	leastScore       = 50
	leastLead        = 15
	leastWords       = 0.5 // of two labels, that they share
)

// scored is an element with its points.
type scored struct {
	node  *screen.Node
	score int
	why   []string
}

// match returns the element of the screen now that a step used on an earlier screen: it is clearly the best, or nil.
// Elements that were on the earlier screen next to it are not it, whatever they are called.
func match(was *screen.Node, before, now *screen.Tree) *scored {
	return matchIn(was, newSurvey(before), newSurvey(now))
}

// matchIn is match of surveys, which may have screenshots.
func matchIn(was *screen.Node, earlier, here *survey) *scored {
	now := here.tree
	old := earlier.traits(was)
	var best, second *scored
	for n := range now.All {
		if !isThing(n) || n.Hidden || n.Disabled && !was.Disabled {
			continue
		}
		c := compare(old, here.traits(n))
		if c == nil || earlier.hadAnother(here.traits(n), was, c.score) {
			continue
		}
		switch {
		case best != nil && (n.Within(best.node) || best.node.Within(n)):
			if c.score > best.score { // one thing for a person
				best = c
			}
		case best == nil || c.score > best.score:
			best, second = c, best
		case second == nil || c.score > second.score:
			second = c
		}
	}
	if best == nil || best.score < leastScore || second != nil && best.score-second.score < leastLead {
		return nil
	}
	return best
}

// isThing reports whether an element may be what a step acts on: it reacts, or it shows or is called something.
func isThing(n *screen.Node) bool {
	return n.Clickable || n.Editable || n.ID != "" || n.TestID != "" || n.Text != "" || n.Desc != ""
}

// survey is a screen of which elements are compared, each read once.
type survey struct {
	tree    *screen.Tree
	labels  map[*screen.Node]string // of elements that have one, normalised
	byLabel map[string][]*screen.Node
	byID    map[string][]*screen.Node
	known   map[*screen.Node]*traits
	pic     *picture // nil: there is no screenshot
}

func newSurvey(t *screen.Tree) *survey {
	s := &survey{tree: t, labels: map[*screen.Node]string{}, byLabel: map[string][]*screen.Node{},
		byID: map[string][]*screen.Node{}, known: map[*screen.Node]*traits{}}
	for n := range t.All {
		named := *n
		named.ID = "" // which Label may fall back to
		if label := screen.Normalise(named.Label()); label != "" {
			s.labels[n] = label
			s.byLabel[label] = append(s.byLabel[label], n)
		}
		if id := idOf(n); id != "" {
			s.byID[id] = append(s.byID[id], n)
		}
	}
	return s
}

// traits are what an element is recognized by.
type traits struct {
	survey    *survey
	node      *screen.Node
	id, label string
	kind      string
	ancestors map[string]bool

	around map[string]bool // see neighbours; nil: not read

	drawn   bool // imprint is read
	imprint *imprint
}

func (s *survey) traits(n *screen.Node) *traits {
	if f := s.known[n]; f != nil {
		return f
	}
	f := &traits{survey: s, node: n, id: idOf(n), label: s.labels[n], kind: kindOf(n), ancestors: map[string]bool{}}
	for a := n.Parent; a != nil; a = a.Parent {
		f.ancestors[kindOf(a)+"#"+idOf(a)] = true
	}
	s.known[n] = f
	return f
}

// sameLabel is how many other elements of the screen have its label; those in it and around it do not count.
func (f *traits) sameLabel() (count int) {
	for _, o := range f.survey.byLabel[f.label] {
		if o != f.node && !o.Within(f.node) && !f.node.Within(o) {
			count++
		}
	}
	return count
}

// sameID is how many other elements of the screen have its id.
func (f *traits) sameID() int { return max(0, len(f.survey.byID[f.id])-1) }

// neighbours are the texts around it: each is compared with every element of the screen, so only elements that may be
// the same ask for them.
func (f *traits) neighbours() map[string]bool {
	if f.around != nil {
		return f.around
	}
	f.around = map[string]bool{}
	n, size := f.node, f.survey.tree.Size
	reach := n.Bounds.Inset(-max(size.Y/12, 60))
	reach.Min.X, reach.Max.X = min(reach.Min.X, 0), max(reach.Max.X, size.X)
	for o, text := range f.survey.labels {
		if o != n && !o.Hidden && o.Bounds.Overlaps(reach) && !o.Within(n) && !n.Within(o) {
			f.around[text] = true
		}
	}
	return f.around
}

// idOf is the id of an element without its package, or its test id.
func idOf(n *screen.Node) string {
	if n.TestID != "" {
		return n.TestID
	}
	return n.ID[strings.LastIndexByte(n.ID, '/')+1:]
}

func kindOf(n *screen.Node) string {
	if n.Role != "" {
		return n.Role
	}
	return n.Type[strings.LastIndexAny(n.Type, ".$")+1:]
}

// compare counts the points of an element for what it has in common with another one; nil: nothing says that it is the
// same.
func compare(was, now *traits) *scored {
	if was.kind != now.kind || was.node.Editable != now.node.Editable {
		return nil
	}
	sameID := was.id != "" && was.id == now.id && was.sameID() == 0 && now.sameID() == 0
	words := sharedWords(was.label, now.label)
	sameLabel := was.label != "" && was.label == now.label
	looks := was.looksLike(now)
	switch {
	case sameID:
	case was.id != "" && now.id != "" && !sameLabel && was.label+now.label != "":
		return nil // another id and another label are another element
	case !sameLabel && words < leastWords && !(looks && was.alone() && now.alone()):
		return nil
	}
	around := share(was.neighbours(), now.neighbours())
	within := share(was.ancestors, now.ancestors)
	s := &scored{node: now.node, score: pointsKind, why: []string{"it is a " + now.kind + " as before"}}
	add := func(points float64, format string, args ...any) {
		if points >= 1 {
			s.score += int(points)
			s.why = append(s.why, fmt.Sprintf(format, args...))
		}
	}
	if sameID {
		add(pointsID, "it has the id %s", now.id)
	}
	switch {
	case sameLabel && (was.sameLabel() == 0 && now.sameLabel() == 0 || around >= 0.5):
		add(pointsLabel, "it is called %s", screen.Quote(now.node.Label()))
	case sameLabel && !sameID:
		return nil // one of several of that name
	case !sameLabel && words >= leastWords:
		add(pointsLabel*words, "its label %s shares words with %s", screen.Quote(now.node.Label()),
			screen.Quote(was.node.Label()))
	}
	if looks {
		add(pointsPixels, "it looks the same")
	}
	add(pointsPlace*nearness(was, now), "it is at about the same place")
	add(pointsNeighbours*around, "the texts around it are those of before")
	add(pointsAncestors*within, "it is in the same elements")
	// the id, or the label, alone may be that of another element in another place
	if !sameID && around < 0.5 || sameID && around == 0 && within < 0.5 && !sameLabel {
		return nil
	}
	s.score = min(s.score, 100)
	return s
}

// hadAnother reports whether an element is rather one of the others of the screen before, next to the one that was
// used.
func (s *survey) hadAnother(now *traits, was *screen.Node, score int) bool {
	isIt := func(n *screen.Node, sameLabel bool) bool {
		if n == was || !isThing(n) || n.Within(was) || was.Within(n) {
			return false
		}
		o := s.traits(n)
		if o.kind != now.kind || sameLabel && o.id != now.id && o.id != "" && now.id != "" ||
			!sameLabel && o.sameID() != now.sameID() {
			return false
		}
		c := compare(o, now)
		return c == nil || c.score >= score || o.label == now.label
	}
	return now.id != "" && slices.ContainsFunc(s.byID[now.id], func(n *screen.Node) bool { return isIt(n, false) }) ||
		now.label != "" && slices.ContainsFunc(s.byLabel[now.label], func(n *screen.Node) bool { return isIt(n, true) })
}

func share(a, b map[string]bool) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	both := 0
	for key := range a {
		if b[key] {
			both++
		}
	}
	return float64(both) / float64(max(1, min(len(a), len(b))))
}

// sharedWords is the share of the words of two labels that both have.
func sharedWords(a, b string) float64 {
	x, y := strings.Fields(a), strings.Fields(b)
	both := 0
	for _, word := range x {
		if slices.Contains(y, word) {
			both++
		}
	}
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	return float64(both) / float64(max(len(x), len(y)))
}

// nearness is 1 for the same place and size, and 0 for another part of the screen.
func nearness(a, b *traits) float64 {
	size := a.survey.tree.Size
	if size.X == 0 || size.Y == 0 {
		return 0
	}
	d := a.node.Bounds.Min.Sub(b.node.Bounds.Min)
	far := float64(abs(d.X))/float64(size.X) + float64(abs(d.Y))/float64(size.Y)
	return max(0, 1-4*far)
}

// repaired is a selector that picks an element, and differs from another selector only in what names it; ok is false
// where none does.
func repaired(sel dsl.Selector, n *screen.Node, s *shown) (dsl.Selector, bool) {
	label := strings.TrimSpace(n.Label())
	byLabel, byID, byTestID := dsl.Selector{Label: label}, dsl.Selector{ID: lastPart(n.ID)}, dsl.Selector{TestID: n.TestID}
	forms := []dsl.Selector{byLabel, byID}
	switch {
	case sel.ID != "":
		forms = []dsl.Selector{byID, byLabel}
	case sel.TestID != "":
		forms = []dsl.Selector{byTestID, byLabel}
	}
	for _, form := range forms {
		if key, _ := keyOf(form); key == "" {
			continue
		}
		other := named(sel, form)
		search := s.search(decide.Act, other, decide.Check{})
		var m *screen.Match
		_, err := asked(s, func() (string, error) {
			one, why, err := search.Touchable(&s.frame, other)
			m = one
			return why, err
		})
		if err == nil && m != nil && (m.Node == n || m.Target == n || m.Node.Within(n) || n.Within(m.Node)) {
			return other, true
		}
	}
	return dsl.Selector{}, false
}

func lastPart(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// repair finds what the step that failed a report used in an earlier report of the same test, which passed. No repair:
// nothing is clearly the same element, or the step failed for another reason. The file of the test is below a folder.
func repair(failed, passed *Report, folder string) []found.Repair {
	step := failed.Result.Step(failed.Result.ProblemStep)
	if step == nil || step.Problem == nil || step.Problem.Kind != event.NotFound {
		return nil
	}
	rec := failed.lastSearch(step.N)
	if rec == nil {
		return nil
	}
	best, sel, at := sameElement(passed, step, rec, failed)
	if best == nil {
		return nil
	}
	was, _ := touched(passed.lastSearch(at))
	change, ok := textOf(folder, step).rewritten(rec.Want.Selector, sel)
	if !ok {
		return nil
	}
	r := found.Repair{File: step.Place.File, Line: change.line, Old: change.old, New: change.now, Score: best.score,
		Evidence: found.Evidence{Test: failed.Result.Case.ID, Run: failed.run(), Pack: failed.Pack, Step: step.N,
			Was: was.String(), Now: best.node.String(), Why: best.why, Before: passed.inRun(passed.shotBefore(at)),
			Current: failed.inRun(failed.shotOfFailure(step))}}
	if failed.hides(r) {
		return nil
	}
	return []found.Repair{r}
}

// sameElement is the element that the step which passed used, on the screen of a search that failed, a selector that
// picks it there, and the step that passed.
func sameElement(passed *Report, step *event.StepResult, rec *decide.Recorded, failed *Report) (*scored, dsl.Selector,
	int) {
	if rec.Want.Purpose != decide.Act || rec.Result.Kind != decide.Fail || len(rec.Frames) == 0 {
		return nil, dsl.Selector{}, 0 // what an assertion expects is for a person to change
	}
	now, _ := failed.shown(rec)
	earlier, at := passed.sameStep(step)
	if now == nil || earlier == nil {
		return nil, dsl.Selector{}, 0
	}
	was, before := touched(earlier)
	if was == nil {
		return nil, dsl.Selector{}, 0
	}
	old, here := newSurvey(before), newSurvey(now.frame.Tree)
	if failed.Result != nil { // a test that still runs has no screenshot yet
		old.pic = passed.picture(passed.shotBefore(at), before.Size)
		here.pic = failed.picture(failed.shotOfFailure(step), now.frame.Tree.Size)
	}
	best := matchIn(was, old, here)
	if best == nil {
		return nil, dsl.Selector{}, 0
	}
	sel, ok := repaired(rec.Want.Selector, best.node, now.typing(rec.Want.Typing))
	if !ok {
		return nil, dsl.Selector{}, 0
	}
	return best, sel, at
}

// hides reports whether a secret is masked in a repair, which could not be written into a file.
func (r *Report) hides(of found.Repair) bool {
	return strings.Contains(of.New, decide.Masked) || strings.Contains(of.Old, decide.Masked)
}

// lastSearch is the search that decided a step, nil where none is kept.
func (r *Report) lastSearch(step int) *decide.Recorded {
	list := r.of(step)
	for i := len(list) - 1; i >= 0; i-- {
		if len(list[i].Frames) > 0 && list[i].Lacks == "" {
			return list[i]
		}
	}
	return nil
}

// sameStep is the search of the step of this report that is the same as one of another report.
func (r *Report) sameStep(s *event.StepResult) (*decide.Recorded, int) {
	best, at := (*decide.Recorded)(nil), 0
	for i := range r.Result.Steps {
		o := &r.Result.Steps[i]
		if o.Action != s.Action || o.Args != s.Args || o.Result != event.Pass {
			continue
		}
		if rec := r.lastSearch(o.N); rec != nil && (best == nil || o.N == s.N) {
			best, at = rec, o.N
		}
	}
	return best, at
}

// touched is the element that a search of an action found, and its screen.
func touched(r *decide.Recorded) (*screen.Node, *screen.Tree) {
	d := decide.Next(r.Want, r.Frames)
	if d.Kind != decide.Found || len(d.Matches) == 0 || len(r.Frames) == 0 {
		return nil, nil
	}
	return d.Matches[0].Node, r.Frames[len(r.Frames)-1].Tree
}

// run is the name of the folder of the run.
func (r *Report) run() string {
	dir, err := filepath.Abs(r.Dir)
	if err != nil {
		return ""
	}
	return filepath.Base(filepath.Dir(dir))
}
