package android

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/androidtest"
)

func portEnv(port int) func(string) string {
	return func(name string) string {
		if name == "ANDROID_ADB_SERVER_PORT" {
			return fmt.Sprint(port)
		}
		return ""
	}
}

// TestThroughRealADB: what works against the simulator's own server also does through the real one.
func TestThroughRealADB(t *testing.T) {
	phone := androidtest.NewPhone(androidtest.Options{LoginLoading: 1})
	t.Cleanup(phone.Close)
	adb := androidtest.StartADB(t)
	serial := adb.Connect(t, phone)
	driver := New(Options{Getenv: portEnv(adb.Port), FindADB: serverAt("").FindADB})
	infos, err := driver.Devices(t.Context())
	if err != nil || len(infos) != 1 || infos[0].ID != serial || infos[0].State != drivers.Ready || infos[0].Width != 1080 {
		t.Fatalf("devices %+v, %v", infos, err)
	}
	opened, err := driver.Open(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	d := opened.(*Device)
	var log strings.Builder
	stop, err := d.StartLog(t.Context(), &log)
	if err != nil {
		t.Fatal(err)
	}
	film, err := d.StartRecording(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	loginForm(t, d)
	const text = `it's 100%sure "yes" $HOME`
	if err := d.Type(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	if got := fieldText(t, d); got != text {
		t.Errorf("typed %q", got)
	}
	img, err := d.Screenshot(t.Context())
	if err != nil || img.Bounds() != image.Rect(0, 0, 1080, 2400) {
		t.Errorf("screenshot %v, %v", img, err)
	}
	phone.Log('I', "Mine", "a line")
	if err := stop(); err != nil || !strings.Contains(log.String(), "a line\n") {
		t.Errorf("log %v\n%s", err, log.String())
	}
	if clips, err := film.Stop(t.Context()); err != nil || len(clips) != 1 {
		t.Errorf("clips %v, %v", clips, err)
	}
	if err := d.Launch(t.Context(), "com.example.logn", false); !errors.Is(err, drivers.ErrNoApp) {
		t.Errorf("error %v", err)
	}
	phone.Fail(androidtest.Fault{Match: "uiautomator", Kind: androidtest.Drop})
	if _, err := d.Tree(t.Context()); !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), serial) {
		t.Errorf("a drop gave %v", err)
	}
	if err := driver.Close(); err != nil {
		t.Error(err)
	}
}

// TestServerIsStartedAndRestarted: with an adb server that is killed in the middle. It runs in a home of its own.
func TestServerIsStartedAndRestarted(t *testing.T) {
	adb, err := exec.LookPath("adb")
	if err != nil {
		t.Fatal("this test needs adb: ", err)
	}
	home := t.TempDir()
	_, port, err := net.SplitHostPort(nobody(t))
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(home, "adb.sh")
	lines := fmt.Sprintf("#!/bin/sh\nexport HOME=%[1]s TMPDIR=%[1]s ANDROID_VENDOR_KEYS=%[1]s/none ADB_MDNS=0 ADB_LIBUSB=0 ADB_LOCAL_TRANSPORT_MAX_PORT=5554\n"+
		"echo started >> %[1]s/starts\nexec %[2]s \"$@\"\n", shellescape.Quote(home), shellescape.Quote(adb))
	if err := os.WriteFile(script, []byte(lines), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		said, err := exec.Command(script, append([]string{"-P", port}, args...)...).CombinedOutput()
		if err != nil {
			t.Logf("adb %v: %v: %s", args, err, said)
		}
		return string(said)
	}
	t.Cleanup(func() { run("kill-server") })
	driver := New(Options{
		Getenv: func(name string) string {
			return map[string]string{"ANDROID_ADB_SERVER_PORT": port}[name]
		},
		FindADB: func(context.Context) (string, error) { return script, nil },
	})
	var infos [8]error
	done := make(chan struct{})
	for i := range infos {
		go func() {
			_, infos[i] = driver.Devices(t.Context())
			done <- struct{}{}
		}()
	}
	for range infos {
		<-done
	}
	if err := errors.Join(infos[:]...); err != nil {
		t.Fatal(err)
	}
	if starts, err := os.ReadFile(filepath.Join(home, "starts")); err != nil || string(starts) != "started\n" {
		t.Errorf("adb ran %q, %v; eight callers need one start", starts, err)
	}
	phone := androidtest.NewPhone(androidtest.Options{})
	t.Cleanup(phone.Close)
	serial, err := phone.ListenADBD(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connect := func() {
		run("connect", serial)
		run("-s", serial, "wait-for-device")
	}
	connect()
	dev, err := driver.Open(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	phone.Fail(androidtest.Fault{Match: "uiautomator", Nth: 1, Kind: androidtest.Hang})
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for phone.Count("dumpsys") == 0 { // the device is open
			if pause(t.Context(), keyboardPoll) != nil {
				return
			}
		}
		if pause(t.Context(), keyboardPoll) == nil {
			run("kill-server")
		}
	}()
	if _, err := dev.Tree(t.Context()); !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), serial) {
		t.Errorf("a killed server gave %v", err)
	}
	<-killed
	// The new server knows nothing of phones that were connected by address: an error, not a hang.
	if _, err := dev.Screenshot(t.Context()); !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), serial) {
		t.Errorf("the first call after it gave %v", err)
	}
	connect()
	if _, err := dev.Screenshot(t.Context()); err != nil {
		t.Errorf("after the phone was connected again: %v", err)
	}
	if err := driver.Close(); err != nil {
		t.Error(err)
	}
}
