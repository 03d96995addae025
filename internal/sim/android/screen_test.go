package androidsim

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

const (
	dumpCommand = "uiautomator dump /data/local/tmp/d.xml"
	listMain    = ListPackage + "/.MainActivity"
)

func lastTap(p *Phone) Tap {
	taps := p.Taps()
	return taps[len(taps)-1]
}

func TestWrongPassword(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{LoginLoading: 3 * time.Second, LoginSpinner: 1})
	b.start(LoginPackage + "/.MainActivity")
	if !b.sees("Loading…") {
		t.Errorf("no loading screen: %q", b.texts())
	}
	b.wait("Sign in")
	b.tap("E-mail", 0)
	if res := b.sh("dumpsys input_method"); !strings.Contains(res.out, "mInputShown=true") {
		t.Errorf("keyboard: %q", res.out)
	}
	b.sh("input text ada@example.com")
	b.tap("Password", 0)
	b.sh("input text wrong%spass")
	if !b.sees("••••••••••") {
		t.Errorf("password field: %q", b.texts())
	}
	b.tap("Sign in", 0)
	if got := lastTap(b.phone); got.ID != LoginPackage+":id/sign_in" || got.Label != "Sign in" ||
		got.Class != ui.ClassFrame {
		t.Errorf("tap hit %+v", got)
	}
	b.wait("Wrong e-mail or password")
	b.sh("input keyevent HOME")
	if got := b.phone.Foreground(); !strings.HasPrefix(got, spec.LauncherPackage) {
		t.Errorf("home: %s", got)
	}
	if res := b.sh("am start -W -n " + LoginPackage + "/.MainActivity"); !strings.Contains(res.out,
		"Warning: Activity not started, its current task has been brought to the front\n") {
		t.Errorf("second start: %q", res.out)
	}
	if !b.sees("Wrong e-mail or password") {
		t.Errorf("the app lost its state: %q", b.texts())
	}
}

func TestInputText(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.start(ListPackage + "/.MainActivity")
	b.tap("Form", 0)
	b.sh("input text lost")
	b.tap("Note", 0)
	b.sh(`input text 'a%sb%%s 100%'`)
	if !b.sees("a b%%s 100%") {
		t.Errorf("typed %q", b.texts())
	}
	res := b.sh("input text Grüße")
	if res.code != 255 || !strings.Contains(res.err, "NullPointerException: Attempt to get length of null array") {
		t.Errorf("unmappable: %+v", res)
	}
	if !b.sees("a b%%s 100%") {
		t.Errorf("half a text was typed: %q", b.texts())
	}
	if res := b.sh("input text a b"); res.code == 0 ||
		!strings.Contains(res.err, "Error: Invalid arguments for command: text") {
		t.Errorf("two arguments: %+v", res)
	}
	b.sh("input keycombination 113 29; input keyevent DEL")
	if !b.sees("Note") {
		t.Errorf("after deleting all: %q", b.texts())
	}
	b.tap("Save", 0) // the keyboard covers it
	if got := lastTap(b.phone); got.Package != spec.IMEPackage {
		t.Errorf("the keyboard should take the tap: %+v", got)
	}
	b.sh("input keyevent 111")
	b.tap("Save", 0)
	if !b.sees("Saved: ") {
		t.Errorf("after saving: %q", b.texts())
	}
	b.tap("Disabled", 0)
	if b.sees("Disabled tapped") {
		t.Error("a disabled button did something")
	}
	b.tap("Close form", 0)
	if got := b.phone.Foreground(); got != listMain {
		t.Errorf("after closing: %s", got)
	}
}

func TestListPages(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Moving: 300 * time.Millisecond, LatePay: 3 * time.Second})
	open := func(row string) {
		b.t.Helper()
		b.sh("am force-stop " + ListPackage)
		b.start(listMain)
		b.tap(row, 0)
	}
	open("Payments")
	if !b.sees("Payment history") || b.sees("Pay") || !b.sees("Unpaid") {
		t.Errorf("payments: %q", b.texts())
	}
	b.wait("Pay")
	b.tap("Pay", 0)
	b.wait("Paid")

	open("Overlay")
	b.tap("Behind", 0)
	if !b.sees("Banner tapped") {
		t.Errorf("overlay: %q", b.texts())
	}
	b.tap("Accept", 0)
	b.tap("Behind", 0)
	if !b.sees("Behind tapped") {
		t.Errorf("behind: %q", b.texts())
	}

	open("Moving")
	b.tap("Slide", 0)  // hits nothing
	const end = "1481" // 90 dp down, then 420 more, to the middle of 52, at 420 dots per inch, below the status bar
	until(t, "it has slid down", func() bool { _, y := center(t, b.phone.Tree(), "Moving"); return y == end })
	b.tap("Moving", 0)
	if !b.sees("Moving tapped") {
		t.Errorf("moving: %q", b.texts())
	}

	open("Twice")
	b.tap("Twice", 1)
	if !b.sees("Second tapped") {
		t.Errorf("twice: %q", b.texts())
	}

	open("Dialog")
	if b.sees("42 entries") || !b.sees("Delete everything?") {
		t.Errorf("a stock dump shows the dialog's window alone: %q", b.texts())
	}
	b.sh("input tap 540 2200") // next to the dialog
	b.tap("Delete", 0)
	if !b.sees("Deleted everything") || !b.sees("42 entries") {
		t.Errorf("dialog: %q", b.texts())
	}
	b.tap("Delete", 0)
	b.sh("input keyevent BACK")
	if !b.sees("42 entries") {
		t.Errorf("back closes the dialog first: %q", b.texts())
	}
}

func TestLongList(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.start(listMain)
	for _, text := range []string{"Grüße", "日本語", "العربية", "🎉 Party", "Total:\u00a05", "  Edge  ",
		`Say "hi"`, "Visits: 1"} {
		if !b.sees(text) {
			b.sh("input swipe 540 1600 540 1400 50")
		}
		if !b.sees(text) {
			t.Errorf("no %q in %q", text, b.texts())
		}
	}
	tree := b.phone.Tree()
	for _, raw := range []string{`text='Say "hi"'`, "&#127881; Party", `bounds="[210,2706][469,2654]"`,
		`bounds="[0,300][0,300]"`} {
		if !strings.Contains(tree, raw) {
			t.Errorf("no %s in the dump", raw)
		}
	}
	b.tap("Duplicate", 1)
	if !b.sees("Tapped: Duplicate number 2") {
		t.Errorf("texts: %q", b.texts())
	}
	before := b.phone.Tree()
	for range 40 {
		b.sh("input swipe 540 1800 540 600 0")
	}
	if !b.sees("The end") || b.sees("Payments") || b.phone.Tree() == before {
		t.Errorf("scrolled to %q", b.texts())
	}
	b.tap("Delete all", 0)
	b.tap("Delete", 0)
	if !b.sees("Nothing left") || b.sees("Item 1") {
		t.Errorf("deleted: %q", b.texts())
	}
}

func TestDumpFailures(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.start(listMain)
	if res := b.sh(dumpCommand); res != (result{"UI hierchary dumped to: /data/local/tmp/d.xml\n", "", 0}) {
		t.Errorf("dump: %+v", res)
	}
	if res := b.sh("uiautomator dump /nowhere/d.xml"); res.out != "UI hierchary dumped to: /nowhere/d.xml\n" ||
		res.code != 0 {
		t.Errorf("a failed write still looks like a success: %+v", res)
	}
	if got := string(b.exec("uiautomator dump /dev/tty")); !strings.HasSuffix(got,
		"</hierarchy>UI hierchary dumped to: /dev/tty\n") {
		t.Errorf("exec to the terminal: …%q", got[max(0, len(got)-80):])
	}
	if res := b.sh("uiautomator dump /dev/tty"); res.out != "UI hierchary dumped to: /dev/tty\n" {
		t.Errorf("shell to the terminal: %q", res.out)
	}
	b.tap("Animation", 0)
	if res := b.sh(dumpCommand); res != (result{"", "ERROR: could not get idle state.\n", 0}) {
		t.Errorf("animation: %+v", res)
	}
	b.phone.Fail(Fault{Match: "uiautomator", Nth: 1, Kind: Error,
		Output: "ERROR: null root node returned by UiTestAutomationBridge.\n"})
	if res := b.sh("uiautomator dump"); res != (result{"", "ERROR: null root node returned by UiTestAutomationBridge.\n",
		0}) {
		t.Errorf("null root: %+v", res)
	}
	b.tap("Stop", 0)
	if res := b.sh("uiautomator dump"); res.out != "UI hierchary dumped to: /sdcard/window_dump.xml\n" {
		t.Errorf("after Stop: %+v", res)
	}
	b.phone.system.SetDumping(true)
	if res := b.sh("uiautomator dump"); res.code != 137 || !strings.Contains(res.err, "already registered!") {
		t.Errorf("two at once: %+v", res)
	}
	b.phone.system.SetDumping(false)
	b.sh("input keyevent SLEEP")
	if res := b.sh("uiautomator dump"); res.err != "ERROR: null root node returned by UiTestAutomationBridge.\n" {
		t.Errorf("screen off: %+v", res)
	}
}

func TestDumpWindows(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.start(ListPackage + "/.MainActivity")
	b.tap("Dialog", 0)
	if res := b.sh("uiautomator dump --windows /sdcard/w.xml"); res.code != 0 {
		t.Fatal(res)
	}
	data, err := b.phone.ReadFile("/sdcard/w.xml")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Windows []struct {
			Title  string `xml:"title,attr"`
			Active bool   `xml:"active,attr"`
		} `xml:"display>window"`
	}
	if err := xml.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Windows) != 2 || d.Windows[0].Active || !d.Windows[1].Active {
		t.Errorf("windows: %+v", d.Windows)
	}
}

func TestScreencapFormats(t *testing.T) {
	t.Parallel()
	for api, head := range map[int]int{24: 12, 28: 16, 36: 16} {
		b := newBench(t, Options{API: api, Width: 720, Height: 1280, Density: 320})
		raw := b.exec("screencap")
		if len(raw) != head+720*1280*4 || binary.LittleEndian.Uint32(raw) != 720 || binary.LittleEndian.Uint32(raw[8:]) != 1 {
			t.Errorf("API %d: %d bytes", api, len(raw))
		}
		if alpha := raw[head+3]; alpha != 0xff {
			t.Errorf("API %d: alpha %d", api, alpha)
		}
	}
	b := newBench(t, Options{Displays: 2})
	data := b.exec("screencap -p")
	at := bytes.Index(data, []byte("\x89PNG"))
	if at <= 0 || !bytes.HasPrefix(data, []byte("[Warning] Multiple displays were found")) {
		t.Fatalf("the warning comes first: %q", data[:min(len(data), 80)])
	}
	if data := b.exec("screencap -p -d " + system.DisplayID); !isPNG(data) {
		t.Errorf("with a display: %q", data[:min(len(data), 20)])
	} else if img, err := png.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() != 1080 {
		t.Errorf("picture: %v", err)
	}
	fb, _ := io.ReadAll(b.open("framebuffer:"))
	if len(fb) != 56+1080*2400*4 || binary.LittleEndian.Uint32(fb) != 2 {
		t.Errorf("framebuffer: %d bytes", len(fb))
	}
}

func TestPictureShowsTheCaretAndTheClock(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.start(ListPackage + "/.MainActivity")
	b.tap("Form", 0)
	b.tap("Note", 0)
	b.phone.system.Mu.Lock()
	defer b.phone.system.Mu.Unlock()
	at := time.UnixMilli(1_700_000_000_000)
	on, off := b.phone.system.UI.Picture(at), b.phone.system.UI.Picture(at.Add(500*time.Millisecond))
	if slices.Equal(on.Pix, off.Pix) {
		t.Error("the caret does not blink")
	}
	if again := b.phone.system.UI.Picture(at); !slices.Equal(on.Pix, again.Pix) {
		t.Error("one instant gives two pictures")
	}
	if later := b.phone.system.UI.Picture(at.Add(time.Second)); slices.Equal(on.Pix, later.Pix) {
		t.Error("the clock does not tick")
	}
}
