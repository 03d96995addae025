package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/taproot-dev/taproot/internal/shorttest"
	"github.com/taproot-dev/taproot/reporters/event"
)

// inNamespace is set for the process of TestFullDisk that may mount.
const inNamespace = "CLI_TEST_IN_NAMESPACE"

// A full disk is told, never passed over: exit code 3, words on stderr, no half file under a final name.
func TestFullDisk(t *testing.T) {
	if os.Getenv(inNamespace) == "" {
		t.Parallel()
		againInNamespace(t)
		return
	}
	for _, size := range shorttest.Few(2, []string{"12k", "40k", "120k"}) { // full from the first event on, at a screenshot, at a later one or the film
		t.Run(size, func(t *testing.T) { onDiskOf(t, size) })
	}
}

// againInNamespace runs the test once more in a process that has mounts of its own, as root of its own where it is not root.
func againInNamespace(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v", fmt.Sprintf("-test.short=%t", testing.Short()))
	cmd.Env = append(os.Environ(), inNamespace+"=yes")
	attr := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if uid := os.Getuid(); uid != 0 {
		attr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: uid, Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	}
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("--- PASS: TestFullDisk/120k")) {
		t.Fatalf("nothing was tested\n%s", out)
	}
}

func onDiskOf(t *testing.T, size string) {
	l := filmingLab(t, 1)
	if err := os.Mkdir(l.reports, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", l.reports, "tmpfs", 0, "size="+size); err != nil {
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(l.reports, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	l.write("list.yaml", "id: list\nplatform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n"+
		strings.Repeat("  - assert: Payments\n  - tap: Grüße\n  - assert: 'Tapped: Grüße'\n", 3))
	run := l.taproot("run", "list.yaml")
	run.exits(t, 3)
	has(t, "stderr", run.stderr, "taproot: the report of list is not whole: ", "no space left on device", "taproot: the disk that holds "+l.reports+" is full\n")
	has(t, "stdout", run.stdout, "! ERROR list", "\n0 passed, 1 error in ")
	onlyWholeFiles(t, l.reports)
	l.quiet()
}

// onlyWholeFiles checks everything under the names by which readers know the files of a pack.
func onlyWholeFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/.work/") {
			return err
		}
		switch name := d.Name(); {
		case strings.HasSuffix(name, ".json"):
			if !json.Valid([]byte(read(t, path))) {
				t.Errorf("%s is cut: %q", path, read(t, path))
			}
		case name == "run.md":
			has(t, path, read(t, path), "ERROR", "## Files\n", "no space left on device")
		case strings.HasSuffix(name, ".png"):
			picture(t, path)
		case name == "recording.mp4":
			if !strings.Contains(read(t, path), "moov") {
				t.Errorf("%s is cut", path)
			}
		case name == "events.ndjson":
			if _, err := event.ReadEvents(strings.NewReader(read(t, path))); err != nil {
				t.Error(err)
			}
		case strings.HasSuffix(name, ".html"):
			has(t, path, read(t, path), "</html>")
		case name == "junit.xml":
			has(t, path, read(t, path), "</testsuite>")
		case name == "history.jsonl":
			for line := range strings.Lines(read(t, path)) {
				if !json.Valid([]byte(line)) {
					t.Errorf("%s has half a line: %q", path, line)
				}
			}
		case name == "summary.md" || name == "latest" || name == "logcat.txt" || name == ".live" || name == ".history.lock":
		default:
			t.Errorf("left: %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
