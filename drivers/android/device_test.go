package android

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

func TestDevicesInEveryState(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t,
		androidsim.Options{Serial: "D-ready", API: 30},
		androidsim.Options{Serial: "A-offline"},
		androidsim.Options{Serial: "B-unauthorized", Unauthorized: true},
		androidsim.Options{Serial: "C-recovery"},
		androidsim.Options{Serial: "E-absent"})
	phones[1].SetState(androidsim.StateOffline)
	phones[3].SetState(androidsim.StateRecovery)
	phones[4].SetState(androidsim.StateAbsent)
	infos, err := driver.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, info := range infos {
		ids = append(ids, info.ID)
		if (info.State == drivers.Ready) != (info.Problem == "") {
			t.Errorf("%s is %s, problem %q", info.ID, info.State, info.Problem)
		}
	}
	if want := []string{"A-offline", "B-unauthorized", "C-recovery", "D-ready"}; !slices.Equal(ids, want) {
		t.Errorf("devices %v", ids)
	}
	if !strings.Contains(infos[1].Problem, "Allow USB debugging") || !strings.Contains(infos[0].Problem,
		"adb reconnect") ||
		!strings.Contains(infos[2].Problem, "adb reboot") {
		t.Errorf("problems %q, %q, %q", infos[0].Problem, infos[1].Problem, infos[2].Problem)
	}
	want := drivers.Info{
		ID: "D-ready", Platform: dsl.Android, State: drivers.Ready, Model: "Pixel 4a", Manufacturer: "Google",
		OSVersion: "11",
		APILevel:  30, ABI: "arm64-v8a", Width: 1080, Height: 2400, Density: 420, Orientation: "portrait", Battery: 87,
		Charging: true, Temperature: 29,
	}
	if infos[3] != want {
		t.Errorf("record %+v", infos[3])
	}
}

func TestPreferredDevice(t *testing.T) {
	t.Parallel()
	driver := New(Options{Getenv: func(name string) string { return map[string]string{"ANDROID_SERIAL": "ABC"}[name] }})
	if driver.Preferred() != "ABC" || driver.Platform() != dsl.Android {
		t.Errorf("%q on %s", driver.Preferred(), driver.Platform())
	}
}

// TestOpenWakesTheDisplay: and leaves a phone alone that is awake.
func TestOpenWakesTheDisplay(t *testing.T) {
	t.Parallel()
	for wakefulness, want := range map[string]string{
		"Asleep": "input keyevent 224, wm dismiss-keyguard", "Dozing": "input keyevent 224, wm dismiss-keyguard", "Awake": "",
	} {
		var mu sync.Mutex
		var did []string
		wakefulness, was := wakefulness, wakefulness
		driver := scriptedDriver(scripted{answer: func(_, service string) (string, bool) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case strings.Contains(service, "dumpsys power"):
				return says("POWER MANAGER\n  mWakefulness=" + wakefulness + "\n  mWakefulnessChanging=false\n"), false
			case strings.HasPrefix(service, "input"), service == "wm dismiss-keyguard":
				did = append(did, service)
				wakefulness = "Awake"
			}
			return says(""), false
		}})
		if _, err := driver.Open(t.Context(), "X"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(did, ", "); got != want {
			t.Errorf("%s: %q", was, got)
		}
		if err := driver.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenOfALockedPhone: what only a person can fix is reported before anything is done; what is merely dark, or
// swiped away, is fixed.
func TestOpenOfALockedPhone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    androidsim.Options
		want []string // words of the error; none: it opens
	}{
		"a dark display":            {androidsim.Options{Asleep: true}, nil},
		"a keyguard without secret": {androidsim.Options{Lock: androidsim.SwipeLock, Asleep: true}, nil},
		"awake behind a keyguard":   {androidsim.Options{Lock: androidsim.SwipeLock}, nil},
		"a PIN":                     {androidsim.Options{Lock: androidsim.PINLock}, []string{"locked", "keyguard", "PIN"}},
		"a PIN and a dark display": {androidsim.Options{Lock: androidsim.PINLock, Asleep: true},
			[]string{"locked", "PIN"}},
		"a display that stays dark": {androidsim.Options{Asleep: true, Unwakeable: true},
			[]string{"display is off (asleep)"}},
		"all of it": {androidsim.Options{Asleep: true, Unwakeable: true, Lock: androidsim.PINLock},
			[]string{"asleep", "locked", "PIN"}},
	} {
		for _, api := range levels() {
			t.Run(fmt.Sprintf("%s/%d", name, api), func(t *testing.T) {
				t.Parallel()
				o := c.o
				o.API = api
				driver, phones, _ := newPhones(t, o)
				_, err := driver.Open(t.Context(), phones[0].Serial())
				if (err == nil) != (c.want == nil) {
					t.Fatal(err)
				}
				for _, word := range c.want {
					if !strings.Contains(err.Error(), word) {
						t.Errorf("%v: no %q", err, word)
					}
				}
				if err == nil && phones[0].Locked() {
					t.Error("it is open and locked")
				}
			})
		}
	}
}

func TestOpenOfADozingPhone(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t, androidsim.Options{Unwakeable: true}, androidsim.Options{})
	for i, p := range phones {
		p.Doze()
		_, err := driver.Open(t.Context(), p.Serial())
		if told := err != nil && strings.Contains(err.Error(), "dozing"); told != (i == 0) || i == 1 && err != nil {
			t.Errorf("phone %d: %v", i, err)
		}
	}
}

// TestLockDuringATest is an obstacle, not the app's fault.
func TestLockDuringATest(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{Lock: androidsim.SwipeLock})
	if what, err := d.Obstacle(t.Context()); what != "" || err != nil {
		t.Errorf("%q, %v", what, err)
	}
	p.LockNow()
	if what, err := d.Obstacle(t.Context()); !strings.Contains(what, "keyguard") || err != nil {
		t.Errorf("%q, %v", what, err)
	}
	p.Sleep()
	if what, err := d.Obstacle(t.Context()); !strings.Contains(what, "display is off") || err != nil {
		t.Errorf("%q, %v", what, err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t, androidsim.Options{Serial: "X", Unauthorized: true}, androidsim.Options{
		Serial: "Y"})
	phones[1].SetState(androidsim.StateRecovery)
	for serial, want := range map[string]string{"X": "Allow USB debugging", "Y": "adb reboot", "none": "not found"} {
		_, err := driver.Open(t.Context(), serial)
		if !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), serial) {
			t.Errorf("%s: %v", serial, err)
		}
	}
}

// TestWorkOnEveryAndroid goes through a login on every profile of the simulator.
func TestWorkOnEveryAndroid(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		t.Run(fmt.Sprint(api), func(t *testing.T) {
			t.Parallel()
			d, p := openPhone(t, androidsim.Options{API: api, LoginLoading: 1, LoginSpinner: 1})
			if err := d.Launch(t.Context(), androidsim.LoginPackage, true); err != nil {
				t.Fatalf("API %d: %v", api, err)
			}
			for _, step := range []struct{ field, text string }{
				{"email", androidsim.LoginEmail}, {"password", androidsim.LoginPassword},
			} {
				tapOn(t, d, step.field)
				if err := d.Type(t.Context(), step.text); err != nil {
					t.Fatalf("API %d: %v", api, err)
				}
				if n := waitNode(t, d, step.field); !n.Editable || !n.Focused {
					t.Errorf("API %d: field %+v", api, n)
				}
			}
			tapOn(t, d, "sign_in")
			waitNode(t, d, "Welcome, Ada")
			if pkg, err := d.Foreground(t.Context()); err != nil || pkg != androidsim.LoginPackage {
				t.Errorf("API %d: foreground %q, %v", api, pkg, err)
			}
			img, err := d.Screenshot(t.Context())
			if err != nil {
				t.Fatalf("API %d: %v", api, err)
			}
			screen := p.Screen()
			if img.Bounds() != screen.Bounds() {
				t.Errorf("API %d: screenshot %v of %v", api, img.Bounds(), screen.Bounds())
			}
			if n := len(p.Taps()); n != 3 {
				t.Errorf("API %d: %d taps for 3", api, n)
			}
		})
	}
}

func TestKeyboardShown(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Options{})
	if shown, err := d.KeyboardShown(t.Context()); err != nil || shown {
		t.Errorf("on the launcher: %v, %v", shown, err)
	}
	loginForm(t, d)
	if shown, err := d.KeyboardShown(t.Context()); err != nil || !shown {
		t.Errorf("in a field: %v, %v", shown, err)
	}
}

func TestLaunchOfNoApp(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Options{})
	for app, want := range map[string]string{
		"com.example.logn":                   "did you mean com.example.login",
		"com.nobody.knows":                   "not installed",
		"com.example.login; reboot":          "not a package name",
		androidsim.LoginPackage + "/.NoSuch": "com.example.login/.NoSuch",
		"":                                   "not a package name",
	} {
		err := d.Launch(t.Context(), app, false)
		if !errors.Is(err, drivers.ErrNoApp) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", app, err)
		}
	}
}

func TestInputForbidden(t *testing.T) {
	t.Parallel()
	for _, api := range []int{28, 34} {
		d, _ := openPhone(t, androidsim.Options{API: api, InputForbidden: true})
		for name, err := range map[string]error{
			"tap": d.Tap(t.Context(), image.Pt(5, 5)), "type": d.Type(t.Context(), "x"),
		} {
			if err == nil || !strings.Contains(err.Error(), "USB debugging (Security settings)") {
				t.Errorf("API %d: %s: %v", api, name, err)
			}
		}
	}
}

// TestCmdInputIsLeftWhereItIsMissing: only a response that says so leads to a second attempt.
func TestCmdInputIsLeftWhereItIsMissing(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{API: 34})
	p.Fail(androidsim.Fault{Match: "cmd input", Kind: androidsim.Error, Output: "cmd: Can't find service: input\n",
		Code: 20})
	for range 2 {
		if err := d.Tap(t.Context(), image.Pt(500, 500)); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.Taps()) != 2 || p.Count("input") != 2 {
		t.Errorf("%d taps, input ran %d times", len(p.Taps()), p.Count("input"))
	}
	again, q := openPhone(t, androidsim.Options{API: 34})
	q.Fail(androidsim.Fault{Match: "cmd input", Kind: androidsim.Error, Output: "java.lang.IllegalStateException\n",
		Code: 255})
	if err := again.Tap(t.Context(), image.Pt(500, 500)); err == nil {
		t.Error("a tap that went wrong was not reported")
	}
	if len(q.Taps()) != 0 || q.Count("input") != 0 {
		t.Errorf("a tap that may have happened was repeated: %v", q.Counts())
	}
}

func TestTreeTriesAgain(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		fault androidsim.Fault
		dumps int
		kind  error // nil: a tree comes
	}{
		{"null root once", androidsim.Fault{Nth: 1, Output: "ERROR: null root node returned by UiTestAutomationBridge.\n"},
			2, nil},
		{"null root for ever", androidsim.Fault{Output: "ERROR: null root node returned by UiTestAutomationBridge.\n"},
			dump.Tries, drivers.ErrNotReady},
		{"never idle", androidsim.Fault{Output: "ERROR: could not get idle state.\n"}, 1, drivers.ErrNotReady},
		{"NPE once", androidsim.Fault{Nth: 1, Output: "java.lang.NullPointerException: childNafCheck\n", Code: 1}, 2, nil},
		{"killed twice", androidsim.Fault{Nth: 1, Output: "Killed\n", Code: 137}, 2, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, p := openPhone(t, androidsim.Options{})
			c.fault.Match, c.fault.Kind = "uiautomator dump", androidsim.Error
			p.Fail(c.fault)
			_, err := d.Tree(t.Context())
			if c.kind == nil && err != nil || c.kind != nil && !errors.Is(err, c.kind) {
				t.Errorf("error %v", err)
			}
			if n := p.Count("uiautomator"); n != c.dumps {
				t.Errorf("%d dumps", n)
			}
			noLeftovers(t, d)
		})
	}
}

// noLeftovers closes the device and looks for files of ours on it.
func noLeftovers(t *testing.T, d *Device) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}
	o, err := d.phone.Link.Run(t.Context(), adb.Command{Name: "ls", Line: "ls " + phone.TempDir})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(o.Out), phone.TempPrefix) {
		t.Errorf("left on the device: %s", o.Out)
	}
}

func TestOpenClearsWhatWasLeft(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t, androidsim.Options{})
	if err := phones[0].WriteFile(phone.TempDir+phone.TempPrefix+"old-1.xml", []byte("x")); err != nil {
		t.Fatal(err)
	}
	d, err := driver.Open(t.Context(), phones[0].Serial())
	if err != nil {
		t.Fatal(err)
	}
	noLeftovers(t, d.(*Device))
}

// TestScreenOfAFoldedPhone: without a display id, screencap takes the dark display inside.
func TestScreenOfAFoldedPhone(t *testing.T) {
	t.Parallel()
	// few bytes: a slow machine would give up on many, and ask for a PNG
	d, p := openPhone(t, androidsim.Options{Width: 270, Height: 600, Displays: 2, Folded: true})
	for range 2 {
		img, err := d.Screenshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if img.Bounds() != p.Screen().Bounds() {
			t.Errorf("the picture of another display, %v", img.Bounds())
		}
		d.Shots.TookRaw(1) // or a slow machine would try what a PNG costs
	}
	if n := p.Count("screencap"); n != 3 {
		t.Errorf("%d screencaps for two pictures", n)
	}
}

// TestScreenshotUnderAnOverriddenSize: trees and taps go by `wm size`, and so must screenshots, upright and landscape.
func TestScreenshotUnderAnOverriddenSize(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t, androidsim.Options{Width: 540, Height: 1200, Density: 210, WholeGlass: true})
	for _, line := range []string{"wm size 360x800",
		"settings put system accelerometer_rotation 0; settings put system user_rotation 1"} {
		dev, err := driver.Open(t.Context(), phones[0].Serial())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := dev.(*Device).Shell(t.Context(), line); err != nil {
			t.Fatal(err)
		}
		if err := dev.Close(); err != nil {
			t.Fatal(err)
		}
		if dev, err = driver.Open(t.Context(), phones[0].Serial()); err != nil {
			t.Fatal(err)
		}
		img, err := dev.Screenshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tree, err := dev.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := phones[0].Screen().Bounds().Size(); img.Bounds().Size() != want || tree.Size != want {
			t.Errorf("%s: picture %v, tree %v, screen %v", line, img.Bounds(), tree.Size, want)
		}
	}
}

func TestScreenshotFallsBackToPNG(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{Displays: 2})
	p.Fail(androidsim.Fault{Match: "screencap", Nth: 1, Kind: androidsim.Error, Output: "no such format\n", Code: 0})
	img, err := d.Screenshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != p.Screen().Bounds() || p.Count("screencap") < 1 {
		t.Errorf("%v after %d screencaps", img.Bounds(), p.Count("screencap"))
	}
}

func TestNothingWorksOnAClosedDevice(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	_, tree := d.Tree(t.Context())
	_, shot := d.Screenshot(t.Context())
	_, film := d.StartRecording(t.Context(), t.TempDir())
	_, log := d.StartLog(t.Context(), &strings.Builder{})
	for name, err := range map[string]error{
		"tree": tree, "screenshot": shot, "film": film, "log": log, "tap": d.Tap(t.Context(), image.Pt(1, 1)),
	} {
		if !errors.Is(err, drivers.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(p.Taps()) != 0 {
		t.Error("a closed device tapped")
	}
}
