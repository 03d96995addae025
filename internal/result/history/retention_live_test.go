//go:build unix

package history

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// While another process starts, writes and ends runs, all of them beyond every limit, a prune in a loop touches none
// that is live: the other process finds each of its packs complete.
func TestPruneDuringRuns(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := child(ctx, t, "runs", "ROOT="+root, "RUNS="+strconv.Itoa(liveRuns()))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	go func() {
		in := bufio.NewScanner(out)
		last := ""
		for in.Scan() {
			last = in.Text()
		}
		done <- last
	}()
	gone := 0
	for ended := false; !ended; {
		pruned, err := Prune(root, Limits{Days: 1, Runs: 1}, time.Now(), false)
		if err != nil {
			t.Errorf("prune: %v", err)
		}
		gone += len(pruned)
		select {
		case last := <-done:
			if ended = true; last != "whole" {
				t.Errorf("the runs ended with %q", last)
			}
		default:
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	pruned, err := Prune(root, Limits{Days: 1, Runs: 1}, time.Now(), false)
	// More than were written: a folder that was pruned before its run could mark it as live was made again.
	if gone += len(pruned); err != nil || gone < liveRuns() {
		t.Errorf("%d of %d runs were pruned in the end, %v", gone, liveRuns(), err)
	}
	for _, name := range eventtest.Entries(t, root) {
		t.Errorf("%s is left", name)
	}
}

// liveRuns are how many there are.
func liveRuns() int {
	if testing.Short() {
		return 12
	}
	return 60
}

// childRuns makes runs with names of years ago, one after the other, and checks each before it ends.
func childRuns() int {
	root := os.Getenv("ROOT")
	runs, err := strconv.Atoi(os.Getenv("RUNS"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for i := range runs {
		run, err := pack.NewRunDir(root, time.Date(2001, 1, 1, 0, 0, i, 0, time.UTC))
		if err == nil {
			err = oneRun(run)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, i, err)
			fmt.Println("broken")
			return 1
		}
	}
	fmt.Println("whole")
	return 0
}

func oneRun(run *pack.RunDir) error {
	c := eventtest.Case("case")
	p, err := run.NewPack(c, pack.PackOptions{})
	if err != nil {
		return err
	}
	if err := playQuietly(p, c); err != nil {
		return err
	}
	if found := pack.Verify(p.Dir()); len(found) > 0 {
		return fmt.Errorf("%s: %v", filepath.Base(run.Path()), found)
	}
	return run.Close()
}

func playQuietly(p *pack.Pack, c event.Case) error {
	if err := p.Emit(event.Event{Kind: event.CaseStarted, Case: &c}); err != nil {
		return err
	}
	for _, s := range c.Steps {
		for _, e := range []event.Event{{Kind: event.StepStarted, Step: s.N},
			{Kind: event.StepEnded, Step: s.N, Result: event.Pass}} {
			if err := p.Emit(e); err != nil {
				return err
			}
		}
		if err := p.Screenshot(context.Background(), event.Shot{Image: eventtest.Noise(20, 20), Step: s.N,
			Label: strings.ToUpper(s.Action)}); err != nil {
			return err
		}
	}
	if err := p.Emit(event.Event{Kind: event.CaseEnded, Result: event.Pass}); err != nil {
		return err
	}
	_, err := p.Finish(context.Background())
	return err
}
