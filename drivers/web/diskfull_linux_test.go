package web

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// inNamespace names the folder of the process of TestFirefoxOnAFullDisk that may mount.
const inNamespace = "WEB_TEST_IN_NAMESPACE"

// A Firefox without disk space for its profile is one sentence that says where, and leaves nothing there. Chromium
// starts all the same.
func TestFirefoxOnAFullDisk(t *testing.T) {
	dir := os.Getenv(inNamespace)
	if dir == "" {
		t.Parallel()
		leftToFirefox(t)
		againInNamespace(t)
		return
	}
	Must(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"))
	t.Cleanup(func() { Must(t, syscall.Unmount(dir, 0)) })
	fill := filepath.Join(dir, "fill")
	if err := os.WriteFile(fill, bytes.Repeat([]byte("x"), 128<<10), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	own := New(Options{Browser: dsl.Firefox})
	_, err := own.Open(t.Context(), "web-1")
	if drivers.AppIsWrong(err) {
		t.Errorf("%v blames the page", err)
	}
	WantError(t, err, drivers.ErrDeviceLost, "Firefox", "did not start: no space left on device in "+dir, "set TMPDIR")
	Must(t, own.Close())
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// againInNamespace runs the test once more in a process that has mounts of its own, as root of its own where it is not
// root.
func againInNamespace(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"="+dir, "TMPDIR="+dir)
	attr := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if uid := os.Getuid(); uid != 0 {
		attr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: uid, Size: 1}}, GidMappings: []syscall.SysProcIDMap{
				{HostID: os.Getgid(), Size: 1}}}
	}
	cmd.SysProcAttr = attr
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
}
