//go:build unix

package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A saved file makes the tests run again; files that the run writes do not. Ctrl-C ends with the exit code of the last
// run.
func TestWatchRunsAgainWhenAFileIsSaved(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	l.write("one.yaml", passesOnPhone)
	said := newWaitingBuffer()
	run := exec.CommandContext(t.Context(), "taproot", "run", "one.yaml", "--watch")
	run.Dir, run.Env, run.Stdout, run.Stderr = l.dir, l.env, said, said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	save := func(text string) { // in one step, as editors do: a partial file would be a further change
		l.write(".one.yaml.new", text)
		if err := os.Rename(filepath.Join(l.dir, ".one.yaml.new"), filepath.Join(l.dir, "one.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	watching := func(n int) {
		t.Helper()
		eventually(t, "it waits for a file to be saved", func() bool {
			return strings.Count(said.text(), "watching; save a file to run again, press Ctrl-C to end") >= n
		})
	}
	watching(1)
	save("id: [\n") // incomplete: reported, without a run
	watching(2)
	if n := len(l.runs()); n != 1 {
		t.Errorf("%d runs", n)
	}
	l.write(".one.yaml.swp", "an editor's")
	save(passesOnPhone + "# changed\n")
	watching(3)
	if n := len(l.runs()); n != 2 {
		t.Errorf("%d runs", n)
	}
	if err := run.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := run.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 3 { // there is no phone: both were skipped
		t.Errorf("%v\n%s", err, said.text())
	}
	has(t, "the terminal", said.text(), "one.yaml was saved", "one.yaml:1")
}
