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
