package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/filetree"
)

// endAllLimit is how long the sessions of killed processes may take to end, all of them at once.
const endAllLimit = 35 * time.Second

// record is what a file says of a session that is open. It has no key in it.
type record struct {
	URL     string    `json:"url"`
	Remote  string    `json:"remote"`
	Session string    `json:"session"`
	Since   time.Time `json:"since"`
	Process int       `json:"process"`
}

// slot is one of the places for sessions at a server. The lock on its file is released when the process dies.
type slot struct {
	path string // of the record
	lock *flock.Flock
}

func slotPath(s Server, i int) string {
	return filepath.Join(s.Folder, fmt.Sprintf("%08x-%d.json", crc32.ChecksumIEEE([]byte(s.URL+" "+s.User)), i+1))
}

// takeSlot takes a place, nil when a living process has it.
func takeSlot(s Server, i int) (*slot, error) {
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("folder for the records of sessions: %w", err)
	}
	return lockSlot(slotPath(s, i))
}

func lockSlot(path string) (*slot, error) {
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("record of a session: %w", err)
	}
	if !got {
		_ = lock.Close()
		return nil, nil
	}
	_ = os.Remove(path + ".wanted")
	return &slot{path: path, lock: lock}, nil
}

// wantSlot has the process end its session that has a place and does not use it now.
func wantSlot(s Server, i int) { _ = os.WriteFile(slotPath(s, i)+".wanted", nil, 0o600) }

func (s *slot) wanted() bool {
	_, err := os.Stat(s.path + ".wanted")
	return err == nil
}

func (s *slot) write(r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return filetree.ReplacePrivate(s.path, data)
}

// note returns what is written of a session.
func (s *slot) note() (r record, ok bool) {
	data, err := os.ReadFile(s.path)
	return r, err == nil && json.Unmarshal(data, &r) == nil && r.Session != "" && r.URL != ""
}

func (s *slot) forget() { _ = os.Remove(s.path) }

// setAside keeps the record of a session that could not be ended under another name.
func (s *slot) setAside() {
	aside := strings.TrimSuffix(s.path, ".json") + fmt.Sprintf("-left-%d.json", time.Now().UnixNano())
	_ = os.Rename(s.path, aside)
}

func (s *slot) release() { _ = s.lock.Close() }

// EndLeft ends the sessions that killed processes have left, and returns how they are called. Servers are those with
// known keys: others are asked without one. Those of living processes are left alone; of those that cannot be ended now
// the record is kept.
func EndLeft(ctx context.Context, folder string, servers func() []Server) (done []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, endAllLimit)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	var errs []error
	known := sync.OnceValue(servers)
	for _, file := range files {
		all.Go(func() {
			name, err := endOne(ctx, file, known)
			mu.Lock()
			defer mu.Unlock()
			if name != "" {
				done = append(done, name)
			}
			errs = append(errs, err)
		})
	}
	all.Wait()
	sort.Strings(done)
	return done, errors.Join(errs...)
}

func endOne(ctx context.Context, file string, known func() []Server) (name string, err error) {
	s, err := lockSlot(file)
	if err != nil || s == nil {
		return "", err
	}
	defer s.release()
	note, ok := s.note()
	if !ok {
		if _, err := os.Stat(file); err == nil {
			s.forget() // damaged: nothing can be made of it
		} else if errors.Is(err, fs.ErrNotExist) && strings.Contains(file, "-left-") {
			_ = os.Remove(file + ".lock")
		}
		return "", nil
	}
	server := Server{Name: note.Remote, URL: note.URL}
	for _, k := range known() {
		if k.URL == note.URL {
			server = k
		}
	}
	client, err := server.Client()
	if err != nil {
		s.forget() // it is not a URL
		return "", nil
	}
	defer client.Close()
	err = client.Do(ctx, webdriver.Command{Method: "DELETE", Path: "/session/" + url.PathEscape(note.Session),
		Limit: endAllLimit}, nil)
	if !ended(err) {
		return "", fmt.Errorf("a session of a killed run at the remote %s cannot be ended now: %w", note.Remote, err)
	}
	s.forget()
	if strings.Contains(file, "-left-") {
		_ = os.Remove(file + ".lock") // while this process has the lock
	}
	return fmt.Sprintf("%s (session %s)", note.Remote, note.Session), nil
}
