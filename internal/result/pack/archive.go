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

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// The limits of an archive.
const (
	maxArchiveFiles = 50_000
	maxArchiveFile  = 2 << 30 // bytes of one file
	maxArchiveBytes = 4 << 30 // of all files
	maxRunFiles     = 1_000_000
	maxRunBytes     = 64 << 30
)

// Archive writes a pack as gzip-compressed tar: one folder with the pack's name, in it every file, sorted. The same
// files make the same bytes. A pack that is incomplete, or that contains anything but regular files and folders, is
// refused.
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
	a := &archiver{root: root, name: name, files: maxArchiveFiles, bytes: maxArchiveBytes, hidden: true}
	if err = errors.Join(a.write(w, a.pack), root.Close()); err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	return nil
}

// ArchiveRun writes the folder of a run that has ended as gzip-compressed tar: its packs and the run's own files,
// without a folder around them. Files with names that start with a dot are local to this machine and left out.
func ArchiveRun(runDir string, w io.Writer) error { return archiveTree(runDir, w, false) }

// ArchiveFolder writes all files of a folder as gzip-compressed tar, without the folder around them.
func ArchiveFolder(dir string, w io.Writer) error { return archiveTree(dir, w, true) }

func archiveTree(dir string, w io.Writer, hidden bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("archive %s: %w", filepath.Base(dir), err)
	}
	a := &archiver{root: root, files: maxRunFiles, bytes: maxRunBytes, hidden: hidden}
	if err = errors.Join(a.write(w, a.tree), root.Close()); err != nil {
		return fmt.Errorf("archive %s: %w", filepath.Base(dir), err)
	}
	return nil
}

type archiver struct {
	root   *os.Root
	name   string // the folder in the archive; "": none
	out    *tar.Writer
	files  int   // that may still come
	bytes  int64 // that may still come
	hidden bool  // names at the top of the folder may start with a dot
}

// write makes an archive of what content adds.
func (a *archiver) write(w io.Writer, content func() error) error {
	zip, _ := gzip.NewWriterLevel(w, gzip.DefaultCompression) // the level is a known one
	a.out = tar.NewWriter(zip)
	err := content()
	if err == nil {
		err = a.out.Close()
	}
	if err == nil {
		err = zip.Close()
	}
	return err
}

// pack adds a pack that is complete.
func (a *archiver) pack() error {
	if !NamePattern.MatchString(a.name) {
		return errors.New("its name is not that of a pack")
	}
	if !filetree.There(a.root, event.SummaryFile) || filetree.There(a.root, event.WorkDir) {
		return errors.New("the pack is not complete; taproot report seal completes it when its run has died")
	}
	return a.tree()
}

// tree adds all files.
func (a *archiver) tree() error {
	return fs.WalkDir(a.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case a.name == "" && name == ".":
			return nil
		case !a.hidden && path.Dir(name) == "." && name[0] == '.' && d.IsDir():
			return fs.SkipDir
		case !a.hidden && path.Dir(name) == "." && name[0] == '.':
			return nil
		}
		return a.entry(name, d)
	})
}

func (a *archiver) entry(name string, d fs.DirEntry) error {
	to := path.Join(a.name, name)
	if !utf8.ValidString(name) || depth(name) > maxDepth {
		return fmt.Errorf("%q cannot be the name of a file in an archive", name)
	}
	if a.files--; a.files < 0 {
		return errors.New("it has more files than an archive may hold")
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
	info, err := f.Stat() // of the opened file: the path may lead to another one by now
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	if a.bytes -= info.Size(); info.Size() > maxArchiveFile || a.bytes < 0 {
		return fmt.Errorf("%s: an archive holds at most %d bytes in a file, and not so many in all", name,
			int64(maxArchiveFile))
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

// header contains nothing that depends on the machine or the time.
func header(name string, kind byte, size int64) *tar.Header {
	h := &tar.Header{Typeflag: kind, Name: name, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	if kind == tar.TypeDir {
		h.Mode = 0o755
	}
	return h
}

// ArchiveFile writes the archive of a pack to a temporary file and renames it: under its own name the file is always
// complete.
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
