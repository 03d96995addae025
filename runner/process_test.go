package runner_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// childVariable makes this test binary a process that leases phones: "hold" leases one and keeps it, "share" leases and
// releases.
const childVariable = "TAPROOT_TEST_LEASE_CHILD"

// child is a second process with its own pool of the same two phones. It prints "held ID", or "double ID" when another
// process has that phone.
func child() int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	dir := os.Getenv("TAPROOT_TEST_DIR")
	pool := pool.New(drivers2(), pool.Options{Getenv: locksIn(dir)})
	if os.Getenv(childVariable) == "hold" {
		if _, err := pool.Lease(ctx, dsl.Android, "a long test"); err != nil {
			fmt.Println("error", err)
			return 1
		}
		fmt.Println("held")
		_, _ = io.Copy(io.Discard, os.Stdin) // until killed, or the parent is gone
		return 0
	}
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() { share(ctx, pool, dir) })
	}
	work.Wait()
	return 0
}

// share leases a phone again and again. A file that only one process can make proves that no other one has it.
func share(ctx context.Context, pool *pool.Pool, dir string) {
	for range 15 {
		lease, err := pool.Lease(ctx, dsl.Android, "a short test")
		if err != nil {
			fmt.Println("error", err)
			return
		}
		mark := filepath.Join(dir, "in-use-"+lease.Info.ID)
		f, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			fmt.Println("double", lease.Info.ID, err)
		} else {
			fmt.Println("held", lease.Info.ID)
			_ = Sleep(ctx, time.Millisecond)
			_ = f.Close()
			_ = os.Remove(mark)
		}
		lease.Release()
	}
}

// startChild starts a child and returns its output.
func startChild(t *testing.T, mode, dir string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+mode, "TAPROOT_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // open until Wait: its end notifies the child that this process has ended
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewReader(out)
}

func TestTwoProcessesNeverHoldOnePhoneAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var outputs []*bufio.Reader
	for range 3 {
		_, out := startChild(t, "share", dir)
		outputs = append(outputs, out)
	}
	held := map[string]int{}
	for _, out := range outputs {
		all, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(all)) {
			word, id, _ := strings.Cut(strings.TrimSpace(line), " ")
			if word != "held" {
				t.Errorf("a child says %s", line)
			}
			held[id]++
		}
	}
	if held["A"]+held["B"] != 3*3*15 || held["A"] == 0 || held["B"] == 0 {
		t.Errorf("leases: %v", held)
	}
}

func TestKilledHolderFreesItsPhonesAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool := pool.New(drivers2(), pool.Options{Getenv: locksIn(dir)})
	var children []*exec.Cmd
	for range 2 { // one phone each
		cmd, out := startChild(t, "hold", dir)
		if line, err := out.ReadString('\n'); err != nil || line != "held\n" {
			t.Fatalf("the child says %q, %v", line, err)
		}
		children = append(children, cmd)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if lease, err := pool.Lease(ctx, dsl.Android, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("leased %+v, %v, while both phones are held", lease, err)
	}
	holders := map[int]bool{}
	for _, id := range []string{"A", "B"} {
		h, ok := pool.Holder(id)
		if holders[h.PID] = true; !ok || h.What != "a long test" || h.Since.IsZero() {
			t.Errorf("%s is held by %+v, %v", id, h, ok)
		}
	}
	for _, cmd := range children {
		if !holders[cmd.Process.Pid] {
			t.Errorf("process %d is not among the holders %v", cmd.Process.Pid, holders)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		lease, err := pool.Lease(ctx, dsl.Android, "x")
		cancel()
		if err != nil {
			t.Fatalf("the phone of a killed process is not free: %v", err)
		}
		defer lease.Release()
	}
}
