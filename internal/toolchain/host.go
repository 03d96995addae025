package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// maxOutput limits what is kept of a program's output; the rest is discarded.
const maxOutput = 1 << 20

// Host is the machine; tests replace its functions. It is only read, so goroutines may share it.
type Host struct {
	GOOS, GOARCH string
	// CacheDir is Taproot's own folder in the user's cache; empty when the user has none.
	CacheDir string
	// Superuser is true for root on systems that have one.
	Superuser bool
	Getenv    func(name string) string
	// LookPath finds a program on PATH, or fails with an error that wraps exec.ErrNotFound.
	LookPath func(name string) (string, error)
	// Run starts a program and waits for its end. It returns standard output followed by standard error.
	Run      func(ctx context.Context, cmd Command) ([]byte, error)
	Stat     func(path string) (fs.FileInfo, error)
	ReadFile func(path string) ([]byte, error)
	Glob     func(pattern string) ([]string, error)

	agent  []agentFile // the expected packages of the agent; nil: those of AgentVersion
	memory *memory     // the cache of versions; nil: each program is run
}

// Command is a program to run.
type Command struct {
	Path string
	Args []string
	// Env is added to the host's environment.
	Env []string
	Dir string
	// Stream also receives standard output and error while the program runs, one write at a time; may be nil.
	Stream io.Writer
}

// System returns this machine with the process's own environment.
func System() Host { return NewHost(os.Getenv, os.Environ()) }

// NewHost returns this machine with another environment, which its programs inherit.
func NewHost(getenv func(string) string, environ []string) Host {
	cache := cacheDir(runtime.GOOS, getenv)
	return Host{
		GOOS:      runtime.GOOS,
		GOARCH:    runtime.GOARCH,
		CacheDir:  cache,
		memory:    newMemory(cache),
		Superuser: os.Geteuid() == 0,
		Getenv:    getenv,
		LookPath:  func(name string) (string, error) { return lookPath(getenv("PATH"), name) },
		Run:       func(ctx context.Context, cmd Command) ([]byte, error) { return run(ctx, environ, cmd) },
		Stat:      os.Stat,
		ReadFile:  os.ReadFile,
		Glob:      filepath.Glob,
	}
}

// ChromiumSandbox reports whether Chromium can be started with its sandbox. It refuses to start as root without
// --no-sandbox, and only then may that argument be used.
func (h Host) ChromiumSandbox() bool { return !h.Superuser }

// userCacheDir is os.UserCacheDir for a given environment.
func userCacheDir(goos string, getenv func(string) string) string {
	home := getenv("HOME")
	switch {
	case goos == "windows":
		return getenv("LocalAppData")
	case goos == "darwin" && home != "":
		return filepath.Join(home, "Library", "Caches")
	case goos == "darwin":
		return ""
	case filepath.IsAbs(getenv("XDG_CACHE_HOME")):
		return getenv("XDG_CACHE_HOME")
	case home != "":
		return filepath.Join(home, ".cache")
	}
	return ""
}

func cacheDir(goos string, getenv func(string) string) string {
	dir := userCacheDir(goos, getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "taproot")
}

// lookPath searches absolute folders only, so that a program in the working directory is never started.
func lookPath(path, name string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}

func run(ctx context.Context, environ []string, c Command) ([]byte, error) {
	var out, errs capped
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env = append(append([]string(nil), environ...), c.Env...)
	cmd.Dir = c.Dir
	cmd.Stdout, cmd.Stderr = &out, &errs
	if c.Stream != nil {
		// Standard output and error are copied by two goroutines.
		stream := &locked{w: c.Stream}
		cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, stream), io.MultiWriter(&errs, stream)
	}
	// A package manager that is killed leaves its database locked, so it is interrupted first.
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return cmd.Process.Kill()
		}
		return cmd.Process.Signal(os.Interrupt)
	}
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if ctxErr := ctx.Err(); err != nil && ctxErr != nil {
		err = errors.Join(ctxErr, err)
	}
	return append(out.buf.Bytes(), errs.buf.Bytes()...), err
}

// locked lets two goroutines write to one writer.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// capped keeps the first maxOutput bytes and discards the others, so that a program never blocks on its output. The
// buffer is not embedded, since io.Copy would use its ReadFrom and bypass the limit.
type capped struct{ buf bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxOutput - c.buf.Len(); room > 0 {
		c.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
