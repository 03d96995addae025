package toolchain

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// rememberFor is how long a version is taken for that of a program whose file did not change. A program may be a script
// that starts another one, which can change behind it.
const rememberFor = 24 * time.Hour

// memory keeps what programs said of their versions, over processes, in one file of the user's cache. Starting a
// browser to ask for its version costs a second. What cannot be read or written is asked anew; only an answer is kept,
// never a failure.
type memory struct {
	file string

	mu    sync.Mutex
	known map[string]answer // by path; nil: not read yet
}

// answer is what a program said, and the file that said it.
type answer struct {
	Version string    `json:"version"`
	Size    int64     `json:"size"` // bytes
	Changed time.Time `json:"changed"`
	Asked   time.Time `json:"asked"`
}

// stale tells whether a program is to be asked again.
func (a answer) stale() bool { return time.Since(a.Asked).Abs() > rememberFor }

func newMemory(cacheDir string) *memory {
	if cacheDir == "" {
		return nil
	}
	return &memory{file: filepath.Join(cacheDir, "tools.json")}
}

// recall gives the version of an unchanged program, "" when it must be asked.
func (m *memory) recall(h Host, path string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read()
	was, ok := m.known[path]
	now, err := h.Stat(path)
	if !ok || err != nil || now.Size() != was.Size || !now.ModTime().Equal(was.Changed) || was.stale() {
		return ""
	}
	return was.Version
}

func (m *memory) read() {
	if m.known != nil {
		return
	}
	m.known = map[string]answer{}
	data, err := os.ReadFile(m.file)
	if err != nil || json.Unmarshal(data, &m.known) != nil {
		m.known = map[string]answer{}
	}
}

// keep remembers what a program said.
func (m *memory) keep(h Host, path, version string) {
	info, err := h.Stat(path)
	if err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = nil // another process may have written meanwhile
	m.read()
	maps.DeleteFunc(m.known, func(_ string, a answer) bool { return a.stale() })
	m.known[path] = answer{Version: version, Size: info.Size(), Changed: info.ModTime(), Asked: time.Now()}
	m.write()
}

// write keeps what is known; where it cannot, programs are asked again.
func (m *memory) write() {
	if data, err := json.MarshalIndent(m.known, "", " "); err == nil {
		_ = replaceFile(m.file, data)
	}
}

// knownVersion is programVersion, asked of the program only when nothing is remembered of it.
func knownVersion(ctx context.Context, h Host, t Tool, path string) (string, error) {
	if h.memory == nil {
		return programVersion(ctx, h, t, path)
	}
	if version := h.memory.recall(h, path); version != "" {
		return version, nil
	}
	version, err := programVersion(ctx, h, t, path)
	if err == nil {
		h.memory.keep(h, path, version)
	}
	return version, err
}
