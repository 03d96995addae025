package androidsim

import (
	"image"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The touch panel of the simulated phone.
const (
	panelPath = "/dev/input/event2"
	panelMax  = 4095
)

func cmdGetevent(c *call) int {
	if len(c.args) < 2 || !strings.Contains(c.args[1], "p") {
		return c.fail(1, "getevent: only -p is simulated")
	}
	c.printf("add device 1: /dev/input/event0\n  name:     \"gpio-keys\"\n  events:\n    KEY (0001): 0072  0073  0074 \n" +
		" " +
		" " +
		"input props:\n    <none>\n")
	c.printf("add device 2: %s\n  name:     \"sec_touchscreen\"\n  events:\n    KEY (0001): 014a \n", panelPath)
	c.printf("    ABS (0003): 002f  : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0\n"+
		"                0035  : value 0, min 0, max %[1]d, fuzz 0, flat 0, resolution 0\n"+
		"                0036  : value 0, min 0, max %[1]d, fuzz 0, flat 0, resolution 0\n"+
		"                0039  : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0\n  input props:\n    "+
		"INPUT_PROP_DIRECT\n", panelMax)
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	for _, name := range c.sys.panel.devices {
		c.printf("add device 3: /dev/input/event9\n  name:     \"%s\"\n", name)
	}
	return 0
}

// touchPanel is where fingers touch the screen, by whatever they are moved: the shell, the agent, or the panel's own
// events.
type touchPanel struct {
	mu   *sync.Mutex // the phone's lock
	opts Options
	ui   *screen

	taps    []Tap
	lastTap firstTap
	held    *touchPoint // a finger that is down
	fingers multiTouch
	devices []string // the names of those that uinput made
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

// cmdSendevent writes one event to the panel, as the kernel takes it. From Android 10 on the shell may not, unless adbd
// is root.
func cmdSendevent(c *call) int {
	if len(c.args) != 5 {
		return c.fail(1, "use: sendevent <device> <type> <code> <value>")
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(c.args[2+i])
		if err != nil {
			return c.fail(1, "sendevent: not a number: %s", c.args[2+i])
		}
		n[i] = v
	}
	if c.args[1] != panelPath {
		return c.fail(1, "could not open %s, No such file or directory", c.args[1])
	}
	if c.sys.prof.api >= 29 && !c.sys.opts.Root {
		return c.fail(1, "sendevent: %s: Permission denied", c.args[1])
	}
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	c.sys.panel.event(n[0], n[1], n[2])
	return 0
}

// event follows protocol B of Linux's multi-touch. Phone.mu is held.
func (p *touchPanel) event(kind, code, value int) {
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

// pinched notifies the view under the middle of two fingers how they moved. Phone.mu is held.
func (p *touchPanel) pinched(from, to [2]image.Point) {
	pixel := func(at image.Point) image.Point {
		x, y := at.X*(p.opts.Width-1)/panelMax, at.Y*(p.opts.Height-1)/panelMax
		switch p.ui.rotation() {
		case 1:
			return image.Pt(y, p.opts.Width-1-x)
		case 2:
			return image.Pt(p.opts.Width-1-x, p.opts.Height-1-y)
		case 3:
			return image.Pt(p.opts.Height-1-y, x)
		}
		return image.Pt(x, y)
	}
	p.pinchedAt([2]image.Point{pixel(from[0]), pixel(from[1])}, [2]image.Point{pixel(to[0]), pixel(to[1])})
}

// pinchedAt is pinched in pixels of the screen as it is. Phone.mu is held.
func (p *touchPanel) pinchedAt(from, to [2]image.Point) {
	a, b, c, d := from[0], from[1], to[0], to[1]
	middle := a.Add(b).Div(2)
	p.lastTap = firstTap{}
	w := p.ui.frame(time.Now()).windowAt(middle)
	if w == nil {
		p.record(Tap{Kind: "pinch", Point: middle}, nil)
		return
	}
	v := w.root.hit(middle)
	p.record(Tap{Kind: "pinch", Point: middle, Package: w.root.pkg}, v)
	switch {
	case v == nil || v.disabled:
	case v.web != nil:
		v.web.moved(from[:], to[:], 0)
	case v.onPinch != nil:
		v.onPinch(squared(d.Sub(c)) > squared(b.Sub(a)))
	}
}

func squared(p image.Point) int { return p.X*p.X + p.Y*p.Y }
