package androidsim

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"time"
)

// dumpAppWindows prints the windows of the foreground activity and of those over it, the topmost first, and of the
// activities below, which have invisible windows.
func dumpAppWindows(c *call) {
	s := c.sys.ui
	top, f := s.top(), s.frame(time.Now())
	n := len(s.stack) + len(f.windows)
	for i, w := range slices.Backward(f.windows) {
		if w.glass || w.kind == "INPUT_METHOD" { // they have dumps of their own
			continue
		}
		token := fmt.Sprintf("Window{%x u0 %s}", top.token+uint32(0x100*i), w.title)
		if w.title == top.component() {
			token = windowToken(top)
			if w.modal || w.parent != nil {
				token = fmt.Sprintf("Window{%x u0 %s/%s}", top.token+uint32(0x100*i), top.pkg, top.class)
			}
		}
		n--
		dumpOneWindow(c, w, f, n, token)
	}
	for i := len(s.stack) - 1; i >= 0; i-- {
		a := s.stack[i]
		shown := slices.ContainsFunc(f.windows, func(w *window) bool { return w.title == a.component() })
		if a == top && shown {
			continue
		}
		w := &window{title: a.component(), kind: "APPLICATION", root: &view{b: image.Rectangle{Max: f.size}, pkg: a.pkg},
			away: true}
		dumpOneWindow(c, w, f, i, windowToken(a))
	}
}

// dumpOneWindow writes what window managers say of a window: flags are a number before Android 9, and names since.
func dumpOneWindow(c *call, w *window, f *frame, n int, token string) {
	api := c.sys.prof.api
	c.printf("  Window #%d %s:\n    mDisplayId=0 stackId=1 mSession=Session{4a9be2 2044:u0a10101} "+
		"mClient=android.os.BinderProxy@5b1e0c\n", n, token)
	c.printf("    mOwnerUid=10101 mShowToOwnerOnly=true package=%s appop=NONE\n", w.root.pkg)
	if api < 28 {
		flags := 0x81810100
		if w.secure {
			flags |= 0x2000
		}
		c.printf("    mAttrs=WM.LayoutParams{(0,0)(fillxfill) sim=#20 ty=1 fl=#%x wanim=0x10302f8}\n", flags)
	} else {
		names := []string{"LAYOUT_IN_SCREEN", "LAYOUT_INSET_DECOR", "SPLIT_TOUCH", "HARDWARE_ACCELERATED",
			"DRAWS_SYSTEM_BAR_BACKGROUNDS"}
		if w.secure {
			names = slices.Insert(names, 2, "SECURE")
		}
		kind := map[bool]string{true: "BASE_APPLICATION", false: "APPLICATION_OVERLAY"}[w.kind == "APPLICATION"]
		c.printf("    mAttrs={(0,0)(fillxfill) sim={adjust=resize} ty=%s wanim=0x10302f8\n      fl=%s\n      "+
			"pfl=FORCE_DRAW_STATUS_BAR_BACKGROUND}\n", kind, strings.Join(names, " "))
	}
	b := w.root.b
	c.printf("    Requested w=%d h=%d mLayoutSeq=110\n    mHasSurface=%[3]t isReadyForDisplay()=%[3]t "+
		"mWindowRemovalAllowed=false\n", b.Dx(), b.Dy(), !w.away)
	place := fmt.Sprintf("[%d,%d][%d,%d]", b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
	if api < 30 {
		c.printf("    mFrame=%[1]s last=%[1]s\n", place)
	} else {
		c.printf("    Frames: parent=[0,0][%[1]d,%[2]d] display=[0,0][%[1]d,%[2]d] frame=%[3]s last=%[3]s "+
			"insetsChanged=false\n", f.size.X, f.size.Y, place)
	}
	if api >= 28 {
		c.printf("    isOnScreen=%[1]t\n    isVisible=%[1]t\n", !w.away)
	}
}
