package pack

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/internal/wholefile"
	"github.com/taproot-dev/taproot/reporters/event"
)

// The limits of an archive.
const (
	maxArchiveFiles = 50_000
	maxArchiveFile  = 2 << 30 // bytes of one file
	maxArchiveBytes = 4 << 30 // of all files
)

// Archive writes a pack as gzip-compressed tar: one folder with the pack's name, in it every file, sorted. The same files give the
// same bytes. A pack that is not complete, and one that holds a link or anything else that is no file or folder, is refused.
func Archive(packDir string, w io.Writer) error {
	abs, err := filepath.Abs(packDir)
	if err != nil {
		return fmt.Errorf("archive %s: %w", packDir, err)
	}
	name := filepath.Base(abs)
	root, err := os.OpenRoot(abs)
	if err != nil {
		return fmt.Errorf("archive %s: %w", packDir, err)
	}
	zip, _ := gzip.NewWriterLevel(w, gzip.DefaultCompression) // the level is a known one
	a := &archiver{root: root, name: name, out: tar.NewWriter(zip)}
	err = a.all()
	if err == nil {
		err = a.out.Close()
	}
	if err == nil {
		err = zip.Close()
	}
	if err = errors.Join(err, root.Close()); err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	return nil
}

type archiver struct {
	root  *os.Root
	name  string
	out   *tar.Writer
	files int
	bytes int64
}

func (a *archiver) all() error {
	if !NamePattern.MatchString(a.name) {
		return errors.New("its name is not that of a pack")
	}
	if !wholefile.There(a.root, event.SummaryFile) || wholefile.There(a.root, event.WorkDir) {
		return errors.New("the pack is not complete; taproot report seal completes it when its run is dead")
	}
	return fs.WalkDir(a.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return a.entry(name, d)
	})
}

func (a *archiver) entry(name string, d fs.DirEntry) error {
	to := path.Join(a.name, name)
	if !utf8.ValidString(name) || depth(name) > maxDepth {
		return fmt.Errorf("%q cannot be the name of a file in an archive", name)
	}
	if a.files++; a.files > maxArchiveFiles {
		return fmt.Errorf("it has more than %d files", maxArchiveFiles)
	}
	switch {
	case d.IsDir():
		return a.out.WriteHeader(header(to+"/", tar.TypeDir, 0))
	case d.Type().IsRegular():
		return a.file(name, to)
	}
	return fmt.Errorf("%s is a link or a special file, which an archive must not hold", name)
}

func (a *archiver) file(name, to string) (err error) {
	f, err := a.root.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat() // of what was opened: it may have been swapped
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	a.bytes += info.Size()
	if info.Size() > maxArchiveFile || a.bytes > maxArchiveBytes {
		return fmt.Errorf("%s: an archive holds at most %d bytes in a file and %d in all", name, int64(maxArchiveFile), int64(maxArchiveBytes))
	}
	if err := a.out.WriteHeader(header(to, tar.TypeReg, info.Size())); err != nil {
		return err
	}
	if n, err := io.Copy(a.out, io.LimitReader(f, info.Size())); err != nil {
		return err
	} else if n < info.Size() {
		return fmt.Errorf("%s became shorter while it was read", name)
	}
	return nil
}

// header holds nothing of the machine or the moment.
func header(name string, kind byte, size int64) *tar.Header {
	h := &tar.Header{Typeflag: kind, Name: name, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	if kind == tar.TypeDir {
		h.Mode = 0o755
	}
	return h
}

// ArchiveFile writes the archive of a pack to a file, aside first: under its name there is never half an archive.
func ArchiveFile(packDir, to string) error {
	f, err := os.CreateTemp(filepath.Dir(to), ".aside-*-"+filepath.Base(to))
	if err != nil {
		return fmt.Errorf("archive %s: %w", packDir, err)
	}
	err = Archive(packDir, f)
	if err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
