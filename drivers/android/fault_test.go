package android

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// calls are what a caller can ask of a device, each with a part of the service by which it reaches the phone.
var calls = []struct {
	name, service string
	do            func(ctx context.Context, d *Device, dir string) error
}{
	{"tree", "uiautomator dump", func(ctx context.Context, d *Device, _ string) error {
		_, err := d.Tree(ctx)
		return err
	}},
	{"screenshot", "screencap", func(ctx context.Context, d *Device, _ string) error {
		_, err := d.Screenshot(ctx)
		return err
	}},
	{"tap", "input tap", func(ctx context.Context, d *Device, _ string) error { return d.Tap(ctx, image.Pt(500, 500)) }},
	{"type", "input text", func(ctx context.Context, d *Device, _ string) error { return d.Type(ctx, "abc") }},
	{"launch", "am start", func(ctx context.Context, d *Device, _ string) error {
		return d.Launch(ctx, androidsim.LoginPackage, false)
	}},
	{"foreground", "dumpsys window", func(ctx context.Context, d *Device, _ string) error {
		_, err := d.Foreground(ctx)
		return err
	}},
	{"keyboard", "dumpsys input_method", func(ctx context.Context, d *Device, _ string) error {
		_, err := d.KeyboardShown(ctx)
		return err
	}},
	{"film", "screenrecord", func(ctx context.Context, d *Device, dir string) error {
		r, err := d.StartRecording(ctx, dir)
		if err != nil {
			return err
		}
		_, err = r.Stop(ctx)
		return err
	}},
	{"fetching a film", "sync:", func(ctx context.Context, d *Device, dir string) error {
		r, err := d.StartRecording(ctx, dir)
		if err != nil {
			return err
		}
		_, err = r.Stop(ctx)
		return err
	}},
	{"log", "logcat", func(ctx context.Context, d *Device, _ string) error {
		stop, err := d.StartLog(ctx, io.Discard)
		if err != nil {
			return err
		}
		return stop()
	}},
	{"long press", "input swipe", func(ctx context.Context, d *Device, _ string) error {
		return d.LongPress(ctx, image.Pt(500, 500), 0)
	}},
	{"swipe", "input swipe", func(ctx context.Context, d *Device, _ string) error {
		return d.Swipe(ctx, image.Pt(500, 500), image.Pt(600, 900), 0)
	}},
	{"drag", "motionevent DOWN", func(ctx context.Context, d *Device, _ string) error {
		return d.Drag(ctx, image.Pt(500, 500), image.Pt(600, 900), 0)
	}},
	{"press", "input keyevent", func(ctx context.Context, d *Device, _ string) error {
		return d.Press(ctx, []string{"tab"})
	}},
	{"erase", "input keycombination", func(ctx context.Context, d *Device, _ string) error { return d.Erase(ctx, -1) }},
	{"hide the keyboard", "dumpsys input_method", func(ctx context.Context, d *Device, _ string) error {
		return d.HideKeyboard(ctx)
	}},
	{"stop", "am force-stop", func(ctx context.Context, d *Device, _ string) error {
		return d.Stop(ctx, androidsim.ListPackage)
	}},
	{"clear", "pm clear", func(ctx context.Context, d *Device, _ string) error {
		return d.ClearApp(ctx, androidsim.ListPackage)
	}},
	{"permissions", "dumpsys package", func(ctx context.Context, d *Device, _ string) error {
		return d.SetPermissions(ctx, androidsim.LoginPackage, map[string]bool{"camera": true})
	}},
	{"list", "pm list", func(ctx context.Context, d *Device, _ string) error { _, err := d.ListApps(ctx); return err }},
	{"link", "am start", func(ctx context.Context, d *Device, _ string) error {
		return d.OpenLink(ctx, "login://form", "")
	}},
	{"rotate", "settings put", func(ctx context.Context, d *Device, _ string) error { return d.Rotate(ctx, false) }},
	{"dark mode", "uimode night yes", func(ctx context.Context, d *Device, _ string) error {
		return d.DarkMode(ctx, true)
	}},
	{"airplane mode", "airplane-mode enable", func(ctx context.Context, d *Device, _ string) error {
		return d.Airplane(ctx, true)
	}},
	{"locale", "set-app-locales", func(ctx context.Context, d *Device, _ string) error {
		return d.Locale(ctx, androidsim.LoginPackage, "fr-FR")
	}},
	{"notifications", "expand-notifications", func(ctx context.Context, d *Device, _ string) error {
		return d.Notifications(ctx)
	}},
	{"crash", "logcat -d", func(ctx context.Context, d *Device, _ string) error {
		if err := d.Launch(ctx, androidsim.LoginPackage, false); err != nil {
			return err
		}
		_, err := d.Crashed(ctx)
		return err
	}},
	{"install", "package 'install'", func(ctx context.Context, d *Device, dir string) error {
		path := filepath.Join(dir, "x.apk")
		if err := os.WriteFile(path, []byte("PK\x03\x04\npackage=a.b\n"), 0o600); err != nil {
			return err
		}
		return d.Install(ctx, path)
	}},
	{"location", "cmd location", func(ctx context.Context, d *Device, _ string) error {
		return d.SetLocation(ctx, drivers.Coordinates{Latitude: 1, Longitude: 2})
	}},
	{"media", "content query", func(ctx context.Context, d *Device, dir string) error {
		path := filepath.Join(dir, "x.png")
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			return err
		}
		return d.AddMedia(ctx, path)
	}},
	{"pinch", "sendevent", func(ctx context.Context, d *Device, _ string) error {
		return d.Pinch(ctx, image.Pt(500, 500), 20, 200, 0)
	}},
	{"alert", "uiautomator dump", func(ctx context.Context, d *Device, _ string) error {
		_, err := d.Alert(ctx)
		return err
	}},
	{"calm", "settings put", func(ctx context.Context, d *Device, _ string) error { return d.StopAnimations(ctx) }},
	{"measure", "meminfo", func(ctx context.Context, d *Device, _ string) error {
		if err := d.Launch(ctx, androidsim.LoginPackage, false); err != nil {
			return err
		}
		_, err := d.Measure(ctx)
		return err
	}},
	{"shell", "echo", func(ctx context.Context, d *Device, _ string) error {
		_, _, err := d.Shell(ctx, "echo")
		return err
	}},
}

// ownTime reports whether a call's own limit is a matter of a minute or less, and can be seen with a fake clock.
func ownTime(call string) bool {
	switch call {
	case "fetching a film", "install", "media":
		return false // goes through a real socket, which a fake clock does not wait for
	case "shell":
		return false // a test says how long its commands may take
	}
	return true
}

// TestFaultMatrix breaks each call in each way. It must end, with an error that names the phone and does not blame the
// app; nothing is left; and once the phone is well again the call works.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	faults := map[string]androidsim.Fault{
		"drop":    {Kind: androidsim.Drop},
		"cut":     {Kind: androidsim.Cut, Bytes: 3},
		"garbage": {Kind: androidsim.Garbage, Bytes: 300},
		"refuse":  {Kind: androidsim.Refuse},
		"hang":    {Kind: androidsim.Hang},
	}
	for i, call := range calls {
		for j, name := range slices.Sorted(maps.Keys(faults)) {
			if testing.Short() && (i+j)%len(faults) > 1 {
				continue // in short, each call with two of the faults
			}
			fault := faults[name]
			t.Run(call.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				d, p := openPhone(t, androidsim.Options{LoginLoading: 1, Root: true, Width: 720, Height: 1280, Density: 280})
				fault.Match = call.service
				p.Fail(fault)
				taps := len(p.Taps())
				limit := time.Minute
				if fault.Kind == androidsim.Hang {
					limit = 500 * time.Millisecond
					if strings.Contains(call.name, "film") {
						limit = 1500 * time.Millisecond // it is watched for a while before it is stopped
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				err := call.do(ctx, d, t.TempDir())
				checkFault(t, call.name, name, p.Serial(), err)
				if n := len(p.Taps()) - taps; n > 1 {
					t.Errorf("%d taps for one", n)
				}
				p.Heal()
				if err := call.do(t.Context(), d, t.TempDir()); err != nil {
					t.Errorf("after the fault: %v", err)
				}
				noLeftovers(t, d)
			})
		}
	}
}

func checkFault(t *testing.T, call, fault, serial string, err error) {
	t.Helper()
	switch {
	case err == nil && call == "log" && fault == "hang":
		// a log in which nothing happens looks the same
	case err == nil:
		t.Error("no error")
	case !strings.Contains(err.Error(), "device "+serial) || drivers.AppIsWrong(err):
		t.Errorf("error %v", err)
	case fault == "drop" && call != "fetching a film" && !errors.Is(err, drivers.ErrDeviceLost):
		t.Errorf("a drop gave %v", err)
	case fault == "hang" && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, drivers.ErrDeviceLost):
		t.Errorf("a hang gave %v", err)
	}
}

// TestCancelEndsACall: a hanging phone must not hold a cancelled call.
func TestCancelEndsACall(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	p.Fail(androidsim.Fault{Match: "uiautomator", Kind: androidsim.Hang})
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("somebody pressed Ctrl-C")
	time.AfterFunc(50*time.Millisecond, func() { cancel(reason) })
	if _, err := d.Tree(ctx); !errors.Is(err, reason) || !strings.Contains(err.Error(), p.Serial()) {
		t.Errorf("error %v", err)
	}
	noLeftovers(t, d)
}

// TestCloseEndsACall: Close may come at any time.
func TestCloseEndsACall(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	p.Fail(androidsim.Fault{Match: "uiautomator", Kind: androidsim.Hang})
	closed := make(chan error, 1)
	time.AfterFunc(50*time.Millisecond, func() { closed <- d.Close() })
	if _, err := d.Tree(t.Context()); !errors.Is(err, drivers.ErrClosed) {
		t.Errorf("error %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestSlowPhone: what is late in the device's own time limit is waited for.
func TestSlowPhone(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	p.Fail(androidsim.Fault{Match: "screencap", Kind: androidsim.Slow, Delay: 300 * time.Millisecond})
	if _, err := d.Screenshot(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestPhoneGoneForGood(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t, androidsim.Options{Serial: "GONE"}, androidsim.Options{Serial: "HERE"})
	gone, err := driver.Open(t.Context(), "GONE")
	if err != nil {
		t.Fatal(err)
	}
	here, err := driver.Open(t.Context(), "HERE")
	if err != nil {
		t.Fatal(err)
	}
	phones[0].Disconnect()
	if err := gone.Tap(t.Context(), image.Pt(1, 1)); !errors.Is(err, drivers.ErrDeviceLost) ||
		!strings.Contains(err.Error(), "GONE") {
		t.Errorf("error %v", err)
	}
	if _, err := here.Screenshot(t.Context()); err != nil {
		t.Errorf("the other phone: %v", err)
	}
	if err := gone.Close(); err != nil {
		t.Errorf("closing a lost phone: %v", err)
	}
}

func TestNoServerAndNoADB(t *testing.T) {
	t.Parallel()
	driver := New(serverAt(closedAddress))
	_, err := driver.Devices(t.Context())
	if missing := new(drivers.Unavailable); !errors.As(err, &missing) ||
		!strings.Contains(err.Error(), "adb is not installed") {
		t.Errorf("error %v", err)
	}
}

// scripted is an adb server of a few lines on pipes, for what takes long in reality: fake clocks do not wait for
// sockets.
type scripted struct {
	devices string
	mute    bool // a hanging service is not even accepted
	answer  func(serial, service string) (reply string, hang bool)
	then    func(service string) (reply string) // what comes later
}

func (s scripted) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		serial := ""
		for {
			request, err := readRequest(far)
			if err != nil {
				return
			}
			rest, transport := strings.CutPrefix(request, "host:transport:")
			switch {
			case transport:
				serial = rest
				io.WriteString(far, "OKAY")
				continue
			case request == "host:devices-l":
				fmt.Fprintf(far, "OKAY%04x%s", len(s.devices), s.devices)
			case strings.HasSuffix(request, ":features"):
				io.WriteString(far, "OKAY0008shell_v2")
			case strings.HasSuffix(request, ":get-state"):
				io.WriteString(far, "OKAY0006device")
			default:
				service := strings.TrimPrefix(request, "shell,v2,raw:")
				reply, hang := s.answer(serial, service)
				if !hang || !s.mute {
					io.WriteString(far, "OKAY")
				}
				if hang {
					_, _ = far.Read(make([]byte, 1)) // until the other side hangs up
					return
				}
				io.WriteString(far, reply)
				if s.then != nil {
					io.WriteString(far, s.then(service))
				}
			}
			return
		}
	}()
	return near, nil
}

func readRequest(r io.Reader) (string, error) {
	digits := make([]byte, 4)
	if _, err := io.ReadFull(r, digits); err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(string(digits), 16, 16)
	if err != nil {
		return "", err
	}
	request := make([]byte, n)
	_, err = io.ReadFull(r, request)
	return string(request), err
}

// says is a shell v2 reply with one line on standard output and exit code 0.
func says(text string) string {
	var b bytes.Buffer
	b.WriteByte(adb.PacketStdout)
	b.Write([]byte{byte(len(text)), byte(len(text) >> 8), 0, 0})
	b.WriteString(text)
	b.Write([]byte{adb.PacketExit, 1, 0, 0, 0, 0})
	return b.String()
}

func scriptedDriver(s scripted) *Driver {
	driver := New(serverAt("127.0.0.1:1"))
	driver.srv.Dial = s.dial
	return driver
}

func TestOneHangingPhoneDoesNotHoldTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		driver := scriptedDriver(scripted{
			devices: "BAD device transport_id:1\nGOOD device transport_id:2\n",
			answer: func(serial, service string) (string, bool) {
				return says("[ro.product.model]: [Fine]\n"), serial == "BAD"
			},
		})
		start := time.Now()
		infos, err := driver.Devices(t.Context())
		if err != nil || len(infos) != 2 {
			t.Fatalf("%v, %v", infos, err)
		}
		if infos[0].State != adb.Unresponsive || infos[0].Problem == "" {
			t.Errorf("the hanging one: %+v", infos[0])
		}
		if infos[1].State != drivers.Ready || infos[1].Model != "Fine" {
			t.Errorf("the good one: %+v", infos[1])
		}
		if took := time.Since(start); took > describeLimit {
			t.Errorf("the list took %v", took)
		}
	})
}

func TestEveryCallHasItsOwnLimit(t *testing.T) {
	for _, call := range calls {
		if !ownTime(call.name) {
			continue
		}
		for _, mute := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/mute=%v", call.name, mute), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var hang atomic.Bool
					driver := scriptedDriver(scripted{mute: mute, answer: func(_, service string) (string, bool) {
						return says("x"), hang.Load()
					}})
					dev, err := driver.Open(t.Context(), "SLOW")
					if err != nil {
						t.Fatal(err)
					}
					dev.(*Device).phone.Info.APILevel = 36
					hang.Store(true)
					start := time.Now()
					err = call.do(t.Context(), dev.(*Device), t.TempDir())
					if !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), "SLOW did not answer") {
						t.Errorf("error %v", err)
					}
					if took := time.Since(start); took > time.Minute {
						t.Errorf("it took %v", took)
					}
					hang.Store(false)
					if err := driver.Close(); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

func TestOldDeviceWithoutShellV2(t *testing.T) {
	t.Parallel()
	var asked []string
	s := scripted{}
	l := &adb.Link{Serial: "OLD", Features: map[string]bool{}, Server: New(serverAt("127.0.0.1:1")).srv}
	s.answer = func(_, service string) (string, bool) {
		asked = append(asked, service)
		return "some output\ntaproot-exit:3\n", false
	}
	l.Server.Dial = s.dial
	o, err := l.Run(t.Context(), adb.Command{Name: "x", Line: "do it"})
	if err != nil || o.Code != 3 || string(o.Out) != "some output\n" || asked[0] != "exec:do it; echo taproot-exit:$?" {
		t.Errorf("%q %d, %v, asked %q", o.Out, o.Code, err, asked)
	}
	s.answer = func(string, string) (string, bool) { return "some out", false }
	l.Server.Dial = s.dial
	if _, err := l.Run(t.Context(), adb.Command{Name: "x", Line: "do it"}); !errors.Is(err, drivers.ErrDeviceLost) {
		t.Errorf("a cut reply: %v", err)
	}
}

func TestOutputIsCapped(t *testing.T) {
	t.Parallel()
	l := &adb.Link{Serial: "LOUD", Features: map[string]bool{"shell_v2": true}, Server: New(serverAt("127.0.0.1:1")).srv}
	l.Server.Dial = scripted{answer: func(string, string) (string, bool) {
		return strings.Repeat(says("0123456789"), 10),
			false
	}}.dial
	_, err := l.Run(t.Context(), adb.Command{Name: "x", Line: "x", Max: 5})
	if long := new(adb.TooLong); !errors.As(err, &long) || errors.Is(err, drivers.ErrDeviceLost) {
		t.Errorf("error %v", err)
	}
}

// TestErrorsHideWhatIsTyped: what a test types may be a password, and errors go into reports.
func TestErrorsHideWhatIsTyped(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	p.Fail(androidsim.Fault{Match: "input text", Kind: androidsim.Refuse})
	if err := d.Type(t.Context(), "hunter2"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
}
