//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// killBrowser kills the browser of the lab's run, but none of another test.
func (l *lab) killBrowser() {
	l.t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	killed := 0
	for _, file := range files {
		dir := filepath.Dir(file)
		args, _ := os.ReadFile(file) // it may have ended
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		line := string(args)
		if !bytes.Contains(environ, []byte(l.tmp)) || !strings.Contains(line, "--remote-debugging-pipe") ||
			strings.Contains(line, "--type=") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		l.t.Error("no browser of the run was found")
	}
}

// TestSeveralDevicesWithoutTheirBrowser kills the browser of one of the devices in each phase: the test ends as an
// error that names the device, the recording of the other one is whole, and both are free.
func TestSeveralDevicesWithoutTheirBrowser(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("browsers are found by /proc, which this system does not have")
	}
	launch, wait := "  - on: {alice: ["+launchesList+"], bob: [{openBrowser: {url: 'PAGE'}}]}\n",
		"  - on: {bob: ["+neverThere+"]}\n"
	for _, c := range testutil.Few(2, []struct{ name, steps string }{
		{"killed-before", "before:\n" + launch + wait + "steps:\n" + launch},
		{"killed-steps", "steps:\n" + launch + wait},
		{"killed-parallel", "steps:\n" + launch + "  - on: {alice: [" + neverThere + "], bob: [" + neverThere + "]}\n"},
		{"killed-after", "steps:\n" + launch + "after:\n" + wait},
	}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			useBrowser(t)
			l := recordingLab(t, 1)
			l.write(c.name+".yaml", "id: "+c.name+"\ndevices:\n  alice: {platform: android}\n  bob: {platform: web}\n"+
				strings.ReplaceAll(c.steps, "PAGE", webtest.New(t).Page("list.html")))
			run := l.start("taproot", "run", c.name+".yaml")
			l.untilStep(c.name, 3)
			if strings.Contains(c.name, "parallel") {
				l.untilStep(c.name, 4)
			}
			l.killBrowser()
			end := run.wait()
			end.exits(t, 3)
			has(t, "stdout", end.stdout, "! ERROR "+c.name+" · ", "bob (web-1): ")
			dir := l.packs()[0]
			wholeMovies(t, dir, "recording.mp4")
			if got := stepsOf(t, dir); strings.Contains(c.name, "parallel") &&
				(!slices.Contains(got, "alice assert interrupted") || !slices.Contains(got, "bob assert error")) {
				t.Errorf("steps %q", got)
			}
			l.free()
			l.whole()
			l.quiet()
		})
	}
}

// slowFFmpeg puts a program before ffmpeg on the PATH of the lab: it names its process in a file, and makes recordings
// when another file is there.
func (l *lab) slowFFmpeg() (started, proceed string) {
	l.t.Helper()
	real, err := exec.LookPath("ffmpeg")
	if err != nil {
		l.t.Fatal("ffmpeg is needed for recordings: ", err)
	}
	dir := filepath.Join(filepath.Dir(l.dir), "bin")
	started, proceed = filepath.Join(dir, "started"), filepath.Join(dir, "proceed")
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *-version*) exec %[1]s \"$@\";; esac\necho $$ >> %[2]s\n"+
		"while [ ! -e %[3]s ]; do [ -e %[2]s ] || exit 1; sleep 0.05; done\nexec %[1]s \"$@\"\n", real, started, proceed)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte(script), 0o700); err != nil {
		l.t.Fatal(err)
	}
	for i, entry := range l.env {
		if path, is := strings.CutPrefix(entry, "PATH="); is {
			l.env[i] = "PATH=" + dir + ":" + path
		}
	}
	return started, proceed
}

// exists waits for a file.
func exists(t *testing.T, name string) {
	t.Helper()
	eventually(t, filepath.Base(name)+" is there", func() bool { _, err := os.Stat(name); return err == nil })
}

// TestSecondInterruptEndsAtOnce: after the first interrupt recordings are finished; a second one does not wait for
// them.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	l := recordingLab(t, 2)
	started, _ := l.slowFFmpeg()
	l.several("twice", "", "steps:\n  - on: {alice: ["+neverThere+"], carol: ["+neverThere+"]}\n")
	run := l.start("taproot", "run", "twice.yaml")
	l.untilStep("twice", 2)
	if err := run.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	exists(t, started)
	ended := make(chan struct{})
	go func() { // a signal that follows the first one at once is not a second one
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			select {
			case <-ended:
				return
			default:
				_ = run.cmd.Process.Signal(syscall.SIGINT)
			}
		}
	}()
	end := run.wait()
	close(ended)
	if end.code != -1 {
		t.Errorf("it ended with %d, not by the signal\n%s\n%s", end.code, end.stdout, end.stderr)
	}
	l.free()
}

// TestSeveralDevicesAreReleasedBeforeRecordingsAreMade: while the recordings of a test wait for ffmpeg, the next test
// runs on its devices. From the end of a test to the start of the next one on the same devices it takes no longer than
// with one device, apart from a second.
func TestSeveralDevicesAreReleasedBeforeRecordingsAreMade(t *testing.T) {
	testutil.Leave(t, "TestSeveralDevicesWithFaults")
	t.Parallel()
	l := recordingLab(t, 2)
	started, proceed := l.slowFFmpeg()
	both := "steps:\n  - on: {alice: [" + launchesList + "], carol: [" + launchesList + "]}\nafter:\n  - on: {carol: [" +
		"{press: home}]}\n"
	for _, id := range []string{"a-both", "b-both", "c-both"} {
		l.several(id, "", both)
	}
	for _, id := range []string{"d-one", "e-one", "f-one"} {
		l.write(id+".yaml", "id: "+id+"\nplatform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n"+
			"after:\n  - press: home\n")
	}
	run := l.start("taproot", "run", "a-both.yaml", "b-both.yaml", "c-both.yaml")
	exists(t, started)
	l.untilStep("b-both", 3) // the recordings of the first test cannot be made yet
	if err := os.WriteFile(proceed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run.wait().exits(t, 0)
	for _, dir := range l.packs() {
		wholeMovies(t, dir, "recording.mp4", "recording-carol.mp4")
	}
	several := gap(t, l.packs())
	if err := os.RemoveAll(l.reports); err != nil {
		t.Fatal(err)
	}
	l.taproot("run", "d-one.yaml", "e-one.yaml", "f-one.yaml", "--parallel", "1").exits(t, 0)
	one := gap(t, l.packs())
	t.Logf("from the end of a test to the start of the next one: %s with two devices, %s with one", several, one)
	if several > time.Second+10*one {
		t.Errorf("two devices: the next test began after %s, and with one device after %s", several, one)
	}
	l.free()
}

// gap is the longest time between the end of a test and the start of the next one.
func gap(t *testing.T, packs []string) (longest time.Duration) {
	t.Helper()
	var results []*event.CaseResult
	for _, dir := range packs {
		f, err := os.Open(filepath.Join(dir, "events.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		events, err := event.ReadEvents(bufio.NewReader(f))
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, event.Fold(events))
	}
	slices.SortFunc(results, func(a, b *event.CaseResult) int { return a.Started.Compare(b.Started) })
	for i := 1; i < len(results); i++ {
		if results[i].Started.Before(results[i-1].Ended) {
			t.Errorf("%s began before %s ended", results[i].Case.ID, results[i-1].Case.ID)
		}
		longest = max(longest, results[i].Started.Sub(results[i-1].Ended))
	}
	return longest
}
