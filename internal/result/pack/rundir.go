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

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	RunLayout = "2006-01-02T15-04-05"
	LiveFile  = ".live"
	maxNames  = 3600 // names of consecutive seconds to check
)

var (
	runName     = lazyregexp.New(`^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$`)
	NamePattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)
)

// IsPackName reports whether name can be the name of a pack's folder.
func IsPackName(name string) bool {
	return NamePattern.MatchString(name) && !strings.HasSuffix(name, ".")
}

// RunDir is the directory of one run, with a pack per case. While it is open in any process, it is neither finalized
// as dead nor pruned.
//
// A file lock decides whether a run is alive, because the kernel releases it however a process ends, and process ids
// are reused. All processes that work on a run share the lock of LiveFile. A process that finalizes or prunes a run
// takes the same lock exclusively: it fails as long as one of them lives.
type RunDir struct {
	path string
	live *flock.Flock
}

// Claim reports whether a run may use a name that other machines may have taken, too. With a nil Claim, only the folder
// decides.
type Claim func(run string) (bool, error)

// NewRunDir makes <root>/<YYYY-MM-DDTHH-MM-SS> for the second now, in UTC, or for the next second that is not taken.
func NewRunDir(root string, now time.Time) (*RunDir, error) { return Claim(nil).NewRunDir(root, now) }

// NewRunDir is the function NewRunDir for names that must be claimed.
func (c Claim) NewRunDir(root string, now time.Time) (*RunDir, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("make the reports directory: %w", err)
	}
	for i := range maxNames {
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
		if errors.Is(err, os.ErrNotExist) { // pruned in between: it has the name of an old run
			continue
		}
		return run, err
	}
	return nil, fmt.Errorf("make the run directory: %d names from %s on are taken", maxNames, now.UTC().Format(RunLayout))
}

// free reports whether a name may be used. A directory that exists already is not claimed.
func (c Claim) free(dir, name string) (bool, error) {
	if c == nil {
		return true, nil
	}
	if _, err := os.Lstat(dir); err == nil {
		return false, nil
	}
	return c(name)
}

// OpenRunDir joins a run that this or another process started.
func OpenRunDir(path string) (*RunDir, error) {
	// A lock is not opened through a link.
	if err := filetree.Regular(filepath.Join(path, LiveFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open run directory %s: %w", path, err)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open run directory: %w", err)
	}
	live := flock.New(filepath.Join(abs, LiveFile))
	// Another process may hold the lock for a moment while it checks whether the run is dead.
	if err := live.RLock(); err != nil {
		return nil, fmt.Errorf("mark run directory %s as live: %w", path, err)
	}
	// A run may have been pruned while this process waited for its lock: the locked file must be the one in the
	// directory.
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

// checking is locked while this process checks a run's lock. A check holds that lock for a moment, and another check
// must not take it for a process that works on the run.
var checking sync.Mutex

// TryAlone takes a run's lock when no process works on the run.
func TryAlone(lock *flock.Flock) (bool, error) {
	checking.Lock()
	defer checking.Unlock()
	return lock.TryLock()
}

// Alive reports whether a process, this one or another, has the run directory open.
func Alive(path string) bool {
	checking.Lock()
	defer checking.Unlock()
	live := flock.New(filepath.Join(path, LiveFile), flock.SetFlag(os.O_RDONLY)) // creates no file
	defer live.Close()                                                           // nothing was written
	if free, err := live.TryLock(); free || err != nil {
		return false
	}
	// A process that works on a run shares its lock; one that finalizes or prunes a dead run does not, and may have
	// ended just now.
	if shared, err := live.TryRLock(); !shared || err != nil {
		return false
	}
	free, err := live.TryLock()
	return !free && err == nil
}

// Path is the absolute path of the directory.
func (d *RunDir) Path() string { return d.path }

// Close ends this process's part in the run. Finish its packs before.
func (d *RunDir) Close() error {
	if err := d.live.Close(); err != nil {
		return fmt.Errorf("close run directory: %w", err)
	}
	return nil
}

// IsRunName reports whether name is one of a run directory.
func IsRunName(name string) bool {
	if !runName.MatchString(name) {
		return false
	}
	_, err := time.Parse(RunLayout, name)
	return err == nil
}

// Folders lists the real directories at the top of root for which good(name) is true, sorted.
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
