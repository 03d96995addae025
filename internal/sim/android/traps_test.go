package androidsim

import (
	"encoding/xml"
	"fmt"
	"image"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// dumpOf is what --windows writes, as a tree of windows.
type dumpOf struct {
	Windows []dumpedWindow `xml:"display>window"`
}

type dumpedWindow struct {
	ID      string         `xml:"id,attr"`
	Active  bool           `xml:"active,attr"`
	Type    string         `xml:"type,attr"`
	Windows []dumpedWindow `xml:"window"`
	Text    string         `xml:",innerxml"`
}

func (b *bench) windows() dumpOf {
	b.t.Helper()
	if res := b.sh("uiautomator dump --windows /sdcard/w.xml"); res.code != 0 || res.err != "" {
		b.t.Fatal(res)
	}
	data, err := b.phone.ReadFile("/sdcard/w.xml")
	if err != nil {
		b.t.Fatal(err)
	}
	var d dumpOf
	if err := xml.Unmarshal(data, &d); err != nil {
		b.t.Fatal(err)
	}
	return d
}

// page opens one of the pages of com.example.list.
func (b *bench) page(name string) {
	b.t.Helper()
	if res := b.sh("am start -W -n " + ListPackage + "/." + name + "Activity"); !strings.Contains(res.out, "Status: ok") {
		b.t.Fatal(res)
	}
}

// touch taps the middle of a rectangle of the dump in dp of the app's area.
func (b *bench) touch(r func(m ui.Metrics) image.Rectangle) {
	b.t.Helper()
	b.phone.system.Mu.Lock()
	at := r(b.phone.system.UI.Metrics(time.Now()))
	b.phone.system.Mu.Unlock()
	b.phone.system.Panel.Touch(time.Now(), at.Min.Add(at.Size().Div(2)), 0)
}

// TestChildWindowsAreNested: a menu is written inside the window of its page, before the page's own elements.
func TestChildWindowsAreNested(t *testing.T) {
	t.Parallel()
	for style, want := range map[string][2]int{"": {1, 0}, "both": {1, 1}, "flat": {0, 1}} {
		b := newBench(t, Options{API: 36, Dump: DumpStyle{Windows: style}})
		b.page("Menu")
		b.touch(func(m ui.Metrics) image.Rectangle { return m.Rect(m.Width()-56, 4, 48, 48) })
		d := b.windows()
		var got [2]int
		for _, w := range d.Windows {
			if strings.Contains(w.Text, "Article") {
				got[0] = len(w.Windows)
				if len(w.Windows) > 0 && (!w.Windows[0].Active || w.Active || strings.Index(w.Text, "Log out") > strings.Index(
					w.Text, "Article")) {
					t.Errorf("%q: the menu comes first and is active: %s", style, w.Text)
				}
			} else if strings.Contains(w.Text, "Log out") {
				got[1]++
			}
		}
		if got != want {
			t.Errorf("%q: nested and top-level menus %v, want %v", style, got, want)
		}
	}
	b := newBench(t, Options{API: 28})
	b.page("Menu")
	if res := b.sh("uiautomator dump --windows /sdcard/w.xml"); res.code != 0 {
		t.Fatal(res)
	}
	if data, _ := b.phone.ReadFile("/sdcard/w.xml"); !strings.Contains(string(data), "?><hierarchy") {
		t.Errorf("an old phone passes the option over: %.200s", data)
	}
}

// TestDumpAttributes follow the style of the phone, not its API level alone.
func TestDumpAttributes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{API: 30}, ""}, {Options{API: 34}, "hint drawing-order"},
		{Options{API: 36, Dump: DumpStyle{Attributes: "none"}}, ""},
		{Options{API: 30, Dump: DumpStyle{Attributes: "all"}}, "hint drawing-order display-id visible-to-user"},
	} {
		b := newBench(t, c.o)
		b.page("Fields")
		tree := b.phone.Tree()
		for _, name := range []string{"hint", "drawing-order", "display-id", "visible-to-user"} {
			if strings.Contains(tree, " "+name+"=") != slices.Contains(strings.Fields(c.want), name) {
				t.Errorf("%+v: %s", c.o, name)
			}
		}
		if !strings.Contains(tree, `text="you@example.com"`) || !strings.Contains(tree, `text="Password"`) {
			t.Error("an empty field shows its hint as text")
		}
	}
}

// TestDrawingOrder: the element that is drawn last takes the touch, wherever the tree has it.
func TestDrawingOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.page("Order")
	b.touch(func(m ui.Metrics) image.Rectangle { return m.Rect(16, 90, m.Width()-32, 100) })
	if taps := b.phone.Taps(); taps[len(taps)-1].Label != "Allow" {
		t.Errorf("%+v", taps)
	}
	m := regexp.MustCompile(
		`resource-id="com.example.list:id/above".*?drawing-order="(\d)".*?` +
			`resource-id="com.example.list:id/below".*?drawing-order="(\d)"`).FindStringSubmatch(b.phone.Tree())
	if m == nil || m[1] != "2" || m[2] != "1" {
		t.Errorf("drawing-order %v", m)
	}
}

func TestKeyguard(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Lock: PINLock, API: 34})
	policy := func() string { return b.sh("dumpsys window policy").out }
	if tree := b.phone.Tree(); !strings.Contains(tree, "Swipe up to open") || strings.Contains(tree, "Login") ||
		!strings.Contains(policy(), " showing=true") ||
		!strings.Contains(policy(), "secure=true") || !strings.Contains(b.sh("dumpsys trust").out, "deviceLocked=1") {
		t.Errorf("locked: %s\n%s", tree, policy())
	}
	b.sh("wm dismiss-keyguard; input keyevent 7 7 7 7 66")
	if !b.phone.Locked() {
		t.Error("any PIN opens it")
	}
	b.sh("wm dismiss-keyguard; input keyevent 9 12 15 7 66")
	if b.phone.Locked() || !strings.Contains(policy(), " showing=false") {
		t.Error("the PIN does not open it")
	}
	b.phone.Doze()
	if out := b.sh("dumpsys power").out; !strings.Contains(out, "mWakefulness=Dozing") {
		t.Error(out)
	}
	b.sh("input keyevent 224")
	if out := b.sh("dumpsys power").out; !strings.Contains(out, "mWakefulness=Awake") || !b.phone.Locked() {
		t.Errorf("awake and locked: %s", out)
	}
	b = newBench(t, Options{Lock: SwipeLock, Asleep: true})
	b.sh("input keyevent 224; wm dismiss-keyguard")
	if b.phone.Locked() {
		t.Error("a lock without a secret stays")
	}
}

func TestOthersLieAboveTheApp(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{LatePay: time.Millisecond})
	pay := func(m ui.Metrics) image.Rectangle { return m.Rect(16, 24, m.Width()-32, 52) }
	for page, pkg := range map[string]string{"HeadsUp": "com.android.systemui", "Bubble": "com.example.chat",
		"Call": "com.google.android.dialer"} {
		b.page(page)
		until(t, page, func() bool { return len(b.windows().Windows) == 3 })
		b.touch(pay)
		if taps := b.phone.Taps(); taps[len(taps)-1].Package != pkg {
			t.Errorf("%s: %+v", page, taps[len(taps)-1])
		}
		if page == "Call" {
			continue // its banner stays
		}
		b.touch(pay)
		if taps := b.phone.Taps(); taps[len(taps)-1].Label != "Pay now" {
			t.Errorf("%s: %+v", page, taps[len(taps)-1])
		}
	}
}

func TestToastsAndSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{ShortToast: time.Hour})
	b.page("Toast")
	before := b.phone.Screen()
	b.tap("Short toast", 0)
	if strings.Contains(b.phone.Tree(), "Saved for later") || slices.Equal(before.Pix, b.phone.Screen().Pix) {
		t.Error("a toast is on the glass and in no dump")
	}
	b.page("Secure")
	img := b.phone.system.Captured()
	r, g, bl, _ := img.At(540, 1200).RGBA()
	if !strings.Contains(b.phone.Tree(), "Balance 1,234") || r+g+bl != 0 {
		t.Error("a secure page is in the dump and black in screenshots")
	}
}

func TestCrashPage(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{CrashAfter: time.Millisecond})
	for button, want := range map[string]string{
		"Crash soon": "Process: com.example.list, PID", "Crash in service": "Process: com.example.list:remote, PID",
		"Crash natively": ">>> com.example.list <<<",
		"Hang":           "ANR in com.example.list ", "Crash another app": "Process: com.example.chat, PID",
	} {
		b.page("Crash")
		b.tap(button, 0)
		until(t, button, func() bool { return strings.Contains(b.sh("logcat -d").out, want) })
		b.phone.system.Mu.Lock()
		b.phone.system.UI.Stop(ListPackage)
		b.phone.system.Mu.Unlock()
	}
}

func TestBandwidth(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Width: 540, Height: 1200, Density: 210, Bandwidth: 4 << 20})
	began := time.Now()
	raw := b.exec("screencap")
	if took := time.Since(began); len(raw) != 16+540*1200*4 || took < 500*time.Millisecond {
		t.Errorf("%d bytes in %v", len(raw), took)
	}
}

func TestWorkProfile(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{WorkProfile: true})
	if res := b.sh("am start -W -n " + ListPackage + "/.MainActivity"); !strings.Contains(res.err, "SecurityException") {
		t.Error(res)
	}
	if res := b.sh("am start -W --user 0 -n " + ListPackage + "/.MainActivity"); !strings.Contains(res.out, "Status: ok") {
		t.Error(res)
	}
}

// TestForbiddenPictures: what phones return where a window forbids screenshots, and what their window managers report.
func TestForbiddenPictures(t *testing.T) {
	t.Parallel()
	for _, o := range []struct {
		api   int
		style SecureStyle
		bytes int
		code  int
		flags string
	}{
		{24, SecureByAPI, 0, 1, "fl=#81812100"}, {24, SecureZeros, 12, 0, "fl=#81812100"},
		{27, SecureByAPI, 0, 1, "fl=#81812100"},
		{30, SecureByAPI, 0, 1, "fl=LAYOUT_IN_SCREEN LAYOUT_INSET_DECOR SECURE"},
		{34, SecureByAPI, 0, 1, "fl=LAYOUT_IN_SCREEN LAYOUT_INSET_DECOR SECURE"},
		{34, SecureBlack, 16 + 4*540*1200, 0, " SECURE "}, {36, SecureByAPI, 16 + 4*540*1200, 0, " SECURE "},
	} {
		t.Run(fmt.Sprint(o.api, o.style), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, Options{API: o.api, Secure: o.style, Width: 540, Height: 1200, Density: 210})
			b.page("Secure")
			if res := b.sh("screencap"); len(res.out) != o.bytes || res.code != o.code {
				t.Errorf("%d bytes, exit %d", len(res.out), res.code)
			}
			if said := b.sh("dumpsys window windows").out; !strings.Contains(said, o.flags) ||
				!strings.Contains(said, "mHasSurface=true") {
				t.Error(said)
			}
			b.page("Toast")
			if res := b.sh("screencap"); len(res.out) < 4*540*1200 || res.code != 0 {
				t.Errorf("of another page: %d bytes, exit %d", len(res.out), res.code)
			}
		})
	}
}
