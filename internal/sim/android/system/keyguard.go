package system

import (
	"fmt"
	"image"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// keyguard is what keeps strangers from a phone. The phone's lock guards it.
type keyguard struct {
	opts spec.Options

	Off     bool // the display
	dozing  bool // off, but for a clock that is always there
	Locked  bool
	bouncer bool // it requires the PIN
	entered string
}

// Sleep switches the display off.
func (s *Screen) Sleep(dozing bool) {
	s.Keyboard = false
	s.Guard.sleep(dozing)
}

// lockKey takes the keys that concern display and keyguard, and all others while these are in the way.
func (s *Screen) lockKey(code int) bool {
	handled, slept := s.Guard.key(code)
	if slept {
		s.Keyboard = false
	}
	return handled
}

// sleep switches the display off, and locks a phone that has a lock.
func (g *keyguard) sleep(dozing bool) {
	*g = keyguard{opts: g.opts, Off: true, dozing: dozing, Locked: g.opts.Lock != spec.Unlocked}
}

// open takes the keyguard away, and switches the display on.
func (g *keyguard) open() { *g = keyguard{opts: g.opts} }

func (g *keyguard) wake() {
	if !g.opts.Unwakeable {
		g.Off, g.dozing = false, false
	}
}

// Dismiss is what a swipe, the menu key and wm dismiss-keyguard do: a PIN is asked for.
func (g *keyguard) Dismiss() {
	switch {
	case !g.Locked:
	case g.opts.Lock == spec.PINLock:
		g.bouncer = !g.Off
	default:
		g.Locked = false
	}
}

// key takes the keys that concern display and keyguard, and all others while these are in the way. It reports whether
// one was taken, and whether the display went off by it.
func (g *keyguard) key(code int) (handled, slept bool) {
	switch {
	case code == 26 && g.Off, code == 224:
		g.wake()
	case code == 26, code == 223:
		if !g.Off {
			g.sleep(false)
			return true, true
		}
	case g.Off:
	case !g.Locked:
		return false, false
	case code == 82:
		g.Dismiss()
	case code == 4 || code == 111:
		g.bouncer, g.entered = false, ""
	case code >= 7 && code <= 16:
		g.digit(string(rune('0' + code - 7)))
	case code == 66 || code == 160:
		g.tryPIN()
	}
	return true, false
}

func (g *keyguard) digit(n string) {
	if g.bouncer {
		g.entered += n
	}
}

func (g *keyguard) tryPIN() {
	if g.bouncer {
		g.Locked = g.entered != g.opts.PIN
		g.bouncer, g.entered = g.Locked, ""
	}
}

// window covers everything while the phone is locked.
func (g *keyguard) window(m ui.Metrics, size image.Point) *ui.Window {
	const systemUI = "com.android.systemui"
	root := &ui.View{Class: ui.ClassFrame, B: image.Rectangle{Max: size}, Fill: ui.RGB(0x14202c), ID: systemUI +
		":id/keyguard_root_view"}
	say := func(text, id string, y int) *ui.View {
		v := m.Label(text, m.Rect(16, y, m.Width()-32, 40))
		v.ID, v.Ink, v.Center = systemUI+":id/"+id, ui.RGB(0xffffff), true
		return v
	}
	root.Add(say(m.Now.Format("15:04"), "clock", 60))
	if !g.bouncer {
		root.Add(say("Swipe up to open", "keyguard_indication_text", m.Height()-80))
	} else {
		root.Add(say("Enter PIN", "bouncer_message", 160))
		for i := range 10 {
			n := fmt.Sprint(i)
			at := (i + 9) % 10
			if i == 0 {
				at = 10
			}
			root.Add(m.Button(n, systemUI+":id/key"+n, m.Rect(40+at%3*90, 220+at/3*64, 80, 56), func() { g.digit(n) }))
		}
		root.Add(m.Button("Enter", systemUI+":id/key_enter", m.Rect(220, 220+3*64, 80, 56), g.tryPIN))
	}
	root.Scroll = func(dy int) {
		if dy > 0 {
			g.Dismiss()
		}
	}
	root.Walk(func(v *ui.View) { v.Pkg = systemUI })
	return &ui.Window{Title: "NotificationShade", Kind: "SYSTEM", Root: root, Focused: true, Layer: 8}
}

// Wakefulness is the word of the power manager.
func (g *keyguard) Wakefulness() string {
	switch {
	case g.dozing:
		return "Dozing"
	case g.Off:
		return "Asleep"
	}
	return "Awake"
}
