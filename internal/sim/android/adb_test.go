package androidsim

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// rig is a phone behind a real adb server.
type rig struct {
	t      *testing.T
	adb    *ADB
	phone  *Phone
	serial string
}

func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	p := NewPhone(o)
	t.Cleanup(p.Close)
	a := StartADB(t)
	return &rig{t: t, adb: a, phone: p, serial: a.Connect(t, p)}
}

// run runs adb and returns stdout, stderr and the exit code.
func (r *rig) run(args ...string) (stdout, stderr string, code int) {
	r.t.Helper()
	cmd := r.adb.Command(r.t.Context(), append([]string{"-s", r.serial}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), errs.String(), exit.ExitCode()
	}
	if err != nil {
		r.t.Fatalf("adb %v: %v", args, err)
	}
	return out.String(), errs.String(), 0
}

func TestRealADB(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	t.Run("shell keeps streams and exit codes apart", func(t *testing.T) {
		out, errs, code := r.run("shell", "echo out; echo err >&2; exit 7")
		if out != "out\n" || errs != "err\n" || code != 7 {
			t.Errorf("got %q, %q, %d", out, errs, code)
		}
		_, errs, code = r.run("shell", "foo --bar")
		if errs != "/system/bin/sh: foo: inaccessible or not found\n" || code != 127 {
			t.Errorf("unknown command: got %q, %d", errs, code)
		}
	})
	t.Run("screencap is a PNG of the screen", func(t *testing.T) {
		out, _, _ := r.run("exec-out", "screencap", "-p")
		img, err := png.Decode(strings.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if s := img.Bounds().Size(); s.X != 1080 || s.Y != 2400 {
			t.Errorf("size %v", s)
		}
	})
	t.Run("push and pull", func(t *testing.T) {
		dir := t.TempDir()
		data := bytes.Repeat([]byte("0123456789"), 10000)
		from, to := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		if err := os.WriteFile(from, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, errs, code := r.run("push", from, "/sdcard/Download/a.bin"); code != 0 {
			t.Fatalf("push: %s%s", out, errs)
		}
		if out, errs, code := r.run("pull", "/sdcard/Download/a.bin", to); code != 0 {
			t.Fatalf("pull: %s%s", out, errs)
		}
		got, err := os.ReadFile(to)
		if err != nil || sha256.Sum256(got) != sha256.Sum256(data) {
			t.Errorf("%d bytes came back of %d (%v)", len(got), len(data), err)
		}
		if out, errs, code := r.run("pull", "/sdcard/none", to); code == 0 || !strings.Contains(out+errs, "No such file") {
			t.Errorf("pull of nothing: %q %q %d", out, errs, code)
		}
	})
	t.Run("install", func(t *testing.T) {
		dir := t.TempDir()
		good, bad := filepath.Join(dir, "good.apk"), filepath.Join(dir, "bad.apk")
		if err := os.WriteFile(good, []byte("PK\x03\x04\npackage=org.sample.notes\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(bad, []byte("no zip"), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, errs, code := r.run("install", good); code != 0 || !strings.Contains(out, "Success") {
			t.Errorf("install: %q %q %d", out, errs, code)
		}
		if out, errs, code := r.run("install", bad); code == 0 ||
			!strings.Contains(out+errs, "INSTALL_PARSE_FAILED_NOT_APK") {
			t.Errorf("install of no apk: %q %q %d", out, errs, code)
		}
		if out, _, _ := r.run("shell", "pm", "list", "packages", "-3"); !strings.Contains(out, "package:org.sample.notes\n") {
			t.Errorf("packages: %q", out)
		}
	})
	t.Run("closing the host's end kills the device's process", func(t *testing.T) {
		cmd := r.adb.Command(t.Context(), "-s", r.serial, "shell", "sleep 100")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "sleep runs", func() bool { return r.running("sleep") })
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		until(t, "sleep is gone", func() bool { return !r.running("sleep") })
	})
}

func (r *rig) running(name string) bool {
	for _, p := range r.phone.kernel.Procs.List() {
		if p.Name == name {
			return true
		}
	}
	return false
}

func TestLoginThroughADB(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	r.run("shell", "am start -W -n com.example.login/.MainActivity")
	const dump = "uiautomator dump /data/local/tmp/x.xml >/dev/null && cat /data/local/tmp/x.xml; rm -f " +
		"/data/local/tmp/x.xml"
	until(t, "the form is there", func() bool {
		out, _, _ := r.run("exec-out", dump)
		return strings.Contains(out,
			`"Sign in"`)
	})
	out, _, _ := r.run("exec-out", dump)
	x, y := center(t, out, "E-mail")
	r.run("shell", "input", "tap", x, y)
	r.run("shell", "input text ada@example.com")
	r.run("shell", "input keyevent 61; input text lovelace; input keyevent KEYCODE_ENTER")
	until(t, "welcome", func() bool { out, _, _ := r.run("exec-out", dump); return strings.Contains(out, "Welcome, Ada") })
	if got := r.phone.Foreground(); got != "com.example.login/.MainActivity" {
		t.Errorf("foreground %s", got)
	}
}

func TestRealADBStreams(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	t.Run("logcat streams", func(t *testing.T) {
		cmd := r.adb.Command(t.Context(), "-s", r.serial, "logcat", "-v", "raw")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "logcat runs", func() bool { return r.running("logcat") })
		r.phone.Log('I', "Test", "hello from the phone")
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "hello from the phone" {
		}
		if lines.Text() != "hello from the phone" {
			t.Error("the line did not come")
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		until(t, "logcat is gone", func() bool { return !r.running("logcat") })
	})
	t.Run("reverse is refused", func(t *testing.T) {
		if _, errs, code := r.run("reverse", "tcp:7000", "tcp:7000"); code == 0 ||
			!strings.Contains(errs, "cannot bind listener") {
			t.Errorf("got %q, %d", errs, code)
		}
	})
	t.Run("a directory is listed", func(t *testing.T) {
		if out, _, _ := r.run("ls", "/sdcard"); !strings.Contains(out, "Download") {
			t.Errorf("got %q", out)
		}
	})
	t.Run("root is refused", func(t *testing.T) {
		if out, _, _ := r.run("root"); !strings.Contains(out, "adbd cannot run as root in production builds") {
			t.Errorf("got %q", out)
		}
	})
	t.Run("the phone comes back after a drop", func(t *testing.T) {
		r.phone.Fail(Fault{Match: "echo bye", Nth: 1, Kind: Drop})
		// adb itself exits with 0 here: only the missing output shows that the device went away.
		if out, _, _ := r.run("shell", "echo bye"); out != "" {
			t.Errorf("got %q", out)
		}
		until(t, "adb reconnects", func() bool { out, _, _ := r.run("shell", "echo back"); return out == "back\n" })
	})
}

// ffprobe reads a video's length and the number of its frames.
func ffprobe(t *testing.T, file string) (string, error) {
	t.Helper()
	path, err := exec.LookPath("ffprobe")
	if err != nil {
		t.Fatal("ffprobe is not installed: install ffmpeg")
	}
	out, err := exec.CommandContext(t.Context(), path, "-v", "error", "-count_frames", "-select_streams", "v",
		"-show_entries", "stream=width,height,nb_read_frames:format=duration", "-of", "default=nw=1", file).CombinedOutput()
	return string(out), err
}

func TestScreenrecord(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{LoginLoading: 300 * time.Millisecond})
	record := func(name, sig string) string {
		t.Helper()
		done, before := make(chan struct{}), r.phone.EncodedFrames()
		go func() {
			defer close(done)
			cmd := r.adb.Command(t.Context(), "-s", r.serial, "shell",
				"exec screenrecord --size 540x1200 --bit-rate 4000000 /sdcard/"+name)
			_ = cmd.Run()
		}()
		until(t, "screenrecord films", func() bool { return r.phone.EncodedFrames() > before })
		r.run("shell", "am start -W -n com.example.login/.MainActivity")
		until(t, "some frames", func() bool {
			return strings.Contains(r.phone.Tree(), "Sign in") &&
				r.phone.EncodedFrames() > before+1
		})
		r.run("shell", "pkill -l "+sig+" screenrecord")
		<-done
		until(t, "screenrecord has ended", func() bool { return !r.running("screenrecord") })
		local := filepath.Join(t.TempDir(), name)
		if out, errs, code := r.run("pull", "/sdcard/"+name, local); code != 0 {
			t.Fatalf("pull: %s%s", out, errs)
		}
		return local
	}
	info, err := ffprobe(t, record("good.mp4", "INT"))
	if err != nil || !strings.Contains(info, "width=540\nheight=1200\n") || strings.Contains(info, "nb_read_frames=1\n") {
		t.Errorf("after SIGINT: %v %s", err, info)
	}
	r.run("shell", "am force-stop com.example.login")
	if info, err := ffprobe(t, record("bad.mp4", "9")); err == nil || !strings.Contains(info, "moov") {
		t.Errorf("after SIGKILL: %v %s", err, info)
	}
	out, errs, code := r.run("shell", "screenrecord --time-limit 1 /sdcard/short.mp4; ls -l /sdcard/short.mp4")
	if code != 0 || errs != "" || !strings.Contains(out, "short.mp4") {
		t.Errorf("with a time limit: %q %q %d", out, errs, code)
	}
}

func TestUnauthorizedPhone(t *testing.T) {
	t.Parallel()
	p := NewPhone(Options{Unauthorized: true})
	defer p.Close()
	a := StartADB(t)
	addr, err := p.ListenADBD(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if out, _ := a.Command(t.Context(), "connect", addr).CombinedOutput(); !strings.Contains(string(out),
		"failed to authenticate to "+addr) {
		t.Errorf("connect: %q", out)
	}
	out, _ := a.Command(t.Context(), "devices").Output()
	if !strings.Contains(string(out), addr+"\tunauthorized") {
		t.Errorf("devices: %q", out)
	}
	p.SetState(StateDevice)
	until(t, "it is accepted", func() bool {
		out, _ := a.Command(t.Context(), "connect", addr).CombinedOutput()
		state, _ := a.Command(t.Context(), "-s", addr, "get-state").Output()
		return strings.Contains(string(out), "connected") && string(state) == "device\n"
	})
}

// TestServerWhosePortWasTaken: between finding a free port and adb's own bind another program may take it, and adb
// ends.
func TestServerWhosePortWasTaken(t *testing.T) {
	t.Parallel()
	adb, err := exec.LookPath("adb")
	if err != nil {
		t.Fatal("this test needs adb: ", err)
	}
	home := t.TempDir()
	path := filepath.Join(home, "adb.sh")
	script := "#!/bin/sh\necho \"$2\" >> \"$HOME/ports\"\n[ $(wc -l < \"$HOME/ports\") -gt 2 ] || exit 1\nexec '" + adb +
		"' \"$@\"\n"
	testutil.WriteProgram(t, path, script, 0o755)
	a, stop, err := ServeADB(t.Context(), path, home)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if tried, err := os.ReadFile(filepath.Join(home, "ports")); err != nil || strings.Count(string(tried), "\n") != 3 {
		t.Errorf("tried %q, %v", tried, err)
	}
	p := NewPhone(Options{})
	defer p.Close()
	a.Path = adb
	a.Connect(t, p)
}

func TestLab(t *testing.T) {
	a := StartADB(t)
	for _, v := range a.Env {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "A") || name == "HOME" {
			t.Setenv(name, value)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var said bytes.Buffer
	var serials []string
	err := RunLab(ctx, LabOptions{Phones: 2, Out: &said, Ready: func(s []string) {
		serials = s
		for _, serial := range s {
			if out, _ := a.Command(ctx, "-s", serial, "shell", "getprop ro.product.model").Output(); string(out) != "Pixel 7\n" {
				t.Errorf("%s: %q", serial, out)
			}
		}
		cancel()
	}})
	if err != nil || len(serials) != 2 {
		t.Fatalf("lab: %v, %v", err, serials)
	}
	if want := serials[0] + "\tPixel 7, Android 14\n" + serials[1] + "\tPixel 7, Android 14\n"; said.String() != want {
		t.Errorf("it said %q", said.String())
	}
	if out, _ := a.Command(t.Context(), "devices").Output(); strings.Contains(string(out), "127.0.0.1") {
		t.Errorf("still connected: %s", out)
	}
}
