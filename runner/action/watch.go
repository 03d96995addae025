package action

import (
	"context"
	"hash/maphash"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// Quiet spans: how long a screen must not have changed before a label may be matched loosely.
const (
	quietToAssert = 300 * time.Millisecond
	quietToAct    = 800 * time.Millisecond
)

// watch reads one device's screen repeatedly and knows since when it has not changed.
type watch struct {
	s          *Session
	pixels     bool // pictures are cheaper than trees
	tree       *drivers.Tree
	before     image.Image // taken just before tree, when pixels
	after      image.Image // the newest one
	quietSince time.Time   // by pixels
	treeSince  time.Time   // the trees are alike since
	digest     uint64
	seed       maphash.Seed
}

func newWatch(s *Session) *watch {
	p, ok := s.Device.(drivers.Pixels)
	return &watch{s: s, pixels: ok && p.PixelsAreCheap(), seed: maphash.MakeSeed()}
}

// read takes a fresh tree; with frame also the pictures around it, when they are cheap.
func (w *watch) read(ctx context.Context, frame bool) error {
	if frame && w.pixels {
		if err := w.picture(ctx); err != nil {
			return err
		}
		w.before = w.after
	}
	t, err := w.s.Device.Tree(ctx)
	if err != nil {
		return err
	}
	w.s.Detail.Looks++
	if d := digest(t, w.seed); w.tree == nil || d != w.digest {
		w.digest, w.treeSince = d, t.Taken
	}
	w.tree, w.s.Tree = t, t
	if frame && w.pixels {
		return w.picture(ctx)
	}
	return nil
}

// picture takes a screenshot and compares it with the one before.
func (w *watch) picture(ctx context.Context) error {
	began := time.Now()
	img, err := w.s.Device.Screenshot(ctx)
	if err != nil {
		return err
	}
	if w.after == nil || !unrest(w.after, img).Empty() {
		w.quietSince = began
	}
	w.after = img
	return nil
}

// settled tells whether the screen, by its trees or its pixels, has been the same for at least the span and still shows the tree.
func (w *watch) settled(span time.Duration) bool {
	if w.tree != nil && !w.treeSince.IsZero() && w.tree.Taken.Sub(w.treeSince) >= span {
		return true
	}
	return w.pixels && !w.quietSince.IsZero() && !w.tree.Taken.Before(w.quietSince) && time.Since(w.quietSince) >= span
}

// still tells whether the part of the screen around r was the same before and after the tree was read.
func (w *watch) still(r image.Rectangle) bool {
	if !w.pixels || w.before == nil || w.after == nil || w.before == w.after {
		return false
	}
	const margin = 12
	return changed(w.before, w.after, r.Inset(-margin)).Empty()
}

// sight waits until something on the screen fits the selector; errWait when nothing does.
func (w *watch) sight(ctx context.Context, sel dsl.Selector, timeout time.Duration) (matches []drivers.Match, err error) {
	err = poll(ctx, timeout, func() error {
		if err := w.read(ctx, w.tree != nil); err != nil {
			return err
		}
		if matches, err = w.find(ctx, sel, false); err == nil && len(matches) == 0 {
			err = errWait
		}
		return err
	})
	return matches, err
}

// find runs a query over the tree that was read last.
func (w *watch) find(ctx context.Context, sel dsl.Selector, action bool) ([]drivers.Match, error) {
	q, err := w.query(ctx, sel, action)
	if err != nil {
		return nil, err
	}
	span := quietToAssert
	if action {
		span = quietToAct
	}
	q.Settled = w.settled(span)
	return w.tree.Find(q)
}

// query prepares a query over the tree that was read last; css and xpath are asked of the browser.
func (w *watch) query(ctx context.Context, sel dsl.Selector, action bool) (drivers.Query, error) {
	q := drivers.Query{Selector: sel, Action: action}
	_, q.Offscreen = w.s.Device.(drivers.Revealer)
	if sel.CSS == "" && sel.XPath == "" {
		return q, nil
	}
	querier, ok := w.s.Device.(drivers.Querier)
	if !ok {
		return q, &Failure{problem("css and xpath work on web pages only")}
	}
	matched, err := querier.Query(ctx, w.tree, sel.CSS, sel.XPath)
	q.Matched = matched
	return q, err
}

// digest sums up what a tree shows and where.
func digest(t *drivers.Tree, seed maphash.Seed) uint64 {
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
