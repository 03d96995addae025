package cli_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// filesOf returns the names of all files of a run.
func filesOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(name, ".") {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var (
	tookTime = regexp.MustCompile(`[0-9.]+ ?(ms|s)\b`)
	runFound = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9-]{8}`)
	phoneID  = regexp.MustCompile(`SIM[0-9]`)
	hasEnded = regexp.MustCompile(`(?m)^\[[0-9]/[0-9]\] `) // how many tests have ended
)

// TestRunOnAFarm checks that a suite on the phones of a host has the output, files and exit code of a run on this
// machine.
func TestRunOnAFarm(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	host := f.join("--token", f.token("--pool", "lab", "--labels", "room=3"))
	eventually(t, "the phones are there", func() bool { return f.device("SIM1") == "free" && f.device("SIM2") == "free" })
	files := map[string]string{
		"a.yaml": "id: a\nplatform: android\nvars:\n  WORD: ${FARM_WORD}\nsteps:\n  - assert: {label: \"${WORD}\", " +
			"timeoutMs: 2000}\n",
		"b.yaml": "id: b\nplatform: android\nretries: 1\nsteps:\n  - assert: {label: No such thing, timeoutMs: 0}\n",
		"c.yaml": "id: c\nplatform: android\nskip: not today\nsteps:\n  - assert: {label: Sign in}\n",
		"d.yaml": "id: d\nplatform: android\ndevice: {model: No Such Phone}\nsteps:\n  - assert: {label: Sign in}\n",
		"e.yaml": "id: e\nplatform: android\nfails: {because: X-1}\nsteps:\n  - assert: {label: No such thing, timeoutMs: " +
			"0}\n",
		"taproot.yaml": "tags: [farm]\n",
	}
	var printed, left [2]string
	for i, l := range []*lab{newLab(t, 2), newLab(t, 0)} {
		for name, text := range files {
			l.write(name, text)
		}
		l.env = append(l.env, "FARM_WORD=Login")
		args := []string{"run", ".", "--no-video", "--parallel", "1"}
		if i == 1 {
			l.env = append(l.env, "TAPROOT_API_KEY="+f.key)
			args = append(args, "--hub", f.serve.url, "--pool", "lab", "--labels", "room=3")
		}
		out := l.taproot(args...)
		if out.code != 1 {
			t.Fatalf("%v: %+v", args, out)
		}
		text := tookTime.ReplaceAllString(strings.ReplaceAll(out.stdout, l.reports, "reports"), "TIME")
		text = phoneID.ReplaceAllString(runFound.ReplaceAllString(text, "RUN"), "PHONE")
		lines := strings.Split(hasEnded.ReplaceAllString(text, ""), "\n")
		slices.Sort(lines) // skipped tests may be printed earlier or later
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return strings.Contains(line, "No Such Phone") || strings.HasPrefix(line, "slowest")
		}) // no host has one, which takes longer
		printed[i], left[i] = strings.Join(lines, "\n"), strings.Join(filesOf(t, l.runs()[0]), "\n")
	}
	if printed[0] != printed[1] {
		t.Errorf("here:\n%s\n\non the farm:\n%s", printed[0], printed[1])
	}
	if left[0] != left[1] {
		t.Errorf("here:\n%s\n\non the farm:\n%s", left[0], left[1])
	}
	l := newLab(t, 0)
	for name, device := range map[string]string{"here": "{pool: lab, labels: [room=3]}",
		"in-room-9": "{labels: [room=3, room=9]}", "in-garden": "{pool: garden}"} {
		l.write(name+".yaml",
			fmt.Sprintf("id: %s\nplatform: android\ndevice: %s\nsteps:\n  - assert: {label: Login, timeoutMs: "+
				"2000}\n", name, device))
	}
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	out := l.taproot("run", ".", "--no-video", "--pool", "lab")
	has(t, "with TAPROOT_HUB", out.stdout, "PASS here", "SKIPPED in-room-9", "label room=9 is wanted", "SKIPPED in-garden",
		"the pool garden, and the run is for the pool lab", "1 passed, 2 skipped")
	if out.code != 0 {
		t.Errorf("with TAPROOT_HUB: %+v", out)
	}
	if out := l.taproot("run", ".", "--update-baselines"); out.code != 2 || !strings.Contains(out.stderr, "baselines") {
		t.Errorf("%+v", out)
	}
	l.env = append(l.env, "TAPROOT_API_KEY=tap_wrong")
	if out := l.taproot("run", "."); out.code != 2 || !strings.Contains(out.stderr, "TAPROOT_API_KEY") {
		t.Errorf("a wrong key: %+v", out)
	}
	t.Run("REST", func(t *testing.T) { restOnFarm(t, f) })
	t.Run("shares", func(t *testing.T) { sharesOfFarm(t, f) })
	t.Run("Ginkgo", func(t *testing.T) {
		testutil.Leave(t, "a suite in Go uses the same client")
		ginkgoOnFarm(t, f)
	})
	if out := f.host.taproot("host", "--drain", "--data", filepath.Join(f.host.tmp, "host")); out.code != 0 {
		t.Errorf("%+v", out)
	}
	if ended := host.wait(); ended.code != 0 {
		t.Errorf("the host, drained: %+v", ended)
	}
	packs, err := filepath.Glob(filepath.Join(f.host.tmp, "host", "runs", "packs", "*"))
	if err != nil || len(packs) > 0 {
		t.Errorf("packs are left on the host: %q %v", packs, err)
	}
}
