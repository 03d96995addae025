package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"
	"testing/synctest"
	"time"
)

// TestShotCosts: the kind that cost less is taken, the other is tried again now and then, and "cheap" is what was
// measured.
func TestShotCosts(t *testing.T) {
	t.Parallel()
	take := func(c *Costs, raw, png time.Duration) (kind string) {
		if c.takesPNG() {
			c.tookPNG(png)
			return "p"
		}
		c.TookRaw(raw)
		return "r"
	}
	for name, cost := range map[string]struct {
		raw, png time.Duration
		want     string
	}{
		"USB":                 {250 * time.Millisecond, time.Second, "rrrr"},
		"Wi-Fi":               {5 * time.Second, 600 * time.Millisecond, "rppp"},
		"slow encoder":        {900 * time.Millisecond, 2 * time.Second, "rprr"},
		"a slow one all over": {20 * time.Second, 4 * time.Second, "rppp"},
	} {
		c, got := &Costs{}, ""
		for range 4 {
			got += take(c, cost.raw, cost.png)
		}
		if got != cost.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	c, got := &Costs{}, ""
	for range 60 {
		got += take(c, 5*time.Second, time.Second)
	}
	if got[0] != 'r' || got[1] != 'p' || countOf(got, 'r') != 3 {
		t.Errorf("the other kind is tried again: %s", got)
	}
}

func countOf(s string, r rune) (n int) {
	for _, c := range s {
		if c == r {
			n++
		}
	}
	return n
}

// TestPatience: a raw screenshot is cancelled as soon as its rate shows that the rest would take long, and not for its
// last bytes.
func TestPatience(t *testing.T) {
	for name, c := range map[string]struct {
		rate, expect int // bytes in 100 ms
		slow         bool
	}{
		"fast": {4 << 20, 10 << 20, false}, "slow": {200 << 10, 10 << 20, true}, "slow and small": {200 << 10, 1 << 20,
			false}, "of unknown size": {1 << 10, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			costs := &Costs{}
			seen, came := costs.patience(c.expect), 0
			var err error
			for came < max(c.expect, 100<<10) && err == nil {
				came += c.rate
				err = seen(came)
				time.Sleep(100 * time.Millisecond)
			}
			if errors.Is(err, errSlowPixels) != c.slow {
				t.Errorf("%s: %v after %d bytes", name, err, came)
			}
			if c.slow && (costs.Raw < 4*time.Second || came > c.expect/4) {
				t.Errorf("%s: %v, %d bytes", name, costs.Raw, came)
			}
		})
	}
}

// TestParseProtected: flags are numbers on old phones and names on new ones; other words with SECURE in them forbid
// nothing, nor does an invisible window.
func TestParseProtected(t *testing.T) {
	t.Parallel()
	const head = "WINDOW MANAGER WINDOWS (dumpsys window windows)\n"
	window := func(name, attrs, rest string) string {
		return "  Window #3 Window{fdec1cd u0 " + name +
			"}:\n    mDisplayId=0 stackId=3 mSession=Session{8f8b4f6 15906:1000} mClient=android.os.BinderProxy@e664b64\n" +
			"    mOwnerUid=1000 mShowToOwnerOnly=true package=com.bank appop=NONE\n    mAttrs=" + attrs + "\n" + rest
	}
	const (
		old = "    mHasSurface=true mShownFrame=[0.0,0.0][720.0,1280.0] isReadyForDisplay()=true\n    " +
			"mFrame=[0,63][720,1280] last=[0,63][720,1280]\n"
		newer = "    mHasSurface=true isReadyForDisplay()=true mWindowRemovalAllowed=false\n    Frames: " +
			"parent=[0,0][1080,2400] display=[0,0][1080,2400] frame=[0,63][720,1280] last=[0,0][0,0]\n    isOnScreen=true\n   " +
			" " +
			"isVisible=true\n"
		gone   = "    mHasSurface=false isReadyForDisplay()=false mWindowRemovalAllowed=false\n    mFrame=[0,63][720,1280]\n"
		hidden = "    mHasSurface=true isReadyForDisplay()=true mWindowRemovalAllowed=false\n    isOnScreen=false\n    " +
			"isVisible=false\n"
		plain = "{(0,0)(fillxfill) sim={adjust=resize} ty=BASE_APPLICATION wanim=0x10302f8\n      fl=LAYOUT_IN_SCREEN " +
			"LAYOUT_INSET_DECOR SPLIT_TOUCH HARDWARE_ACCELERATED\n      pfl=FORCE_DRAW_STATUS_BAR_BACKGROUND}"
		secret = "{(0,0)(fillxfill) sim={adjust=resize} ty=BASE_APPLICATION wanim=0x10302f8\n      fl=LAYOUT_IN_SCREEN " +
			"LAYOUT_INSET_DECOR SECURE SPLIT_TOUCH HARDWARE_ACCELERATED\n      pfl=FORCE_DRAW_STATUS_BAR_BACKGROUND}"
	)
	other := window("com.other/.Main", plain, newer)
	for name, c := range map[string]struct {
		said string
		want int
	}{
		"names": {other + window("com.bank/.Login", secret, newer) + other, 1},
		"names on one line": {window("com.bank/.Login", "{(0,0)(fillxfill) ty=1 fl=LAYOUT_IN_SCREEN SECURE}", newer),
			1},
		"a number": {
			window("com.bank/.Login", "WM.LayoutParams{(0,0)(fillxfill) sim=#20 ty=1 fl=#81812100 "+
				"wanim=0x7f1101c4}", old) + other, 1},
		"a number without it": {
			window("com.bank/.Login", "WM.LayoutParams{(0,0)(fillxfill) sim=#20 ty=1 fl=#81810100 extfl=#2000 "+
				"wanim=0x7f1101c4}", old), 0},
		"a number in other flags": {window("com.bank/.Login", "WM.LayoutParams{(0,0)(fillxfill) ty=1 pfl=#2000 fl=#100}",
			old), 0},
		"no flag": {other, 0},
		"a type with that word": {
			window("PointerLocation", "{(0,0)(fillxfill) ty=SECURE_SYSTEM_OVERLAY fmt=TRANSLUCENT\n      fl=NOT_FOCUSABLE "+
				"NOT_TOUCHABLE\n      pfl=FORCE}", newer), 0},
		"one that has gone":  {window("com.bank/.Login", secret, gone) + other, 0},
		"one that is hidden": {window("com.bank/.Login", secret, hidden) + other, 0},
		"another display": {"  Window #0 Window{1 u0 com.bank/.Login}:\n    mDisplayId=2 rootTaskId=4\n    mAttrs=" +
			secret + "\n" + newer, 0},
		"without a frame": {window("com.bank/.Login", secret, ""), 1},
		"two":             {window("com.bank/.Login", secret, newer) + window("com.bank/.Login", secret, newer), 2},
		"nothing":         {"Can't find service: window\n", 0},
	} {
		got := ParseProtected(head + c.said)
		if len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if len(got) > 0 && (got[0].Window != "com.bank/.Login" || name != "without a frame" &&
			got[0].Bounds != image.Rect(0, 63, 720, 1280) && name != "names on one line") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func rawScreen(format uint32, header int, pixels []byte, w, h int) []byte {
	raw := binary.LittleEndian.AppendUint32(nil, uint32(w))
	raw = binary.LittleEndian.AppendUint32(raw, uint32(h))
	raw = binary.LittleEndian.AppendUint32(raw, format)
	if header == 16 {
		raw = binary.LittleEndian.AppendUint32(raw, 1)
	}
	return append(raw, pixels...)
}

func TestDecodeRaw(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		raw    []byte
		colour color.RGBA
	}{
		{"RGBA, old header", rawScreen(formatRGBA, 12, []byte{1, 2, 3, 255, 9, 9, 9, 255}, 2, 1), color.RGBA{1, 2, 3, 255}},
		{"RGBA with the colour space", rawScreen(formatRGBA, 16, []byte{1, 2, 3, 255, 9, 9, 9, 255}, 2, 1),
			color.RGBA{1, 2, 3, 255}},
		{"see-through top layer", rawScreen(formatRGBA, 16, []byte{1, 2, 3, 0, 9, 9, 9, 0}, 2, 1), color.RGBA{1, 2, 3, 255}},
		{"RGBX", rawScreen(formatRGBX, 12, []byte{1, 2, 3, 0, 9, 9, 9, 0}, 2, 1), color.RGBA{1, 2, 3, 255}},
		{"RGB", rawScreen(formatRGB, 12, []byte{1, 2, 3, 9, 9, 9}, 2, 1), color.RGBA{1, 2, 3, 255}},
		{"RGB 565", rawScreen(formatRGB5, 12, []byte{0x00, 0xf8, 0, 0}, 2, 1), color.RGBA{255, 0, 0, 255}},
		{"BGRA", rawScreen(formatBGRA, 16, []byte{3, 2, 1, 255, 9, 9, 9, 255}, 2, 1), color.RGBA{1, 2, 3, 255}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			img, err := decodeRaw(c.raw)
			if err != nil {
				t.Fatal(err)
			}
			if img.RGBAAt(0, 0) != c.colour || img.Bounds() != image.Rect(0, 0, 2, 1) {
				t.Errorf("%v in %v", img.RGBAAt(0, 0), img.Bounds())
			}
		})
	}
	for name, raw := range map[string][]byte{
		"nothing": nil, "cut": rawScreen(formatRGBA, 16, make([]byte, 7), 2, 1),
		"unknown":   rawScreen(43, 16, make([]byte, 8), 2, 1),
		"a warning": []byte("[Warning] Multiple displays were found"), "huge": rawScreen(formatRGBA, 16, nil, 1<<30, 1<<30),
	} {
		if _, err := decodeRaw(raw); !errors.Is(err, errPixels) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecodePNGBehindAWarning(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString(
		"[Warning] Multiple displays were found, but no display id was specified!\nDefaulting to the first display found\n")
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	img, err := DecodePNG(b.Bytes())
	if err != nil || img.Bounds() != image.Rect(0, 0, 3, 2) {
		t.Errorf("%v, %v", img, err)
	}
	if _, err := DecodePNG(b.Bytes()[:b.Len()-20]); err == nil {
		t.Error("a cut PNG was taken")
	}
	if _, err := DecodePNG([]byte("Capture failed")); err == nil {
		t.Error("no PNG was taken for one")
	}
}

// TestDisplayZero reads what Androids of several years say of their displays.
func TestDisplayZero(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		"4619827677550801152": `Display id 0: DisplayInfo{"Built-in Screen", displayId 0, displayGroupId 0, FLAG_SECURE, ` +
			`FLAG_TRUSTED, real 904 x 2316, ` +
			`largest app 2316 x 2316, rotation 0, state ON, type INTERNAL, uniqueId "local:4619827677550801152", app 904 x ` +
			`2316, density 420}, isValid=true` + "\n" +
			`Display id 2: DisplayInfo{"HDMI", displayId 2, uniqueId "local:4619827677550801153", app 1 x 1}, isValid=true`,
		"19260422155234049": "  Display 1:\n    mBaseDisplayInfo=DisplayInfo{\"Cover\", displayId 10, uniqueId " +
			"\"local:1\", " +
			"app " +
			"1 x 1}\n" +
			`    mBaseDisplayInfo=DisplayInfo{"Built-in Screen, displayId 0", uniqueId "local:19260422155234049", app 1080 x ` +
			`2028, real 1080 x 2160`,
		"": "cmd: Can't find service: display",
	} {
		got := ""
		if m := displayZero.FindStringSubmatch(text); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%q in %s", got, text)
		}
	}
}

func TestShapesOfImages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		screen, picture, want image.Point
		fits                  bool
	}{
		{image.Pt(1080, 2400), image.Pt(540, 1200), image.Pt(1080, 2400), true},
		{image.Pt(1080, 2400), image.Pt(1200, 540), image.Pt(2400, 1080), true},
		{image.Pt(1081, 2401), image.Pt(540, 1200), image.Pt(1081, 2401), true},
		{image.Pt(1080, 2400), image.Pt(1080, 2400), image.Pt(1080, 2400), true},
		{image.Pt(1080, 2400), image.Pt(540, 600), image.Pt(1080, 2400), false},
		{image.Pt(2208, 1840), image.Pt(540, 1200), image.Pt(1840, 2208), false}, // unfolded, and folded
	} {
		if got, ok := shows(c.screen, c.picture); got != c.want || ok != c.fits {
			t.Errorf("a picture of %v of a screen of %v: %v, %v", c.picture, c.screen, got, ok)
		}
	}
}
