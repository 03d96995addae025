package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/process"
)

// If the flows of Maestro are in a subfolder, the message names that folder.
func TestFlowsInSubfolder(t *testing.T) {
	t.Parallel()
	const flow = "appId: com.example.shop\n---\n- launchApp\n"
	for _, tc := range []struct{ name, file, want, not string }{
		{"below", ".maestro/flows/login.yaml", "name the folder that holds flows, .maestro/flows\n", "init"},
		{"deeper", ".maestro/app/flows/login.yaml", "name the folder that holds flows, .maestro/app/flows\n", "init"},
		{"none", ".maestro/notes.txt", ".maestro: there is no test (*.yaml) in this folder\n", "holds flows"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			putReportFile(t, filepath.Join(dir, "go.mod"), "module x\n")
			putReportFile(t, filepath.Join(dir, tc.file), flow)
			for _, command := range []string{"validate", "run"} {
				var out bytes.Buffer
				code := Run(
					t.Context(),
					&process.Env{Args: []string{command, ".maestro"}, Stdin: strings.NewReader(""), Stdout: &out,
						Stderr: &out, Dir: dir,
						Getenv: func(string) string { return "" }},
				)
				if text := out.String(); code != 2 || !strings.Contains(text, tc.want) || strings.Contains(text, tc.not) {
					t.Errorf("%s: exit code %d, want 2 and %q\n%s", command, code, tc.want, text)
				}
			}
		})
	}
}

// report bundle creates the folder of --out, or its one file.
func TestReportBundleOut(t *testing.T) {
	t.Parallel()
	p := newReportProject(t)
	p.want(t, 0, filepath.Join(p.dir, "new", "deep", "login-ok.html"), "bundle", "latest/login-ok", "-o", "new/deep")
	p.want(t, 0, filepath.Join(p.dir, "sent", "one.html"), "bundle", "latest/login-ok", "-o", "sent/one.html")
	p.want(t, 2, "one.html is one file, and there are ", "bundle", "latest", "-o", "sent/one.html")
	p.want(t, 2, "notes.txt is a file: name a folder", "bundle", "latest/login-ok", "-o", "tests/reports/notes.txt")
}
