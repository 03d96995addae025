package html

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
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
