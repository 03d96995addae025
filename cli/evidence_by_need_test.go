package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// keptOf lists the recordings, traces and screenshots in the packs of the newest run, by pack.
func (l *lab) keptOf() map[string][]string {
	l.t.Helper()
	runs := l.runs()
	kept := map[string][]string{}
	for _, dir := range packsOf(l.t, runs[len(runs)-1]) {
		name := filepath.Base(dir)
		kept[name] = []string{}
		for _, file := range []string{"recording.mp4", "artifacts/trace.zip"} {
			if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
				kept[name] = append(kept[name], strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
			}
		}
		if shots, _ := filepath.Glob(filepath.Join(dir, "screenshots", "*.png")); len(shots) > 0 {
			kept[name] = append(kept[name], "screenshots")
		}
	}
	l.taproot("report", "verify").exits(l.t, 0)
	return kept
}

// With failed, an attempt that passes keeps nothing, and one that fails keeps its own, also when a later one passes.
func TestEvidenceByNeed(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := recordingLab(t, 0)
	// The first attempt writes the state that lets the second one pass.
	l.write("late.yaml", "id: late\nplatform: web\nretries: 1\nsteps:\n"+
		"  - openBrowser: \"data:text/html,<title>Page</title><h1>Hello</h1>\"\n"+
		"  - webStorage: {load: state.json}\n  - assert: Hello\nonFailure:\n  - webStorage: {save: state.json}\n")
	l.write("good.yaml", "id: good\nplatform: web\nsteps:\n"+
		"  - openBrowser: \"data:text/html,<title>Page</title><h1>Hello</h1>\"\n  - assert: Hello\n")
	all, none := []string{"recording", "trace", "screenshots"}, []string{}
	check := func(what string, late, again, good []string) {
		t.Helper()
		kept := l.keptOf()
		for name, want := range map[string][]string{"late": late, "late--attempt-2": again, "good": good} {
			if !slices.Equal(kept[name], want) {
				t.Errorf("%s: %s keeps %q, not %q", what, name, kept[name], want)
			}
		}
		if err := os.Remove(filepath.Join(l.dir, "state.json")); err != nil {
			t.Fatal(err)
		}
	}
	l.taproot("run", "late.yaml", "good.yaml", "--video", "failed", "--trace", "failed", "--screenshots", "failed").
		exits(t, 0)
	check("failed", all, none, none)
	if text := read(t, l.runs()[0], "good", "run.md"); !strings.Contains(text, "PASS") {
		t.Error(text)
	}
	l.write("taproot.yaml", "evidence: {video: off, trace: failed, screenshots: off}\n")
	l.taproot("run", "late.yaml", "good.yaml").exits(t, 0)
	check("taproot.yaml", []string{"trace"}, none, none)
	l.env = append(l.env, "TAPROOT_SCREENSHOTS=on", "TAPROOT_TRACE=off")
	l.taproot("run", "late.yaml", "good.yaml").exits(t, 0)
	check("environment", []string{"screenshots"}, []string{"screenshots"}, []string{"screenshots"})
	for _, args := range [][]string{{"--video", "sometimes"}, {"--no-video", "--video", "on"}} {
		e := l.taproot(append([]string{"run", "good.yaml"}, args...)...)
		e.exits(t, 2)
		has(t, "stderr", e.stderr, "--video")
	}
}
