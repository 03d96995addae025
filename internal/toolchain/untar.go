package toolchain

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
)

// Limits of an archive; Node's has one file of about 120 MB.
const (
	maxUnpacked = 512 << 20
	maxEntries  = 20_000
)

// unpack writes the files of a .tgz below dir. It accepts regular files and folders only, and refuses names that lead
// out of dir.
func unpack(archive, dir string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := untar(file, root, maxUnpacked); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(archive), err)
	}
	return nil
}

func untar(src io.Reader, root *os.Root, budget int64) error {
	zipped, err := gzip.NewReader(src)
	if err != nil {
		return err
	}
	defer zipped.Close()
	// One byte over the budget is read on purpose, to distinguish "just fits" from "too large".
	limited := &io.LimitedReader{R: zipped, N: budget + 1}
	entries := tar.NewReader(limited)
	for range maxEntries {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = writeEntry(root, header, entries)
		}
		if limited.N <= 0 {
			return fmt.Errorf("it has more than %d bytes", budget)
		}
		if err != nil {
			return err
		}
	}
	return fmt.Errorf("it has more than %d files", maxEntries)
}

func writeEntry(root *os.Root, header *tar.Header, content io.Reader) error {
	name := path.Clean(header.Name)
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("entry %q leads out of the archive", header.Name)
	}
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeReg:
	default:
		return fmt.Errorf("entry %q is neither a file nor a folder", header.Name)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if header.Mode&0o100 != 0 {
		mode = 0o755
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Close())
}
