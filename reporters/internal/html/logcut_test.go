package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var began = time.Date(2026, 12, 31, 23, 59, 50, 0, time.UTC)

func cutterOf(steps int) *logCutter {
	c := &logCutter{start: began, end: began.Add(time.Duration(steps) * 10 * time.Second), important: 2}
	for i := range steps {
		c.spans = append(c.spans, span{step: i + 1, from: began.Add(time.Duration(i) * 10 * time.Second)})
	}
	return c
}

// logcat is a line as written by a phone with a clock that is ahead by zone.
func logcat(at, zone time.Duration, text string) string {
	return began.Add(at+zone).Format("01-02 15:04:05.000") + "  4695  4695 W Login   : " + text + "\n"
}

func texts(l *stepLog) []string {
	if l == nil {
		return nil
	}
	var out []string
	for _, line := range append(slices.Clone(l.Head), l.Tail...) {
		_, text, found := strings.Cut(line, "Login   : ")
		if !found {
			text = line
		}
		out = append(out, text)
	}
	return out
}

func TestLogIsCutByTheDevicesClock(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	for name, c := range map[string]struct {
		zone time.Duration
		how  string
	}{
		"UTC":          {0, "by the device's clock, which runs at UTC"},
		"India":        {330 * minute, "by the device's clock, which runs at UTC+05:30"},
		"Newfoundland": {-210 * minute, "by the device's clock, which runs at UTC−03:30"},
		"a clock of its own": {90*time.Hour + 7*minute,
			"approximately: the device's clock differs, so the first line was taken as the start of the test"},
	} {
		t.Run(name, func(t *testing.T) {
			log := "--------- beginning of main\n" + logcat(0, c.zone, "one") + logcat(9999*time.Millisecond, c.zone,
				"still one") +
				"  at a stack\n" + logcat(10*time.Second, c.zone, "two") + logcat(25*time.Second, c.zone, "three") + logcat(
				40*time.Second, c.zone, "after it")
			cut, err := cutterOf(3).cut(strings.NewReader(log))
			if err != nil {
				t.Fatal(err)
			}
			if cut.How != c.how || cut.Lines != 7 || cut.Before != 1 || cut.Why != "" {
				t.Errorf("%+v", cut)
			}
			got := [][]string{texts(cut.Steps[1]), texts(cut.Steps[2]), texts(cut.Steps[3])}
			want := [][]string{{"one", "still one", "  at a stack"}, {"two"}, {"three", "after it"}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConsoleIsCutByItsOwnTimes(t *testing.T) {
	t.Parallel()
	log := "2026-12-31T23:59:55.000Z console error: one\n    more of it\n2027-01-01T00:00:05.000Z uncaught: two\n"
	cut, err := cutterOf(3).cut(strings.NewReader(log))
	if err != nil || cut.How != "by the time in each line" {
		t.Fatal(cut, err)
	}
	want := []string{"2026-12-31T23:59:55.000Z console error: one", "    more of it"}
	if diff := cmp.Diff(want, texts(cut.Steps[1])); diff != "" || len(texts(cut.Steps[2])) != 1 {
		t.Error(diff, cut.Steps[2])
	}
}

func TestLogThatCannotBeCut(t *testing.T) {
	t.Parallel()
	for log, why := range map[string]string{"": "", "no times\nat all\n": "its lines have no time"} {
		cut, err := cutterOf(3).cut(strings.NewReader(log))
		if err != nil || cut.Why != why || cut.Steps != nil {
			t.Errorf("%q: %+v, %v", log, cut, err)
		}
	}
	if cut, err := cutterOf(0).cut(strings.NewReader("x\n")); err != nil || cut.Why != "no step ran" {
		t.Error(cut, err)
	}
}

func TestLogIsKeptSmall(t *testing.T) {
	t.Parallel()
	steps := 1000
	if testing.Short() {
		steps = 100
	}
	var b strings.Builder
	for step := range steps {
		for i := range 300 {
			b.WriteString(logcat(time.Duration(step)*10*time.Second+time.Duration(i)*time.Millisecond, 0,
				fmt.Sprintf("%d of %d", i, step+1)))
		}
	}
	b.WriteString(strings.Repeat("x", 1<<20) + "\n")
	c := cutterOf(steps)
	cut, err := c.cut(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	important := cut.Steps[2]
	if len(important.Head) != headLines || len(important.Tail) != tailLines || important.Left != 300-headLines-tailLines {
		t.Errorf("%d, %d left out, %d", len(important.Head), important.Left, len(important.Tail))
	}
	if last := texts(important); last[len(last)-1] != "299 of 2" || last[0] != "0 of 2" {
		t.Error(last[0], last[len(last)-1])
	}
	size, lines := 0, 0
	for _, l := range cut.Steps {
		for _, line := range slices.Concat(l.Head, l.Tail) {
			size += len(line)
			if utf8.RuneCountInString(line) > maxLogLine+1 {
				t.Errorf("a line of %d bytes", len(line))
			}
		}
		lines += len(l.Head) + l.Left + len(l.Tail)
	}
	if size > logBudget || lines != cut.Lines || cut.Lines != 300*steps+1 {
		t.Errorf("%d bytes, %d lines of %d", size, lines, cut.Lines)
	}
}

func FuzzLogCut(f *testing.F) {
	f.Add("--------- beginning of main\n" + logcat(0, 0, "one") + logcat(12*time.Second, 0, "two"))
	f.Add("2026-12-31T23:59:55.000Z console error: one\n")
	f.Add("02-29 12:00:00.000 x\n\x00\xff\n12-31 23:59:50.0\n")
	f.Fuzz(func(t *testing.T, log string) {
		cut, err := cutterOf(3).cut(strings.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		if cut.Why != "" {
			return
		}
		lines := cut.Before
		for n, l := range cut.Steps {
			if n < 1 || n > 3 {
				t.Errorf("step %d", n)
			}
			for _, line := range slices.Concat(l.Head, l.Tail) {
				if !utf8.ValidString(line) || strings.ContainsAny(line, "\x00\n\u202e") {
					t.Errorf("%q", line)
				}
			}
			lines += len(l.Head) + l.Left + len(l.Tail)
		}
		if lines != cut.Lines {
			t.Errorf("%d lines of %d", lines, cut.Lines)
		}
	})
}
