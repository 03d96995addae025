package run

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestFilesOfPages: a host's pages are files of the tests that were sent, and a server's of its folder.
func TestFilesOfPages(t *testing.T) {
	if o := (Config{}).web(); o.FilesBelow != "" || o.NoFiles {
		t.Errorf("here: %+v", o)
	}
	if o := (Config{FilesBelow: "/tests"}).web(); o.FilesBelow != "/tests" {
		t.Errorf("on a host: %q", o.FilesBelow)
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := Config{NoFilePages: true, FilesBelow: "/tests"}
	c.Access.Root = root
	if o := c.web(); o.FilesBelow != root.Name() || !o.NoFiles {
		t.Errorf("of a server: %+v", o)
	}
}

// A mark as a known failure is in force until the end of its last day, in local time.
func TestKnownFailureUntil(t *testing.T) {
	dir := t.TempDir()
	err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("id: a\nplatform: web\n"+
		"fails: {because: X-1, until: 2027-01-31}\nsteps:\n  - log: x\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	east := time.FixedZone("east", 10*3600)
	for at, marked := range map[time.Time]bool{
		time.Date(2027, 1, 31, 23, 59, 59, 0, east): true,
		time.Date(2027, 2, 1, 0, 0, 0, 0, east):     false, // in UTC it is still January
		time.Date(2026, 12, 31, 0, 0, 0, 0, east):   true,
		time.Date(2027, 12, 1, 0, 0, 0, 0, east):    false,
	} {
		c := Config{Dir: dir, Now: func() time.Time { return at }}
		p, err := c.Plan("a.yaml")
		if err != nil || len(p.Cases) != 1 {
			t.Fatal(p, err)
		}
		one := p.Cases[0]
		if (one.Test.Fails != nil) != marked || (one.Outdated == nil) != marked {
			t.Errorf("%s: %v, %v", at, one.Test.Fails, one.Outdated)
		}
	}
}

// TestMaxTimeOfTheEnvironment: 0 means no limit, as for --max-time; other values are refused and named.
func TestMaxTimeOfTheEnvironment(t *testing.T) {
	for value, want := range map[string]time.Duration{"20m": 20 * time.Minute, "0": 0, "": 0, "-1m": -1, "20": -1,
		"soon": -1} {
		c, err := FromEnv(t.TempDir(), func(name string) (string, bool) {
			if name != "TAPROOT_MAX_TIME" {
				return "", false
			}
			return value, true
		})
		if want < 0 && (err == nil || !strings.Contains(err.Error(), strconv.Quote(value))) || want >= 0 &&
			(err != nil || c.MaxTime != want) {
			t.Errorf("%q: %v, %v", value, c.MaxTime, err)
		}
	}
}
