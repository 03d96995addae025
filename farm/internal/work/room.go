package work

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// noRoom reports whether an error means that the disk of this machine is full or not writable.
func noRoom(err error) bool {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, diskFull} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// roomForMore is how many bytes must be free on a disk that was full before the host accepts cases again.
const roomForMore = 16 << 20

// stillFull reports whether the disk was full and still is. The host then reports no free device to the hubs.
func (w *Worker) stillFull() bool {
	if !w.full.Load() {
		return false
	}
	w.cache.Clear() // the hub has the archives
	if err := w.tryRoom(); err != nil {
		return true
	}
	w.full.Store(false)
	w.o.Log.Info("there is space on the disk again", "folder", w.o.Dir)
	return false
}

// tryRoom writes a file of roomForMore bytes, and removes it.
func (w *Worker) tryRoom() (err error) {
	f, err := os.CreateTemp(filepath.Join(w.o.Dir, "cases"), "space-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	block := make([]byte, 1<<20)
	for range roomForMore / len(block) {
		if _, err := f.Write(block); err != nil {
			return err
		}
	}
	return nil
}
