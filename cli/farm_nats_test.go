package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli"
	"github.com/taproot-dev/taproot/cli/internal/process"
)

// TestNATSConfig checks that the file is readable only by its owner, the seed is printed, and no file is overwritten.
func TestNATSConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	call := func(args ...string) (code int, out, complaints string) {
		var stdout, stderr bytes.Buffer
		code = cli.Run(t.Context(), &process.Env{Args: append([]string{"farm", "nats-config"}, args...),
			Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: dir,
			Getenv: func(string) string { return "" }})
		return code, stdout.String(), stderr.String()
	}
	code, out, complaints := call("--servers", "nats-1,nats-2,nats-3")
	if code != 0 || !regexp.MustCompile(`^TAPROOT_NATS_ACCOUNT=SA[A-Z0-9]{50,}\n$`).MatchString(out) {
		t.Fatalf("%d %q %q", code, out, complaints)
	}
	file := filepath.Join(dir, "nats.conf")
	before, err := os.ReadFile(file)
	if err != nil || bytes.Count(before, []byte("@nats-")) != 3 {
		t.Errorf("%v\n%s", err, before)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v %v", info.Mode(), err)
	}
	code, _, complaints = call("--servers", "nats-1")
	after, _ := os.ReadFile(file)
	if code != 2 || !strings.Contains(complaints, "nats.conf exists already") || !bytes.Equal(before, after) {
		t.Errorf("a second time: %d %q", code, complaints)
	}
	if code, _, complaints = call("--output", "other.conf"); code != 2 ||
		!strings.Contains(complaints, "name the servers") {
		t.Errorf("no servers: %d %q", code, complaints)
	}
}
