package system

import (
	"image"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// LongPress is how long a finger stays down for a long press.
const LongPress = 400 * time.Millisecond

// TouchPoint is where a finger went down.
type TouchPoint struct {
	At    image.Point
	Since time.Time
	moved bool
	Held  bool // long enough for a long press before the first move
}

// firstTap is the first tap of a double tap.
type firstTap struct {
	at   time.Time
	id   string
	on   image.Rectangle
	used bool
}

// The touch panel of the simulated phone.
const (
	PanelPath = "/dev/input/event2"
	PanelMax  = 4095
)

// touchPanel is where fingers touch the screen, by whatever they are moved: the shell, the agent, or the panel's own
// events.
type touchPanel struct {
	mu   *sync.Mutex // the phone's lock
	opts spec.Options
	ui   *Screen

	taps    []Tap
	lastTap firstTap
	held    *TouchPoint // a finger that is down
	fingers multiTouch
	Devices []string // the names of those that uinput made
}

// multiTouch is what the panel's driver knows of its fingers.
type multiTouch struct {
	slot   int
	finger [2]struct {
		down     bool
		at, from image.Point // in the panel's unit
		fresh    bool        // from is not known yet
	}
	ended bool // a finger was lifted since the last report
}

// Event follows protocol B of Linux's multi-touch. The phone's lock is held.
func (p *touchPanel) Event(kind, code, value int) {
	t := &p.fingers
	if kind == 3 && code == 47 {
		t.slot = value & 1
		return
	}
	f := &t.finger[t.slot]
	switch {
	case kind == 3 && code == 57 && value >= 0:
		f.down, f.fresh = true, true
	case kind == 3 && code == 57:
		f.down, t.ended = false, t.ended || f.down
	case kind == 3 && code == 53:
		f.at.X = value
	case kind == 3 && code == 54:
		f.at.Y = value
	case kind == 0:
		for i := range t.finger {
			if one := &t.finger[i]; one.fresh {
				one.from, one.fresh = one.at, false
			}
		}
		if t.ended && !t.finger[0].down && !t.finger[1].down {
			p.pinched([2]image.Point{t.finger[0].from, t.finger[1].from}, [2]image.Point{t.finger[0].at, t.finger[1].at})
			*t = multiTouch{}
		}
	}
}

// pinched notifies the view under the middle of two fingers how they moved. The phone's lock is held.
func (p *touchPanel) pinched(from, to [2]image.Point) {
	pixel := func(at image.Point) image.Point {
		x, y := at.X*(p.opts.Width-1)/PanelMax, at.Y*(p.opts.Height-1)/PanelMax
		switch p.ui.Rotation() {
		case 1:
			return image.Pt(y, p.opts.Width-1-x)
		case 2:
			return image.Pt(p.opts.Width-1-x, p.opts.Height-1-y)
		case 3:
			return image.Pt(p.opts.Height-1-y, x)
		}
		return image.Pt(x, y)
	}
	p.PinchedAt([2]image.Point{pixel(from[0]), pixel(from[1])}, [2]image.Point{pixel(to[0]), pixel(to[1])})
}

// PinchedAt is pinched in pixels of the screen as it is. The phone's lock is held.
func (p *touchPanel) PinchedAt(from, to [2]image.Point) {
	a, b, c, d := from[0], from[1], to[0], to[1]
	middle := a.Add(b).Div(2)
	p.lastTap = firstTap{}
	w := p.ui.Frame(time.Now()).WindowAt(middle)
	if w == nil {
		p.record(Tap{Kind: "pinch", Point: middle}, nil)
		return
	}
	v := w.Root.Hit(middle)
	p.record(Tap{Kind: "pinch", Point: middle, Package: w.Root.Pkg}, v)
	switch {
	case v == nil || v.Disabled:
	case v.Web != nil:
		v.Web.Moved(from[:], to[:], 0)
	case v.OnPinch != nil:
		v.OnPinch(squared(d.Sub(c)) > squared(b.Sub(a)))
	}
}

func squared(p image.Point) int { return p.X*p.X + p.Y*p.Y }

// Moved is a finger that moves while it is down.
func (p *touchPanel) Moved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.held; f != nil && !f.moved {
		f.moved, f.Held = true, time.Since(f.Since) >= LongPress
	}
}

// second says whether a tap is the second of a double tap. The phone's lock is held.
func (p *touchPanel) second(v *ui.View, now time.Time) bool {
	gap := now.Sub(p.lastTap.at).Abs() // two that were started at once may come in either order
	is := !p.lastTap.used && v.ID == p.lastTap.id && v.B == p.lastTap.on && gap >= 40*time.Millisecond &&
		gap <= p.opts.DoubleTap
	p.lastTap = firstTap{at: now, id: v.ID, on: v.B, used: is}
	return is
}

// Finger sets where the finger is down and returns where it was.
func (p *touchPanel) Finger(t *TouchPoint) *TouchPoint {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.held
	p.held = t
	return old
}

// Touch is a tap, or a long press when it took long enough.
func (p *touchPanel) Touch(when time.Time, at image.Point, held time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, kind := p.ui, "tap"
	if held >= LongPress {
		kind, p.lastTap = "long", firstTap{}
	}
	f := s.Frame(time.Now())
	w := f.WindowAt(at)
	if w == nil {
		p.record(Tap{Kind: kind, Point: at}, nil)
		return
	}
	v := w.Root.Hit(at)
	p.record(Tap{Kind: kind, Point: at, Package: w.Root.Pkg}, v.VirtualAt(at))
	if !at.In(w.Root.B) && w.Outside != nil {
		w.Outside()
		return
	}
	if v == nil || v.Disabled {
		return
	}
	s.AppLog(v.Pkg, s.Tag(v.Pkg), "%s %s", kind, v.Label())
	switch double := kind == "tap" && p.second(v, when); {
	case double && v.OnDouble != nil:
		v.OnDouble()
	case v.Web != nil:
		s.Focus, s.Web = nil, v.Web
		v.Web.Touched(at, held)
	case v.Field != nil:
		s.Focus, s.Web, s.Keyboard = v.Field, nil, true
		v.Field.Selected = kind == "long"
	case kind == "long" && v.OnLong != nil:
		v.OnLong()
	case kind == "long" && v.LongClickable: // shows a menu of its own on phones; nothing here
	case v.OnTap != nil:
		v.OnTap()
	}
}

func (p *touchPanel) record(t Tap, v *ui.View) {
	t.At = time.Now()
	if v != nil {
		t.Label, t.ID, t.Class = v.Label(), v.ID, v.Class
		if t.Label == "" {
			t.Label = v.Hint
		}
	}
	p.taps = append(p.taps, t)
}

// Swipe moves the content under the finger.
func (p *touchPanel) Swipe(kind string, from, to image.Point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastTap = firstTap{}
	w := p.ui.Frame(time.Now()).WindowAt(from)
	if w == nil {
		p.record(Tap{Kind: kind, Point: from}, nil)
		return
	}
	if kind == "drag" {
		v := w.Root.Hit(from)
		p.record(Tap{Kind: kind, Point: from, Package: w.Root.Pkg}, v)
		switch {
		case v == nil || v.Disabled:
		case v.Web != nil:
			v.Web.Moved([]image.Point{from}, []image.Point{to}, LongPress)
		case v.OnDrag != nil:
			v.OnDrag(to)
		}
		return
	}
	v := w.Root.HitScroll(from)
	p.record(Tap{Kind: kind, Point: from, Package: w.Root.Pkg}, v)
	switch {
	case v == nil:
	case v.Web != nil:
		v.Web.Moved([]image.Point{from}, []image.Point{to}, 0)
	default:
		v.Scroll(from.Y - to.Y)
	}
}
