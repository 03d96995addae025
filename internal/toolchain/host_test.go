package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

// fakeHost is a machine made of maps. The key of a program is its path; onPath has the names on PATH.
type fakeHost struct {
	goos, goarch string
	superuser    bool
	env          map[string]string
	onPath       map[string]string
	// programs has the outputs of commands; a program that is not in it does not exist as a file either.
	programs map[string]func(cmd Command) (string, error)
	files    map[string]string
	cache    string

	archives []archive // in the machine's registry

	mu         sync.Mutex
	ran        []string
	authorized []string // the credentials of requests to the registry
}

func prints(text string) func(Command) (string, error) {
	return func(Command) (string, error) { return text, nil }
}

// sumOfTwo is the SHA-256 of "xx".
const sumOfTwo = "5dde896887f6754c9b15bfe3a441ae4806df2fde94001311e08bf110622e0bbe"

func (f *fakeHost) host() Host {
	return Host{
		GOOS: orElse(f.goos, "linux"), GOARCH: orElse(f.goarch, "amd64"), Superuser: f.superuser, CacheDir: f.cache,
		Getenv: func(name string) string { return f.env[name] },
		LookPath: func(name string) (string, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if path, ok := f.onPath[name]; ok {
				return path, nil
			}
			return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
		},
		Run:      f.run,
		Stat:     f.stat,
		ReadFile: f.readFile,
		Glob:     f.glob,
		agent:    []agentFile{{"server.apk", sumOfTwo}, {"tests.apk", sumOfTwo}},
	}
}

func (f *fakeHost) run(ctx context.Context, cmd Command) ([]byte, error) {
	f.mu.Lock()
	f.ran = append(f.ran, strings.Join(append([]string{cmd.Path}, cmd.Args...), " "))
	program, ok := f.programs[cmd.Path]
	f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, os.ErrNotExist)
	}
	out, err := program(cmd)
	return []byte(out), err
}

func (f *fakeHost) stat(path string) (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.programs[path]; ok {
		return fakeInfo(path), nil
	}
	if _, ok := f.files[path]; ok {
		return fakeInfo(path), nil
	}
	return os.Stat(path)
}

func (f *fakeHost) readFile(path string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if text, ok := f.files[path]; ok {
		return []byte(text), nil
	}
	if f.cache != "" && strings.HasPrefix(path, f.cache) {
		return os.ReadFile(path)
	}
	return nil, os.ErrNotExist
}

func (f *fakeHost) glob(pattern string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for name := range f.programs {
		if ok, err := path.Match(pattern, name); err != nil || ok {
			out = append(out, name)
		}
	}
	for name := range f.files {
		if ok, err := path.Match(pattern, name); err != nil || ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

type fakeInfo string

func (i fakeInfo) Name() string       { return filepath.Base(string(i)) }
func (i fakeInfo) Size() int64        { return 1 }
func (i fakeInfo) Mode() fs.FileMode  { return 0o755 }
func (i fakeInfo) ModTime() time.Time { return time.Time{} }
func (i fakeInfo) IsDir() bool        { return false }
func (i fakeInfo) Sys() any           { return nil }

func TestLookPathSkipsRelativeFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeProgram(t, filepath.Join(dir, "adb"), "exit 0")
	if got, err := lookPath(".:bin", "adb"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a program of the working directory was found: %q, %v", got, err)
	}
	got, err := lookPath("/nonexistent:"+dir, "adb")
	if err != nil || got != filepath.Join(dir, "adb") {
		t.Errorf("lookPath = %q, %v", got, err)
	}
}

func TestRunJoinsOutputAndPassesEnvironment(t *testing.T) {
	script := filepath.Join(t.TempDir(), "tool")
	writeProgram(t, script, `echo "out $A $B"; echo err >&2; exit 3`)
	var stream strings.Builder
	host := NewHost(os.Getenv, []string{"A=1", "B=1"})
	out, err := host.Run(t.Context(), Command{Path: script, Env: []string{"B=2"}, Stream: &stream})
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("err = %v, want exit status 3", err)
	}
	if string(out) != "out 1 2\nerr\n" {
		t.Errorf("out = %q", out)
	}
	if !strings.Contains(stream.String(), "out 1 2\n") || !strings.Contains(stream.String(), "err\n") {
		t.Errorf("stream = %q", stream.String())
	}
}

func TestRunCapsOutput(t *testing.T) {
	script := filepath.Join(t.TempDir(), "tool")
	writeProgram(t, script, `head -c 3000000 /dev/zero`)
	out, err := System().Run(t.Context(), Command{Path: script})
	if err != nil || len(out) != maxOutput {
		t.Errorf("kept %d bytes, err %v; want %d", len(out), err, maxOutput)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	script := filepath.Join(t.TempDir(), "tool")
	writeProgram(t, script, `echo started; exec sleep 600`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := System().Run(ctx, Command{Path: script, Stream: writerFunc(func() { cancel() })})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

type writerFunc func()

func (w writerFunc) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}

func TestUserCacheDir(t *testing.T) {
	for _, c := range []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", map[string]string{"HOME": "/home/a"}, "/home/a/.cache/taproot"},
		{"linux", map[string]string{"HOME": "/home/a", "XDG_CACHE_HOME": "/c"}, "/c/taproot"},
		{"linux", map[string]string{"HOME": "/home/a", "XDG_CACHE_HOME": "relative"}, "/home/a/.cache/taproot"},
		{"darwin", map[string]string{"HOME": "/Users/a"}, "/Users/a/Library/Caches/taproot"},
		{"darwin", nil, ""},
		{"linux", nil, ""},
		{"windows", map[string]string{"LocalAppData": "/l"}, "/l/taproot"},
	} {
		if got := cacheDir(c.goos, func(n string) string { return c.env[n] }); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.goos, c.env, got, c.want)
		}
	}
}

func writeProgram(t *testing.T, path, body string) {
	t.Helper()
	testutil.WriteProgram(t, path, "#!/bin/sh\n"+body+"\n", 0o755)
}
