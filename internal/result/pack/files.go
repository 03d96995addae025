package pack

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// writeAside writes a file of a pack as a whole or not at all: it writes to .work, syncs and renames.
func writeAside(root *os.Root, name string, write func(io.Writer) error) error {
	return filetree.WriteBy(root, path.Join(event.WorkDir, "aside-"+path.Base(name)), os.O_TRUNC, name, write)
}

func writeBytes(root *os.Root, name string, data []byte) error {
	return writeAside(root, name, filetree.BytesWriter(data))
}

// moveIntoPack moves a file from any folder to name in root; across file systems it copies.
func moveIntoPack(root *os.Root, from, name string) error {
	src, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = errors.Join(src.Sync(), src.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(from, filepath.Join(root.Name(), filepath.FromSlash(name))); err == nil {
		return filetree.SyncDir(root, path.Dir(name))
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
