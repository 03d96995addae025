package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Folder is a folder with content that archives replace. Safe for concurrent use.
type Folder struct {
	Dir    string
	Limits Limits

	mu sync.Mutex
}

// Replace unpacks an archive, checks it, and replaces the content of the folder by it. files is the number of files.
// commit is called when the archive was read completely and is valid, before the replacement; it may be nil. The error
// is a *Refused, a *TooLarge, commit's, or one of this machine; then the folder is unchanged, unless the disk failed in
// the middle.
func (f *Folder) Replace(ctx context.Context, archive io.Reader, commit func() error) (files int, err error) {
	beside := filepath.Dir(f.Dir)
	if err := Sweep(beside); err != nil {
		return 0, err
	}
	a, err := NewStaging(beside)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, a.Remove()) }()
	sums, err := a.Unpack(ctx, archive, f.Limits)
	if err != nil {
		return 0, err
	}
	if len(sums) == 0 {
		return 0, &Refused{"the archive contains no file"}
	}
	if commit != nil {
		if err := commit(); err != nil {
			return 0, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.swap(a); err != nil {
		return 0, fmt.Errorf("replace the files of a project: %w", err)
	}
	return len(sums), nil
}

// swap keeps the folder itself, which others may have open, and moves its content away, to be removed with the rest.
func (f *Folder) swap(a *Staging) error {
	old := filepath.Join(a.dir, "old")
	if err := os.Mkdir(old, 0o700); err != nil {
		return err
	}
	if err := moveAll(f.Dir, old); err != nil {
		return errors.Join(err, moveAll(old, f.Dir))
	}
	if err := moveAll(a.Path, f.Dir); err != nil {
		return errors.Join(err, moveAll(f.Dir, a.Path), moveAll(old, f.Dir))
	}
	return nil
}

func moveAll(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
