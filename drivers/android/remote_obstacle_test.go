package android

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

// plainShot is a screenshot of one colour.
func plainShot(t *testing.T, c color.Color) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 400, 800))
	draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTouchOfARemotePhoneThatIsOff: where no screenshot since the last touch shows that the display is on, the server
// is asked before a touch, and otherwise not.
func TestTouchOfARemotePhoneThatIsOff(t *testing.T) {
	t.Parallel()
	f := newFakeAppium(t)
	d := f.phone(t)
	tap := func() error { return d.Tap(t.Context(), image.Pt(10, 310)) }
	look := func(c color.Color) {
		t.Helper()
		shot := plainShot(t, c)
		f.set(func() { f.shot = shot })
		if _, err := d.Screenshot(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	look(color.White)
	if err := tap(); err != nil || f.touch != 1 || f.count("mobile: isLocked") != 0 {
		t.Errorf("a bright screen: %v, %d touches, asked %d times", err, f.touch, f.count("mobile: isLocked"))
	}
	if err := tap(); err != nil || f.touch != 2 || f.count("mobile: isLocked") != 1 {
		t.Errorf("not seen: %v, %d touches, asked %d times", err, f.touch, f.count("mobile: isLocked"))
	}
	look(color.Black)
	if err := tap(); err != nil || f.touch != 3 || f.count("mobile: isLocked") != 2 {
		t.Errorf("a dark app: %v, %d touches, asked %d times", err, f.touch, f.count("mobile: isLocked"))
	}
	look(color.Black)
	f.set(func() { f.locked = true })
	if err := tap(); err == nil || !strings.Contains(err.Error(), "its display is off") || f.touch != 3 {
		t.Errorf("off: %v, %d touches", err, f.touch)
	}
}

// TestComplaintOnARemotePhone: the system's dialog about another app keeps the app from being seen. Where the server
// runs no commands, it is unknown which app it is about.
func TestComplaintOnARemotePhone(t *testing.T) {
	t.Parallel()
	const dialog = `<android.widget.FrameLayout index="1" package="android" class="android.widget.FrameLayout" ` +
		`bounds="[40,200][360,600]" displayed="true" window-id="8"><android.widget.TextView index="0" package="android" ` +
		`class="android.widget.TextView" text="Pixel Launcher isn't responding" resource-id="android:id/alertTitle" ` +
		`bounds="[50,210][350,250]" displayed="true"/><android.widget.Button index="1" package="android" ` +
		`class="android.widget.Button" text="Wait" resource-id="android:id/aerr_wait" bounds="[50,300][350,350]" ` +
		`displayed="true"/></android.widget.FrameLayout>`
	focus := func(pkg string) string {
		return "  mCurrentFocus=Window{1a2b u0 Application Not Responding: " + pkg + "}\n"
	}
	for name, c := range map[string]struct{ dialog, shell, says string }{
		"about another app": {dialog, focus("com.android.launcher"), "com.android.launcher does not respond"},
		"about the app":     {dialog, focus("com.example"), ""},
		"about an unknown app": {dialog, "",
			`dialog "Pixel Launcher isn't responding", and the server does not say about which app`},
		"that is not there": {"", focus("com.android.launcher"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFakeAppium(t)
			d := f.phone(t)
			f.set(func() { f.shell = c.shell })
			if err := d.(drivers.Apps).Launch(t.Context(), "com.example", false); err != nil {
				t.Fatal(err)
			}
			f.set(func() { f.dialog = c.dialog })
			if _, err := d.Tree(t.Context()); err != nil {
				t.Fatal(err)
			}
			what, err := d.(drivers.ObstacleReporter).Obstacle(t.Context())
			if err != nil || (what == "") != (c.says == "") || !strings.Contains(what, c.says) {
				t.Errorf("%q, %v", what, err)
			}
		})
	}
}

// TestCodeInFieldsOfARemotePhone: what a field of one digit does not take goes into the field that it moves the focus
// to, and nothing is typed twice.
func TestCodeInFieldsOfARemotePhone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"1234": "1234", "12": "12", "7": "7"} {
		f := newFakeAppium(t)
		f.code = make([]string, 4)
		d := f.phone(t)
		err := d.Type(t.Context(), text)
		if got := strings.Join(f.code, ""); err != nil || got != want || f.typed != len(text) {
			t.Errorf("%q: %v, %q by %d", text, err, got, f.typed)
		}
	}
}
