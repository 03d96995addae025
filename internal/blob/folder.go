package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folder is a Bucket in a folder that the servers share.
type folder struct{ dir string }

// asidePrefix is the prefix of incomplete files. Names of the bucket cannot start with it.
const asidePrefix = ".aside-"

func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// Put writes a temporary file and renames it, so that no reader sees an incomplete file.
func (f *folder) Put(ctx context.Context, name string, file *os.File) error {
	if err := check(name); err != nil {
		return err
	}
	to := f.path(name)
	if err := f.there(); err != nil {
		return fmt.Errorf("put %s: %w", name, err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("put %s: %w", name, err)
	}
	aside, err := os.CreateTemp(filepath.Dir(to), asidePrefix+"*")
	if err != nil {
		return fmt.Errorf("put %s: %w", name, err)
	}
	_, err = file.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(aside, &held{ctx, file})
	}
	if err == nil {
		err = aside.Sync()
	}
	if err = errors.Join(err, aside.Close()); err == nil {
		err = os.Rename(aside.Name(), to)
	}
	if err == nil {
		err = syncDir(filepath.Dir(to))
	}
	if err != nil {
		return fmt.Errorf("put %s: %w", name, errors.Join(err, gone(os.Remove(aside.Name()))))
	}
	return nil
}

// syncDir makes a new name durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (f *folder) Get(_ context.Context, name string) (io.ReadCloser, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	file, err := os.Open(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		if err := f.there(); err != nil {
			return nil, fmt.Errorf("get %s: %w", name, err)
		}
		return nil, ErrNotFound
	}
	return file, err
}

// there returns an error if the folder itself is missing: it must not look like an empty bucket.
func (f *folder) there() error {
	_, err := os.Stat(f.dir)
	return err
}

func (f *folder) List(ctx context.Context, prefix string) ([]string, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, err
	}
	var names []string
	err := filepath.WalkDir(f.path(prefix), func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // nothing was stored yet, or it was deleted meanwhile
			return f.there()
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "."):
			return nil
		}
		name, err := filepath.Rel(f.dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	slices.Sort(names)
	return names, err
}

func (f *folder) Delete(_ context.Context, name string) error {
	if err := check(name); err != nil {
		return err
	}
	return gone(os.Remove(f.path(name)))
}

// gone returns nil for the error that a file does not exist.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// held reads until a context ends.
type held struct {
	ctx context.Context
	r   io.Reader
}

func (h *held) Read(p []byte) (int, error) {
	if h.ctx.Err() != nil {
		return 0, context.Cause(h.ctx)
	}
	return h.r.Read(p)
}
