package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
)

// Every command that help shows has a manual page, with its one line and its flags.
func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man")
	env := &process.Env{Stdin: strings.NewReader(""), Stdout: &strings.Builder{}, Stderr: &strings.Builder{},
		Getenv: func(string) string { return "" }, Dir: t.TempDir()}
	root := newRootCommand(env)
	root.SetArgs([]string{"docs", "--man", dir})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var check func(cmd *cobra.Command) int
	check = func(cmd *cobra.Command) int {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		data, err := os.ReadFile(filepath.Join(dir, name))
		page := strings.ReplaceAll(string(data), `\`, "")
		if err != nil || !strings.Contains(page, ".SH NAME") || !strings.Contains(page, cmd.Short) ||
			!strings.Contains(page, ".SH SYNOPSIS") {
			t.Errorf("%s: %v\n%.400s", name, err, page)
		}
		if cmd.Flags().Lookup("platform") != nil && !strings.Contains(page, "--platform") {
			t.Errorf("%s does not tell of --platform", name)
		}
		n := 1
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.Name() != "help" {
				n += check(c)
			}
		}
		return n
	}
	if n := check(root); n < 30 {
		t.Errorf("%d commands", n)
	}
}
