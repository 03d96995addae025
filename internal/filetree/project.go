package filetree

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Project returns the nearest folder, from dir upward, that holds one of the marks, such as ".git" or "go.mod". It
// returns "" when no folder does.
func Project(dir string, marks ...string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for at := abs; ; at = filepath.Dir(at) {
		if IsProject(at, marks...) {
			return at
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
}

// IsProject reports whether a folder holds one of the marks.
func IsProject(dir string, marks ...string) bool {
	for _, mark := range marks {
		if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	return false
}

// ProjectFile opens the folder of a file of the project that dir is in, and returns the name of the file in it. The
// file is named from dir, or by a whole path. One outside of the project, also by a link, is an error. Close the folder
// after use.
func ProjectFile(dir, name string) (folder *os.Root, base string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, "", err
	}
	top := cmp.Or(Project(dir, "go.mod", ".git"), dir)
	file := filepath.FromSlash(name)
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	below, err := filepath.Rel(top, file)
	if err != nil || !filepath.IsLocal(below) {
		return nil, "", fmt.Errorf("%s is outside of the project %s", name, top)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, "", err
	}
	folder, err = root.OpenRoot(filepath.Dir(below))
	return folder, filepath.Base(below), errors.Join(err, root.Close())
}
