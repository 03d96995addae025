package style

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContributingPaths checks that every path that CONTRIBUTING names exists.
func TestContributingPaths(t *testing.T) {
	root := filepath.Join("..", "..")
	data, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	top, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, e := range top {
		folders[e.Name()] = e.IsDir()
	}
	checked := 0
	for _, m := range regexp.MustCompile("`([a-z][a-z0-9_./-]*)`").FindAllStringSubmatch(string(data), -1) {
		first, _, below := strings.Cut(m[1], "/")
		if !folders[first] || !below {
			continue
		}
		checked++
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", m[1])
		}
	}
	if checked < 40 {
		t.Errorf("only %d paths were checked", checked)
	}
}
