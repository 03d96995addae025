package upload

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
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

// Staging is a folder next to the destination of an archive, in which it is unpacked and checked first. It is locked
// while a process uses it.
type Staging struct {
	Path string   // of the files
	Root *os.Root // of the files
	dir  string
	live *flock.Flock
}

// NewStaging makes one in the folder of the destination, which exists. The caller removes it.
func NewStaging(reports string) (*Staging, error) {
	a := &Staging{dir: filepath.Join(reports, asidePrefix+rand.Text())}
	a.Path = filepath.Join(a.dir, filesDir)
	if err := os.Mkdir(a.dir, 0o700); err != nil {
		return nil, fmt.Errorf("store an upload: %w", err)
	}
	a.live = flock.New(filepath.Join(a.dir, liveFile))
	err := a.live.Lock() // may wait briefly for a sweeper that checks it
	if err == nil {
		err = os.Mkdir(a.Path, 0o755)
	}
	if err == nil {
		a.Root, err = os.OpenRoot(a.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("store an upload: %w", errors.Join(err, a.Remove()))
	}
	return a, nil
}

// Unpack extracts an archive, and returns the size and SHA-256 of each file by name. The error is a *Refused, a
// *TooLarge, or one of this machine.
func (a *Staging) Unpack(ctx context.Context, archive io.Reader, limits Limits) (sums map[string]string, err error) {
	limits.defaults()
	x := &extractor{root: a.Root, limits: limits}
	err = x.all(ctx, archive)
	return x.sums, err
}

// Remove removes the folder.
func (a *Staging) Remove() error {
	var errs []error
	if a.Root != nil {
		errs = append(errs, a.Root.Close())
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
