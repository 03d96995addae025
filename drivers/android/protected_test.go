package android

import (
	"errors"
	"fmt"
	"image"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

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
		got := parseProtected(head + c.said)
		if len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if len(got) > 0 && (got[0].Window != "com.bank/.Login" || name != "without a frame" &&
			got[0].Bounds != image.Rect(0, 63, 720, 1280) && name != "names on one line") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestForbiddenScreenshots: a phone that refuses screenshots of a bank's app says why, and can be read and touched.
func TestForbiddenScreenshots(t *testing.T) {
	t.Parallel()
	for _, o := range []androidsim.Options{
		{API: 24}, {API: 24, Secure: androidsim.SecureZeros}, {API: 27}, {API: 30}, {API: 34},
		{API: 34, Secure: androidsim.SecureBlack}, {API: 36},
	} {
		t.Run(fmt.Sprint(o.API, o.Secure), func(t *testing.T) {
			t.Parallel()
			o.Width, o.Height, o.Density = androidsim.Small.Width, androidsim.Small.Height, androidsim.Small.Density
			d, _ := openPhone(t, o)
			if parts, err := d.Protected(t.Context()); err != nil || len(parts) != 0 {
				t.Errorf("at home: %v, %v", parts, err)
			}
			if err := d.Launch(t.Context(), androidsim.ListPackage+"/.SecureActivity", true); err != nil {
				t.Fatal(err)
			}
			img, err := d.Screenshot(t.Context())
			var forbidden *drivers.ProtectedError
			if black := o.API == 36 || o.Secure == androidsim.SecureBlack; black && (err != nil || img == nil) ||
				!black && (!errors.As(err, &forbidden) || !forbidden.At(image.Rect(0, 0, 1, 1)) ||
					!errors.Is(err, drivers.ErrNotReady)) {
				t.Errorf("picture: %v", err)
			}
			parts, err := d.Protected(t.Context())
			if err != nil || len(parts) != 1 || parts[0].Bounds != image.Rect(0, 0, o.Width, o.Height) {
				t.Errorf("%v, %v", parts, err)
			}
			tapOn(t, d, "Transfer")
			if got := status(t, d); got != "Transferred" {
				t.Errorf("%q", got)
			}
		})
	}
}
