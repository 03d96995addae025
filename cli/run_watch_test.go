//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file that is saved makes the tests run again; what the run itself wrote beside them does not; Ctrl-C ends with the last run's code.
func TestWatchRunsAgainWhenAFileIsSaved(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	l.write("one.yaml", passesOnPhone)
	run := l.start("taproot", "run", "one.yaml", "--watch")
	over := func(n int) func() bool {
		return func() bool {
			runs := l.runs()
			if len(runs) != n {
				return false
			}
			_, err := os.Stat(filepath.Join(runs[n-1], "junit.xml"))
			return err == nil
		}
	}
	eventually(t, "the first run is over", over(1))
	l.write("one.yaml", "id: [\n") // half typed: told, and no run
	l.write(".one.yaml.swp", "an editor's")
	l.write("one.yaml", passesOnPhone+"# changed\n")
	eventually(t, "the second run is over", over(2))
	if err := run.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	end := run.wait()
	end.exits(t, 3) // there is no phone: both were skipped
	has(t, "the terminal", end.stdout, "watching; save a file to run again, end with Ctrl-C", "one.yaml was saved")
}
