package input

import (
	"image"
	"strings"
	"testing"
	"time"
)

func TestParseKeyboard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"  mInputShown=true\n": true,
		"  mShowRequested=true mInputShown=false\n mIsInputViewShown=true": false,
		"  mIsInputViewShown=true\n":                                       true,
		"nothing":                                                          false,
	} {
		if got := parseKeyboard(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestParseKeyboardArea(t *testing.T) {
	t.Parallel()
	const apps = "  Window #1 Window{48b4735 u0 com.a/com.a.B}:\n    mFrame=[0,0][1080,2400]\n    touchable " +
		"region=SkRegion((0,0,1080,2400))\n"
	for name, c := range map[string]struct {
		text string
		want image.Rectangle
	}{
		"a region": {
			"  Window #2 Window{7c1 u0 InputMethod}:\n    mFrame=[0,63][1080,2340]\n    touchable " +
				"region=SkRegion((0,1559,1080,2340))\n" + apps, image.Rect(0, 1559, 1080, 2340)},
		"of two parts": {
			"  Window #2 Window{7c1 u0 InputMethod}:\r\n    touchable " +
				"region=SkRegion((0,1500,1080,1600)(10,1600,1070,2340))\r\n" + apps, image.Rect(0, 1500, 1080, 2340)},
		"insets": {
			"  Window #2 Window{7c1 u0 InputMethod}:\n    mGivenContentInsets=[0,1328][0,0] " +
				"mGivenVisibleInsets=[0,1328][0,0]\n" +
				" " +
				"   Frames: parent=[0,126][1080,2274] frame=[0,126][1080,2274]\n" + apps, image.Rect(0, 1454, 1080, 2274)},
		"nothing of it":  {"  Window #2 Window{7c1 u0 InputMethod}:\n" + apps, image.Rectangle{}},
		"no such window": {apps, image.Rectangle{}},
		"an app's dialog": {
			"  Window #2 Window{7c1 u0 com.a/com.a.InputMethodPicker}:\n    touchable " +
				"region=SkRegion((0,1,2,3))\n", image.Rectangle{}},
	} {
		if got := parseKeyboardArea(c.text); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestParsePanel(t *testing.T) {
	t.Parallel()
	const pad = "add device 1: /dev/input/event7\n  name: \"pad\"\n  ABS (0003): 0035  : value 0, min 0, max 99, fuzz " +
		"0\n" +
		"              0036  : value 0, min 0, max 99, fuzz 0\n  input props:\n    INPUT_PROP_POINTER\n"
	const screen = "add device 2: /dev/input/event3\r\n  name: \"fts\"\r\n    ABS (0003): 002f  : value 3, min 0, max " +
		"9\r\n" +
		"                0035  : value -1, min -5, max 1439, fuzz 0, flat 0\r\n                0036  : value 0, min 0, max " +
		"3119\r\n    INPUT_PROP_DIRECT\r\n"
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"a screen behind a pad":                   {pad + screen, "/dev/input/event3"},
		"a screen in front of a pad":              {screen + pad, "/dev/input/event3"},
		"one that does not say that it is direct": {pad, "/dev/input/event7"},
		"only keys":              {"add device 1: /dev/input/event0\n  KEY (0001): 0072\n", ""},
		"no permission":          {"could not open /dev/input/event0, Permission denied\n", ""},
		"a range without extent": {strings.Replace(pad, "max 99", "max 0", 2), ""},
	} {
		got, err := parsePanel(c.text)
		if got.path != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if p, _ := parsePanel(screen); p.x != (axis{-5, 1439}) || p.y != (axis{0, 3119}) {
		t.Errorf("ranges %+v", p)
	}
}

func TestPinchLineIsShort(t *testing.T) {
	t.Parallel()
	p := PinchPath{centre: image.Pt(5000, 5000), from: 20, to: 2000, moves: pinchMoves, pause: time.Second / pinchMoves,
		natural: func(p image.Point) image.Point { return p }}
	reports := p.events(func(p image.Point) (int, int) { return p.X + 10000, p.Y + 10000 })
	if line := sendLine("/dev/input/event12", reports, p.pause); len(line) > TextLine {
		t.Errorf("%d bytes, and old phones take %d", len(line), TextLine)
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	got := pieces("aé漢😀b", 4)
	if strings.Join(got, "|") != "aé|漢|😀|b" {
		t.Errorf("%q", got)
	}
}
