package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// startLimit is how many times the CPU of an empty Go program `taproot version` may take. It takes 7.2 to 7.6 times as
// much; it took 8.5 to 9 times as much with the libraries of the documentation's site and of the metrics, which this
// limit keeps out. What is left are the packages of NATS, huma, goja, MCP and SQLite.
const startLimit = 8.2

// TestStart compares the CPU time of a start with that of an empty program. Each command of a shell session is a start.
// The load of the machine only adds to a measurement, to those of both programs alike, so the minima are compared, and
// the programs are started in turns. More starts bring a minimum closer to the true cost, never below it.
//
// Next to other tests, the caches of the processor are shared, which adds more to the larger program: 8.7 was measured.
func TestStart(t *testing.T) {
	if testing.Short() {
		t.Skip("compares CPU times, which other tests change: make test-full")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the CPU time of a process is counted in steps of 15 ms here")
	}
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(empty, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	taproot, nothing := filepath.Join(dir, "taproot"), filepath.Join(dir, "nothing")
	build(t, taproot, ".")
	build(t, nothing, empty)
	const round, rounds = 25, 6
	least := [2]time.Duration{time.Hour, time.Hour}
	ratio := 0.0
	for range rounds {
		for range round {
			least[0] = min(least[0], cpu(t, taproot, "version"))
			least[1] = min(least[1], cpu(t, nothing))
		}
		if ratio = float64(least[0]) / float64(least[1]); ratio <= startLimit {
			break
		}
	}
	t.Logf("a start takes %v, %.1f times the %v of an empty program", least[0], ratio, least[1])
	if ratio > startLimit {
		t.Errorf("a start takes %.1f times the CPU of an empty program, more than %.1f:\n"+
			"GODEBUG=inittrace=1 taproot version lists what packages take", ratio, startLimit)
	}
}

// build builds with the flags of make build.
func build(t *testing.T, out, pkg string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
}

// cpu returns the CPU time of a process, in user mode and in the kernel.
func cpu(t *testing.T, program string, args ...string) time.Duration {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
