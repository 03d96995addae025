package pack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/wholefile"
)

const (
	RunLayout = "2006-01-02T15-04-05"
	LiveFile  = ".live"
	maxTries  = 3600 // seconds that may be taken in a row
)

var (
	runName     = lazyregexp.New(`^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$`)
	NamePattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)
)

// IsPackName tells whether name can be that of a pack's folder.
func IsPackName(name string) bool {
	return NamePattern.MatchString(name) && !strings.HasSuffix(name, ".")
}

// RunDir is the directory of one run, which holds a pack per case. While it is open, in however many processes, nobody
// seals or prunes it.
type RunDir struct {
	path string
	live *flock.Flock
}

// Claim asks whether a run may have a name, where other machines take names, too. It may be nil: then the folder alone
// decides.
type Claim func(run string) (bool, error)

// NewRunDir makes <root>/<YYYY-MM-DDTHH-MM-SS> for the second now, in UTC, or for the next second that is not taken.
func NewRunDir(root string, now time.Time) (*RunDir, error) { return Claim(nil).NewRunDir(root, now) }

// NewRunDir does what NewRunDir does, for a name that is claimed.
func (c Claim) NewRunDir(root string, now time.Time) (*RunDir, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("make the reports directory: %w", err)
	}
	for i := range maxTries {
		name := now.UTC().Add(time.Duration(i) * time.Second).Format(RunLayout)
		dir := filepath.Join(root, name)
		if free, err := c.free(dir, name); err != nil {
			return nil, fmt.Errorf("claim the name of a run: %w", err)
		} else if !free {
			continue
		}
		err := os.Mkdir(dir, 0o755)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("make the run directory: %w", err)
		}
		run, err := OpenRunDir(dir)
		if errors.Is(err, os.ErrNotExist) { // pruned between two breaths: its name is that of an old run
			continue
		}
		return run, err
	}
	return nil, fmt.Errorf("make the run directory: %d names from %s on are taken", maxTries, now.UTC().Format(RunLayout))
}

// free tells whether a name may be taken. What is there already claims nothing.
func (c Claim) free(dir, name string) (bool, error) {
	if c == nil {
		return true, nil
	}
	if _, err := os.Lstat(dir); err == nil {
		return false, nil
	}
	return c(name)
}

// OpenRunDir joins a run that this or another process began.
func OpenRunDir(path string) (*RunDir, error) {
	// A lock is not opened through a link.
	if err := wholefile.Regular(filepath.Join(path, LiveFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open run directory %s: %w", path, err)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open run directory: %w", err)
	}
	live := flock.New(filepath.Join(abs, LiveFile))
	// A sealer may hold the lock for the moment that it takes to find nothing to seal.
	if err := live.RLock(); err != nil {
		return nil, fmt.Errorf("mark run directory %s as live: %w", path, err)
	}
	// A run that was pruned while its lock was waited for is gone: what is locked must be what is there.
	locked, err := live.Stat()
	if err == nil {
		var found os.FileInfo
		if found, err = os.Lstat(live.Path()); err == nil && !os.SameFile(locked, found) {
			err = os.ErrNotExist
		}
	}
	if err != nil {
		return nil, fmt.Errorf("mark run directory %s as live: %w", path, errors.Join(err, live.Close()))
	}
	return &RunDir{path: abs, live: live}, nil
}

// looking is held while a run's lock is tried for: who only looks holds the lock for a moment, and is not to be taken
// for somebody who works on the run.
var looking sync.Mutex

// TryAlone takes a run's lock when nobody works on the run.
func TryAlone(lock *flock.Flock) (bool, error) {
	looking.Lock()
	defer looking.Unlock()
	return lock.TryLock()
}

// Alive tells whether a process, this one or another, has the run directory open.
func Alive(path string) bool {
	looking.Lock()
	defer looking.Unlock()
	live := flock.New(filepath.Join(path, LiveFile), flock.SetFlag(os.O_RDONLY)) // makes no file
	defer live.Close()                                                           // nothing was written
	if free, err := live.TryLock(); free || err != nil {
		return false
	}
	// Who works on a run shares its lock; who seals or prunes a dead one does not, and may have ended just now.
	if shared, err := live.TryRLock(); !shared || err != nil {
		return false
	}
	free, err := live.TryLock()
	return !free && err == nil
}

// Path is the absolute path of the directory.
func (d *RunDir) Path() string { return d.path }

// Close ends this process's part in the run. Its packs must be finished before.
func (d *RunDir) Close() error {
	if err := d.live.Close(); err != nil {
		return fmt.Errorf("close run directory: %w", err)
	}
	return nil
}

// IsRunName tells whether name is one of a run directory.
func IsRunName(name string) bool {
	if !runName.MatchString(name) {
		return false
	}
	_, err := time.Parse(RunLayout, name)
	return err == nil
}

// Folders lists the real directories right under root whose names are good, sorted.
func Folders(root *os.Root, good func(string) bool) ([]string, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	entries, err := d.ReadDir(-1)
	var names []string
	for _, e := range entries {
		if e.IsDir() && good(e.Name()) { // of a link, IsDir is false
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, errors.Join(err, d.Close())
}
