package html

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const (
	historyFile    = "history.jsonl"
	maxHistory     = 128 << 20 // bytes that are read of it
	maxHistoryLine = 64 << 10
)

// WriteRuns makes index.html in the reports folder, from history.jsonl and, for runs that it lacks, from their packs.
func WriteRuns(ctx context.Context, reportsRoot string) error {
	page, err := loadRuns(ctx, reportsRoot)
	if err != nil {
		return fmt.Errorf("write %s of all runs: %w", IndexFile, err)
	}
	var b bytes.Buffer
	if err := Runs(&b, page); err != nil {
		return err
	}
	return filetree.WriteFile(reportsRoot, IndexFile, b.Bytes())
}

func loadRuns(ctx context.Context, reportsRoot string) (page RunsPage, err error) {
	root, err := os.OpenRoot(reportsRoot)
	if err != nil {
		return page, err
	}
	defer root.Close() // nothing was written
	if page.Present, err = runsOf(root); err != nil {
		return page, err
	}
	if page.Entries, err = readHistory(root); err != nil && !errors.Is(err, os.ErrNotExist) {
		return page, err
	}
	known := map[string]bool{}
	for _, e := range page.Entries {
		known[e.Run] = true
	}
	for _, run := range page.Present {
		if err := ctx.Err(); err != nil {
			return page, err
		}
		if isThere(root, path.Join(run, IndexFile)) {
			page.Paged = append(page.Paged, run)
		}
		if !known[run] {
			page.Entries = append(page.Entries, entriesOf(root, run)...)
		}
	}
	return page, nil
}

// readHistory returns the lines that can be read.
func readHistory(root *os.Root) ([]history.HistoryEntry, error) {
	f, err := openFile(root, historyFile)
	if err != nil {
		return nil, err
	}
	var list []history.HistoryEntry
	in := bufio.NewReaderSize(io.LimitReader(f, maxHistory), maxHistoryLine)
	for {
		line, err := in.ReadSlice('\n')
		var e history.HistoryEntry
		if json.Unmarshal(line, &e) == nil && format.Check(historyFile, e.Format, format.History) == nil {
			list = append(list, e)
		}
		switch {
		case errors.Is(err, io.EOF):
			return list, f.Close()
		case err != nil && !errors.Is(err, bufio.ErrBufferFull): // a longer line is not one of Taproot's
			return list, errors.Join(err, f.Close())
		}
	}
}

// entriesOf makes the lines that history.jsonl lacks of a run, from its packs' summaries.
func entriesOf(root *os.Root, run string) []history.HistoryEntry {
	dir, err := root.OpenRoot(run)
	if err != nil {
		return nil
	}
	defer dir.Close() // nothing was written
	packs, _ := pack.Folders(dir, func(name string) bool { return !strings.HasPrefix(name, ".") })
	var list []history.HistoryEntry
	for _, pack := range packs {
		s, err := readSummary(dir, path.Join(pack, summaryFile))
		if err != nil || s.Result == "" {
			continue
		}
		list = append(list, history.HistoryEntry{Run: run, ID: s.ID, Pack: pack, Platform: s.Platform,
			Result: result(s.Result), DurationMS: s.DurationMS})
	}
	return list
}
