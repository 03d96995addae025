package shell

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// windowToken is the name that a window has in dumpsys: Window{48b4735 u0 pkg/class}.
func windowToken(a *system.Activity) string {
	return fmt.Sprintf("Window{%x u0 %s/%s}", a.Token, a.Pkg, a.Class)
}

// dumpWindow has the focus under displays since API 29 and under windows before.
func dumpWindow(c *call, args []string) {
	s := c.sys.UI
	part := ""
	if len(args) > 0 {
		part = strings.TrimPrefix(args[0], "-")
	}
	focus := func() {
		top, now := s.Top(), time.Now()
		current := windowToken(top)
		switch {
		case s.Guard.Off || s.Guard.Locked || s.Shade:
			current = "Window{5fe2d0c u0 NotificationShade}"
			if c.sys.Prof.API < 30 {
				current = "Window{5fe2d0c u0 StatusBar}"
			}
		case !s.Settled(now):
			current = "null"
		}
		if s.Complaint != "" {
			current = "Window{1d03bb4 u0 " + s.Complaint + "}"
		}
		c.printf("  mCurrentFocus=%s\n", current)
		if c.sys.Prof.API >= 29 {
			c.printf("  mFocusedApp=%s\n", top.Record())
		} else {
			c.printf("  mFocusedApp=AppWindowToken{%x token=Token{%x %s}}\n", top.Token+0x22, top.Token+0x33, top.Record())
		}
	}
	rotation := []string{"ROTATION_0", "ROTATION_90", "ROTATION_180", "ROTATION_270"}[s.Rotation()]
	if part == "displays" || part == "d" || part == "" || part == "all" || part == "a" {
		size := s.Size()
		c.printf("WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n  Display: mDisplayId=0\n")
		c.printf("    init=%dx%d %ddpi cur=%dx%d app=%dx%d rng=%dx%d-%dx%d\n", c.sys.Opts.Width, c.sys.Opts.Height,
			c.sys.Opts.Density, size.X, size.Y, size.X, size.Y, min(size.X, size.Y), min(size.X, size.Y), max(size.X, size.Y),
			max(size.X, size.Y))
		if c.sys.Prof.API >= 29 {
			c.printf("  mCurrentRotation=%s\n", rotation)
			focus()
		} else {
			c.printf("    mRotation=%d\n", s.Rotation())
		}
	}
	if part == "windows" || part == "w" || part == "" || part == "all" || part == "a" {
		c.printf("WINDOW MANAGER WINDOWS (dumpsys window windows)\n")
		if size := s.Size(); s.Keyboard && !s.Guard.Off {
			c.printf("  Window #%d Window{7c1f0d8 u0 InputMethod}:\n    mDisplayId=0 mSession=Session{77} \n    "+
				"mFrame=[0,0][%[2]d,%[3]d]\n"+
				"    touchable region=SkRegion((0,%[4]d,%[2]d,%[3]d))\n", len(s.Stack), size.X, size.Y, size.Y-size.Y*36/100)
		}
		if s.Toast.Text != "" && time.Now().Before(s.Toast.Until) && !c.sys.Opts.NoToastWindows {
			c.printf("  Window #%d Window{%x u0 Toast}:\n    mDisplayId=0 mSession=Session{78} \n", len(s.Stack)+1,
				0x5d1c3a2+s.Toast.Nth)
		}
		dumpAppWindows(c)
		if c.sys.Prof.API < 29 {
			focus()
		}
	}
	if part == "policy" || part == "p" || part == "" {
		dumpPolicy(c)
	}
}

// dumpAppWindows prints the windows of the foreground activity and of those over it, the topmost first, and of the
// activities below, which have invisible windows.
func dumpAppWindows(c *call) {
	s := c.sys.UI
	top, f := s.Top(), s.Frame(time.Now())
	n := len(s.Stack) + len(f.Windows)
	for i, w := range slices.Backward(f.Windows) {
		if w.Glass || w.Kind == "INPUT_METHOD" { // they have dumps of their own
			continue
		}
		token := fmt.Sprintf("Window{%x u0 %s}", top.Token+uint32(0x100*i), w.Title)
		if w.Title == top.Component() {
			token = windowToken(top)
			if w.Modal || w.Parent != nil {
				token = fmt.Sprintf("Window{%x u0 %s/%s}", top.Token+uint32(0x100*i), top.Pkg, top.Class)
			}
		}
		n--
		dumpOneWindow(c, w, f, n, token)
	}
	for i := len(s.Stack) - 1; i >= 0; i-- {
		a := s.Stack[i]
		shown := slices.ContainsFunc(f.Windows, func(w *ui.Window) bool { return w.Title == a.Component() })
		if a == top && shown {
			continue
		}
		w := &ui.Window{
			Title: a.Component(),
			Kind:  "APPLICATION",
			Root:  &ui.View{B: image.Rectangle{Max: f.Size}, Pkg: a.Pkg},
			Away:  true,
		}
		dumpOneWindow(c, w, f, i, windowToken(a))
	}
}

// dumpOneWindow writes what window managers say of a window: flags are a number before Android 9, and names since.
func dumpOneWindow(c *call, w *ui.Window, f *ui.Frame, n int, token string) {
	api := c.sys.Prof.API
	c.printf("  Window #%d %s:\n    mDisplayId=0 stackId=1 mSession=Session{4a9be2 2044:u0a10101} "+
		"mClient=android.os.BinderProxy@5b1e0c\n", n, token)
	c.printf("    mOwnerUid=10101 mShowToOwnerOnly=true package=%s appop=NONE\n", w.Root.Pkg)
	if api < 28 {
		flags := 0x81810100
		if w.Secure {
			flags |= 0x2000
		}
		c.printf("    mAttrs=WM.LayoutParams{(0,0)(fillxfill) sim=#20 ty=1 fl=#%x wanim=0x10302f8}\n", flags)
	} else {
		names := []string{"LAYOUT_IN_SCREEN", "LAYOUT_INSET_DECOR", "SPLIT_TOUCH", "HARDWARE_ACCELERATED",
			"DRAWS_SYSTEM_BAR_BACKGROUNDS"}
		if w.Secure {
			names = slices.Insert(names, 2, "SECURE")
		}
		kind := map[bool]string{true: "BASE_APPLICATION", false: "APPLICATION_OVERLAY"}[w.Kind == "APPLICATION"]
		c.printf("    mAttrs={(0,0)(fillxfill) sim={adjust=resize} ty=%s wanim=0x10302f8\n      fl=%s\n      "+
			"pfl=FORCE_DRAW_STATUS_BAR_BACKGROUND}\n", kind, strings.Join(names, " "))
	}
	b := w.Root.B
	c.printf("    Requested w=%d h=%d mLayoutSeq=110\n    mHasSurface=%[3]t isReadyForDisplay()=%[3]t "+
		"mWindowRemovalAllowed=false\n", b.Dx(), b.Dy(), !w.Away)
	place := fmt.Sprintf("[%d,%d][%d,%d]", b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
	if api < 30 {
		c.printf("    mFrame=%[1]s last=%[1]s\n", place)
	} else {
		c.printf("    Frames: parent=[0,0][%[1]d,%[2]d] display=[0,0][%[1]d,%[2]d] frame=%[3]s last=%[3]s "+
			"insetsChanged=false\n", f.Size.X, f.Size.Y, place)
	}
	if api >= 28 {
		c.printf("    isOnScreen=%[1]t\n    isVisible=%[1]t\n", !w.Away)
	}
}

// dumpPolicy is the window manager's part about the keyguard, which changed its words with Android 9.
func dumpPolicy(c *call) {
	g, secure := c.sys.UI.Guard, c.sys.Opts.Lock == spec.PINLock
	display := map[bool]string{true: "SCREEN_STATE_OFF", false: "SCREEN_STATE_ON"}[g.Off]
	c.printf("WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    mSafeMode=false mSystemReady=true "+
		"mSystemBooted=true\n    screenState=%s\n", display)
	if c.sys.Prof.API < 28 {
		c.printf("    mShowingLockscreen=%[1]t mShowingDream=false mDreamingLockscreen=%[1]t\n", g.Locked)
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
		g.Locked, secure, display, map[bool]string{true: "INTERACTIVE_STATE_SLEEP", false: "INTERACTIVE_STATE_AWAKE"}[g.Off])
}

func dumpTrust(c *call, _ []string) {
	locked := 0
	if c.sys.UI.Guard.Locked && c.sys.Opts.Lock == spec.PINLock {
		locked = 1
	}
	c.printf("Trust manager state:\n User \"Owner\" (id=0, flags=0x4c13) (current): trustState=UNTRUSTED, "+
		"trustManaged=0, "+
		"deviceLocked=%d, isActiveUnlockRunning=0, strongAuthRequired=0x0\n", locked)
}
