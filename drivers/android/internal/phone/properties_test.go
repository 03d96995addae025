package phone

import (
	"github.com/google/go-cmp/cmp"
	"image"
	"testing"
)

func TestParseProps(t *testing.T) {
	t.Parallel()
	got := parseProps(
		"[ro.a]: [1]\r\n[ro.several]: [line one\nline two]\n[ro.empty]: []\nnoise\n[ro.z]: [x [y]]\n[ro.cut]: [half")
	want := map[string]string{"ro.a": "1", "ro.several": "line one\nline two", "ro.empty": "", "ro.z": "x [y]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseGeometry(t *testing.T) {
	t.Parallel()
	if got := parseScreen("Physical size: 1080x2400\n"); got.size != image.Pt(1080, 2400) {
		t.Errorf("size %v", got)
	}
	if got := parseScreen("Physical size: 1080x2400\r\nOverride size: 720x1600\r\n"); got != (display{image.Pt(720, 1600),
		image.Pt(1080, 2400)}) {
		t.Errorf("override %v", got)
	}
	if got := parseScreen("Error: no display"); got != (display{}) {
		t.Errorf("nothing %v", got)
	}
	if got := parseDensity("Physical density: 420\nOverride density: 380"); got != 380 {
		t.Errorf("density %d", got)
	}
}

// TestParseGlass: phones report their keyguard in many words; what is over a keyguard can be used, and a work
// profile's lock is its own.
func TestParseGlass(t *testing.T) {
	t.Parallel()
	const unlocked = "KeyguardServiceDelegate\n  showing=false\n  secure=true\n"
	for said, want := range map[string]LockState{
		"": {}, "mWakefulness=Awake\n" + unlocked: {told: true, Secure: true}, "  mWakefulness=Dozing\n": {Asleep: "Dozing"},
		"  mWakefulness=Dreaming\n  showing=false":              {Asleep: "Dreaming", told: true},
		"    mShowingLockscreen=true mDreamingLockscreen=false": {told: true, Locked: true}, "mDreamingLockscreen=true": {
			told: true, Locked: true},
		"isStatusBarKeyguard=true": {told: true, Locked: true}, "  showing=true\n  occluded=true\n  secure=true": {
			told: true, Secure: true},
		"  mKeyguardShowing=true mAodShowing=false":     {told: true, Locked: true},
		"mShowingDream=true showingAndNotOccluded=true": {},
		` User "Owner" (id=0, flags=0x13) (current): trusted=0, deviceLocked=1, x`: {
			Locked: true, Secure: true},
		` User "Owner" (id=0, flags=0x13) (current): deviceLocked=1` + "\n" + unlocked: {
			told: true, Secure: true},
		` User "Owner" (id=0) (current): deviceLocked=0` + "\n" + ` User "Work" (id=10): deviceLocked=1`: {},
	} {
		if got := parseLockState(said); got != want {
			t.Errorf("%q: %+v, want %+v", said, got, want)
		}
	}
}

func TestParseRotation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"  mCurrentRotation=ROTATION_90\n": 1, "    mRotation=3 mAltOrientation=false\n": 3, "x mRotation=ROTATION_270": 3,
		"nothing": -1,
		"  mDisplayRotation: mCurrentRotation=ROTATION_0": 0,
	} {
		if got, known := ParseRotation(text); known != (want >= 0) || known && got != want {
			t.Errorf("%q: %d, %v", text, got, known)
		}
	}
}

func TestParseBattery(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want battery
	}{
		"plugged in": {
			"Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  status: 2\n  level: 87\n  scale: " +
				"100\n" +
				" " +
				" " +
				"temperature: 291\n", battery{87, true, 29}},
		"in the hand": {"  AC powered: false\r\n  USB powered: false\r\n  status: 3\r\n  level: 42\r\n  scale: 100\r\n",
			battery{42, false, 0}},
		"another scale": {"  status: 5\n  level: 100\n  scale: 200\n", battery{50, true, 0}},
		"no battery":    {"Can't find service: battery\n", battery{}},
		"nonsense":      {"  level: 900\n  scale: 0\n", battery{100, false, 0}},
	} {
		if got := parseBattery(c.text); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
