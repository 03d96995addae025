//go:build unix

package history

import (
	"bufio"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// A SIGKILL at twenty random moments: each pack can be finalized and verified, and names its last step; the run counts
// the killed cases as interrupted.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	cut, times := 0, 20
	if testing.Short() {
		times = 6
	}
	for range times {
		root := t.TempDir()
		killAt(t, root, time.Duration(random.IntN(60_000))*time.Microsecond)
		if _, err := Finalize(root, eventtest.Epoch); err != nil {
			t.Fatal(err)
		}
		runs, err := filepath.Glob(filepath.Join(root, "*"))
		if err != nil || len(runs) != 1 {
			t.Fatal(runs, err)
		}
		packs, err := pack.Packs(runs[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range packs {
			for _, d := range pack.Verify(dir) {
				t.Errorf("%s: %s", dir, d)
			}
		}
		cut += checkCut(t, runs[0])
	}
	if cut == 0 && !testing.Short() {
		t.Error("no kill hit a case that was running")
	}
}

// checkCut returns how many cases of the run were interrupted.
func checkCut(t *testing.T, dir string) int {
	t.Helper()
	cut := 0
	for _, c := range loadRun(t, dir).Cases {
		if _, err := os.Stat(filepath.Join(dir, c.Pack, event.EventsFile)); err != nil {
			if c.CaseResult.Result != event.Error {
				t.Errorf("%s has no events and is %s", c.Pack, c.CaseResult.Result)
			}
			continue // it was killed before its first event
		}
		switch c.CaseResult.Result {
		case event.Pass:
		case event.Interrupted:
			cut++
			if m := c.CaseResult.Problem.Message; !strings.Contains(m, "in step ") && !strings.Contains(m, "after step ") &&
				!strings.Contains(m, "before the first step") {
				t.Errorf("%s: %s", c.Pack, m)
			}
		default:
			t.Errorf("%s: %s %+v", c.Pack, c.CaseResult.Result, c.CaseResult.Problem)
		}
	}
	if cut > 1 {
		t.Errorf("%d cases of one process were cut", cut)
	}
	return cut
}

// killAt kills a child that writes packs that long after its first step.
func killAt(t *testing.T, root string, after time.Duration) {
	t.Helper()
	killChild(t, root, func(lines *bufio.Scanner) {
		if !lines.Scan() {
			t.Fatal("the child ended by itself")
		}
		time.Sleep(after) // any moment will do
	})
}
