//go:build unix

package history

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// A SIGKILL at any moment leaves whole lines and whole files, and the next start makes a pack of them.
func TestKilled(t *testing.T) {
	t.Parallel()
	for _, n := range testutil.Few(3, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}) {
		t.Run(fmt.Sprintf("after %d steps", n), func(t *testing.T) {
			root := t.TempDir()
			last := killAfter(t, root, n)
			sealed, err := Finalize(root, eventtest.Epoch)
			if err != nil {
				t.Fatal(err)
			}
			packs, err := filepath.Glob(filepath.Join(root, "*", "case-*"))
			if err != nil || len(packs) == 0 {
				t.Fatal(packs, err)
			}
			for _, dir := range packs {
				if _, err := os.Stat(filepath.Join(dir, event.EventsFile)); err != nil {
					continue // killed before its first event: nothing is known of it
				}
				checkKilled(t, dir, last)
			}
			if len(sealed) > 1 {
				t.Errorf("%d packs were sealed", len(sealed))
			}
			if again, err := Finalize(root, eventtest.Epoch); err != nil || len(again) != 0 {
				t.Errorf("sealed again: %v, %v", again, err)
			}
		})
	}
}

// killAfter kills a child that writes packs after it started its nth step, and returns the line of that step: "case-0
// 3".
func killAfter(t *testing.T, root string, n int) (last string) {
	t.Helper()
	killChild(t, root, func(lines *bufio.Scanner) {
		for range n {
			if !lines.Scan() {
				t.Fatal("the child ended by itself")
			}
		}
		last = lines.Text()
	})
	return last
}

func checkKilled(t *testing.T, dir, last string) {
	t.Helper()
	sum, shots := checkPack(t, dir)
	switch sum.Result {
	case event.Pass:
		if sum.StepsPassed != 3 || sum.Screenshots != 3 {
			t.Errorf("%s: a pass with %+v", dir, sum)
		}
	case event.Interrupted:
		if sum.Problem == nil || !strings.Contains(sum.Problem.Message, "step") {
			t.Errorf("%s: %+v", dir, sum.Problem)
		}
	default:
		t.Errorf("%s: %s", dir, sum.Result)
	}
	if shots != sum.Screenshots {
		t.Errorf("%s: %d pictures, %d in the summary", dir, shots, sum.Screenshots)
	}
	pack, step, _ := strings.Cut(last, " ")
	if filepath.Base(dir) == pack && sum.Result == event.Interrupted && sum.StepsUnreached > 3-int(step[0]-'0') {
		t.Errorf("%s: step %s had begun, %d are not reached", dir, step, sum.StepsUnreached)
	}
}
