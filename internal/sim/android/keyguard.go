package androidsim

import (
	"fmt"
	"image"
	"time"
)

// keyguard is what keeps strangers from a phone. The phone's lock guards it.
type keyguard struct {
	opts Options

	off     bool // the display
	dozing  bool // off, but for a clock that is always there
	locked  bool
	bouncer bool // it requires the PIN
	entered string
}

// sleep switches the display off.
func (s *screen) sleep(dozing bool) {
	s.keyboard = false
	s.guard.sleep(dozing)
}

// lockKey takes the keys that concern display and keyguard, and all others while these are in the way.
func (s *screen) lockKey(code int) bool {
	handled, slept := s.guard.key(code)
	if slept {
		s.keyboard = false
	}
	return handled
}

// sleep switches the display off, and locks a phone that has a lock.
func (g *keyguard) sleep(dozing bool) {
	*g = keyguard{opts: g.opts, off: true, dozing: dozing, locked: g.opts.Lock != Unlocked}
}

// open takes the keyguard away, and switches the display on.
func (g *keyguard) open() { *g = keyguard{opts: g.opts} }

func (g *keyguard) wake() {
	if !g.opts.Unwakeable {
		g.off, g.dozing = false, false
	}
}

// dismiss is what a swipe, the menu key and wm dismiss-keyguard do: a PIN is asked for.
func (g *keyguard) dismiss() {
	switch {
	case !g.locked:
	case g.opts.Lock == PINLock:
		g.bouncer = !g.off
	default:
		g.locked = false
	}
}

// key takes the keys that concern display and keyguard, and all others while these are in the way. It reports whether
// one was taken, and whether the display went off by it.
func (g *keyguard) key(code int) (handled, slept bool) {
	switch {
	case code == 26 && g.off, code == 224:
		g.wake()
	case code == 26, code == 223:
		if !g.off {
			g.sleep(false)
			return true, true
		}
	case g.off:
	case !g.locked:
		return false, false
	case code == 82:
		g.dismiss()
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
		g.locked = g.entered != g.opts.PIN
		g.bouncer, g.entered = g.locked, ""
	}
}

// window covers everything while the phone is locked.
func (g *keyguard) window(m metrics, size image.Point) *window {
	const systemUI = "com.android.systemui"
	root := &view{class: classFrame, b: image.Rectangle{Max: size}, fill: rgb(0x14202c), id: systemUI +
		":id/keyguard_root_view"}
	say := func(text, id string, y int) *view {
		v := m.label(text, m.rect(16, y, m.width()-32, 40))
		v.id, v.ink, v.center = systemUI+":id/"+id, rgb(0xffffff), true
		return v
	}
	root.add(say(m.now.Format("15:04"), "clock", 60))
	if !g.bouncer {
		root.add(say("Swipe up to open", "keyguard_indication_text", m.height()-80))
	} else {
		root.add(say("Enter PIN", "bouncer_message", 160))
		for i := range 10 {
			n := fmt.Sprint(i)
			at := (i + 9) % 10
			if i == 0 {
				at = 10
			}
			root.add(m.button(n, systemUI+":id/key"+n, m.rect(40+at%3*90, 220+at/3*64, 80, 56), func() { g.digit(n) }))
		}
		root.add(m.button("Enter", systemUI+":id/key_enter", m.rect(220, 220+3*64, 80, 56), g.tryPIN))
	}
	root.scroll = func(dy int) {
		if dy > 0 {
			g.dismiss()
		}
	}
	root.walk(func(v *view) { v.pkg = systemUI })
	return &window{title: "NotificationShade", kind: "SYSTEM", root: root, focused: true, layer: 8}
}

// wakefulness is the word of the power manager.
func (g *keyguard) wakefulness() string {
	switch {
	case g.dozing:
		return "Dozing"
	case g.off:
		return "Asleep"
	}
	return "Awake"
}

// dumpPolicy is the window manager's part about the keyguard, which changed its words with Android 9.
func dumpPolicy(c *call) {
	g, secure := c.sys.ui.guard, c.sys.opts.Lock == PINLock
	display := map[bool]string{true: "SCREEN_STATE_OFF", false: "SCREEN_STATE_ON"}[g.off]
	c.printf("WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    mSafeMode=false mSystemReady=true "+
		"mSystemBooted=true\n    screenState=%s\n", display)
	if c.sys.prof.api < 28 {
		c.printf("    mShowingLockscreen=%[1]t mShowingDream=false mDreamingLockscreen=%[1]t\n", g.locked)
	}
	c.printf("    KeyguardServiceDelegate\n      showing=%[1]t\n      showingAndNotOccluded=%[1]t\n      "+
		"inputRestricted=%[1]t\n      occluded=false\n      secure=%[2]t\n"+
		"      dreaming=false\n      systemIsReady=true\n      deviceHasKeyguard=true\n      enabled=true\n      "+
		"bootCompleted=true\n      screenState=%[3]s\n      interactiveState=%[4]s\n"+
		"      KeyguardStateMonitor\n        mIsShowing=%[1]t\n        mSimSecure=false\n        mInputRestricted=%[1]t\n   "+
		" "+
		" "+
		" "+
		"  mCurrentUserId=0\n",
		g.locked, secure, display, map[bool]string{true: "INTERACTIVE_STATE_SLEEP", false: "INTERACTIVE_STATE_AWAKE"}[g.off])
}

func dumpTrust(c *call, _ []string) {
	locked := 0
	if c.sys.ui.guard.locked && c.sys.opts.Lock == PINLock {
		locked = 1
	}
	c.printf("Trust manager state:\n User \"Owner\" (id=0, flags=0x4c13) (current): trustState=UNTRUSTED, "+
		"trustManaged=0, "+
		"deviceLocked=%d, isActiveUnlockRunning=0, strongAuthRequired=0x0\n", locked)
}

// since says how long ago something was; a time that was never set is long ago.
func (m metrics) since(t time.Time) time.Duration { return m.now.Sub(t) }
