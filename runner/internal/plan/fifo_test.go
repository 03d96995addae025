//go:build unix

package plan_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// TestFIFODoesNotHang: to open one waits for a writer that never comes.
func TestFIFODoesNotHang(t *testing.T) {
	for _, name := range []string{"suites/pipe.yaml", "suites/taproot.yaml"} {
		dir := project(t, map[string]string{"suites/good.yaml": yaml("good", "web")})
		if err := syscall.Mkfifo(filepath.Join(dir, filepath.FromSlash(name)), 0o600); err != nil {
			t.Fatal(err)
		}
		fails(t, plan.Options{Dir: dir}, name, "not a regular file")
		if name == "suites/pipe.yaml" {
			fails(t, plan.Options{Dir: dir, Args: []string{name}}, name, "not a regular file")
			want(t, packs(t, plan.Options{Dir: dir, Args: []string{"good"}}), "good")
		}
	}
}
