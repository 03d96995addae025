package cli

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/process"
)

// TestForeignCommandsAreUnknown checks that no hint is for a command that exists, which would never be printed.
func TestForeignCommandsAreUnknown(t *testing.T) {
	t.Parallel()
	env := &process.Env{Stdin: strings.NewReader(""), Getenv: func(string) string { return "" }}
	root := newRootCommand(env)
	for word := range foreignCommands {
		if cmd, _, err := root.Find([]string{word}); err == nil && cmd != root {
			t.Errorf("taproot %s exists, so its hint is never printed", word)
		}
	}
	if cmd, _, err := root.Find([]string{"install"}); err != nil || cmd == root {
		t.Errorf("taproot install is not found: %v", err)
	}
}
