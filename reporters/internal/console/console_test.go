package console

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

var epoch = time.Date(2026, 3, 4, 5, 6, 20, 0, time.UTC)

var all = []string{"pass", "fail", "error", "skipped", "interrupted", "panic"}

// play sends the recorded cases' events in turns, as parallel cases do.
func play(t *testing.T, c *Console, cases ...string) {
	t.Helper()
	var lists [][]event.Event
	for _, name := range cases {
		lists = append(lists, eventtest.Recorded(t, name))
	}
	for left := true; left; {
		left = false
		for i, events := range lists {
			if len(events) > 0 {
				c.Event(*eventtest.Recorded(t, cases[i])[0].Case, events[0])
				lists[i], left = events[1:], true
			}
		}
	}
}

func TestGolden(t *testing.T) {
	run := Run{Dir: filepath.FromSlash("tests/reports/2026-03-04T05-06-07"), Took: 14200 * time.Millisecond}
	for name, o := range map[string]Options{
		"plain": {}, "verbose": {Verbose: true}, "quiet": {Quiet: true, TTY: true}, "color": {Color: true},
		"ci": {Total: 8, Groups: true},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			c := New(&b, o)
			play(t, c, all...)
			if err := c.End(run); err != nil {
				t.Fatal(err)
			}
			if o.Color {
				testutil.Golden(t, name+".txt", []byte(strings.ReplaceAll(b.String(), "\x1b", "␛")))
				return
			}
			if strings.Contains(b.String(), "\x1b") {
				t.Error("colours were not asked for")
			}
			testutil.Golden(t, name+".txt", b.Bytes())
		})
	}
}

// terminal obeys what the console writes and keeps the lines that are seen.
type terminal struct {
	t     *testing.T
	lines []string
	row   int
	most  int
}

func (v *terminal) Write(p []byte) (int, error) {
	s := string(p)
	for s != "" {
		var up int
		switch {
		case strings.HasPrefix(s, "\x1b["):
			end := strings.IndexAny(s, "AJm")
			switch s[end] {
			case 'A':
				for _, d := range s[2:end] {
					up = up*10 + int(d-'0')
				}
				v.row -= up
			case 'J':
				v.lines = v.lines[:v.row]
			}
			s = s[end+1:]
		default:
			line, rest, ok := strings.Cut(s, "\n")
			if !ok || v.row != len(v.lines) {
				v.t.Errorf("wrote %q in row %d of %d", s, v.row, len(v.lines))
			}
			v.lines = append(v.lines, line)
			v.row++
			s = rest
		}
	}
	v.most = max(v.most, len(v.lines))
	return len(p), nil
}

func TestLive(t *testing.T) {
	view := &terminal{t: t}
	c := New(view, Options{TTY: true, Width: 60, Clock: func() time.Time { return epoch }})
	for _, name := range []string{"pass", "fail", "interrupted"} {
		events := eventtest.Recorded(t, name)
		for _, e := range events[:2] {
			c.Event(*events[0].Case, e)
		}
	}
	c.mu.Lock()
	live := strings.Join(view.lines, "\n")
	c.mu.Unlock()
	if diff := cmp.Diff(strings.TrimSpace(`
▶ android emulator-5554 · login-ok · 1/4 launch {pac… 13.0s
▶ web web-1 · login-wrong · 1/4 openBrowser {url: 'h… 13.0s
▶ android emulator-5556 · killed · 1/3 launch {packa… 13.0s`), live); diff != "" {
		t.Error(diff)
	}
	for _, e := range eventtest.Recorded(t, "pass")[2:] {
		c.Event(*eventtest.Recorded(t, "pass")[0].Case, e)
	}
	c.mu.Lock()
	if len(view.lines) != 3 || view.lines[0] != "✓ PASS login-ok · android emulator-5554 · 3.5s" {
		t.Errorf("%q", view.lines)
	}
	c.mu.Unlock()
	if err := c.End(Run{Took: time.Second}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(view.lines, "\n")
	if strings.Contains(text, "▶") || !strings.Contains(text, "\n1 passed, 2 interrupted in 3.5s") {
		t.Errorf("%s", text)
	}
}

// A case that started again, because its host had died, is shown with the device on which it ended.
func TestCaseStartedAgain(t *testing.T) {
	var b bytes.Buffer
	c := New(&b, Options{})
	events := eventtest.Recorded(t, "pass")
	for _, e := range events[:5] {
		c.Event(*events[0].Case, e)
	}
	second, of := events[0], *events[0].Case
	of.Device = "emulator-5599"
	second.Case, second.Time = &of, second.Time.Add(time.Minute)
	c.Event(of, second)
	for _, e := range events[1:] {
		c.Event(of, e)
	}
	if err := c.End(Run{Took: time.Second}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "✓ PASS login-ok · android emulator-5599 · ") {
		t.Error(b.String())
	}
}

// The progress of the run is printed below the running tests, and before each test that has ended.
func TestProgress(t *testing.T) {
	view := &terminal{t: t}
	c := New(view, Options{TTY: true, Width: 60, Total: 25, Clock: func() time.Time { return epoch }})
	play(t, c, "pass", "fail")
	events := eventtest.Recorded(t, "interrupted")
	for _, e := range events[:2] {
		c.Event(*events[0].Case, e)
	}
	c.mu.Lock()
	if diff := cmp.Diff(strings.TrimSpace(`
[ 1/25] ✗ FAIL login-wrong · web web-1 · 10.9s
    suites/failing/login.yaml:7:5: expected "Welcome" on t…
[ 2/25] ✓ PASS login-ok · android emulator-5554 · 3.5s
▶ android emulator-5556 · killed · 1/3 launch {packa… 13.0s
[2/25] 1 passed, 1 failed`), strings.Join(view.lines, "\n")); diff != "" {
		t.Error(diff)
	}
	c.mu.Unlock()
	if err := c.End(Run{Took: time.Second}); err != nil {
		t.Fatal(err)
	}
}

// Where lines cannot be redrawn, a progress line is printed once a minute.
func TestSignsOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		c := New(&b, Options{Clock: func() time.Time { return epoch }})
		events := eventtest.Recorded(t, "interrupted")
		for _, e := range events[:2] {
			c.Event(*events[0].Case, e)
		}
		time.Sleep(2*beat + time.Second)
		synctest.Wait()
		if err := c.End(Run{}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "▶ android emulator-5556 · killed · 1/3 launch"); n != 2 {
			t.Errorf("%d signs in two minutes:\n%s", n, b.String())
		}
	})
}

func TestLiveLinesFit(t *testing.T) {
	for width := 1; width < 90; width++ {
		var b bytes.Buffer
		c := New(&b, Options{Width: width, Clock: func() time.Time { return epoch }})
		of := event.Case{Pack: "日本語", Platform: "android", Device: "x\x1b[2Jy", Steps: []event.Step{
			{N: 1, Action: "input", Args: "語語語🎉é"}}}
		line := c.liveLine(&running{c: of, step: 1, since: epoch})
		if n := columnsOf(line); n > max(width-1, len(" 0.0s")+1) || strings.Contains(line, "\x1b") {
			t.Errorf("width %d: %q has %d columns", width, line, n)
		}
		if err := c.End(Run{}); err != nil {
			t.Error(err)
		}
	}
}

// A device cannot write to the terminal.
func TestControlCharacters(t *testing.T) {
	const evil = "\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202e\u2028"
	var b bytes.Buffer
	c := New(&b, Options{Verbose: true})
	of := event.Case{ID: evil, Pack: evil, Platform: evil, Device: evil}
	of.Place.File, of.Place.Line = evil, 1
	of.Steps = []event.Step{{N: 1, Action: evil, Args: evil, Source: evil, Place: of.Place}}
	p := &event.Problem{Message: evil, Expected: evil, Actual: evil, Candidates: []string{evil}, Stack: evil}
	for _, e := range []event.Event{
		{Kind: event.CaseStarted, Case: &of}, {Kind: event.StepStarted, Step: 1},
		{Kind: event.Attached, Step: 1, Attachment: &event.Attachment{Path: "screenshots/" + evil, Kind: event.KindFailure}},
		{Kind: event.StepEnded, Step: 1, Result: event.Fail, Problem: p},
		{Kind: event.CaseEnded, Result: event.Fail, Problem: p},
	} {
		c.Event(of, e)
	}
	if err := c.End(Run{Dir: "reports"}); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(b.String(), func(r rune) bool {
		return r != '\n' && (r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2028)
	}); i >= 0 {
		t.Errorf("at %d in %q", i, b.String())
	}
}

func TestTotals(t *testing.T) {
	for want, results := range map[string][]event.Result{
		"no test was run in 2.0s":         nil,
		"2 passed in 2.0s":                {event.Pass, event.Pass},
		"0 passed, 2 skipped in 2.0s":     {event.Skipped, event.Skipped},
		"1 passed, 1 error in 2.0s":       {event.Pass, event.Error},
		"0 passed, 2 errors in 2.0s":      {event.Error, event.Error},
		"0 passed, 1 interrupted in 2.0s": {event.Interrupted},
		"1 passed, 1 failed, 1 error, 1 interrupted, 1 skipped in 2.0s": {event.Pass, event.Fail, event.Error,
			event.Interrupted, event.Skipped},
	} {
		var b bytes.Buffer
		c := New(&b, Options{})
		for i, v := range results {
			c.Event(event.Case{ID: "x", Pack: string(rune('a' + i))}, event.Event{Kind: event.CaseEnded, Result: v})
		}
		if err := c.End(Run{Took: 2 * time.Second}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.String(), "\n"+want+"\n") {
			t.Errorf("want %q:\n%s", want, b.String())
		}
	}
}

// A case with several attempts counts once, with the result of its last attempt. A case that passes in the end is shown
// as flaky, with its first problem. A lost device does not make a test flaky.
func TestTriesOfACaseCountOnce(t *testing.T) {
	const pass, fail = event.Pass, event.Fail
	for _, test := range []struct {
		tries  []event.Result
		totals string
		blocks string
	}{
		{[]event.Result{fail, fail, pass}, "1 passed (1 flaky)", "FLAKY a"},
		{[]event.Result{fail, fail}, "0 passed, 1 failed", "FAIL a--attempt-2"},
		{[]event.Result{event.Error, pass}, "1 passed (1 after a lost device)", "LOST a"},
		{[]event.Result{event.Error, fail, pass}, "1 passed (1 flaky)", "FLAKY a--attempt-2"},
		{[]event.Result{fail, event.Error}, "0 passed, 1 error", "ERROR a--attempt-2"},
	} {
		var b bytes.Buffer
		c := New(&b, Options{Quiet: true})
		for i, v := range test.tries {
			pack := "a"
			if i > 0 {
				pack = fmt.Sprintf("a--attempt-%d", i+1)
			}
			ended := event.Event{Kind: event.CaseEnded, Result: v}
			if v == event.Error {
				ended.Problem = &event.Problem{Message: "no reason was given", Kind: event.DeviceLost}
			}
			c.Event(event.Case{ID: "a", Pack: pack}, ended)
		}
		if err := c.End(Run{Took: 2 * time.Second}); err != nil {
			t.Fatal(err)
		}
		if want := "\n" + test.blocks + "\nno reason was given\n\n" + test.totals + " in 2.0s\n"; b.String() != want {
			t.Errorf("got  %q\nwant %q", b.String(), want)
		}
	}
}

// A case does not pass when its pack could not be kept, whatever its events report.
func TestCorrect(t *testing.T) {
	var b bytes.Buffer
	c := New(&b, Options{})
	play(t, c, "pass")
	res := event.Fold(eventtest.Recorded(t, "pass"))
	res.Result, res.Problem = event.Error, &event.Problem{Message: "the disk is full"}
	c.Correct(res)
	if err := c.End(Run{}); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); !strings.Contains(s, "0 passed, 1 error in") ||
		strings.Count(s, "the disk is full") != 2 /* at once, and at the end */ {
		t.Errorf("%s", s)
	}
}

func TestConcurrently(t *testing.T) {
	view := &terminal{t: t}
	c := New(view, Options{TTY: true, Verbose: true})
	var wg sync.WaitGroup
	for i := range 30 {
		events := eventtest.Recorded(t, all[i%len(all)])
		of := *events[0].Case
		of.Pack = strings.Repeat("x", i+1)
		events[0].Case = &of
		wg.Go(func() {
			for _, e := range events {
				c.Event(of, e)
			}
		})
	}
	wg.Wait()
	if err := c.End(Run{Took: time.Second}); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(view.lines, "\n"); !strings.Contains(text,
		"5 passed, 5 failed, 10 errors, 5 interrupted, 5 skipped in 10.9s") {
		t.Errorf("%s", text)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenPipe(t *testing.T) {
	c := New(broken{}, Options{})
	play(t, c, all...)
	if err := c.End(Run{}); err == nil || err.Error() != "broken pipe" {
		t.Error(err)
	}
	if err := c.End(Run{}); err == nil {
		t.Error("the second End knows of no error")
	}
}

// TestTestsThatNeverBegan: they count as interrupted, as in run.json.
func TestTestsThatNeverBegan(t *testing.T) {
	var out strings.Builder
	c := New(&out, Options{})
	for _, e := range eventtest.Recorded(t, "pass") {
		c.Event(eventtest.Case("x"), e)
	}
	if err := c.End(Run{Took: time.Second, Planned: 3}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "1 passed, 2 interrupted in 3.5s") {
		t.Error(out.String())
	}
}
