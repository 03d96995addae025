package apps

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/internal/apkfile"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// What an archive with an app may hold. APKs are compressed already, so that an archive of them hardly shrinks.
const (
	maxEntries  = 20_000
	maxParts    = 1000
	maxRatio    = 50
	maxSetBytes = 4 << 30
)

// apkSet is the APKs of an app, open for reading.
type apkSet struct {
	parts   []apkPart
	closers []func()
}

// apkPart is one APK of a set.
type apkPart struct {
	name  string // in its folder or archive
	size  int64
	at    io.ReaderAt
	facts apkfile.Facts
}

var notInNames = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// staged is the name of an APK in an installation. It is one word for the phone's shell, and differs from that of all
// others.
func (p apkPart) staged(i int) string {
	base := notInNames.ReplaceAllString(strings.TrimSuffix(path.Base(p.name), path.Ext(p.name)), "_")
	return fmt.Sprintf("%d_%.60s.apk", i, base)
}

func (s *apkSet) close() {
	for _, c := range s.closers {
		c()
	}
}

// add reads the manifest of an APK.
func (s *apkSet) add(name string, at io.ReaderAt, size int64) error {
	facts, err := apkfile.Read(at, size)
	if err != nil {
		return fmt.Errorf("%s is not an APK: %w", name, err)
	}
	s.parts = append(s.parts, apkPart{name: name, size: size, at: at, facts: facts})
	return nil
}

// openFolder opens all APKs in a folder. Links that lead out of it are refused.
func (s *apkSet) openFolder(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { root.Close() })
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	total := int64(0)
	for _, e := range entries {
		if !strings.EqualFold(filepath.Ext(e.Name()), ".apk") {
			continue
		}
		info, err := root.Stat(e.Name())
		if err != nil {
			return err
		}
		total += info.Size()
		switch {
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a file", e.Name())
		case len(s.parts) == maxParts, total > packageBytes:
			return errors.New("it holds more APKs than an app has")
		}
		f, err := root.Open(e.Name())
		if err != nil {
			return err
		}
		s.closers = append(s.closers, func() { f.Close() })
		if err := s.add(e.Name(), f, info.Size()); err != nil {
			return err
		}
	}
	if len(s.parts) == 0 {
		return errors.New("it is a folder without an APK: name an APK, or a folder with all APKs of one app")
	}
	return nil
}

// openArchive opens the APKs of an archive, as bundletool and the shops write them. Nothing is extracted to the names
// in it.
func (s *apkSet) openArchive(ctx context.Context, file string, size int64) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { f.Close() })
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return fmt.Errorf("it is not a ZIP with the APKs of an app (%w): %s", err, universalWay)
	}
	entries, err := apksOf(archive.File)
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, e := range entries {
		total += e.UncompressedSize64
		switch {
		case e.Flags&1 != 0:
			return fmt.Errorf("%s in it is encrypted: %s", e.Name, universalWay)
		case e.UncompressedSize64 > maxSetBytes || total > maxSetBytes:
			return fmt.Errorf("its APKs have more than %d bytes", int64(maxSetBytes))
		case total > maxRatio*uint64(size):
			return fmt.Errorf("its APKs have more than %d times the bytes of the archive, as those of no app do", maxRatio)
		}
	}
	for _, e := range entries {
		at, err := s.entry(ctx, f, e, size)
		if err != nil {
			return fmt.Errorf("%s in it cannot be read: %w", e.Name, err)
		}
		if err := s.add(e.Name, at, int64(e.UncompressedSize64)); err != nil {
			return err
		}
	}
	return nil
}

// apksOf returns the entries among which a phone's are: the universal APK, those of the folders splits and
// asset-slices, or those at the top.
func apksOf(all []*zip.File) ([]*zip.File, error) {
	if len(all) > maxEntries {
		return nil, fmt.Errorf("it has more than %d entries", maxEntries)
	}
	var top, splits, universal []*zip.File
	for _, e := range all {
		dir, name := path.Split(e.Name)
		switch ext := strings.ToLower(path.Ext(name)); {
		case !filepath.IsLocal(strings.TrimSuffix(e.Name, "/")) || strings.ContainsAny(e.Name, "\\\x00"):
			return nil, fmt.Errorf("it has an entry %q, which leads out of it", e.Name)
		case ext == ".obb":
			return nil, fmt.Errorf("it has an expansion file (%s), which Taproot does not install", e.Name)
		case ext != ".apk":
		case dir == "" && name == "universal.apk":
			universal = append(universal, e)
		case dir == "":
			top = append(top, e)
		case dir == "splits/", dir == "asset-slices/":
			splits = append(splits, e)
		}
	}
	for _, list := range [][]*zip.File{universal, splits, top} {
		switch {
		case len(list) > maxParts:
			return nil, fmt.Errorf("it has more than %d APKs", maxParts)
		case len(list) > 0:
			return list, nil
		}
	}
	return nil, errors.New("it has neither universal.apk, nor splits/base-master.apk, nor APKs at its top: " +
		universalWay)
}

// entry makes an entry readable from anywhere in it: what is compressed goes through a temporary file.
func (s *apkSet) entry(ctx context.Context, f io.ReaderAt, e *zip.File, size int64) (io.ReaderAt, error) {
	if e.Method == zip.Store {
		from, err := e.DataOffset()
		length := int64(e.UncompressedSize64)
		if err != nil || e.CompressedSize64 != e.UncompressedSize64 || from > size-length {
			return nil, errors.Join(zip.ErrFormat, err)
		}
		return io.NewSectionReader(f, from, length), nil
	}
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	kept, err := os.CreateTemp("", "taproot-apk-*")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDiskFull, err)
	}
	s.closers = append(s.closers, func() {
		kept.Close()
		os.Remove(kept.Name())
	})
	n, err := io.Copy(here{kept}, io.LimitReader(untilDone{ctx, r}, int64(e.UncompressedSize64)+1))
	if err == nil && n != int64(e.UncompressedSize64) {
		err = zip.ErrFormat
	}
	return kept, err
}

var errDiskFull = errors.New("this machine has no disk space for it")

// here writes to this machine, so that its errors are not those of the archive.
type here struct{ w io.Writer }

func (h here) Write(p []byte) (int, error) {
	n, err := h.w.Write(p)
	if err != nil {
		err = fmt.Errorf("%w: %w", errDiskFull, err)
	}
	return n, err
}

// untilDone reads as long as its context lasts.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
