package testutil

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// WriteProgram makes a file, and its folder, that can be started at once: a child process of another test that is
// started meanwhile would inherit it open for writing, and starting it would fail ("text file busy").
func WriteProgram(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), mode)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}
