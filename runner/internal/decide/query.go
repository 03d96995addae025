package decide

import (
	"errors"
	"reflect"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// The methods in this file are for steps that search in ways of their own, such as scrolling: they ask the same rules
// about one frame. An error for which Lacks is true names a question: call again once the frame has its answer.

// Lacks returns the question that an error of Find and its siblings names.
func Lacks(err error) (Question, bool) {
	var n *needs
	if errors.As(err, &n) {
		return n.q, true
	}
	return Question{}, false
}

// ProblemIn returns the problem that an error of Find and its siblings is.
func ProblemIn(err error) (Problem, bool) {
	var p *problemError
	if errors.As(err, &p) {
		return p.Problem, true
	}
	return Problem{}, false
}

// Observe takes a whole frame, without deciding anything.
func (s *Search) Observe(f *Frame) {
	v := s.view(f)
	v.endPixels()
	v.observe()
}

func (s *Search) view(f *Frame) *view { return &view{want: &s.want, memory: &s.mem, f: f} }

// Find returns the elements of a frame that a selector picks: for an action exactly one or none (an
// *screen.AmbiguousError when that cannot be decided), otherwise all. within are the elements that the selector's
// "inside" has meant before; nil: it means what it picks in this frame.
func (s *Search) Find(f *Frame, sel dsl.Selector, act bool, within []*screen.Node) ([]screen.Match, error) {
	mem := s.mem
	v := view{want: &s.want, memory: &mem, f: f}
	q, err := v.query(sel, act)
	if err != nil {
		return nil, err
	}
	q.Within = within
	found, err := v.search(q)
	if _, lacks := Lacks(err); !lacks {
		s.mem = mem
	}
	return found, err
}

// Claimed returns the elements of a frame that a selector picks and of which a check is true, its number aside.
func (s *Search) Claimed(f *Frame, sel dsl.Selector, c Check) ([]screen.Match, error) {
	mem := s.mem
	v := view{want: &s.want, memory: &mem, f: f}
	matches, err := v.find(sel, false)
	if err != nil {
		return nil, err
	}
	hits, _, err := checkView{&v}.hits(c, matches)
	if err != nil {
		return nil, err
	}
	s.mem = mem
	return c.meeting(matches, hits), nil
}

// Touchable returns the element of a frame that an action would touch, and why it could not be touched there, "" when
// it could. No element: nil. An *screen.AmbiguousError lists several.
func (s *Search) Touchable(f *Frame, sel dsl.Selector) (m *screen.Match, why string, err error) {
	mem := s.mem
	v := actView{&view{want: &s.want, memory: &mem, f: f}}
	matches, err := v.find(sel, true)
	if err != nil || len(matches) == 0 {
		return nil, "", err
	}
	m = &matches[0]
	above := v.aboveIt(*m)
	switch {
	case m.Away(f.Tree) && !v.want.Device.Reveals:
		return m, "is outside the screen", nil
	case m.Away(f.Tree):
		return m, "", nil
	case m.Disabled():
		return m, "is disabled", nil
	case m.CoverText != "":
		return m, "is covered by " + m.CoverText, nil
	case above != nil:
		return m, "is covered by " + above.String() + " of another window", nil
	case m.Unplaced != "":
		return m, m.Unplaced, nil
	}
	under, err := v.underKeyboard(*m)
	if under {
		why = "is covered by the keyboard"
	}
	return m, why, err
}

// Reachable returns the elements that are on the screen, or that the device can bring there.
func (s *Search) Reachable(f *Frame, sel dsl.Selector, within []*screen.Node) ([]screen.Match, error) {
	matches, err := s.Find(f, sel, false, within)
	if err != nil || len(matches) > 0 || !s.want.Device.Reveals {
		return matches, err
	}
	q, err := s.view(f).query(sel, true)
	if err != nil {
		return nil, err
	}
	q.Within = within
	return f.Tree.Candidates(q)
}

// Settled reports whether the screen has been the same for at least the span and still shows the frame's tree.
func (s *Search) Settled(f *Frame, span time.Duration) bool { return s.view(f).settled(span) }

// SameSince is when the trees started to be alike; zero: not known.
func (s *Search) SameSince() time.Time { return s.mem.treeSince }

// Missing is the problem of an element that a frame does not have.
func (s *Search) Missing(f *Frame, sel dsl.Selector, assertion bool) Problem {
	return *s.view(f).missing(sel, assertion)
}

// Traced reports whether a canvas draws what an element over it says.
func (s *Search) Traced(f *Frame, n *screen.Node) (bool, error) {
	got, err := sightView{s.view(f)}.tracedSight(n)
	return err == nil && got.hidden == "", err
}

// StatelessIn says that none of the matches can have a state that a check requires, "" when one of them can.
func (c Check) StatelessIn(matches []screen.Match) string { return c.stateless(matches) }

// Remarks returns the notes and warnings so far, each once.
func (s *Search) Remarks() (notes, warnings []string) { return s.mem.notes, s.mem.warnings }

// NeedsVision reports whether a selector requires what is seen in pixels.
func NeedsVision(sel dsl.Selector) bool {
	return sel.OCR != "" || sel.Image != "" || sel.Describe != ""
}

// visionSuffices reports whether a selector can be answered without a tree.
func visionSuffices(sel dsl.Selector) bool {
	return (NeedsVision(sel) || sel.Fallback != "") && len(sel.Relations()) == 0 && sel.Not == nil
}

// labelOnly reports whether a selector requires only a label, which pixels can show when nothing else does.
func labelOnly(sel dsl.Selector) bool {
	plain := dsl.Selector{Label: sel.Label, Index: sel.Index, First: sel.First}
	return sel.Label != "" && reflect.DeepEqual(sel, plain)
}

// namesOnly reports whether a selector picks an element by what it says, and by nothing around it, no order, no state
// and no pixels.
func namesOnly(sel dsl.Selector) bool {
	names := dsl.Selector{Label: sel.Label, Text: sel.Text, Desc: sel.Desc, Hint: sel.Hint, ID: sel.ID, Match: sel.Match}
	return names.Names() && screen.Describe(names) == screen.Describe(sel) && len(sel.Relations()) == 0 &&
		sel.Not == nil && sel.Fallback == "" && !NeedsVision(sel) && !asksState(sel)
}
