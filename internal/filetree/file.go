// Package filetree finds the folder of a project, and writes and reads files of a folder without following links.
// Writes are atomic.
package filetree

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"syscall"
)

// Error means that a file could not be written.
type Error struct {
	Dir, Name string // Name may have folders, below Dir
	Err       error
}

func (e *Error) Error() string { return fmt.Sprintf("write %s: %v", e.Name, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// WriteBy writes name through a temporary file aside; flag defines what happens if aside exists.
func WriteBy(root *os.Root, aside string, flag int, name string, write func(io.Writer) error) error {
	f, err := root.OpenFile(aside, os.O_WRONLY|os.O_CREATE|flag, 0o644)
	if err != nil {
		return &Error{root.Name(), name, err}
	}
	w := bufio.NewWriterSize(f, 64<<10)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = MoveInto(root, aside, name)
	}
	if err != nil {
		return &Error{root.Name(), name, errors.Join(err, RemoveIfThere(root, aside))}
	}
	return nil
}

func BytesWriter(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// MoveInto renames a synced file within root and syncs the folder.
func MoveInto(root *os.Root, from, to string) error {
	if err := root.Rename(from, to); err != nil {
		return err
	}
	return SyncDir(root, path.Dir(to))
}

// Regular returns an error unless path is a regular file, and not a link to one.
func Regular(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return err
}

// SyncDir makes the names in a directory durable. Windows has no such operation and does not need it.
func SyncDir(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) { // a file system that does not sync directories
		err = nil
	}
	return errors.Join(err, d.Close())
}

func RemoveIfThere(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func There(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

// WriteFile atomically writes a file of a run, or of the reports folder. The name must not contain a folder. An
// existing file is replaced, and a link is not followed.
func WriteFile(dir, name string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return &Error{dir, name, err}
	}
	return errors.Join(WriteWhole(root, name, data), root.Close())
}

// ReplacePrivate writes a file that only the user can read, in the place of an earlier one: readers see one or the
// other, never half of it. One process at a time may write it, and it need not survive a loss of power.
func ReplacePrivate(file string, data []byte) error {
	if err := os.WriteFile(file+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func WriteWhole(root *os.Root, name string, data []byte) error {
	if path.Base(name) != name {
		return fmt.Errorf("write %q: not the name of a file", name)
	}
	return WriteBy(root, ".aside-"+rand.Text()[:8]+"-"+name, os.O_EXCL, name, BytesWriter(data))
}

// ReadCapped reads a regular file of at most limit bytes.
func ReadCapped(root *os.Root, name string, limit int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return data, errors.Join(err, f.Close())
}
