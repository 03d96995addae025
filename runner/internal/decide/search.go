package decide

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// Next decides what to do after the frames that were seen, the newest last. It is a pure function: the same frames lead
// to the same decision. A frame holds when it was decided on (Frame.Now), so that no clock is needed.
func Next(w Want, seen []Frame) Decision {
	s := New(w)
	d := Decision{Kind: Wait, Next: s.First()}
	for i := range seen {
		d = s.Next(&seen[i])
	}
	return d
}

// Search is Next one frame after the other: it keeps what the frames before have shown, so that a step need not decide
// on all of them again. It is used by one goroutine.
type Search struct {
	want  Want
	mem   memory
	found found // in the frame with questions that are being resolved
}

// New starts a search.
func New(w Want) *Search {
	s := &Search{want: w}
	s.mem.pixels = w.Device.Pixels || w.Device.Ahead && w.Purpose == Act
	s.mem.expected = w.Device.Ahead && w.Purpose == Act
	return s
}

// First returns what the first frame must hold.
func (s *Search) First() Need {
	v := view{want: &s.want, memory: &s.mem, f: &Frame{Now: s.want.Began}}
	return v.need(false)
}

// Next decides on a frame: a new one, or the last one with more evidence.
func (s *Search) Next(f *Frame) Decision {
	mem := s.mem // a decision that lacks an answer leaves no trace
	v := view{want: &s.want, memory: &mem, f: f, found: &s.found}
	d, err := v.decide()
	if q, lacks := Lacks(err); lacks {
		return Decision{Kind: Answering, Questions: []Question{q}, Next: v.need(false), Keep: mem.kept(f)}
	}
	s.found = found{}
	if passing(err) && !v.over() {
		d, err = v.wait(err.Error()), nil
	}
	s.mem = mem
	if err != nil {
		d = Decision{Kind: Unfit, Err: err}
		if p, ok := ProblemIn(err); ok {
			d = Decision{Kind: Fail, Problem: &p}
		}
	}
	d.Notes, d.Warnings, d.Keep = mem.notes, mem.warnings, mem.kept(f)
	return d
}

// passing reports whether an error may pass: what the app shows next may be allowed to be seen.
func passing(err error) bool {
	var hidden *HiddenError
	var unproven *UnprovenError
	return errors.As(err, &hidden) || errors.As(err, &unproven)
}

// memory is what the frames before have shown. It is copied by value: slices are only appended to, and maps are
// replaced.
type memory struct {
	pixels      bool // screenshots are compared
	tree        *screen.Tree
	digest      string
	treeSince   time.Time // the trees are alike since
	mayBeQuick  bool      // the next read may be a quick tree
	wasQuick    bool      // quick trees were allowed once
	hiddenUnder string    // why what was found in the newest tree cannot be seen
	undrawn     bool      // what was found in the newest tree is in view, and not drawn
	matched     map[screen.Expression]map[*screen.Node]bool
	seen        *Seen // by vision, last
	reading     *Reading
	pauses      int // so far
	blinks      int // pauses of them that differ
	notes       []string
	warnings    []string

	target
	absence
	flow
}

// kept lists the screenshots that later decisions may compare with.
func (m *memory) kept(f *Frame) []int {
	return []int{f.Before.ID, f.Last.ID, m.left.ID, m.faded.ID}
}

// view is one decision: a want, what was seen before, and a frame.
type view struct {
	want *Want
	*memory
	f          *Frame
	found      *found // nil: nothing is kept
	wholeLines bool   // the pixels are read for a label, which is a whole text
}

// decide decides on the frame. A *needs error: the answer to a question is missing.
func (v *view) decide() (Decision, error) {
	if v.want.Policy == ByMaestro {
		return maestroView{v}.decide()
	}
	v.endPixels()
	switch {
	case v.f.Failed != "":
		return v.unreadable()
	case v.f.Quick:
		return v.quick(), nil
	}
	v.observe()
	switch v.want.Purpose {
	case Act:
		return actView{v}.act()
	case Absent:
		return absentView{v}.absent()
	case State:
		return checkView{v}.state()
	case Reach:
		return v.reach()
	}
	return seeView{v}.see()
}

// endPixels ends the comparing of screenshots that the app forbids.
func (v *view) endPixels() {
	if v.f.NoPixels != "" {
		v.pixels = false
		v.note("%s", v.f.NoPixels)
	}
}

// observe takes the frame's tree.
func (v *view) observe() {
	if v.tree == nil || v.f.Digest != v.digest {
		v.digest, v.treeSince = v.f.Digest, v.f.Tree.Taken
	}
	if v.f.PixelsOnly {
		v.digest, v.treeSince = "", time.Time{}
	}
	v.tree = v.f.Tree
}

// unreadable waits for a screen that can be read; at the end of the time, what it failed of is the answer.
func (v *view) unreadable() (Decision, error) {
	if !v.over() {
		return v.wait("the screen cannot be read: " + v.f.Failed), nil
	}
	return Decision{}, &NotReadError{v.f.Failed}
}

// NotReadError says that the time ended while the screen could not be read.
type NotReadError struct{ Why string }

func (e *NotReadError) Error() string { return e.Why }

// deadline is when the search ends.
func (v *view) deadline() time.Time {
	end := v.want.Began.Add(v.want.Timeout)
	if d := v.want.Deadline; !d.IsZero() && d.Before(end) {
		return d
	}
	return end
}

// over reports whether the time of the search has ended.
func (v *view) over() bool { return !v.f.Now.Before(v.deadline()) }

// since is how long ago something was when the frame was decided on.
func (v *view) since(t time.Time) time.Duration { return v.f.Now.Sub(t) }

// late reports whether the time of the step has ended.
func (v *view) late() bool { return v.since(v.want.Began) >= v.want.StepTimeout }

// need is what the next frame must hold.
func (v *view) need(quick bool) Need {
	sel := v.want.Selector
	n := Need{Quick: quick, Parts: screen.TextParts(sel)}
	if text := v.want.Check.Text; text != nil {
		n.Parts = append(n.Parts, screen.TextParts(v.want.Check.text())...)
	}
	switch v.want.Purpose {
	case See, Act:
		n.PixelsOnly, n.Label = visionSuffices(sel), labelOnly(sel)
	case Absent:
		n.PixelsOnly = NeedsVision(sel) && visionSuffices(sel)
	}
	if !v.pixels || v.tree != nil && v.late() {
		return n
	}
	switch v.want.Purpose {
	case Act:
		n.Before = true
	case See: // where pixels may show it, they are read first
		n.Before = v.tree != nil || sel.Fallback != ""
		n.After = n.Before
	default:
		n.Before, n.After = true, true
	}
	return n
}

// wait waits until the next read; the pauses grow.
func (v *view) wait(why string) Decision {
	return v.waitFor(v.pause(), why)
}

func (v *view) waitFor(pause time.Duration, why string) Decision {
	pause = max(0, min(pause, v.deadline().Sub(v.f.Now)))
	quick := v.mayBeQuick && v.want.Device.Quick && v.tree != nil && !v.f.PixelsOnly &&
		v.f.Now.Add(pause).Sub(v.want.Began) < v.want.StepTimeout && namesOnly(v.want.Selector) &&
		(v.want.Purpose == See || v.want.Purpose == Act)
	return Decision{Kind: Wait, Until: v.f.Now.Add(pause), Next: v.need(quick), Why: why}
}

// pause is the pause before the next read.
func (v *view) pause() time.Duration {
	t := &v.want.Timing
	next := min(t.LongestPause, time.Duration(float64(t.FirstPause)*math.Pow(t.PauseGrowth, float64(v.pauses))))
	v.pauses++
	return next
}

// quick decides on a quick tree: what is not in it is waited for on; what may be in it is looked for in a whole one.
func (v *view) quick() Decision {
	if v.f.Tree != nil {
		found, err := v.f.Tree.Candidates(screen.Query{Selector: v.want.Selector, Action: v.want.Purpose == Act})
		if err == nil && len(found) == 0 {
			return v.wait("a quick tree does not have it")
		}
		v.mayBeQuick = false
	}
	return Decision{Kind: Wait, Until: v.f.Now, Next: v.need(false), Why: "a quick tree may have it"}
}

// missed allows quick trees after a whole read that has found nothing; one that a quick tree promised and that found
// nothing ends them: what is looked for is there, and hidden.
func (v *view) missed() {
	if !v.wasQuick {
		v.wasQuick, v.mayBeQuick = true, true
	}
}

// settled reports whether the screen, by its trees or its pixels, has been the same for at least the span and still
// shows the tree.
func (v *view) settled(span time.Duration) bool {
	taken := v.f.Tree.Taken
	if !v.treeSince.IsZero() && taken.Sub(v.treeSince) >= span {
		return true
	}
	// a screenshot shows the screen after the tree as well
	whole := v.f.PixelsOnly || v.pixels && v.f.Last.Taken() && !v.f.Last.At.Before(taken)
	still := v.f.Still
	return whole && !still.IsZero() && !taken.Before(still) && v.since(still) >= span
}

// tooSoon reports whether the screen was read so soon after an action that a state which the action led to may be taken
// back at once.
func (v *view) tooSoon() bool {
	holds := v.want.Timing.HoldsFor(v.f.Tree.Rest)
	return !v.late() && v.f.Tree.Taken.Before(v.want.Earlier.Acted.Add(holds))
}

// rested reports whether what is not in the newest tree counts as absent: the screen has rested, and nothing is on its
// way.
func (v *view) rested() bool {
	t := &v.want.Timing
	switch {
	case v.f.Tree.Rest == screen.Busy && v.tooSoon():
		return false
	case v.f.Tree.Rest == screen.Quiet && v.settled(t.QuietToMiss):
		return true
	}
	return v.settled(t.QuietToAssert)
}

// busy returns by what an app shows that it is still at work after the last action, "" when it is not: a spinner turns,
// or nothing is on its screen.
func (v *view) busy() string {
	if !v.want.Device.Phone || v.f.PixelsOnly ||
		v.f.Tree.Taken.Sub(v.want.Earlier.Acted) >= v.want.Timing.BusyFor {
		return ""
	}
	empty := true
	for n := range v.f.Tree.All {
		switch {
		case n.Hidden || n.Offscreen || n.Bounds.Empty():
		case isSpinner(n):
			return n.String() + " turns"
		case n.Text != "" || n.Desc != "" || n.Hint != "" || n.Editable || n.Clickable:
			empty = false
		}
	}
	if empty {
		return "nothing is on the screen"
	}
	return ""
}

// nothingOver is asked before the absence of an element counts: its answer is an error where something keeps the app
// from being seen.
func (v *view) nothingOver() error {
	_, err := v.ask(Question{Ask: AskObstacle})
	return err
}

// waitedEnough reports whether the wait for the tree was long enough: the screen rests, or half of the time has passed.
func (v *view) waitedEnough() bool {
	return v.f.PixelsOnly || v.want.Purpose == Absent || v.settled(v.want.Timing.QuietToAct) ||
		v.since(v.want.Began) > v.want.StepTimeout/2
}

// ask returns the answer to a question about the frame.
func (v *view) ask(q Question) (Answer, error) {
	if a, ok := v.f.Evidence[q.Key()]; ok {
		return a, nil
	}
	return Answer{}, &needs{q}
}

// note adds a remark for the report.
func (v *view) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(v.notes, text) {
		v.notes = append(slices.Clip(v.notes), text)
	}
}

// warn adds a warning: something that the result does not cover.
func (v *view) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(v.warnings, text) {
		v.warnings = append(slices.Clip(v.warnings), text)
	}
}

// asksState reports whether a selector requires a state.
func asksState(sel dsl.Selector) bool {
	return sel.Enabled != nil || sel.Checked != nil || sel.Selected != nil || sel.Focused != nil || sel.Not != nil &&
		asksState(*sel.Not)
}
