package action

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/drivers/vision/pixels"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

// ProofGrace is how long a screen on which a tap has changed nothing is given before that counts.
const ProofGrace = 400 * time.Millisecond

// Tapped is what the screen looked like just before a tap. The screenshots that come later show whether the tap has
// changed anything; nothing that they show changes the result, as an app may do its work out of sight.
type Tapped struct {
	picture image.Image
	at      time.Time
	hit     string
}

// lookTaken reports a screenshot that the step took.
func (s *Session) lookTaken(ctx context.Context, img image.Image) error {
	return s.host().OnLook(ctx, img)
}

// looked reports that the step has read the elements, and that a screenshot may be taken now.
func (s *Session) looked(ctx context.Context) error { return s.lookTaken(ctx, nil) }

// recordHit keeps what lay topmost where the element is about to be touched.
func (s *Session) recordHit(r *reader, m screen.Match) {
	hit := hitName(r.tree, m)
	s.Detail.Proof = event.ProofHit + ": " + hit
	pictured := (r.want.Device.Pixels || r.want.Device.Ahead) && r.screen.Pictured()
	if last := r.screen.Last(); pictured && last != nil && !s.NoPictures {
		s.aimed = &Tapped{picture: last, at: time.Now(), hit: hit}
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
func (s *Session) confirmed() {
	d, ok := s.Device.(drivers.TouchReporter)
	if !ok || !strings.HasPrefix(s.Detail.Proof, event.ProofHit) {
		return
	}
	if met := d.TouchMet(); met != "" {
		s.Detail.Proof = event.ProofHit + ": " + met
	}
}

// recordMiss keeps why an element was not touched.
func (r *Result) recordMiss(miss *decide.Miss) {
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

// Tapped returns what the step's tap is to be judged by, nil when there is nothing.
func (s *Session) Tapped() *Tapped { return s.aimed }

// Changed reports whether a screenshot that was taken after the tap shows anything else than the one before it.
func (t *Tapped) Changed(now image.Image) bool { return !same(t.picture, now) }

// Age is how long ago the tap was.
func (t *Tapped) Age() time.Duration { return time.Since(t.at) }

// NoEffect is the proof of a tap that has changed nothing, and a note about it.
func (t *Tapped) NoEffect() (proof, note string) {
	note = fmt.Sprintf("nothing on the screen had changed %s after the tap", t.Age().Round(10*time.Millisecond))
	return event.ProofNoEffect + ": " + t.hit, note
}

// same compares two screenshots below the status bar, as its clock changes whatever is tapped.
func same(a, b image.Image) bool {
	region := a.Bounds()
	region.Min.Y = pixels.StatusBar(region.Size()).Max.Y
	return pixels.Changed(a, b, region).Empty()
}
