package filetree_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/taproot-dev/taproot/internal/filetree"
)

func TestOf(t *testing.T) {
	root := t.TempDir()
	module := filepath.Join(root, "tools", "check")
	deep := filepath.Join(module, "tests", "reports")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(root, "mark.repository"), filepath.Join(module, "mark.module")} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		dir   string
		marks []string
		want  string
	}{
		{deep, []string{"mark.module", "mark.repository"}, module},
		{deep, []string{"mark.repository"}, root},
		{root, []string{"mark.module", "mark.repository"}, root},
		{root, []string{"mark.module"}, ""},
		{filepath.Join(deep, "not", "yet"), []string{"mark.module"}, module},
	} {
		if got := filetree.Project(c.dir, c.marks...); got != c.want {
			t.Errorf("%s, %q: %q, want %q", c.dir, c.marks, got, c.want)
		}
	}
}

// TestProjectFile: a file of the project, and none outside of it, by whatever path or link.
func TestProjectFile(t *testing.T) {
	root := t.TempDir()
	project, outside := filepath.Join(root, "shop"), filepath.Join(root, "other")
	for _, dir := range []string{filepath.Join(project, ".git"), filepath.Join(project, "suites", "web"), outside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(project, "link")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	dir := filepath.Join(project, "suites")
	for name, want := range map[string]bool{"web/a.yaml": true, "../b.yaml": true, filepath.Join(dir, "c.yaml"): true,
		"../../other/d.yaml": false, filepath.Join(outside, "e.yaml"): false, "../link/f.yaml": false,
		"gone/g.yaml": false} {
		folder, base, err := filetree.ProjectFile(dir, name)
		if err == nil {
			folder.Close()
		}
		if (err == nil) != want || want && base != filepath.Base(name) {
			t.Errorf("%s: %s, %v", name, base, err)
		}
	}
}
