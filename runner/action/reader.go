package action

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"image"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/drivers/vision/pixels"
	"github.com/taproot-dev/taproot/dsl"
)

// Quiet spans: how long a screen must not have changed before what is not on it, or is on it twice, counts.
const (
	quietToAssert = 300 * time.Millisecond
	quietToAct    = 800 * time.Millisecond
	quietToMiss   = 50 * time.Millisecond // where the page reports that nothing is pending

	// stateHolds is how long after an action a state must be there to count, and what was there before it: pages show
	// what was asked for at once, and take it back.
	stateHolds = 200 * time.Millisecond
	// quietHolds is the same where the page reports that nothing is pending, and busyHolds where
	// it reports that something is: that is the longest wait for it.
	quietHolds = 70 * time.Millisecond
	busyHolds  = 1500 * time.Millisecond

	// goneLooks is in how many trees in a row what was there must be missing: two with a blink between them are alike.
	goneLooks = 3

	// leavesFor is how long an element that an animation moves away is waited for: one that is always on its way is there.
	leavesFor = 3 * time.Second
)

// screenReader reads one device's screen repeatedly and knows since when it has not changed.
//
// A step searches in rounds: read, decide, wait. What is on the screen is easy to confirm; the time goes into its
// opposite. That an element is absent, is the only match, or has lost a state counts only after a quiet span without a
// change, because a screen that is being built shows every intermediate state. The spans are short where the page
// itself reports that nothing is pending, and long where it reports that something is. To keep a round cheap, the
// reader uses the cheapest source that can answer: a quick tree when the last read did not have the element either, a
// whole tree otherwise, screenshots before and after the tree where they cost less than a tree, and OCR only where no
// tree can be read. One screenshot serves the decision, the proof of the touch and the report of the step before.
type screenReader struct {
	s           *Session
	pixels      bool // screenshots are cheaper than trees
	tree        *screen.Tree
	before      image.Image // the newest before tree, when pixels
	rest        *pixels.Rest
	beforeAt    time.Time               // of before
	shotAt      time.Time               // of the newest screenshot
	protected   *drivers.ProtectedError // what the newest screenshot, or the one that could not be taken, does not show
	treeSince   time.Time               // the trees are alike since
	began       time.Time
	onlySeen    bool          // what is looked for may be seen where no tree can be read
	labelled    bool          // only a label is searched: it may be read in pixels where the screen never stops moving
	pixelsOnly  bool          // no tree could be read, and pixels do
	eager       bool          // the pixels are looked at whenever the tree is
	seen        *visionResult // by vision, last
	anywhere    bool          // what can be scrolled to will do
	wholeLines  bool          // the pixels are read for a label
	mayBeQuick  bool          // the next read may be a quick tree
	wasQuick    bool          // quick trees were allowed once
	lookLater   bool          // a screenshot that is taken after the tree may be the one that others wait for
	located     int           // how often a model was asked where it is
	digest      uint64
	matched     map[screen.Expression]map[*screen.Node]bool // by the css and XPath of the newest query
	parts       []screen.TextPart                           // of texts; on pages the trees have their places
	hiddenUnder string                                      // why what was found in the newest tree cannot be seen
	undrawn     bool                                        // what was found in the newest tree is in view, and not drawn
	within      []*screen.Node                              // that inside has meant
	withinOf    *dsl.Selector                               // that inside
	unseenToo   bool                                        // what is not drawn, or is under the keyboard, will do
	seed        maphash.Seed
}

func newScreenReader(s *Session) *screenReader {
	p, ok := s.Device.(drivers.Pixels)
	rest := &pixels.Rest{StatusBar: s.Platform != dsl.Web}
	return &screenReader{s: s, pixels: ok && p.PixelsAreCheap(), seed: maphash.MakeSeed(), rest: rest, began: time.Now()}
}

// read takes a fresh tree; with frame also the screenshots around it, when they are
// cheap. Once the time of the step has ended, a read is the tree alone.
func (w *screenReader) read(ctx context.Context, frame bool) error {
	frame = frame && w.pixels && (w.tree == nil || !w.late())
	if err := w.readBehind(ctx, frame); err != nil || !frame || w.pixelsOnly || !w.pixels {
		return err
	}
	return w.tryPixels(ctx)
}

// late reports whether the time of the step has ended.
func (w *screenReader) late() bool { return time.Since(w.began) >= w.s.Timeout }

// readBehind takes a screenshot, if it is required, and a fresh tree after it.
func (w *screenReader) readBehind(ctx context.Context, picture bool) error {
	if picture {
		if err := w.tryPixels(ctx); err != nil {
			return err
		}
	}
	w.before, w.beforeAt = w.rest.Last(), w.shotAt
	if err := w.s.stillRuns(ctx); err != nil {
		return err
	}
	if d, ok := w.s.Device.(drivers.PartReader); ok {
		d.ReadParts(w.parts...)
	}
	t, err := w.elements(ctx)
	if w.pixelsOnly = w.onlyPixels(err); w.pixelsOnly {
		w.s.noteOnce("the elements of the screen cannot be read, so only its pixels are looked at: %v", err)
		return w.pixelsAlone(ctx)
	}
	if err != nil {
		return err
	}
	w.s.Detail.ScreenReads++
	if d := digest(t, w.seed); w.tree == nil || d != w.digest {
		w.digest, w.treeSince = d, t.Taken
	}
	w.tree, w.s.Tree = t, t
	if w.lookLater {
		return nil
	}
	return w.s.looked(ctx)
}

// pixelsAlone replaces a tree where none can be read: the screen as one empty area.
func (w *screenReader) pixelsAlone(ctx context.Context) error {
	if err := w.takeScreenshot(ctx); err != nil {
		return err
	}
	w.tree = screen.NewTree(nil, w.rest.Last().Bounds().Size(), time.Now())
	w.treeSince = time.Time{}
	return nil
}

// takeScreenshot takes a screenshot and compares it with the one before. A *drivers.ProtectedError: it shows nothing of
// a window on the screen, or there is none.
func (w *screenReader) takeScreenshot(ctx context.Context) error {
	began := time.Now()
	w.protected = nil
	img, err := w.s.Device.Screenshot(ctx)
	if err != nil {
		errors.As(err, &w.protected)
		return err
	}
	w.rest.See(began, img)
	w.shotAt = began
	if err := w.s.lookTaken(ctx, img); err != nil {
		return err
	}
	if w.protected, err = protection(ctx, w.s.Device, img); err == nil && w.protected != nil {
		return w.protected
	}
	return err
}

// settled reports whether the screen, by its trees or its pixels, has been the same for at least the span and still
// shows the tree.
func (w *screenReader) settled(span time.Duration) bool {
	if w.tree != nil && !w.treeSince.IsZero() && w.tree.Taken.Sub(w.treeSince) >= span {
		return true
	}
	since, tree := w.rest.Since(), w.tree.Taken
	whole := w.pixelsOnly || w.pixels && !w.shotAt.Before(tree) // a screenshot shows the screen after the tree as well
	return whole && !since.IsZero() && !tree.Before(since) && time.Since(since) >= span
}

// locate waits until something on the screen fits the selector; errWait when nothing does.
func (w *screenReader) locate(ctx context.Context, sel dsl.Selector, timeout time.Duration) (matches []screen.Match,
	err error) {
	w.prepareFor(sel)
	w.unseenToo = w.anywhere
	w.lookLater = w.s.onPhone() && !w.anywhere
	err = poll(ctx, timeout, func() (err error) {
		matches, err = w.locateOnce(ctx, sel, timeout)
		if w.lookLater && w.tree != nil && w.shotAt.Before(w.tree.Taken) && (err == nil || errors.Is(err, errWait)) {
			if look := w.s.looked(ctx); look != nil {
				return look
			}
		}
		return err
	})
	return matches, err
}

// locateOnce looks once; errWait: look again.
func (w *screenReader) locateOnce(ctx context.Context, sel dsl.Selector, timeout time.Duration) (matches []screen.Match,
	err error) {
	if worth, err := w.quickTreeMayMatch(ctx, sel, toSee); err != nil || !worth {
		return nil, cmp.Or(err, errWait)
	}
	// where pixels may show it, they are read first
	if err := w.read(ctx, w.tree != nil || sel.Fallback != ""); err != nil {
		return nil, err
	}
	look := w.reachable
	if !w.anywhere {
		look = func(ctx context.Context, sel dsl.Selector) ([]screen.Match, error) { return w.find(ctx, sel, toSee) }
	}
	if matches, err = look(ctx, sel); err != nil {
		return nil, err
	}
	if len(matches) == 0 {
		w.missed()
	}
	matches = w.newer(matches)
	if len(matches) == 0 || w.leaves(matches, timeout) || w.tooSoon() && (asksState(sel) || w.wasPresentBefore(matches)) {
		w.unsure(matches)
		return nil, errWait
	}
	return matches, nil
}

// newer leaves out what was there before the screen was touched last.
func (w *screenReader) newer(matches []screen.Match) []screen.Match {
	return slices.DeleteFunc(matches, func(m screen.Match) bool {
		if m.Node.Earlier {
			w.hiddenUnder = screen.Quote(m.Node.Text) +
				" was there before the last touch, so that it says nothing of what that did"
		}
		return m.Node.Earlier
	})
}

// tooSoon reports whether the screen was read so soon after an action that a state which the action led to may be taken
// back at once.
func (w *screenReader) tooSoon() bool {
	return !w.late() && w.tree.Taken.Before(w.s.acted.Add(holdsFor(w.tree.Rest)))
}

// holdsFor is how long what is seen right after an action must be there to count.
func holdsFor(rest screen.Activity) time.Duration {
	switch rest {
	case screen.Busy:
		return busyHolds
	case screen.Quiet:
		return quietHolds
	}
	return stateHolds
}

// rested reports whether what is not in the newest tree counts as absent: the screen has rested, and nothing is on its
// way.
func (w *screenReader) rested() bool {
	switch {
	case w.tree.Rest == screen.Busy && w.tooSoon():
		return false
	case w.tree.Rest == screen.Quiet && w.settled(quietToMiss):
		return true
	}
	return w.settled(quietToAssert)
}

// wasPresentBefore reports whether all that was found was on the screen before the last action, too: what the action
// takes away may be there for a moment.
func (w *screenReader) wasPresentBefore(matches []screen.Match) bool {
	before := w.s.before
	return before != nil && !slices.ContainsFunc(matches, func(m screen.Match) bool {
		for n := range before.All {
			if n.Type == m.Node.Type && n.Text == m.Node.Text && n.Desc == m.Node.Desc && !n.Hidden && !n.Offscreen {
				return false
			}
		}
		return true
	})
}

// asksState reports whether a selector requires a state.
func asksState(sel dsl.Selector) bool {
	return sel.Enabled != nil || sel.Checked != nil || sel.Selected != nil || sel.Focused != nil || sel.Not != nil &&
		asksState(*sel.Not)
}

// leaves reports whether all that was found may be on its way out, and the time lets one wait for what becomes of it.
func (w *screenReader) leaves(matches []screen.Match, timeout time.Duration) bool {
	staying := slices.ContainsFunc(matches, func(m screen.Match) bool { return !m.Node.Leaving })
	return !staying && time.Since(w.began) < min(leavesFor, timeout)
}

// readsParts adds the parts of texts that a selector requires to those of which the next trees have the places. It
// reports whether the device knows them.
func (w *screenReader) readsParts(sel dsl.Selector) bool {
	for _, p := range screen.TextParts(sel) {
		if !slices.Contains(w.parts, p) {
			w.parts = append(w.parts, p)
		}
	}
	_, ok := w.s.Device.(drivers.PartReader)
	return ok && len(w.parts) > 0
}

// searchPurpose is what an element is looked for.
type searchPurpose int

const (
	toSee searchPurpose = iota // whether it is on the screen
	toAct                      // the one element to act on, brought into view where that can be done
)

// find runs a query over the tree that was read last.
func (w *screenReader) find(ctx context.Context, sel dsl.Selector, what searchPurpose) ([]screen.Match, error) {
	q, err := w.query(ctx, sel, what)
	if err != nil {
		return nil, err
	}
	return w.search(ctx, q)
}

// query prepares a query over the tree that was read last; css and xpath are asked of the browser. Where the tree does
// not have the places of the parts of texts that are asked for, another one is read.
func (w *screenReader) query(ctx context.Context, sel dsl.Selector, what searchPurpose) (screen.Query, error) {
	q := screen.Query{Selector: sel, Action: what == toAct}
	if sel.Inside != nil && sel.Inside == w.withinOf {
		q.Within = w.within
	}
	if w.readsParts(sel) && !w.tree.Knows(w.parts) && !w.pixelsOnly {
		if err := w.readBehind(ctx, false); err != nil {
			return q, err
		}
	}
	w.matched = nil
	_, reveals := w.s.Device.(drivers.Revealer)
	q.Reveal = reveals && what == toAct
	querier, ok := w.s.Device.(drivers.Querier)
	for _, e := range screen.Expressions(sel) {
		if !ok && e.CSS != "" {
			return q, &Failure{problem("css works on web pages only")}
		}
		if !ok || q.Matched[e] != nil {
			continue
		}
		matched, err := querier.Query(ctx, w.tree, e.CSS, e.XPath)
		if err != nil {
			return q, err
		}
		if q.Matched == nil {
			q.Matched = map[screen.Expression]map[*screen.Node]bool{}
		}
		q.Matched[e] = matched
	}
	w.matched = q.Matched
	return q, nil
}

// digest sums up what a tree shows and where.
func digest(t *screen.Tree, seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	number := func(n int) {
		maphash.WriteComparable(&h, n)
	}
	for n := range t.All {
		h.WriteString(n.Type)
		h.WriteByte(0)
		h.WriteString(n.Text)
		h.WriteByte(0)
		h.WriteString(n.Desc)
		h.WriteByte(0)
		number(n.Bounds.Min.X)
		number(n.Bounds.Min.Y)
		number(n.Bounds.Max.X)
		number(n.Bounds.Max.Y)
		maphash.WriteComparable(&h, [5]bool{n.Hidden, n.Disabled, n.Checked, n.Selected, n.Offscreen})
	}
	return h.Sum64()
}
