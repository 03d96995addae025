package html

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// lookBack finds the same test in earlier runs, the newest first.
func lookBack(ctx context.Context, page *PackPage, reportsRoot string) error {
	root, err := os.OpenRoot(reportsRoot)
	if err != nil {
		return err
	}
	defer root.Close() // nothing was written
	runs, err := runsOf(root)
	if err != nil {
		return err
	}
	at, _ := slices.BinarySearch(runs, page.Run)
	runs = runs[max(0, at-maxRunsBack):at]
	name := page.CaseResult.Case.Pack
	for _, run := range slices.Backward(runs) {
		if err := ctx.Err(); err != nil {
			return err
		}
		dir := path.Join(run, name)
		s, err := readSummary(root, path.Join(dir, summaryFile))
		if err != nil {
			continue // it did not run, or its report is broken: neither counts as history
		}
		to := "../../" + link(dir)[len("./"):] + "/"
		if len(page.History) < maxPast {
			past := Past{Run: run, Result: s.Result, Duration: millis(s.DurationMS)}
			if _, err := root.Lstat(path.Join(dir, PackFile)); err == nil {
				past.Link = to + PackFile
			}
			page.History = append(page.History, past)
		}
		if page.Green == nil && s.Result == event.Pass && page.CaseResult.Result != event.Pass {
			page.Green = green(filepath.Join(reportsRoot, run, name), run, to)
		}
		if len(page.History) == maxPast && (page.Green != nil || page.CaseResult.Result == event.Pass) {
			break
		}
	}
	slices.Reverse(page.History)
	return nil
}

func green(dir, run, to string) *PassedPack {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return nil // a link, perhaps
	}
	res, err := loadResult(dir)
	if err != nil || res.Result != event.Pass {
		return nil
	}
	return &PassedPack{CaseResult: res, Dir: dir, Run: run, Link: to}
}

// runsOf lists the runs at the top of root, oldest first.
func runsOf(root *os.Root) ([]string, error) {
	return pack.Folders(root, pack.IsRunName)
}

// history adds the results of the test in earlier runs.
func (b *builder) history() {
	if len(b.in.History) == 0 {
		return
	}
	for _, p := range b.in.History {
		b.out.Past = append(b.out.Past, pastRow{Run: shown(p.Run, maxLabel), Result: result(p.Result),
			MS: p.Duration.Milliseconds(), Link: p.Link, Commit: shown(p.Commit, 12)})
	}
	now := pastRow{Run: b.out.Run, Result: b.out.Result, MS: b.res.Duration.Milliseconds(), Now: true}
	if b.in.Env != nil {
		now.Commit = shown(b.in.Env.Commit, 12)
	}
	b.out.Past = append(b.out.Past, now)
}

// story adds since when the test fails, and how reliable it is.
func (b *builder) story() {
	s := b.in.Story
	if s == nil {
		return
	}
	d := &storyData{Rate: s.Rate.String(), Flaky: isFlaky(b.in.Flaky, s.Rate)}
	for _, step := range s.Steps[:min(len(s.Steps), 10)] {
		d.Steps = append(d.Steps, fmt.Sprintf("step %d %s", step.Step, step.Rate))
	}
	if s.First != nil {
		d.First = sinceWhen(*s.First)
	}
	b.out.Story = d
}

func sinceWhen(f history.FirstFailed) string {
	if f.Since == 1 && !f.Whole {
		return "failed in this run; no earlier run of it is known"
	}
	text := "first failed in run " + shown(f.Run, maxLabel)
	if f.Commit != "" {
		text += " at commit " + shown(f.Commit, 12)
	}
	if f.Since == 1 {
		return text + ", which is this one"
	}
	text += fmt.Sprintf("; %d runs in a row", f.Since)
	if !f.Whole {
		text += ", as far back as is known"
	}
	return text
}

// isFlaky says whether a test that did not pass is flaky.
func isFlaky(why string, rate history.Rate) string {
	switch {
	case why != "":
		return "Yes: " + shown(why, maxLabel) + "; it " + rate.String()
	case rate.Of < 2:
		return "Not known: this version of the test has run once"
	case rate.Bad == rate.Of:
		return "No sign of it: this version of the test " + rate.String()
	}
	return "This version of the test " + rate.String()
}

// numberAttempts numbers the attempts of the test, including this one.
func (b *builder) numberAttempts() {
	if len(b.in.Attempts) == 0 || b.in.Attempt == 0 {
		return
	}
	b.out.Attempt, b.out.ID = b.in.Attempt, shown(tryless(cmp.Or(b.res.Case.Pack, b.res.Case.ID)), maxLabel)
	now := attemptTab{N: b.in.Attempt, Result: b.out.Result, Took: b.out.Took, Now: true}
	for i, t := range b.in.Attempts {
		n := i + 1
		if n >= b.in.Attempt {
			n++
		}
		if n == b.in.Attempt+1 {
			b.out.AttemptTabs = append(b.out.AttemptTabs, now)
		}
		tab := attemptTab{N: n, Result: result(t.Result), Took: took(t.Duration), Link: t.Link}
		if b.here[n] {
			tab.Here, tab.Link = n, fmt.Sprintf("#attempt=%d", n)
		}
		b.out.AttemptTabs = append(b.out.AttemptTabs, tab)
	}
	if b.in.Attempt > len(b.in.Attempts) {
		b.out.AttemptTabs = append(b.out.AttemptTabs, now)
	}
	b.out.Attempts = nil
}
