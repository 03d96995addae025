//go:build unix

package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// children are the parts that the test binary plays in another process.
var children = map[string]func() int{
	"killed":  childKilled,
	"limited": childLimited,
	"runs":    childRuns,
}

// child prepares the test binary to play a part; args reach it as environment.
func child(ctx context.Context, t *testing.T, part string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), append(env, childEnv+"="+part, "GORACE=atexit_sleep_ms=0")...)
	cmd.Stderr = os.Stderr
	return cmd
}

// childKilled writes one pack after the other until it is killed, and prints a line per step that it started.
func childKilled() int {
	run, err := pack.NewRunDir(os.Getenv("ROOT"), eventtest.Epoch)
	for i := 0; err == nil; i++ {
		c := eventtest.Case(fmt.Sprintf("case-%d", i))
		var p *pack.Pack
		if p, err = run.NewPack(c, pack.PackOptions{}); err == nil {
			err = playCase(p, c, 120)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// playCase does what an engine does for a case that passes. The images do not compress: 4 w² bytes each.
func playCase(p *pack.Pack, c event.Case, w int) error {
	ctx := context.Background()
	err := p.Emit(event.Event{Kind: event.CaseStarted, Case: &c})
	for _, s := range c.Steps {
		err = errors.Join(err, p.Emit(event.Event{Kind: event.StepStarted, Step: s.N}))
		fmt.Println(c.Pack, s.N)
		err = errors.Join(err, p.Screenshot(ctx, event.Shot{Image: eventtest.Noise(w, w), Step: s.N, Label: s.Action}),
			p.Emit(event.Event{Kind: event.StepEnded, Step: s.N, Result: event.Pass, DurationMS: 1}))
	}
	from := filepath.Join(p.Dir(), event.WorkDir, event.LogcatFile)
	err = errors.Join(err, os.WriteFile(from, []byte("log\n"), 0o644))
	if err == nil {
		err = p.Add(event.Attachment{Path: event.LogcatFile, Kind: event.KindLog}, 0, from)
	}
	err = errors.Join(err, p.Emit(event.Event{Kind: event.CaseEnded, Result: event.Pass, DurationMS: 3}))
	res, finish := p.Finish(ctx)
	if finish != nil && res.Result == event.Pass {
		return errors.New("a pass that was not kept")
	}
	return errors.Join(err, finish)
}

func runChild(t *testing.T, part string, env ...string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	return child(ctx, t, part, env...).Run()
}

// killChild starts a child that writes packs, and kills it when ripe returns. The lines are what the child says: one
// for each step.
func killChild(t *testing.T, root string, ripe func(lines *bufio.Scanner)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := child(ctx, t, "killed", "ROOT="+root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	ripe(lines)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // the rest of its output, read before Wait closes the pipe
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the child was not killed: %v", err)
	}
}
