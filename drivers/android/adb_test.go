package android

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
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
	t.Parallel()
	phone := androidsim.NewPhone(androidsim.Options{LoginLoading: 1})
	t.Cleanup(phone.Close)
	adb := androidsim.StartADB(t)
	serial := adb.Connect(t, phone)
	driver := New(Options{Getenv: portEnv(adb.Port), FindADB: serverAt("").FindADB})
	infos, err := driver.Devices(t.Context())
	if err != nil || len(infos) != 1 || infos[0].ID != serial || infos[0].State != drivers.Ready ||
		infos[0].Width != 1080 {
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
	record, err := d.StartRecording(t.Context(), t.TempDir())
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
	if clips, err := record.Stop(t.Context()); err != nil || len(clips) != 1 {
		t.Errorf("clips %v, %v", clips, err)
	}
	if err := d.Launch(t.Context(), "com.example.logn", false); !errors.Is(err, drivers.ErrNoApp) {
		t.Errorf("error %v", err)
	}
	phone.Fail(androidsim.Fault{Match: "uiautomator", Kind: androidsim.Drop})
	if _, err := d.Tree(t.Context()); !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), serial) {
		t.Errorf("a drop gave %v", err)
	}
	if err := driver.Close(); err != nil {
		t.Error(err)
	}
}

// TestServerIsStartedAndRestarted: with an adb server that is killed in the middle. It runs in a home of its own.
func TestServerIsStartedAndRestarted(t *testing.T) {
	t.Parallel()
	adb, err := exec.LookPath("adb")
	if err != nil {
		t.Fatal("this test needs adb: ", err)
	}
	home := t.TempDir()
	// an adb client that polls for a server on a port of a client's may get connected to itself
	ports, err := drivers.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	port := ports[0]
	script := filepath.Join(home, "adb.sh")
	lines := fmt.Sprintf(
		"#!/bin/sh\nexport HOME=%[1]s TMPDIR=%[1]s ANDROID_VENDOR_KEYS=%[1]s/none ADB_MDNS=0 ADB_LIBUSB=0 "+
			"ADB_LOCAL_TRANSPORT_MAX_PORT=5554\n"+
			"echo started >> %[1]s/starts\nexec %[2]s \"$@\"\n", shellescape.Quote(home), shellescape.Quote(adb))
	testutil.WriteProgram(t, script, lines, 0o755)
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
		FindADB:  func(context.Context) (string, error) { return script, nil },
		NotesDir: t.TempDir(),
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
	var phones [2]*androidsim.Phone
	var serials [2]string
	for i := range phones {
		phones[i] = androidsim.NewPhone(androidsim.Options{})
		t.Cleanup(phones[i].Close)
		var err error
		if serials[i], err = phones[i].ListenADBD(t.Context(), "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		run("connect", serials[i])
		run("-s", serials[i], "wait-for-device")
	}
	if list, err := driver.Devices(t.Context()); err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	phone, serial := phones[0], serials[0]
	dev, err := driver.Open(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	phone.Fail(androidsim.Fault{Match: "uiautomator", Nth: 1, Kind: androidsim.Hang})
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for phone.Failed() == 0 { // the phone hangs
			if drivers.Pause(t.Context(), input.KeyboardPoll) != nil {
				return
			}
		}
		if drivers.Pause(t.Context(), input.KeyboardPoll) == nil {
			run("kill-server")
		}
	}()
	if _, err := dev.Tree(t.Context()); err != nil { // nothing was changed, so it was asked again
		t.Errorf("a killed server gave %v", err)
	}
	<-killed
	// Only the driver connects the phones. Both are requested at once: adb starts once, and both phones are known.
	var work [3]error
	var all sync.WaitGroup
	all.Go(func() { work[0] = useAgain(t, driver, serials[1]) })
	all.Go(func() { work[1] = useAgain(t, driver, serials[0]) })
	all.Go(func() { _, work[2] = dev.Screenshot(t.Context()) })
	all.Wait()
	if err := errors.Join(work[:]...); err != nil {
		t.Errorf("after the server died: %v", err)
	}
	if starts, err := os.ReadFile(filepath.Join(home, "starts")); err != nil ||
		strings.Count(string(starts), "started") != 7 {
		t.Errorf("adb ran %q, %v", starts, err)
	}
	// A server that another program has started knows nothing either, and the list brings them back.
	run("kill-server")
	run("start-server")
	list, err := driver.Devices(t.Context())
	if err != nil || len(list) != 2 || list[0].State != drivers.Ready || list[1].State != drivers.Ready {
		t.Errorf("after another program's start: %+v, %v", list, err)
	}
	// One that stays switched off is waited for once, and delays no other device.
	phones[1].Close()
	run("disconnect", serials[1])
	for range 2 {
		if list, err = driver.Devices(t.Context()); err != nil || len(list) == 0 || list[0].ID != serial &&
			list[len(list)-1].ID != serial {
			t.Errorf("%+v, %v", list, err)
		}
	}
	if _, err := driver.Open(t.Context(), serials[1]); !errors.Is(err, drivers.ErrDeviceLost) ||
		!strings.Contains(err.Error(), serials[1]) {
		t.Errorf("a phone that is gone: %v", err)
	}
	if err := useAgain(t, driver, serial); err != nil {
		t.Error(err)
	}
	if err := driver.Close(); err != nil {
		t.Error(err)
	}
}

// useAgain opens a phone and looks at its screen.
func useAgain(t *testing.T, driver *Driver, serial string) error {
	dev, err := driver.Open(t.Context(), serial)
	if err != nil {
		return err
	}
	_, err = dev.Screenshot(t.Context())
	return errors.Join(err, dev.Close())
}
