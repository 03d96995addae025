package androidsim

import (
	"fmt"
	"image"
	"time"
)

// keyguard is what keeps strangers from a phone. Phone.mu guards it.
type keyguard struct {
	off     bool // the display
	dozing  bool // off, but for a clock that is always there
	locked  bool
	bouncer bool // it requires the PIN
	entered string
}

// Sleep switches the display off, as the power key does. A phone that has a lock is locked then.
func (p *Phone) Sleep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.sleep(false)
}

// Doze is Sleep on a phone that shows the time while it sleeps.
func (p *Phone) Doze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.sleep(true)
}

// LockNow locks a phone and leaves its display on: the keyguard covers everything.
func (p *Phone) LockNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.sleep(false)
	p.ui.guard.off = false
}

// Unlock removes the keyguard, as a user does who knows the PIN.
func (p *Phone) Unlock() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.guard = keyguard{}
}

// Locked says whether the keyguard is shown, or would be if the display were on.
func (p *Phone) Locked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ui.guard.locked
}

func (s *screen) sleep(dozing bool) {
	s.keyboard = false
	s.guard = keyguard{off: true, dozing: dozing, locked: s.phone.opts.Lock != Unlocked}
}

func (s *screen) wake() {
	if !s.phone.opts.Unwakeable {
		s.guard.off, s.guard.dozing = false, false
	}
}

// dismiss is what a swipe, the menu key and wm dismiss-keyguard do: a PIN is asked for.
func (s *screen) dismiss() {
	switch g := &s.guard; {
	case !g.locked:
	case s.phone.opts.Lock == PINLock:
		g.bouncer = !g.off
	default:
		g.locked = false
	}
}

// lockKey takes the keys that concern display and keyguard, and all others while these are in the way.
func (s *screen) lockKey(code int) bool {
	g := &s.guard
	switch {
	case code == 26 && g.off, code == 224:
		s.wake()
	case code == 26, code == 223:
		if !g.off {
			s.sleep(false)
		}
	case g.off:
	case !g.locked:
		return false
	case code == 82:
		s.dismiss()
	case code == 4 || code == 111:
		g.bouncer, g.entered = false, ""
	case code >= 7 && code <= 16:
		s.digit(string(rune('0' + code - 7)))
	case code == 66 || code == 160:
		s.tryPIN()
	}
	return true
}

func (s *screen) digit(n string) {
	if s.guard.bouncer {
		s.guard.entered += n
	}
}

func (s *screen) tryPIN() {
	if g := &s.guard; g.bouncer {
		g.locked = g.entered != s.phone.opts.PIN
		g.bouncer, g.entered = g.locked, ""
	}
}

// keyguardWindow covers everything while the phone is locked.
func (s *screen) keyguardWindow(m metrics, size image.Point) *window {
	const systemUI = "com.android.systemui"
	root := &view{class: classFrame, b: image.Rectangle{Max: size}, fill: rgb(0x14202c), id: systemUI +
		":id/keyguard_root_view"}
	say := func(text, id string, y int) *view {
		v := m.label(text, m.rect(16, y, m.width()-32, 40))
		v.id, v.ink, v.center = systemUI+":id/"+id, rgb(0xffffff), true
		return v
	}
	root.add(say(m.now.Format("15:04"), "clock", 60))
	if !s.guard.bouncer {
		root.add(say("Swipe up to open", "keyguard_indication_text", m.height()-80))
	} else {
		root.add(say("Enter PIN", "bouncer_message", 160))
		for i := range 10 {
			n := fmt.Sprint(i)
			at := (i + 9) % 10
			if i == 0 {
				at = 10
			}
			root.add(m.button(n, systemUI+":id/key"+n, m.rect(40+at%3*90, 220+at/3*64, 80, 56), func() { s.digit(n) }))
		}
		root.add(m.button("Enter", systemUI+":id/key_enter", m.rect(220, 220+3*64, 80, 56), s.tryPIN))
	}
	root.scroll = func(dy int) {
		if dy > 0 {
			s.dismiss()
		}
	}
	root.walk(func(v *view) { v.pkg = systemUI })
	return &window{title: "NotificationShade", kind: "SYSTEM", root: root, focused: true, layer: 8}
}

// wakefulness is the word of the power manager.
func (g keyguard) wakefulness() string {
	switch {
	case g.dozing:
		return "Dozing"
	case g.off:
		return "Asleep"
	}
	return "Awake"
}

// dumpPolicy is the window manager's part about the keyguard, which changed its words with Android 9.
func (s *screen) dumpPolicy(c *call) {
	g, secure := s.guard, s.phone.opts.Lock == PINLock
	display := map[bool]string{true: "SCREEN_STATE_OFF", false: "SCREEN_STATE_ON"}[g.off]
	c.printf("WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    mSafeMode=false mSystemReady=true "+
		"mSystemBooted=true\n    screenState=%s\n", display)
	if s.phone.prof.api < 28 {
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
	s := c.phone.ui
	locked := 0
	if s.guard.locked && s.phone.opts.Lock == PINLock {
		locked = 1
	}
	c.printf("Trust manager state:\n User \"Owner\" (id=0, flags=0x4c13) (current): trustState=UNTRUSTED, "+
		"trustManaged=0, "+
		"deviceLocked=%d, isActiveUnlockRunning=0, strongAuthRequired=0x0\n", locked)
}

// since says how long ago something was; a time that was never set is long ago.
func (m metrics) since(t time.Time) time.Duration { return m.now.Sub(t) }
