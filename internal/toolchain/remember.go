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

// rememberFor is how long a cached version is valid if the file of the program has not changed. A program may be a
// script that starts another one, which can change meanwhile.
const rememberFor = 24 * time.Hour

// memory caches the versions of programs, across processes, in one file of the user's cache: starting a browser to read
// its version takes a second. It caches successful results only. If it cannot be read or written, programs are run
// again.
type memory struct {
	file string

	mu    sync.Mutex
	known map[string]answer // by path; nil: not read yet
}

// answer is the version of a program, with the file that printed it.
type answer struct {
	Version string    `json:"version"`
	Size    int64     `json:"size"` // bytes
	Changed time.Time `json:"changed"`
	Asked   time.Time `json:"asked"`
}

// stale reports whether the program must be run again.
func (a answer) stale() bool { return time.Since(a.Asked).Abs() > rememberFor }

func newMemory(cacheDir string) *memory {
	if cacheDir == "" {
		return nil
	}
	return &memory{file: filepath.Join(cacheDir, "tools.json")}
}

// recall returns the cached version of an unchanged program, or "".
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

// keep caches the version of a program.
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

// write writes the cache. If it fails, programs are run again.
func (m *memory) write() {
	if data, err := json.MarshalIndent(m.known, "", " "); err == nil {
		_ = replaceFile(m.file, data)
	}
}

// knownVersion is programVersion with the cache.
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
