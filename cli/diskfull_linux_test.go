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

	"github.com/taproot-dev/taproot/cli"
	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// inNamespace is set for the process of TestFullDisk that may mount.
const inNamespace = "CLI_TEST_IN_NAMESPACE"

// A full disk is reported: exit code 3, a message on stderr, and no incomplete file under a final name.
func TestFullDisk(t *testing.T) {
	if os.Getenv(inNamespace) == "" {
		t.Parallel()
		againInNamespace(t)
		return
	}
	// full from the first event on, at a screenshot, at a later one or at the recording
	for _, size := range testutil.Few(2, []string{"12k", "40k", "120k"}) {
		t.Run(size, func(t *testing.T) { onDiskOf(t, size) })
	}
	t.Run("when the tests have passed", fullAtEnd)
}

// againInNamespace runs the test again in a process with mounts of its own, and as root in a user namespace if it is
// not root.
func againInNamespace(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v",
		fmt.Sprintf("-test.short=%t", testing.Short()))
	cmd.Env = append(os.Environ(), inNamespace+"=yes")
	attr := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if uid := os.Getuid(); uid != 0 {
		attr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: uid, Size: 1}}, GidMappings: []syscall.SysProcIDMap{
				{HostID: os.Getgid(), Size: 1}}}
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
	l := recordingLab(t, 1)
	smallDisk(t, l.reports, size)
	l.write("list.yaml", "id: list\nplatform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n"+
		strings.Repeat("  - assert: Payments\n  - tap: Grüße\n  - assert: 'Tapped: Grüße'\n", 3))
	run := l.taproot("run", "list.yaml")
	run.exits(t, 3)
	has(t, "stderr", run.stderr, "taproot: the report of list is incomplete: ", "no space left on device",
		"taproot: the disk of "+l.reports+" is full\n")
	has(t, "stdout", run.stdout, "! ERROR list", "\n0 passed, 1 error in ")
	onlyWholeFiles(t, l.reports)
	l.quiet()
}

func smallDisk(t *testing.T, dir, size string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
}

// filler is an output; the disk is full when the total has been written to it.
type filler struct {
	text bytes.Buffer
	file string
}

func (f *filler) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("1 passed")) {
		_ = os.WriteFile(f.file, make([]byte, 8<<20), 0o600) // fills the disk, and fails
	}
	return f.text.Write(p)
}

// fullAtEnd: a disk that is full after the last test leaves no index.html, and the run does not end with 0.
func fullAtEnd(t *testing.T) {
	l := newLab(t, 1)
	smallDisk(t, l.reports, "4m")
	l.write("passes.yaml", passesOnPhone)
	for _, entry := range l.env {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	stdout, stderr := filler{file: filepath.Join(l.reports, "filler")}, bytes.Buffer{}
	code := cli.Run(t.Context(), &process.Env{Args: []string{"run", "passes.yaml"}, Stdin: strings.NewReader(""),
		Stdout: &stdout, Stderr: &stderr,
		Dir: l.dir, Getenv: os.Getenv, Environ: os.Environ()})
	if code != 3 {
		t.Errorf("exit code %d\n%s%s", code, &stdout.text, &stderr)
	}
	has(t, "stderr", stderr.String(), "taproot: the report is not complete, because "+l.reports+"/", "/index.html, ",
		"could not be written: no space left on device\n")
	if found, err := filepath.Glob(filepath.Join(l.reports, "*", "index.html")); err != nil || len(found) > 0 {
		t.Error("the disk was not full", found, err)
	}
}

// onlyWholeFiles checks all files under the names by which readers know the files of a pack.
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
