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
)

// leases are the locks by which processes of one user share phones: a file per device, locked while a case uses it. The
// kernel frees the lock when its holder dies.
type leases struct {
	dir string
	now func() time.Time // by which reservations count
}

// Holder is who holds a device, as it stands beside the device's lock file.
type Holder struct {
	PID   int       `json:"pid"`
	What  string    `json:"what"` // the test that runs
	Since time.Time `json:"since"`
	Who   string    `json:"who,omitempty"`  // that process's client who holds it, if one does
	Until time.Time `json:"until,omitzero"` // at least
}

// LeaseDir is where lock files lie: $XDG_RUNTIME_DIR/taproot, else a folder of this user in the temporary directory.
func LeaseDir(getenv func(string) string) string {
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" {
		return filepath.Join(dir, "taproot")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("taproot-%d", os.Getuid()))
}

// PrepareLeaseDir makes the folder of lock files, and refuses one that belongs to another user.
func PrepareLeaseDir(dir string) error { return leases{dir: dir}.prepare() }

// try takes the device when nobody has it; ok is false when somebody does.
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
		_ = os.Remove(l.path(id) + ".holder") // while it is ours
		_ = lock.Close()
	}, true, nil
}

// note says beside the lock who has it; others read of the one before, or of this one.
func (l leases) note(id string, h Holder) error {
	record, err := json.Marshal(h)
	if err != nil {
		return err
	}
	path := l.path(id) + ".holder"
	if err := os.WriteFile(path+".new", record, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// prepare makes the folder. The temporary directory belongs to everybody: a folder that somebody else made there, or a
// link, is not used.
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
	return os.Chmod(l.dir, 0o700) // refused unless it is ours
}

// Holder tells who took a phone last. The record of a process that was killed stays: only who just failed to lease it
// can conclude from it who has it.
func (p *Pool) Holder(id string) (h Holder, ok bool) { return p.leases.holder(id) }

// Busy tells who has a phone now, as far as that can be told without trying to take it.
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

// path names the lock file of a device; serials may hold slashes and colons.
func (l leases) path(id string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, id)
	return filepath.Join(l.dir, fmt.Sprintf("%s-%08x.lock", name, checksum(id)))
}

// Sleep waits a moment between two tries for a lease.
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
