//go:build unix

package history

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// childLimited writes a pack with files that cannot grow beyond LIMIT bytes: the kernel cuts a write there, as on a
// full disk.
func childLimited() int {
	signal.Ignore(syscall.SIGXFSZ)
	limit, _ := strconv.ParseUint(os.Getenv("LIMIT"), 10, 64)
	run, err := pack.NewRunDir(os.Getenv("ROOT"), eventtest.Epoch)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c := eventtest.Case("case")
	p, err := run.NewPack(c, pack.PackOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: old.Max}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	err = playCase(p, c, 40)
	switch {
	case errors.Is(err, syscall.EFBIG):
		return 3
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// No byte fits any more, at any point of the pack: a clear error, no half file under a final name, no half line, and no
// pass.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	failed, step := 0, 173
	if testing.Short() {
		step *= 4
	}
	for limit := 0; limit < 9000; limit += step {
		root := t.TempDir()
		err := runChild(t, "limited", "ROOT="+root, "LIMIT="+strconv.Itoa(limit))
		code := exitCode(err)
		dir := filepath.Join(root, "2026-03-04T05-06-07", "case")
		data, readErr := os.ReadFile(filepath.Join(dir, event.EventsFile))
		if readErr != nil || len(data) > 0 && data[len(data)-1] != '\n' {
			t.Errorf("limit %d: half a line: %q, %v", limit, data, readErr)
		}
		sum, sumErr := readSummary(dir)
		switch {
		case code == 3:
			failed++
			if sumErr == nil && sum.Result == event.Pass {
				t.Errorf("limit %d: a pass that could not be kept", limit)
			}
		case code == 0:
			if sumErr != nil || sum.Result != event.Pass {
				t.Errorf("limit %d: %+v, %v", limit, sum, sumErr)
			}
		default:
			t.Errorf("limit %d: %v", limit, err)
		}
		if sumErr != nil && !errors.Is(sumErr, os.ErrNotExist) {
			t.Errorf("limit %d: half a summary: %v", limit, sumErr)
		}
		if _, err := Finalize(root, eventtest.Epoch); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
		if sum, _ := checkPack(t, dir); code == 3 && sum.Result == event.Pass {
			t.Errorf("limit %d: sealed as a pass", limit)
		}
	}
	if failed < 20*173/step {
		t.Errorf("only %d limits were met", failed)
	}
}

func exitCode(err error) int {
	var exit interface{ ExitCode() int }
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}
