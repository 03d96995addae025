package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const (
	historyFile    = "history.jsonl"
	historyLock    = ".history.lock"
	maxHistoryLine = 64 << 10
	maxHistory     = 32 << 20 // bytes; from there on the older half is dropped
)

// HistoryEntry is a line of history.jsonl: the result of one case in one run. The file outlives the packs.
type HistoryEntry struct {
	Format     string       `json:"format,omitempty"`
	Run        string       `json:"run"` // name of the run directory
	ID         string       `json:"id"`
	Pack       string       `json:"pack"` // of the last attempt
	Platform   string       `json:"platform,omitempty"`
	Result     event.Result `json:"result"`
	DurationMS int64        `json:"duration_ms"`
	Hash       string       `json:"hash,omitempty"` // of the test's source
	Attempts   int          `json:"attempts,omitempty"`
	Step       int          `json:"step,omitempty"`   // at which the case failed
	Commit     string       `json:"commit,omitempty"` // of the tested project
	Weak       int          `json:"weak,omitempty"`   // its assertions that cannot fail
	Repair     string       `json:"repair,omitempty"` // offered or applied
}

func (e HistoryEntry) good() bool {
	return pack.IsRunName(e.Run) && pack.NamePattern.MatchString(e.Pack) && event.Known(e.Result)
}

// History returns the lines that this run adds to history.jsonl.
func (r *Run) History() []HistoryEntry {
	var list []HistoryEntry
	for _, c := range r.Cases {
		if c.Pack == "" {
			continue // it did not run
		}
		list = append(list, r.entry(&c))
	}
	return list
}

// LastResults returns the last line of each case in the history of a folder of reports, by its PlannedKey. Without a
// history there are none.
func LastResults(reports string) (map[string]HistoryEntry, error) {
	last := map[string]HistoryEntry{}
	root, err := os.OpenRoot(reports)
	if errors.Is(err, os.ErrNotExist) {
		return last, nil
	}
	if err != nil {
		return nil, err
	}
	err = eachEntry(root, func(e HistoryEntry) { last[PlannedKey(e.Pack)] = e })
	return last, errors.Join(err, root.Close())
}

// AppendHistory adds the run to the history.jsonl of its reports folder. It can be called again: only new or changed
// lines are added.
func AppendHistory(r *Run) (err error) {
	if !pack.IsRunName(r.Name) {
		return fmt.Errorf("add to %s: %q is not the name of a run", historyFile, r.Name)
	}
	dir := filepath.Dir(r.Dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("add to %s: %w", historyFile, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, name := range []string{historyFile, historyLock} {
		if err := filetree.Regular(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("add to %s: %w", historyFile, err)
		}
	}
	lock := flock.New(filepath.Join(dir, historyLock))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %s: %w", historyFile, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := appendHistory(root, r, maxHistory); err != nil {
		return fmt.Errorf("add to %s: %w", historyFile, err)
	}
	return nil
}

func appendHistory(root *os.Root, r *Run, limit int64) error {
	old := map[string]HistoryEntry{}
	err := eachEntry(root, func(e HistoryEntry) {
		if e.Run == r.Name {
			old[e.Pack] = e
		}
	})
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, e := range r.History() {
		if old[e.Pack] == e || !e.good() {
			continue
		}
		line, err := event.Marshal(e)
		if err != nil {
			return err
		}
		lines.Write(line)
	}
	if lines.Len() == 0 {
		return nil
	}
	f, err := root.OpenFile(historyFile, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	size, err := grow(f, lines.Bytes())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if size > limit {
		return halve(root, size/2)
	}
	return nil
}

// grow appends whole lines, also after a line that another process left incomplete.
func grow(f *os.File, lines []byte) (int64, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	if size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return 0, err
		}
		if last[0] != '\n' {
			lines = append([]byte("\n"), lines...)
		}
	}
	if _, err := f.WriteAt(lines, size); err != nil {
		return 0, errors.Join(err, f.Truncate(size))
	}
	return size + int64(len(lines)), f.Sync()
}

// halve removes everything before the first line that starts after from.
func halve(root *os.Root, from int64) error {
	f, err := root.Open(historyFile)
	if err != nil {
		return err
	}
	if _, err = f.Seek(from, io.SeekStart); err == nil {
		var kept []byte
		kept, err = io.ReadAll(io.LimitReader(f, maxHistory))
		_, kept, _ = bytes.Cut(kept, []byte("\n"))
		if err == nil {
			err = filetree.WriteWhole(root, historyFile, kept)
		}
	}
	return errors.Join(err, f.Close())
}

// eachEntry calls see for the lines of history.jsonl that can be read, in their order. A reports folder without one has
// none.
func eachEntry(root *os.Root, see func(HistoryEntry)) error {
	info, err := root.Lstat(historyFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", historyFile)
	}
	f, err := root.Open(historyFile)
	if err != nil {
		return err
	}
	in := bufio.NewScanner(io.LimitReader(f, 2*maxHistory))
	in.Buffer(make([]byte, 4096), 2*maxHistory)
	for in.Scan() {
		if len(in.Bytes()) > maxHistoryLine {
			continue
		}
		var e HistoryEntry
		if json.Unmarshal(in.Bytes(), &e) != nil || e.Run == "" && e.Format == "" {
			continue
		}
		if err := format.Check(historyFile, e.Format, format.History); err != nil {
			return errors.Join(err, f.Close())
		}
		if e.Format = format.History; e.good() {
			see(e)
		}
	}
	return errors.Join(in.Err(), f.Close())
}
