// Package received stores report packs that arrive as archives: each valid pack in a run directory of its own.
package received

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/upload"
)

// Store stores uploaded packs among the runs of a reports folder. Safe for concurrent use, also by several processes.
type Store struct {
	Reports string
	Limits  upload.Limits
	// Finish writes the files of the run with a new pack; may be nil. Its failure is not a reason to refuse the pack.
	Finish func(ctx context.Context, runDir string) error
	Claim  pack.Claim // of the names of runs

	mu sync.Mutex
}

// Stored is a pack that was stored.
type Stored struct {
	Run    string `json:"run"`
	Pack   string `json:"pack"`
	Digest string `json:"digest"` // of the names and contents of its files
	Known  bool   `json:"-"`      // it was stored before
}

// noted is upload.json.
type noted struct {
	Format string `json:"format"`
	Stored
}

const (
	noteFile    = "upload.json" // in the run directory: the origin of the pack
	lockFile    = ".uploads.lock"
	maxNote     = 64 << 10
	finishLimit = 2 * time.Minute
)

// Put unpacks the archive, checks it, and renames it into place. A pack that exists already is not stored again. The
// error is a *upload.Refused, a *upload.TooLarge, or one of this machine.
func (s *Store) Put(ctx context.Context, archive io.Reader) (Stored, error) {
	if err := os.MkdirAll(s.Reports, 0o755); err != nil {
		return Stored{}, fmt.Errorf("store an upload: %w", err)
	}
	if err := upload.Sweep(s.Reports); err != nil {
		return Stored{}, err
	}
	a, err := upload.NewStaging(s.Reports)
	if err != nil {
		return Stored{}, err
	}
	stored, err := s.put(ctx, a, archive)
	return stored, errors.Join(err, a.Remove())
}

func (s *Store) put(ctx context.Context, a *upload.Staging, archive io.Reader) (Stored, error) {
	sums, err := a.Unpack(ctx, archive, s.Limits)
	if err != nil {
		return Stored{}, err
	}
	pack, err := (&checker{files: a, sums: sums}).pack()
	if err != nil {
		return Stored{}, err
	}
	stored, err := s.keep(pack)
	if err != nil || stored.Known || s.Finish == nil {
		return stored, err
	}
	// The pack is stored, so this continues even if the client disconnects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	_ = s.Finish(ctx, filepath.Join(s.Reports, stored.Run)) // it logs its errors itself
	return stored, nil
}

// keep moves the pack into a run directory of its own, unless one with the same digest exists.
func (s *Store) keep(p found) (stored Stored, err error) {
	s.mu.Lock() // flock excludes other processes only
	defer s.mu.Unlock()
	lock := flock.New(filepath.Join(s.Reports, lockFile))
	if err := lock.Lock(); err != nil {
		return Stored{}, fmt.Errorf("store an upload: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if stored, ok := s.find(p.digest); ok {
		return stored, nil
	}
	run, err := s.Claim.NewRunDir(s.Reports, time.Now())
	if err != nil {
		return Stored{}, fmt.Errorf("store an upload: %w", err)
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	stored = Stored{Run: filepath.Base(run.Path()), Pack: p.name, Digest: p.digest}
	note, err := json.Marshal(noted{Format: format.Upload, Stored: stored})
	if err == nil {
		err = os.Rename(p.dir, filepath.Join(run.Path(), p.name))
	}
	if err == nil {
		err = filetree.WriteFile(run.Path(), noteFile, note)
	}
	if err != nil {
		return Stored{}, fmt.Errorf("store an upload: %w", errors.Join(err, os.RemoveAll(run.Path())))
	}
	return stored, nil
}

// find looks for a pack among the uploaded runs.
func (s *Store) find(digest string) (Stored, bool) {
	notes, err := filepath.Glob(filepath.Join(s.Reports, "*", noteFile))
	if err != nil {
		return Stored{}, false
	}
	slices.Sort(notes)
	for _, file := range notes {
		stored, err := readNote(file)
		if err != nil || stored.Digest != digest || stored.Run != filepath.Base(filepath.Dir(file)) ||
			!pack.IsPackName(stored.Pack) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(filepath.Dir(file), stored.Pack)); err == nil && info.IsDir() {
			stored.Known = true
			return stored, true
		}
	}
	return Stored{}, false
}

func readNote(file string) (s Stored, err error) {
	f, err := os.Open(file)
	if err != nil {
		return s, err
	}
	var n noted
	err = json.NewDecoder(io.LimitReader(f, maxNote)).Decode(&n)
	if err == nil {
		err = format.Check(noteFile, n.Format, format.Upload)
	}
	return n.Stored, errors.Join(err, f.Close())
}
