package reporters

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"syscall"
)

// The names in a pack.
const (
	eventsFile     = "events.ndjson"
	summaryFile    = "summary.json"
	runFile        = "run.md"
	recordingFile  = "recording.mp4"
	logcatFile     = "logcat.txt"
	screenshotsDir = "screenshots"
	artifactsDir   = "artifacts"
	workDir        = ".work" // what is not finished; nothing outside it is ever half a file
)

// writeAside writes a file of a pack as a whole or not at all: aside in .work first, then synced and renamed.
func writeAside(root *os.Root, name string, write func(io.Writer) error) error {
	return writeBy(root, path.Join(workDir, "aside-"+path.Base(name)), os.O_TRUNC, name, write)
}

// writeBy writes name by way of aside; flag says what happens to an aside that is there.
func writeBy(root *os.Root, aside string, flag int, name string, write func(io.Writer) error) error {
	f, err := root.OpenFile(aside, os.O_WRONLY|os.O_CREATE|flag, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
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
		err = moveInto(root, aside, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, removeIfThere(root, aside)))
	}
	return nil
}

func writeBytes(root *os.Root, name string, data []byte) error {
	return writeAside(root, name, bytesWriter(data))
}

func bytesWriter(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// moveInto renames a synced file within root and makes the new name last.
func moveInto(root *os.Root, from, to string) error {
	if err := root.Rename(from, to); err != nil {
		return err
	}
	return syncDir(root, path.Dir(to))
}

// regular gives an error unless path is a regular file, and no link to one.
func regular(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return err
}

// bringIn moves a file from anywhere to name in root; across file systems it is copied.
func bringIn(root *os.Root, from, name string) error {
	src, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = errors.Join(src.Sync(), src.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(from, filepath.Join(root.Name(), filepath.FromSlash(name))); err == nil {
		return syncDir(root, path.Dir(name))
	} else if !errors.Is(err, syscall.EXDEV) && runtime.GOOS != "windows" {
		return err
	}
	src, err = os.Open(from)
	if err != nil {
		return err
	}
	err = writeAside(root, name, func(w io.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
	if err = errors.Join(err, src.Close()); err != nil {
		return err
	}
	return os.Remove(from)
}

// syncDir makes the names in a directory last. Windows cannot, and needs not.
func syncDir(root *os.Root, dir string) error {
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

func removeIfThere(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
