package upload

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	asidePrefix = ".incoming-"
	liveFile    = ".live"
	filesDir    = "files"
	young       = time.Minute // a younger folder may be about to be locked
)

var asideName = lazyregexp.New(`^\.incoming-[A-Z2-7]{26}$`)

// unpackDir is a folder in which an archive is unpacked. It is locked while a process uses it.
type unpackDir struct {
	dir   string
	path  string // of the files
	files *os.Root
	live  *flock.Flock
}

func newAside(reports string) (*unpackDir, error) {
	a := &unpackDir{dir: filepath.Join(reports, asidePrefix+rand.Text())}
	a.path = filepath.Join(a.dir, filesDir)
	if err := os.Mkdir(a.dir, 0o700); err != nil {
		return nil, fmt.Errorf("store an upload: %w", err)
	}
	a.live = flock.New(filepath.Join(a.dir, liveFile))
	err := a.live.Lock() // may wait briefly for a sweeper that checks it
	if err == nil {
		err = os.Mkdir(a.path, 0o755)
	}
	if err == nil {
		a.files, err = os.OpenRoot(a.path)
	}
	if err != nil {
		return nil, fmt.Errorf("store an upload: %w", errors.Join(err, a.remove()))
	}
	return a, nil
}

// remove removes the folder.
func (a *unpackDir) remove() error {
	var errs []error
	if a.files != nil {
		errs = append(errs, a.files.Close())
	}
	errs = append(errs, os.RemoveAll(a.dir), a.live.Close())
	return errors.Join(errs...)
}

// Sweep removes the folders of uploads of which the process has died.
func Sweep(reports string) error {
	entries, err := os.ReadDir(reports)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look for broken uploads: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || !asideName.MatchString(e.Name()) {
			continue
		}
		dir := filepath.Join(reports, e.Name())
		if info, err := os.Stat(dir); err != nil || time.Since(info.ModTime()) <= young {
			continue // gone, or another upload that has just started
		}
		lock := flock.New(filepath.Join(dir, liveFile), flock.SetFlag(os.O_RDONLY)) // does not create the file
		free, err := lock.TryLock()
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
		if free || errors.Is(err, os.ErrNotExist) {
			errs = append(errs, os.RemoveAll(dir))
		}
		errs = append(errs, lock.Close())
	}
	return errors.Join(errs...)
}
