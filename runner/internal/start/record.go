package start

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// markName is the variable in the environment of every server. Its value distinguishes processes of a server from
// others that have got the same numbers.
const markName = "TAPROOT_START_TOKEN"

// note is the content of a record: a server that runs, so that another process can end it.
type note struct {
	Name    string `json:"name"`
	Token   string `json:"token"`
	Group   int    `json:"group"`   // process group, the number of its first process; 0: not known
	Started string `json:"started"` // when that process started, as the system writes it
	Boot    string `json:"boot"`    // of the system
}

// record is a file that this process has locked. The system releases the lock when the process dies.
type record struct {
	path string
	lock *flock.Flock
	note note
}

// folder makes the folder of the records; only the user can access it.
func folder(dir string) (string, error) {
	if err := pool.PrepareLeaseDir(dir); err != nil {
		return "", fmt.Errorf("folder for records of servers: %w", err)
	}
	records := filepath.Join(dir, "start")
	return records, os.MkdirAll(records, 0o700)
}

// newRecord writes a record before the server starts.
func newRecord(dir, name, token string) (*record, error) {
	records, err := folder(dir)
	if err != nil {
		return nil, err
	}
	r := &record{path: filepath.Join(records, token+".json"), note: note{Name: name, Token: token, Boot: bootID()}}
	r.lock = flock.New(r.path+".lock", flock.SetPermissions(0o600))
	if ok, err := r.lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("record of a server: the lock is taken"), err)
	}
	return r, r.write()
}

func (r *record) write() error {
	data, err := json.Marshal(r.note)
	if err != nil {
		return err
	}
	return filetree.ReplacePrivate(r.path, data)
}

// started adds the process group.
func (r *record) started(pid int) error {
	r.note.Group, r.note.Started = pid, startOf(pid)
	return r.write()
}

func (r *record) remove() error {
	err := os.Remove(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	_ = os.Remove(r.path + ".lock") // while this process has the lock
	return errors.Join(err, r.lock.Close())
}

// Reap ends the servers that processes have left which were killed, and returns their names. dir is Options.Records.
func Reap(dir string) (ended []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "start", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, err
	}
	if _, err := folder(dir); err != nil { // another user's
		return nil, err
	}
	var errs []error
	for _, file := range files {
		name, err := reap(file)
		if name != "" {
			ended = append(ended, name)
		}
		errs = append(errs, err)
	}
	return ended, errors.Join(errs...)
}

// reap ends what one record names; "" when its process is alive or nothing is left.
func reap(file string) (ended string, err error) {
	r := &record{path: file, lock: flock.New(file+".lock", flock.SetPermissions(0o600))}
	if ok, err := r.lock.TryLock(); err != nil || !ok {
		return "", err // it runs
	}
	defer func() { err = errors.Join(err, r.remove()) }()
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &r.note) != nil || r.note.Token == "" {
		return "", nil // another process has just removed it, or it is damaged
	}
	if r.note.Boot != bootID() || !strings.HasPrefix(filepath.Base(file), r.note.Token) {
		return "", nil // since then the system was started again, or it is another container's
	}
	if !endGroups(func() []int { return leftovers(r.note) }) {
		return "", nil
	}
	return r.note.Name, nil
}
