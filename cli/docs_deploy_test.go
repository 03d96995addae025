package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/taproot-dev/taproot/cli"
)

// TestDeployments checks that the files of docs/deploy use existing flags, and variables that the page of the
// configuration lists.
func TestDeployments(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(projectRoot(t), "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	told := string(page)
	files := 0
	err = filepath.WalkDir(filepath.Join(projectRoot(t), "docs", "deploy"),
		func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			files++
			for _, name := range regexp.MustCompile(`\b(?:TAPROOT|AWS)_[A-Z_]+\b`).FindAllString(string(text), -1) {
				if strings.HasSuffix(name, "_IMAGE") { // of the Compose file itself
					continue
				}
				if !strings.Contains(told, "`"+name+"`") {
					t.Errorf("%s sets %s, of which docs/configuration.md does not tell", path, name)
				}
			}
			return err
		})
	if err != nil || files < 8 {
		t.Errorf("%d files: %v", files, err)
	}
	starts := 0
	compose, err := filepath.Glob(filepath.Join(projectRoot(t), "docs", "deploy", "compose", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range compose {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Services map[string]struct {
				Image   string
				Command []string
			}
		}
		if err := yaml.Unmarshal(text, &file); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for name, s := range file.Services {
			if !strings.Contains(s.Image, "TAPROOT_") {
				continue
			}
			starts++
			if err := cli.CheckLine(s.Command); err != nil {
				t.Errorf("%s: %s: %v", path, name, err)
			}
		}
	}
	if starts < 5 {
		t.Errorf("%d services start Taproot", starts)
	}
}
