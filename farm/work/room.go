package work

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// noRoom tells whether it is the disk of this machine that has no room, or cannot be written.
func noRoom(err error) bool {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, diskFull} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// roomForMore is what must be free on the disk before a host that ran out of room takes cases again, in bytes.
const roomForMore = 16 << 20

// stillFull tells whether the disk was full and is: then the hubs are told of no free device.
func (w *Worker) stillFull() bool {
	if !w.full.Load() {
		return false
	}
	w.cache.Clear() // what it takes comes again from the hub
	if err := w.tryRoom(); err != nil {
		return true
	}
	w.full.Store(false)
	w.o.Log.Info("there is room on the disk again", "folder", w.o.Dir)
	return false
}

// tryRoom writes a file, and removes it.
func (w *Worker) tryRoom() (err error) {
	f, err := os.CreateTemp(filepath.Join(w.o.Dir, "cases"), "room-")
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
