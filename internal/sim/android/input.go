package androidsim

import (
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"
)

const inputUsage = `Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The sources are: 
      touchnavigation
      touchscreen
      joystick
      stylus
      touchpad
      gamepad
      dpad
      mouse
      keyboard
      trackball
      rotaryencoder

-d: specify the display ID.
      (Default: -1 for key event, 0 for motion event if not specified.)
The commands and default sources are:
      text <string> (Default: touchscreen)
      keyevent [--longpress|--doubletap|--async|--delay <duration between keycodes in ms>] <key code number or name> ` +
	`... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
`

const longPress = 400 * time.Millisecond

func inputSources() []string {
	return []string{
		"touchnavigation", "touchscreen", "joystick", "stylus", "touchpad", "gamepad", "dpad", "mouse", "keyboard",
		"trackball", "rotaryencoder",
	}
}

// cmdInput is input and cmd input; args[0] is the command's own name.
func cmdInput(c *call) int {
	args := c.args[1:]
	if len(args) > 0 && slices.Contains(inputSources(), args[0]) {
		args = args[1:]
	}
	if len(args) > 1 && args[0] == "-d" {
		if _, err := strconv.Atoi(args[1]); err != nil {
			return c.inputError("Error: Invalid arguments for display ID.")
		}
		args = args[2:]
	}
	if len(args) == 0 {
		return c.inputError("")
	}
	c.due = c.shell.now().Add(c.sys.opts.Latency.Input)
	if !c.pass(c.sys.opts.Latency.Input) {
		return 128 + signalOf(c.ctx)
	}
	verb, args := args[0], args[1:]
	known := map[string]func(*call, []string) int{
		"text": inputText, "keyevent": inputKeys, "tap": inputTap, "swipe": inputSwipe, "draganddrop": inputDrag,
		"motionevent": inputMotion, "press": inputNothing, "roll": inputNothing,
	}
	if c.sys.prof.api >= 31 {
		known["keycombination"] = inputCombination
	}
	run, ok := known[verb]
	if !ok {
		return c.inputError("Error: Unknown command: " + verb)
	}
	if c.sys.opts.InputForbidden {
		return c.exception("java.lang.SecurityException: Injecting input events requires the caller (or the source of the "+
			"instrumentation, if any) to have the INJECT_EVENTS permission.", "input", verb)
	}
	return run(c, args)
}

func (c *call) inputError(text string) int {
	if text != "" {
		c.errorf("%s\n", text)
	}
	c.errorf("%s", inputUsage)
	if c.sys.prof.api >= 31 {
		return 255
	}
	return 1
}

// exception is an uncaught Java exception: worded by the shell command's framework, or the death of a process of its
// own.
func (c *call) exception(what, class, verb string) int {
	if c.sys.prof.api >= 30 {
		c.errorf("\nException occurred while executing '%s':\n%s\n\tat "+
			"com.android.server.%s.ShellCommand.onCommand(ShellCommand.java:255)\n", verb, what, class)
		return 255
	}
	c.errorf("%s\n\tat com.android.commands.%s.Main.run(Main.java:82)\n", what, class)
	return 1
}

func inputNothing(*call, []string) int { return 0 }

func (c *call) numbers(verb string, args []string, counts ...int) ([]int, int) {
	if !slices.Contains(counts, len(args)) {
		return nil, c.inputError("Error: Invalid arguments for command: " + verb)
	}
	var out []int
	for _, a := range args {
		f, err := strconv.ParseFloat(a, 64)
		if err != nil {
			return nil, c.exception(fmt.Sprintf("java.lang.NumberFormatException: For input string: \"%s\"", a), "input", verb)
		}
		out = append(out, int(f))
	}
	return out, 0
}

func inputTap(c *call, args []string) int {
	n, code := c.numbers("tap", args, 2)
	if n != nil {
		c.sys.panel.touch(c.due, image.Pt(n[0], n[1]), 0)
	}
	return code
}

func inputSwipe(c *call, args []string) int {
	n, code := c.numbers("swipe", args, 4, 5)
	if n == nil {
		return code
	}
	from, to, length := image.Pt(n[0], n[1]), image.Pt(n[2], n[3]), 300*time.Millisecond
	if len(n) == 5 && n[4] >= 0 {
		length = time.Duration(n[4]) * time.Millisecond
	}
	if !c.pass(length) {
		return 128 + signalOf(c.ctx)
	}
	if d := to.Sub(from); max(d.X, -d.X, d.Y, -d.Y) < 24 { // less than the touch slop: a press
		c.sys.panel.touch(c.due.Add(length), from, length)
		return 0
	}
	c.sys.panel.swipe("swipe", from, to)
	return 0
}

func inputDrag(c *call, args []string) int {
	n, code := c.numbers("draganddrop", args, 4, 5)
	if n == nil {
		return code
	}
	length := 300 * time.Millisecond
	if len(n) == 5 && n[4] >= 0 {
		length = time.Duration(n[4]) * time.Millisecond
	}
	if !pause(c.ctx, longPress+length) {
		return 128 + signalOf(c.ctx)
	}
	c.sys.panel.swipe("drag", image.Pt(n[0], n[1]), image.Pt(n[2], n[3]))
	return 0
}

// inputMotion puts single events together: DOWN … UP is a tap, a long press or a swipe.
func inputMotion(c *call, args []string) int {
	if len(args) != 3 || c.sys.prof.api < 29 {
		return c.inputError("Error: Invalid arguments for command: motionevent")
	}
	n, code := c.numbers("motionevent", args[1:], 2)
	if n == nil {
		return code
	}
	at := image.Pt(n[0], n[1])
	switch strings.ToUpper(args[0]) {
	case "DOWN":
		c.sys.panel.finger(&touchPoint{at: at, since: time.Now()})
	case "MOVE":
		c.sys.panel.moved()
	case "CANCEL":
		c.sys.panel.finger(nil)
	case "UP":
		if down := c.sys.panel.finger(nil); down == nil {
			break
		} else if d := at.Sub(down.at); max(d.X, -d.X, d.Y, -d.Y) < 24 {
			c.sys.panel.touch(c.due, down.at, time.Since(down.since))
		} else if down.held {
			c.sys.panel.swipe("drag", down.at, at)
		} else {
			c.sys.panel.swipe("swipe", down.at, at)
		}
	default:
		return c.exception("java.lang.IllegalArgumentException: Unknown action: "+args[0], "input", "motionevent")
	}
	return 0
}

type touchPoint struct {
	at    image.Point
	since time.Time
	moved bool
	held  bool // long enough for a long press before the first move
}

// moved is a finger that moves while it is down.
func (p *touchPanel) moved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.held; f != nil && !f.moved {
		f.moved, f.held = true, time.Since(f.since) >= longPress
	}
}

// firstTap is the first tap of a double tap.
type firstTap struct {
	at   time.Time
	id   string
	on   image.Rectangle
	used bool
}

// second says whether a tap is the second of a double tap. Phone.mu is held.
func (p *touchPanel) second(v *view, now time.Time) bool {
	gap := now.Sub(p.lastTap.at).Abs() // two that were started at once may come in either order
	is := !p.lastTap.used && v.id == p.lastTap.id && v.b == p.lastTap.on && gap >= 40*time.Millisecond &&
		gap <= p.opts.DoubleTap
	p.lastTap = firstTap{at: now, id: v.id, on: v.b, used: is}
	return is
}

// finger sets where the finger is down and returns where it was.
func (p *touchPanel) finger(t *touchPoint) *touchPoint {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.held
	p.held = t
	return old
}

// touch is a tap, or a long press when it took long enough.
func (p *touchPanel) touch(when time.Time, at image.Point, held time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, kind := p.ui, "tap"
	if held >= longPress {
		kind, p.lastTap = "long", firstTap{}
	}
	f := s.frame(time.Now())
	w := f.windowAt(at)
	if w == nil {
		p.record(Tap{Kind: kind, Point: at}, nil)
		return
	}
	v := w.root.hit(at)
	p.record(Tap{Kind: kind, Point: at, Package: w.root.pkg}, v.virtualAt(at))
	if !at.In(w.root.b) && w.outside != nil {
		w.outside()
		return
	}
	if v == nil || v.disabled {
		return
	}
	s.appLog(v.pkg, s.tag(v.pkg), "%s %s", kind, v.label())
	switch double := kind == "tap" && p.second(v, when); {
	case double && v.onDouble != nil:
		v.onDouble()
	case v.web != nil:
		s.focus, s.web = nil, v.web
		v.web.touched(at, held)
	case v.field != nil:
		s.focus, s.web, s.keyboard = v.field, nil, true
		v.field.selected = kind == "long"
	case kind == "long" && v.onLong != nil:
		v.onLong()
	case kind == "long" && v.longClickable: // shows a menu of its own on phones; nothing here
	case v.onTap != nil:
		v.onTap()
	}
}

func (p *touchPanel) record(t Tap, v *view) {
	t.At = time.Now()
	if v != nil {
		t.Label, t.ID, t.Class = v.label(), v.id, v.class
		if t.Label == "" {
			t.Label = v.hint
		}
	}
	p.taps = append(p.taps, t)
}

// windowAt is the front window under a point. A dialog takes touches next to it as well, so that nothing behind it is
// hit.
func (f *frame) windowAt(at image.Point) *window {
	for i := len(f.windows) - 1; i >= 0; i-- {
		w := f.windows[i]
		if !w.glass && (at.In(w.root.b) || w.dim || w.modal) {
			return w
		}
	}
	return nil
}

// swipe moves the content under the finger.
func (p *touchPanel) swipe(kind string, from, to image.Point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastTap = firstTap{}
	w := p.ui.frame(time.Now()).windowAt(from)
	if w == nil {
		p.record(Tap{Kind: kind, Point: from}, nil)
		return
	}
	if kind == "drag" {
		v := w.root.hit(from)
		p.record(Tap{Kind: kind, Point: from, Package: w.root.pkg}, v)
		switch {
		case v == nil || v.disabled:
		case v.web != nil:
			v.web.moved([]image.Point{from}, []image.Point{to}, longPress)
		case v.onDrag != nil:
			v.onDrag(to)
		}
		return
	}
	v := w.root.hitScroll(from)
	p.record(Tap{Kind: kind, Point: from, Package: w.root.pkg}, v)
	switch {
	case v == nil:
	case v.web != nil:
		v.web.moved([]image.Point{from}, []image.Point{to}, 0)
	default:
		v.scroll(from.Y - to.Y)
	}
}
