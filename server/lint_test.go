//go:build lint

package server_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestLint: linters that others wrote find nothing wrong with the OpenAPI document. npm fetches them once.
func TestLint(t *testing.T) {
	l := newLab(t, 0)
	dir := t.TempDir()
	for name, text := range map[string][]byte{
		"openapi.json":   l.ask("GET", "/openapi.json", nil).body,
		"redocly.yaml":   []byte("extends: [recommended]\nrules: {no-server-example.com: error}\n"),
		".spectral.yaml": []byte("extends: [\"spectral:oas\"]\nrules:\n  info-contact: off\n"), // whom to write to is the operator's affair
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"--package=@redocly/cli@2.14.0", "--", "redocly", "lint", "openapi.json", "--max-problems=20"},
		{"--package=@stoplight/spectral-cli@6.15.0", "--", "spectral", "lint", "openapi.json", "--fail-severity=warn"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		cmd := exec.CommandContext(ctx, "npm", append([]string{"exec", "--yes", "--silent"}, args...)...)
		cmd.Dir, cmd.WaitDelay = dir, 5*time.Second
		cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "npm_config_update_notifier=false")
		said, err := cmd.CombinedOutput()
		cancel()
		if err != nil {
			t.Errorf("%v (it needs Node and, once, a network): %v\n%s", args, err, cutTo(string(said), 6000))
		}
	}
}
