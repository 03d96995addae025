package html

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// WriteRun makes index.html in a run's folder. Call WritePacks before: the page links to their pages.
func WriteRun(ctx context.Context, run *history.Run) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("write %s of run %s: %w", IndexFile, run.Name, err)
	}
	fresh := *run
	fresh.Cases = slices.Clone(run.Cases)
	root, err := os.OpenRoot(run.Dir)
	if err != nil {
		return fmt.Errorf("write %s of run %s: %w", IndexFile, run.Name, err)
	}
	for i := range fresh.Cases {
		c := &fresh.Cases[i]
		if page := path.Join(c.Pack, PackFile); c.Pack != "" && isThere(root, page) {
			c.Page = page
		}
	}
	if err := root.Close(); err != nil {
		return fmt.Errorf("write %s of run %s: %w", IndexFile, run.Name, err)
	}
	page := RunPage{Run: &fresh, Dir: run.Dir}
	if pack.IsRunName(run.Name) {
		page.Up = "../" + IndexFile
	}
	var b bytes.Buffer
	if err := Run(&b, page); err != nil {
		return err
	}
	return filetree.WriteFile(run.Dir, IndexFile, b.Bytes())
}

func isThere(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// WritePacks makes report.html in every pack of a run, also in those of earlier attempts. A page that cannot be made
// does not stop the others. With packs, only those of these cases are made.
func WritePacks(ctx context.Context, run *history.Run, packs ...string) error {
	jobs := make(chan PackPage)
	var mu sync.Mutex
	var errs []error
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8) {
		workers.Go(func() {
			for page := range jobs {
				if err := writePage(page); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	var only func(*history.RunCase) bool
	if len(packs) > 0 {
		only = func(c *history.RunCase) bool {
			return slices.ContainsFunc(packs, func(p string) bool { return history.CaseKey(p) == c.Key })
		}
	}
	err := eachPage(ctx, run, only, func(p PackPage) { jobs <- p })
	close(jobs)
	workers.Wait()
	if err = errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("write the pages of run %s: %w", run.Name, err)
	}
	return nil
}

func writePage(page PackPage) error {
	var b bytes.Buffer
	if err := Pack(&b, page); err != nil {
		return fmt.Errorf("pack %s: %w", filepath.Base(page.Dir), err)
	}
	return filetree.WriteFile(page.Dir, PackFile, b.Bytes())
}

// eachPage calls give with the input of the page of each pack of a run; with only, of those cases alone.
func eachPage(ctx context.Context, run *history.Run, only func(*history.RunCase) bool, give func(PackPage)) error {
	causes := causeLinks(run)
	var errs []error
	for i := range run.Cases {
		c := &run.Cases[i]
		if c.Pack == "" || only != nil && !only(c) {
			continue
		}
		all := append(slices.Clone(c.Attempts), history.Attempt{Pack: c.Pack, CaseResult: c.CaseResult})
		var pages []PackPage
		for k, try := range all {
			if err := ctx.Err(); err != nil {
				return errors.Join(append(errs, err)...)
			}
			page := PackPage{CaseResult: try.CaseResult, Dir: filepath.Join(run.Dir, try.Pack), Run: run.Name, Up: "../" +
				IndexFile,
				Attempts: others(all, k), Env: run.Env, Attempt: k + 1, Of: len(all)}
			if k < len(all)-1 {
				page.Final = c.CaseResult.Result
			}
			page.Repair = run.RepairOf(try.Pack, try.CaseResult.ProblemStep)
			if k == len(all)-1 {
				page.Weak = run.WeakOf(c.CaseResult.Case.ID)
				story := c.Story(run)
				page.Story = &story
				page.Cause, page.Flaky, page.Slow = causes[i], c.Flaky(), c.Slow()
				page.Beside = attemptTabs(pages)
			}
			if err := past(ctx, &page, run, c); err != nil {
				errs = append(errs, err)
			}
			pages = append(pages, page)
			give(page)
		}
	}
	return errors.Join(errs...)
}

// maxAttemptTabs is how many other attempts a page holds; earlier ones have pages of their own.
const maxAttemptTabs = 5

// attemptTabs makes tabs of the pages of attempts.
func attemptTabs(pages []PackPage) []PackPage {
	pages = slices.Clone(pages[max(0, len(pages)-maxAttemptTabs):])
	for i := range pages {
		pages[i].Base = "../" + link(filepath.Base(pages[i].Dir))[len("./"):] + "/"
	}
	return pages
}

// others returns the attempts other than k. The page of the last one has the tabs of all.
func others(all []history.Attempt, k int) []Past {
	var out []Past
	last := len(all) - 1
	for i, t := range all {
		if i == k {
			continue
		}
		to := "../" + link(t.Pack)[len("./"):] + "/" + PackFile
		if k < last && i >= last-maxAttemptTabs {
			to = fmt.Sprintf("../%s/%s#attempt=%d", link(all[last].Pack)[len("./"):], PackFile, i+1)
		}
		out = append(out, Past{Run: t.Pack, Result: t.CaseResult.Result, Duration: t.CaseResult.Duration, Link: to})
	}
	return out
}

// past takes the history from history.jsonl, which outlives the packs; without it, from the packs on the disk.
func past(ctx context.Context, page *PackPage, run *history.Run, c *history.RunCase) error {
	reports := filepath.Dir(run.Dir)
	if !pack.IsRunName(run.Name) {
		return nil
	}
	if len(c.Trend.Recent) == 0 {
		return lookBack(ctx, page, reports)
	}
	root, err := os.OpenRoot(reports)
	if err != nil {
		return err
	}
	defer root.Close() // nothing was written
	for i, e := range slices.Backward(c.Trend.Recent) {
		dir := path.Join(e.Run, e.Pack)
		to := "../../" + link(dir)[len("./"):] + "/"
		if i >= len(c.Trend.Recent)-maxPast {
			p := Past{Run: e.Run, Result: e.Result, Duration: millis(e.DurationMS), Commit: e.Commit}
			if isThere(root, path.Join(dir, PackFile)) {
				p.Link = to + PackFile
			}
			page.History = append(page.History, p)
		}
		if page.Green == nil && e.Result == event.Pass && page.CaseResult.Result != event.Pass {
			page.Green = green(filepath.Join(reports, e.Run, e.Pack), e.Run, to)
		}
	}
	slices.Reverse(page.History)
	return nil
}
