package ios

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

// small is a device with cheap screenshots.
func small(o iossim.DeviceOptions) iossim.DeviceOptions {
	o.Scale, o.LoginLoading, o.LoginSpinner = 1, 1, 1
	return o
}

func middle(n *screen.Node) image.Point { return n.Bounds.Min.Add(n.Bounds.Size().Div(2)) }

// Points of a source and pixels of a screenshot: what is tapped is what was found, at every scale.
func TestOneCoordinateSystem(t *testing.T) {
	t.Parallel()
	for _, scale := range []int{1, 2, 3} {
		d, _ := opened(t, iossim.DeviceOptions{Scale: scale})
		page(t, d, "Gestures")
		tree, err := d.Tree(t.Context())
		must(t, err)
		img, err := d.Screenshot(t.Context())
		must(t, err)
		want := image.Pt(390*scale, 844*scale)
		if tree.Size != want || img.Bounds().Size() != want || d.Info().Width != want.X || d.Info().Height != want.Y {
			t.Errorf("scale %d: tree %v, picture %v, record %dx%d", scale, tree.Size, img.Bounds(), d.Info().Width,
				d.Info().Height)
		}
		n := wait(t, d, "target")
		if c := img.At(n.Bounds.Min.X+scale, n.Bounds.Min.Y+scale); c == (color.RGBA{0xf8, 0xf8, 0xfc, 0xff}) {
			t.Errorf("scale %d: where the tree has the button, the picture has the page", scale)
		}
		must(t, d.Tap(t.Context(), n.Bounds.Max.Sub(image.Pt(1, 1))))
		wait(t, d, "Tapped")
		tapOn(t, d, "basket")
		must(t, d.Tap(t.Context(), n.Bounds.Max)) // one pixel next to it
		if tree, err := d.Tree(t.Context()); err != nil || slices.Contains(tree.AllTexts(), "Tapped twice") {
			t.Errorf("%v", err)
		}
	}
}

func TestGesturesReachTheApp(t *testing.T) {
	t.Parallel()
	d, _ := opened(t, small(iossim.DeviceOptions{}))
	page(t, d, "Gestures")
	at := middle(wait(t, d, "target"))
	must(t, d.DoubleTap(t.Context(), at))
	wait(t, d, "Double tapped")
	must(t, d.LongPress(t.Context(), at, 900*time.Millisecond))
	wait(t, d, "Long pressed")
	apple, basket := middle(wait(t, d, "apple")), middle(wait(t, d, "basket"))
	must(t, d.Drag(t.Context(), apple, basket, 300*time.Millisecond))
	wait(t, d, "Apple in the basket")
	centre := image.Pt(195, 422)
	must(t, d.Pinch(t.Context(), centre, 20, 150, 300*time.Millisecond))
	wait(t, d, "Zoom: in")
	must(t, d.Pinch(t.Context(), centre, 150, 20, 300*time.Millisecond))
	wait(t, d, "Zoom: out")
	if err := d.Pinch(t.Context(), centre, 20, 250, time.Second); !errors.Is(err, drivers.ErrNotActionable) {
		t.Errorf("fingers beside the screen: %v", err)
	}
	tapOn(t, d, "Back")
	must(t, d.Swipe(t.Context(), image.Pt(195, 700), image.Pt(195, 200), 300*time.Millisecond))
	wait(t, d, "Item 9")
}

// What is beyond the edge of a list is in the tree and cannot be seen.
func TestCellsBeyondTheEdge(t *testing.T) {
	t.Parallel()
	d, _ := opened(t, small(iossim.DeviceOptions{}))
	must(t, d.Launch(t.Context(), iossim.ListBundle, true))
	wait(t, d, "Gestures")
	tree, err := d.Tree(t.Context())
	must(t, err)
	hidden := 0
	for n := range tree.All {
		if n.Hidden && strings.HasPrefix(n.Text, "Item") {
			hidden++
		}
	}
	if hidden == 0 {
		t.Error("no cell beyond the edge is in the tree")
	}
}

func TestLandscape(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]iossim.DeviceOptions{"pictures turn": {Scale: 2}, "pictures stay upright": {
		Scale: 2, PortraitPictures: true}} {
		t.Run(name, func(t *testing.T) {
			d, _ := opened(t, o)
			page(t, d, "Gestures")
			must(t, d.Rotate(t.Context(), true))
			n := wait(t, d, "target")
			img, err := d.Screenshot(t.Context())
			must(t, err)
			if img.Bounds().Size() != image.Pt(1688, 780) {
				t.Fatalf("the picture is %v", img.Bounds())
			}
			if got := color.RGBAModel.Convert(img.At(n.Bounds.Min.X+4, n.Bounds.Min.Y+4)); got != (color.RGBA{0x4f, 0x46, 0xc8,
				0xff}) {
				t.Errorf("where the tree has the button, the picture shows %v", got)
			}
			must(t, d.Tap(t.Context(), image.Pt(n.Bounds.Max.X-2, n.Bounds.Max.Y-2)))
			wait(t, d, "Tapped")
			if err := d.Tap(t.Context(), image.Pt(100, 1000)); !errors.Is(err, drivers.ErrNotActionable) {
				t.Errorf("a point beneath the lying screen: %v", err)
			}
			must(t, d.Rotate(t.Context(), false))
			wait(t, d, "target")
			if img, err = d.Screenshot(t.Context()); err != nil || img.Bounds().Dx() != 780 {
				t.Errorf("upright again: %v, %v", img.Bounds(), err)
			}
			must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
			must(t, d.Rotate(t.Context(), true)) // it keeps its own orientation
		})
	}
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	must(t, d.Launch(t.Context(), iossim.ListBundle, true))
	if a, err := d.Alert(t.Context()); a != nil || err != nil {
		t.Fatalf("no alert is open: %v, %v", a, err)
	}
	if err := d.AnswerAlert(t.Context(), "OK", ""); !errors.Is(err, screen.ErrNotFound) {
		t.Errorf("answering none: %v", err)
	}
	tapOn(t, d, "Prompt")
	a, err := d.Alert(t.Context())
	if err != nil || a == nil || a.Text != "Your name?" || !slices.Equal(a.Buttons, []string{"Cancel", "OK"}) {
		t.Fatalf("the alert is %+v, %v", a, err)
	}
	must(t, d.AnswerAlert(t.Context(), "OK", "Ada"))
	wait(t, d, "OK: Ada")
	tapOn(t, d, "Dialog")
	if err := d.AnswerAlert(t.Context(), "OK", "text"); !errors.Is(err, drivers.ErrNotActionable) {
		t.Errorf("text for an alert without a field: %v", err)
	}
	must(t, d.AnswerAlert(t.Context(), "Cancel", ""))
	wait(t, d, "Answered: Cancel")

	// A question of the system belongs to the springboard; the app under it is still the foreground app.
	tapOn(t, d, "Photos")
	if front, err := d.Foreground(t.Context()); err != nil || front != iossim.ListBundle {
		t.Errorf("%q is in front, %v", front, err)
	}
	tapOn(t, d, "Allow Full Access")
	wait(t, d, "Photos: true")
	if b.lab.Noted(`answered with "Allow Full Access"`) != 1 {
		t.Error("the alert was not answered once")
	}
}

func TestKeysOfThePhone(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{Phone: true}))
	for _, key := range []string{"volumeUp", "volumeDown", "power", "power"} {
		if err := d.Press(t.Context(), []string{key}); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, want := range []string{"button volumeup", "button volumedown", "POST /wda/lock ", "POST /wda/unlock "} {
		if b.lab.Noted(want) != 1 {
			t.Errorf("%d times %s", b.lab.Noted(want), want)
		}
	}
	for _, keys := range [][]string{{"back"}, {"appSwitch"}, {"menu"}, {"search"}, {"home", "x"},
		{"control", "volumeUp"}} {
		if err := d.Press(t.Context(), keys); !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%v: %v", keys, err)
		}
	}
	must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
	must(t, d.Press(t.Context(), []string{"home"}))
	if front, err := d.Foreground(t.Context()); err != nil || front != "com.apple.springboard" {
		t.Errorf("%q is in front, %v", front, err)
	}

	s, _ := opened(t, small(iossim.DeviceOptions{NoHardKeys: true}))
	page(t, s, "Form")
	tapOn(t, s, "note")
	for _, keys := range [][]string{{"volumeUp"}, {"left"}, {"meta", "a"}} { // a simulator, and an iOS before 17
		if err := s.Press(t.Context(), keys); !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%v: %v", keys, err)
		}
	}
	must(t, s.Press(t.Context(), []string{"x"}))
	must(t, s.Press(t.Context(), []string{"enter"}))
}

func TestKeyboardIsSeenAndHidden(t *testing.T) {
	t.Parallel()
	for _, key := range []bool{false, true} {
		d, b := opened(t, small(iossim.DeviceOptions{HideKey: key}))
		page(t, d, "Form")
		if shown, err := d.KeyboardShown(t.Context()); shown || err != nil {
			t.Fatalf("%v, %v", shown, err)
		}
		must(t, d.HideKeyboard(t.Context()))
		tapOn(t, d, "note")
		if shown, err := d.KeyboardShown(t.Context()); !shown || err != nil {
			t.Fatalf("%v, %v", shown, err)
		}
		must(t, d.HideKeyboard(t.Context()))
		if shown, _ := d.KeyboardShown(t.Context()); shown {
			t.Error("it is still there")
		}
		if n := b.lab.Noted("POST /wda/keyboard/dismiss"); (n == 1) != key {
			t.Errorf("a key that hides it: %v; asked %d times to press one", key, n)
		}
	}
}

// The key "Done" of a keyboard sends the form: the keyboard is not hidden by it.
func TestHidingTheKeyboardSendsNoForm(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
	tapOn(t, d, "password")
	must(t, d.HideKeyboard(t.Context()))
	tapOn(t, d, "email")
	if b.lab.Noted("signing in") != 0 {
		t.Error("the form was sent")
	}
	s, _ := trap(t, "fields", iossim.DeviceOptions{}) // an app that keeps its keyboard
	tapOn(t, s.Device.(*device), "nickname")
	if err := s.Device.(*device).HideKeyboard(t.Context()); !errors.Is(err, drivers.ErrNotActionable) ||
		!strings.Contains(err.Error(), "a person") {
		t.Errorf("%v", err)
	}
}

// A link of an app's own scheme is asked about once, and simctl ends well meanwhile.
func TestALinkThatIOSAsksAbout(t *testing.T) {
	t.Parallel()
	for _, phone := range []bool{false, true} {
		d, b := opened(t, small(iossim.DeviceOptions{Phone: phone}))
		for range 2 {
			must(t, d.Press(t.Context(), []string{"home"}))
			must(t, d.OpenLink(t.Context(), "login://form", ""))
			if front, err := d.Foreground(t.Context()); err != nil || front != iossim.LoginBundle {
				t.Errorf("%s is in front, %v", front, err)
			}
		}
		if n := b.lab.Noted(`answered with "Open"`); n != 1 {
			t.Errorf("answered %d times", n)
		}
	}
}

// A field that drops characters is noticed by those who read it back; what was erased is checked here.
func TestEraseOfAFieldThatResists(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	page(t, d, "Form")
	tapOn(t, d, "note")
	must(t, d.Type(t.Context(), "grüße 🎉"))
	must(t, d.Erase(t.Context(), 1))
	if n := wait(t, d, "note"); n.Text != "grüße " || !n.Focused {
		t.Errorf("%q, focused %v", n.Text, n.Focused)
	}
	b.lab.Fail(iossim.Fault{Match: "POST /wda/keys", Kind: iossim.Slow, For: time.Millisecond})
	b.lab.Fail(iossim.Fault{Match: "GET /element/", Nth: 3, Kind: iossim.Refuse, Word: "stale element reference"})
	must(t, d.Erase(t.Context(), -1)) // drawn again between two calls
	if n := wait(t, d, "note"); n.Text != "" {
		t.Errorf("%q is left", n.Text)
	}
	tapOn(t, d, "Save")
	if err := d.Erase(t.Context(), 1); !errors.Is(err, drivers.ErrNotActionable) {
		t.Errorf("without a field: %v", err)
	}
}

// A screen that is deeper than WebDriverAgent reads is not whole.
func TestADeepScreenIsCut(t *testing.T) {
	t.Parallel()
	for page, cut := range map[string]bool{"deep": false, "deeper": true} {
		s, _ := trap(t, page, iossim.DeviceOptions{})
		if tree, err := s.Device.Tree(t.Context()); err != nil || (tree.Cut() != "") != cut {
			t.Errorf("%s: cut %q, %v", page, tree.Cut(), err)
		}
	}
}

func TestRecordingOfAnIPhoneKeepsItsTimes(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{Phone: true})).only(t, "ios")
	d, _ := b.open(t)
	began := time.Now()
	film, err := d.StartRecording(t.Context(), t.TempDir())
	must(t, err)
	pictures := func(n int64) { // more than there are
		t.Helper()
		for n += film.(counter).Images(); film.(counter).Images() < n; {
			must(t, drivers.Pause(t.Context(), 20*time.Millisecond))
		}
	}
	pictures(1)
	page(t, d, "Gestures")
	must(t, drivers.Pause(t.Context(), 900*time.Millisecond))
	pictures(3)
	clips, err := film.Stop(t.Context())
	if err != nil || len(clips) != 1 {
		t.Fatalf("%v, %v", clips, err)
	}
	frames, seconds := probe(t, clips[0].Path)
	if took := time.Since(began); frames < 3 || seconds < 0.6 || seconds > took.Seconds() {
		t.Errorf("%d pictures in %v s of %v", frames, seconds, took)
	}
}

func TestRecordingOfASimulator(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	film, err := d.StartRecording(t.Context(), t.TempDir())
	must(t, err)
	must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
	clips, err := film.Stop(t.Context())
	if err != nil || len(clips) != 1 {
		t.Fatalf("%v, %v", clips, err)
	}
	if frames, _ := probe(t, clips[0].Path); frames < 1 {
		t.Error("no picture in the film")
	}
	left, err := d.StartRecording(t.Context(), t.TempDir()) // it is not stopped
	must(t, err)
	must(t, d.Close())
	if _, err := left.Stop(t.Context()); err == nil {
		t.Log("it was ended by Close")
	}
	if b.lab.Noted("recordVideo") != 2 {
		t.Error("not filmed twice")
	}
}

func TestLogOfASimulator(t *testing.T) {
	t.Parallel()
	d, _ := opened(t, small(iossim.DeviceOptions{}))
	var log lockedBuffer
	stop, err := d.StartLog(t.Context(), &log)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !strings.Contains(log.String(), "Filtering the log data") { // it listens
		must(t, drivers.Pause(ctx, 10*time.Millisecond))
	}
	must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
	tapOn(t, d, "E-mail")
	must(t, d.Type(t.Context(), "crash@example.com"))
	tapOn(t, d, "Sign in")
	for !strings.Contains(log.String(), "signing in as crash@example.com") {
		must(t, drivers.Pause(ctx, 10*time.Millisecond))
	}
	must(t, stop())
}

func TestAppThatDiesIsReported(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	if c, err := d.Crashed(t.Context()); c != nil || err != nil {
		t.Fatalf("nothing was launched: %v, %v", c, err)
	}
	must(t, d.Launch(t.Context(), iossim.ListBundle, true))
	if c, err := d.Crashed(t.Context()); c != nil || err != nil {
		t.Fatalf("it runs: %v, %v", c, err)
	}
	b.lab.Device(0).Crash()
	c, err := d.Crashed(t.Context())
	if err != nil || c == nil || c.App != iossim.ListBundle || c.Kind != drivers.CrashNative ||
		!strings.Contains(c.Reason, "Fatal error: Index out of range") {
		t.Fatalf("%+v, %v", c, err)
	}
	must(t, d.Launch(t.Context(), iossim.ListBundle, false))
	if c, err := d.Crashed(t.Context()); c != nil || err != nil {
		t.Errorf("an old report counts for a new launch: %+v, %v", c, err)
	}
	must(t, d.Stop(t.Context(), iossim.ListBundle))
	if c, err := d.Crashed(t.Context()); c != nil || err != nil {
		t.Errorf("an app that was stopped has not crashed: %+v, %v", c, err)
	}

	// which copies the iPhone's report
	for program, want := range map[string]string{"xcrun": "its process ended by itself",
		"ios": "Fatal error: Index out of range"} {
		pb := newBench(t, quick(iossim.DeviceOptions{Phone: true})).only(t, program)
		p, _ := pb.open(t)
		for i := range 2 {
			must(t, p.Launch(t.Context(), iossim.ListBundle, true))
			pb.lab.Device(0).Crash()
			if c, err := p.Crashed(t.Context()); err != nil || c == nil || program == "ios" &&
				!strings.Contains(c.Report, fmt.Sprintf(`"pid":%d`, 4001+i)) || !strings.Contains(c.Reason, want) ||
				(c.Report != "") != (program == "ios") {
				t.Errorf("on an iPhone by %s: %+v, %v", program, c, err)
			}
		}
	}
}

// lockedBuffer is written and read at once.
type lockedBuffer struct {
	mu   sync.Mutex
	said []byte
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, p...)
	return len(p), nil
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(bytes.Clone(l.said))
}

// appFolder makes an app that the lab can install.
func appFolder(t *testing.T, name, bundle string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name+".app")
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "bundle"), []byte(bundle), 0o644))
	return dir
}

// TestSystemQuestions: accept allows and dismiss denies, whatever the order of the buttons, and what is not clear is
// not pressed.
func TestSystemQuestions(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	phone := b.lab.Device(0)
	for _, c := range []struct {
		sheet           bool
		buttons         []string
		accept, dismiss string
	}{
		{false, []string{"Allow Once", "Allow While Using App", "Don’t Allow"}, "Allow While Using App", "Don’t Allow"},
		{false, []string{"Precise: On", "Allow Once", "Allow While Using App", "Don’t Allow"}, "Allow While Using App",
			"Don’t Allow"},
		{false, []string{"Limit Access…", "Allow Full Access", "Don’t Allow"}, "Allow Full Access", "Don’t Allow"},
		{true, []string{"Delete Photo", "Cancel"}, "Delete Photo", "Cancel"},
		// other words: the first of an alert cancels
		{false, []string{"Nicht erlauben", "Erlauben"}, "Erlauben", "Nicht erlauben"},
		{true, []string{"Sichern", "Verwerfen"}, "", ""}, // and of an unknown sheet
		{false, []string{"Save", "Discard", "Keep editing"}, "", ""},
	} {
		show := phone.Show
		if c.sheet {
			show = phone.ShowSheet
		}
		show("A question?", c.buttons...)
		a, err := d.Alert(t.Context())
		if err != nil || a == nil || a.Accept != c.accept || a.Dismiss != c.dismiss {
			t.Errorf("%q: %+v, %v", c.buttons, a, err)
			continue
		}
		if err := d.AnswerAlert(t.Context(), "Maybe", ""); !errors.Is(err, drivers.ErrNotActionable) {
			t.Errorf("a button that is not there: %v", err)
		}
		last := c.buttons[len(c.buttons)-1]
		must(t, d.AnswerAlert(t.Context(), cmp.Or(c.accept, last), ""))
		notes := slices.DeleteFunc(phone.Noted(), func(n string) bool { return !strings.HasPrefix(n, "alert ") })
		if got := notes[len(notes)-1]; got != fmt.Sprintf("alert %q answered with %q", "A question?",
			cmp.Or(c.accept, last)) {
			t.Errorf("%q: %q", c.buttons, got)
		}
		if a, err := d.Alert(t.Context()); a != nil || err != nil {
			t.Errorf("%q: it is still open: %+v, %v", c.buttons, a, err)
		}
	}
}
