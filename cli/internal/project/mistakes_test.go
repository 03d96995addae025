package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestMistakes validates mistakes of beginners, one in each of testdata/mistakes/*.txtar, and compares the output with
// the file "want" (-update writes it). Each mistake must be reported.
func TestMistakes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/mistakes/*.txtar")
	if err != nil || len(files) < 44 {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			project, want := map[string]string{}, -1
			for i, f := range archive.Files {
				if f.Name == "want" {
					want = i
					continue
				}
				project[f.Name] = string(f.Data)
			}
			dir, out, errs, code := tool(t, ValidateCommand, project)
			got := strings.ReplaceAll(fmt.Sprintf("%s%sexit code %d\n", out, errs, code), dir, "/project")
			if code == 0 && !strings.Contains(out, "warning:") {
				t.Errorf("it passes in silence:\n%s", got)
			}
			if *testutil.Update {
				golden := txtar.File{Name: "want", Data: []byte(got)}
				if want < 0 {
					archive.Files = append(archive.Files, golden)
				} else {
					archive.Files[want] = golden
				}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want < 0 {
				t.Fatal(`no file "want"; run with -update`)
			}
			if diff := cmp.Diff(string(archive.Files[want].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
