package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/shell"
)

// TestAnotherUsersFolder: a folder and a socket of another user are rejected. Only root can create them; other users
// test with root's own.
func TestAnotherUsersFolder(t *testing.T) {
	dir := "/"
	if os.Getuid() == 0 {
		dir = filepath.Join(t.TempDir(), "r")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	if err := shell.Serve(t.Context(), shell.Options{Dir: dir}); err == nil ||
		!strings.Contains(err.Error(), "another user") {
		t.Errorf("served: %v", err)
	}
	if _, err := (shell.Client{Dir: dir, Program: []string{"/nowhere"}}).Do(t.Context(), shell.Request{}); err == nil ||
		!strings.Contains(err.Error(), "another user") {
		t.Errorf("asked: %v", err)
	}
}
