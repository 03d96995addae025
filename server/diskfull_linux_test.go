package server_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/taproot-dev/taproot/server"
)

// inNamespace is set for the process of TestFullDisk that may mount.
const inNamespace = "SERVER_TEST_IN_NAMESPACE"

// TestFullDisk: a request that needs disk space gets 507 and leaves nothing, and succeeds when there is space again.
func TestFullDisk(t *testing.T) {
	if os.Getenv(inNamespace) == "yes" {
		t.Run("what is sent", onFullDisk)
		t.Run("a run", runOnFullDisk)
		t.Run("the database", databaseOnFullDisk)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"=yes")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: uid, Size: 1}}, GidMappings: []syscall.SysProcIDMap{
				{HostID: os.Getgid(), Size: 1}}}
	}
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestFullDisk")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// smallDisk mounts a file system with a size such as 256k.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size="+size); err != nil {
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return disk
}

// fill writes a file until the disk is full, and returns a function that removes it.
func fill(t *testing.T, disk string) (empty func()) {
	t.Helper()
	name := filepath.Join(disk, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if closed := f.Close(); !errors.Is(err, syscall.ENOSPC) || closed != nil {
		t.Fatal(err, closed)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

func runOnFullDisk(t *testing.T) {
	disk := smallDisk(t, "4m")
	l := newLab(t, 1, func(o *server.Options) { o.Config.Reports = filepath.Join(disk, "reports") })
	empty := fill(t, disk)
	if a := l.ask("POST", "/runs", map[string]any{"yaml": passing}); a.status != 507 ||
		a.code() != "insufficient_storage" {
		t.Errorf("a run without a place for its report: %s", a)
	}
	if a := l.ask("GET", "/runs", nil); string(a.body) != "[]\n" {
		t.Errorf("it is listed: %s", a)
	}
	empty()
	a := l.ask("POST", "/runs", map[string]any{"yaml": passing})
	id, _ := a.json(t)["id"].(string)
	if a.status != 202 || l.ended(id)["result"] != "pass" {
		t.Errorf("with room: %s, %v", a, l.ask("GET", "/runs/"+id, nil))
	}
}

func databaseOnFullDisk(t *testing.T) {
	disk := smallDisk(t, "2m")
	s, with := withService(t, filepath.Join(disk, "service.db"))
	_, token := newAccount(t, s, "ada@example.com")
	l := newLab(t, 0, with)
	create := func(name string) answer {
		return l.ask("POST", "/api/keys", map[string]any{"name": name, "scopes": []string{"*"}}, "Authorization",
			"Bearer "+token)
	}
	if a := create("before"); a.status != 201 {
		t.Fatal(a)
	}
	empty := fill(t, disk)
	made := 0
	for ; made < 10_000; made++ { // the database may have reserved some space
		if a := create("full"); a.status != 201 {
			if a.status != 507 || a.code() != "insufficient_storage" {
				t.Errorf("the database has no room: %s", a)
			}
			break
		}
	}
	empty()
	if a := create("after"); a.status != 201 {
		t.Errorf("with room: %s", a)
	}
	var keys []map[string]any
	if err := json.Unmarshal(l.ask("GET", "/api/keys", nil, "Authorization", "Bearer "+token).body, &keys); err != nil ||
		len(keys) != made+2 {
		t.Errorf("%d keys are listed of %d: %v", len(keys), made+2, err)
	}
}

func onFullDisk(t *testing.T) {
	disk := smallDisk(t, "256k")
	reports, temp := filepath.Join(disk, "reports"), filepath.Join(disk, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	l := newLab(t, 1, func(o *server.Options) { o.Config.Reports = reports })
	t.Setenv("TMPDIR", temp)
	if err := l.phones[0].WriteFile("/sdcard/large", make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 300_000) // that no archive makes smaller
	_, _ = rand.Read(noise)        // never fails
	large := tarOf(t,
		map[string]string{
			"full/summary.json": `{"id": "full", "result": "pass", "duration_ms": 1, "steps": 1, "steps_passed": 1, ` +
				`"steps_failed": 0, "screenshots": 0, "artifacts": []}`,
			"full/artifacts/noise.txt": base64.StdEncoding.EncodeToString(noise)})
	for what, ask := range map[string]func() answer{
		"a pack": func() answer {
			body, kind := form(t, "pack", "x.tar.gz", large)
			return l.ask("POST", "/reports/upload", body, "Content-Type", kind)
		},
		"an app": func() answer { return l.sendApp("SIM1", "x.apk", string(noise)) },
		"a file": func() answer { return l.ask("GET", "/devices/SIM1/file?path=/sdcard/large", nil) },
	} {
		if a := ask(); a.status != 507 || a.code() != "insufficient_storage" {
			t.Errorf("%s: %s", what, a)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left on the disk: %v %v", left, err)
	}
	if a := l.ask("GET", "/reports", nil); string(a.body) != "[]\n" {
		t.Errorf("half a pack is listed: %s", a)
	}
	body, kind := form(t, "pack", "x.tar.gz", foreignPack(t, "small"))
	if a := l.ask("POST", "/reports/upload", body, "Content-Type", kind); a.status != 201 {
		t.Errorf("a pack for which there is room: %s", a)
	}
	if a := l.ask("GET", "/devices/SIM1/file?path=/sdcard/none", nil); a.status != 404 {
		t.Error(a)
	}
}
