package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// groff prints no warning about any page, and escaped text comes out as it was written.
func TestManualIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := &cobra.Command{Use: "taproot", Short: "a - b", Long: ".hidden file\n'quoted' C:\\dir\n\n  kept\n   as it is"}
	root.AddCommand(&cobra.Command{Use: "run FILE", Short: "run it", Example: "  taproot run 'a b'",
		Run: func(*cobra.Command, []string) {}})
	root.Commands()[0].Flags().StringP("output", "o", "", "write to this `FILE`")
	if err := writeManual(root, dir); err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]string{
		"taproot.1": {`taproot \- a \- b`, "\n\\&.hidden file\n\\&'quoted' C:\\edir\n", ".nf\n  kept\n   as it is\n.fi",
			`\fBtaproot\-run(1)\fR`},
		"taproot-run.1": {".TP\n\\fB\\-o, \\-\\-output\\fR FILE\nwrite to this FILE\n", "  taproot run 'a b'"},
	} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		for _, part := range parts {
			if err != nil || !strings.Contains(string(page), part) {
				t.Errorf("%s lacks %q (%v):\n%s", name, part, err, page)
			}
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return // the pages were compared; groff only reads them again
	}
	out, err := exec.Command(groff, "-man", "-ww", "-Tutf8", "-z", filepath.Join(dir, "taproot.1"),
		filepath.Join(dir, "taproot-run.1")).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
