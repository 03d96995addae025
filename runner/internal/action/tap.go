package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

func tap(ctx context.Context, s *Performer, a dsl.Tap) error {
	how := drivers.WebClick{Button: a.Button, Modifiers: keyNames(a.Modifiers)}
	var click func(context.Context, image.Point, drivers.WebClick) error
	if how.Button != "" && how.Button != "left" || len(how.Modifiers) > 0 {
		d, err := capability[drivers.Clicker](s)
		if err != nil {
			return err
		}
		click = d.Click
	}
	return tapWithRetry(ctx, s, tapTarget{a.Selector, a.At}.aim, func(p image.Point) error {
		if click != nil {
			how.Count = max(a.Times, 1)
			return finish(ctx, func(ctx context.Context) error { return click(ctx, p, how) })
		}
		for range max(a.Times, 1) {
			if err := finish(ctx, func(ctx context.Context) error { return s.Device.Tap(ctx, p) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// keyNames are keys by the names that drivers know.
func keyNames(keys []string) []string {
	var names []string
	for _, key := range keys {
		names = append(names, dsl.KeyName(key))
	}
	return names
}

// target waits until the selector picks one element that is stationary, enabled, and can be reached.
func target(ctx context.Context, s *Performer, sel dsl.Selector) (screen.Match, error) {
	return wanted(ctx, s, decide.Want{Selector: sel})
}

// wanted is target for what a want says in addition to its selector.
func wanted(ctx context.Context, s *Performer, w decide.Want) (screen.Match, error) {
	w.Purpose = decide.Act
	r := newReader(s, w)
	d, err := r.run(ctx)
	if err == nil {
		err = r.result(d)
		s.recordMiss(d.Miss)
	}
	if err != nil {
		return screen.Match{}, err
	}
	found := d.Matches[0]
	if s.Confirm != nil {
		err = s.Confirm(r.tree, found)
	}
	if err == nil {
		s.matched(found)
		s.recordHit(r, found)
	}
	return found, err
}

// touched is a screen that was touched: as it was before.
type touched struct {
	tree    *screen.Tree
	picture image.Image
}

// lastTouch is the screen that the step which has ended has touched, nil when it touched nothing.
func (s *Performer) lastTouch() *touched {
	if s.aimed == nil || s.aimed.picture == nil || s.Tree == nil {
		return nil
	}
	return &touched{s.Tree, s.aimed.picture}
}

// reveal scrolls an element, or the part of its text that is asked for, into view.
func reveal(ctx context.Context, r drivers.Revealer, m screen.Match) error {
	if parts, ok := r.(drivers.PartRevealer); ok && m.Part != nil {
		return parts.RevealPart(ctx, m.Node, m.Part.Part)
	}
	return r.Reveal(ctx, m.Node)
}

func problem(format string, args ...any) event.Problem {
	return event.Problem{Message: fmt.Sprintf(format, args...)}
}

// place turns a point of the test syntax into a pixel of the screen.
func place(ctx context.Context, s *Performer, p dsl.Point) (image.Point, error) {
	size, err := s.firstPicture(ctx)
	if err != nil {
		return image.Point{}, err
	}
	if p.Percent {
		p.X, p.Y = p.X*float64(size.X)/100, p.Y*float64(size.Y)/100
	}
	at := image.Pt(int(math.Round(p.X)), int(math.Round(p.Y)))
	if p.Percent { // 100 % is the last pixel
		at.X, at.Y = min(at.X, size.X-1), min(at.Y, size.Y-1)
	}
	if !at.In(image.Rectangle{Max: size}) {
		return at, &Failure{problem("the point %d,%d is outside the screen of %dx%d", at.X, at.Y, size.X, size.Y)}
	}
	return at, nil
}

// firstPicture takes a screenshot before anything is touched, and returns its size. Where none may be taken, the
// elements show how large the screen is.
func (s *Performer) firstPicture(ctx context.Context) (image.Point, error) {
	img, err := s.Device.Screenshot(ctx)
	var p *drivers.ProtectedError
	if errors.As(err, &p) {
		tree, err := s.Device.Tree(ctx)
		if err != nil {
			return image.Point{}, err
		}
		return tree.Size, s.saw(ctx, nil)
	}
	if err != nil {
		return image.Point{}, err
	}
	return img.Bounds().Size(), s.saw(ctx, img)
}

// touched keeps where the device was touched.
func (r *Outcome) touched(p image.Point) { r.Detail.Point = &[2]int{p.X, p.Y} }

// matched keeps what a selector picked.
func (r *Outcome) matched(m screen.Match) {
	b := m.Node.Bounds
	r.Detail.Matched, r.Detail.Tier = m.Node.String(), m.Tier.String()
	if m.Node.Type == decide.SeenType {
		r.Detail.Tier = m.Node.Ref // how it was seen, and the score
	}
	r.Detail.Bounds = &[4]int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y}
}

// recordHit keeps what lay topmost where the element is about to be touched.
func (s *Performer) recordHit(r *reader, m screen.Match) {
	hit := hitName(r.tree, m)
	s.Detail.Proof = event.ProofHit + ": " + hit
	pictured := (r.want.Device.Pixels || r.want.Device.Ahead) && r.screen.Pictured()
	if last := r.screen.Last(); pictured && last != nil && !s.NoPictures {
		s.aimed = &Tapped{picture: last, at: time.Now(), hit: hit}
		if over := m.MayTake(); over != nil {
			s.aimed.doubt = fmt.Sprintf("nothing on the screen changed after the tap, and %s may be over %s: the phone does "+
				"not report which is drawn over the other", over, m.Node)
		}
	}
}

// hitName names what takes the touch: the topmost element at the point, and the target where that is something else.
func hitName(t *screen.Tree, m screen.Match) string {
	top := t.Topmost(m.Point)
	switch {
	case m.Node.Type == decide.SeenType:
		return "pixels that show " + plainName(m.Node)
	case top == nil || t.HitTested || m.Node.InPage && top.InPage: // the device itself judges the touch
		return plainName(m.Node)
	case top.Within(m.Target) || top.Within(m.Node) || m.Node.Within(top):
		return plainName(top)
	}
	return fmt.Sprintf("%s, over %s", plainName(top), plainName(m.Node))
}

// plainName is the kind of an element and what a person calls it: `Button Share map`.
func plainName(n *screen.Node) string {
	kind := cmp.Or(n.Role, n.Type[strings.LastIndexAny(n.Type, ".$")+1:], "element")
	label := n.Label()
	for up := n.Parent; label == "" && up != nil; up = up.Parent {
		if label = up.Label(); label != "" {
			label = "in " + plainName(up)
		}
	}
	return strings.TrimSpace(kind + " " + strings.Trim(screen.Quote(label), `"`))
}

// confirmed takes over what the device itself says of the touch.
func (s *Performer) confirmed() {
	d, ok := s.Device.(drivers.TouchReporter)
	if !ok || !strings.HasPrefix(s.Detail.Proof, event.ProofHit) {
		return
	}
	if met := d.TouchMet(); met != "" {
		s.Detail.Proof = event.ProofHit + ": " + met
	}
}

// recordMiss keeps why an element was not touched.
func (r *Outcome) recordMiss(miss *decide.Miss) {
	switch {
	case miss == nil:
		return
	case miss.Reason == decide.Covered:
		r.Detail.Proof = event.ProofOccluded
	case miss.Reason == decide.Moving:
		r.Detail.Proof = event.ProofMoved
	default:
		return
	}
	r.matched(miss.Match)
	r.touched(miss.Match.Point)
}
