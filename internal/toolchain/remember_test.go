package toolchain

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestVersionsAreRemembered checks that a program is run once for its version, until its file changes or a day has
// passed, and that a report on the tools runs it each time.
func TestVersionsAreRemembered(t *testing.T) {
	cache, program := t.TempDir(), filepath.Join(t.TempDir(), "node")
	if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	runs, output := 0, "v20.20.2\n"
	host := func() Host { // of a new process each time
		h := NewHost(func(name string) string {
			return map[string]string{"XDG_CACHE_HOME": cache, "HOME": cache, "LocalAppData": cache,
				"PATH": filepath.Dir(program)}[name]
		}, nil)
		h.Run = func(_ context.Context, c Command) ([]byte, error) {
			if c.Path == program {
				runs++
			}
			return []byte(output), nil
		}
		return h
	}
	want := func(what, version string, questions int) {
		t.Helper()
		f, err := Find(t.Context(), host(), Node)
		if err != nil || f.Version != version || runs != questions {
			t.Errorf("%s: version %q (%v), run %d times; want %q, %d", what, f.Version, err, runs, version, questions)
		}
	}
	want("the first time", "20.20.2", 1)
	want("the second time", "20.20.2", 1)
	if _, err := FindFor(t.Context(), host(), Web); err != nil || runs != 1 {
		t.Errorf("the tools of one platform: %v, run %d times in all, want 1", err, runs)
	}
	if _, err := FindAll(t.Context(), host()); err != nil || runs != 2 {
		t.Errorf("a report on all tools: %v, run %d times in all, want 2", err, runs)
	}

	output = "v22.1.0\n"
	if err := os.Chtimes(program, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	want("a newer program", "22.1.0", 3)
	want("and again", "22.1.0", 3)

	file := host().memory.file
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	want("a broken file", "22.1.0", 4)
	want("which is written again", "22.1.0", 4)

	m := host().memory
	m.read()
	old := m.known[program]
	old.Asked = time.Now().Add(-rememberFor - time.Minute)
	m.known[program], m.known["/gone/node"] = old, old
	m.write()
	want("after a day", "22.1.0", 5)
	m = host().memory
	m.read()
	if _, kept := m.known["/gone/node"]; kept || len(m.known) != 1 {
		t.Errorf("versions older than a day are kept: %v", m.known)
	}

	output = "no version"
	if err := os.Chtimes(program, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for n := range 2 { // a failure is not remembered
		if f, err := Find(t.Context(), host(), Node); err != nil || f.OK() || runs != 6+n {
			t.Errorf("a program that prints none: %+v, %v, run %d times", f, err, runs)
		}
	}
}
