package filetree

import (
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
