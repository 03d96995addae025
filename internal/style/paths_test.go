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
	for _, m := range regexp.MustCompile("`([a-z][a-z0-9_./-]*)`|\\b((?:[a-z]+/)+[a-z_]+\\.go)\\b").
		FindAllStringSubmatch(string(data), -1) {
		m[1] += m[2]
		first, _, below := strings.Cut(m[1], "/")
		if !folders[first] || !below {
			continue
		}
		checked++
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", m[1])
		}
	}
	if checked < 60 {
		t.Errorf("only %d paths were checked", checked)
	}
}

// TestOneTapIsShort counts the files between the engine and a phone that CONTRIBUTING draws.
func TestOneTapIsShort(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, walk, found := strings.Cut(string(data), "**The same tap, from the engine to a phone**: 24 files")
	walk, _, ended := strings.Cut(walk, "\n`deps_test.go`")
	files := regexp.MustCompile(`(?:[a-z]+/)+[a-z_]+\.go`).FindAllString(walk, -1)
	if !found || !ended || len(files) != 24 {
		t.Errorf("CONTRIBUTING.md draws %d files, not 24 (25 at most): %q", len(files), files)
	}
}
