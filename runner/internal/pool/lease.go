package pool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/filetree"
)

// leases are the locks with which processes of one user share phones: a file per device, locked while a case uses it.
// The kernel releases the lock when the process dies.
type leases struct {
	dir string
	now func() time.Time // the clock for reservations
}

// Holder says which process leases a device. It is written to a file next to the device's lock file.
type Holder struct {
	PID   int       `json:"pid"`
	What  string    `json:"what"` // the test that runs
	Since time.Time `json:"since"`
	Who   string    `json:"who,omitempty"`  // that process's client that holds the lease, if any
	Until time.Time `json:"until,omitzero"` // at least
}

// LeaseDir is the folder of lock files: $XDG_RUNTIME_DIR/taproot, otherwise a folder of this user in the temporary
// directory.
func LeaseDir(getenv func(string) string) string {
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "taproot")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("taproot-%d", os.Getuid()))
}

// PrepareLeaseDir makes the folder of lock files, and refuses one that belongs to another user.
func PrepareLeaseDir(dir string) error { return leases{dir: dir}.prepare() }

// try leases the device if it is free; ok is false when it is leased.
func (l leases) try(id, what string) (release func(), ok bool, err error) {
	if err := l.prepare(); err != nil {
		return nil, false, fmt.Errorf("folder for device locks: %w", err)
	}
	lock := flock.New(l.path(id), flock.SetPermissions(0o600))
	ok, err = lock.TryLock()
	if err != nil || !ok {
		return nil, false, errors.Join(err, lock.Close())
	}
	if err := l.note(id, Holder{PID: os.Getpid(), What: what, Since: time.Now().UTC()}); err != nil {
		return nil, false, errors.Join(err, lock.Close())
	}
	return func() {
		_ = os.Remove(l.path(id) + ".holder") // while this process has the lock
		_ = lock.Close()
	}, true, nil
}

// note writes the holder next to the lock.
func (l leases) note(id string, h Holder) error {
	record, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return filetree.ReplacePrivate(l.path(id)+".holder", record)
}

// prepare makes the folder. The temporary directory is shared by all users: a folder of another user, or a link, is
// refused.
func (l leases) prepare() error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(l.dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", l.dir)
	}
	return os.Chmod(l.dir, 0o700) // fails unless this user owns it
}

// Holder returns the last process that leased a phone. The record of a process that was killed remains: it names the
// current holder only if an attempt to lease the phone has just failed.
func (p *Pool) Holder(id string) (h Holder, ok bool) { return p.leases.holder(id) }

// Busy returns the process that leases a phone now, as far as that is known without trying to lease it.
func (p *Pool) Busy(id string) (h Holder, busy bool) {
	if h, busy = p.leases.holder(id); !busy {
		return h, false
	}
	process, err := os.FindProcess(h.PID)
	if err != nil {
		return h, false
	}
	err = process.Signal(syscall.Signal(0))
	return h, !errors.Is(err, os.ErrProcessDone)
}

func (l leases) holder(id string) (h Holder, ok bool) {
	data, err := os.ReadFile(l.path(id) + ".holder")
	if err != nil || json.Unmarshal(data, &h) != nil {
		return h, false
	}
	return h, true
}

// path is the lock file of a device; serials may contain slashes and colons.
func (l leases) path(id string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, id)
	return filepath.Join(l.dir, fmt.Sprintf("%s-%08x.lock", name, checksum(id)))
}

// Sleep waits a moment between two attempts to lease.
func Sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
	case <-wake:
	}
	return nil
}
