package plan

import (
	"os"
	"path/filepath"
)

// Repeated returns the arguments that name a file or a test which an earlier one names already: each runs once, and the
// user should know. A file within a folder that is also named is not a repetition.
func Repeated(dir string, args []string) []string {
	var again []string
	seen := map[string]bool{}
	for _, arg := range args {
		key := arg
		if path := absolute(dir, arg); isFile(path) {
			key = realPath(path)
		}
		if seen[key] {
			again = append(again, arg)
		}
		seen[key] = true
	}
	return again
}

func isFile(path string) bool {
	info, err := os.Stat(filepath.Clean(path))
	return err == nil && info.Mode().IsRegular()
}
