package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestDocumentsClients runs the clients of docs/clients.md with a real server and a simulated phone.
func TestDocumentsClients(t *testing.T) {
	t.Parallel()
	const page = "docs/clients.md"
	blocks := blocksOf(t, page, read(t, repository, filepath.FromSlash(page)))
	text := func(file string) string {
		i := slices.IndexFunc(blocks, func(b block) bool { return b.about == file })
		if i < 0 {
			t.Fatalf("%s has no %s", page, file)
		}
		return blocks[i].text
	}
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		runClient(t, text("taproot.py"), "taproot.py", "python3", "taproot.py")
	})
	t.Run("typescript", func(t *testing.T) {
		testutil.Leave(t, "the client in Python makes the same requests")
		t.Parallel()
		esbuild := exec.Command("go", "tool", "esbuild", "--loader=ts", "--format=esm", "--target=es2022")
		esbuild.Stdin, esbuild.Dir = strings.NewReader(text("taproot.ts")), repository
		script, err := esbuild.Output()
		if err != nil {
			t.Fatal(err)
		}
		runClient(t, string(script), "taproot.mjs", "node", "taproot.mjs")
	})
}

func runClient(t *testing.T, text, file, program string, args ...string) {
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
	l := newLab(t, 1)
	l.write(file, text)
	s := l.serve()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = l.dir, append(os.Environ(), "TAPROOT_URL="+s.url, "TAPROOT_API_KEY=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"as expected: 422 element_not_found: ", "the run ended with pass"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output has no %q: %s", want, out)
		}
	}
}
