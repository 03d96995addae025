package plan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// maxLooked limits the search for similar files.
const maxLooked = 5000

// missing finds the files that steps name and that do not exist.
func (s *suites) missing(c Case) (problems []error) {
	root := s.root(c.Dir)
	if work := absolute(s.o.Dir, "."); root == c.Dir && strings.HasPrefix(c.Dir, work+string(filepath.Separator)) {
		root = work // a path is often written from there
	}
	for _, ref := range c.Test.Files() {
		file := filepath.Join(c.Dir, filepath.FromSlash(ref.Path))
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, ref.Error(near(root, file, c.Dir)))
		}
	}
	return problems
}

// near returns the file that was most likely meant by a missing one, relative to a folder: one with a similar name next
// to it, or of the same name elsewhere below the root, as when the path is relative to another folder. "" when there is
// none, or several.
func near(root, file, from string) string {
	relative := func(path string) string {
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return ""
		}
		return filepath.ToSlash(rel)
	}
	var names []string
	entries, _ := os.ReadDir(filepath.Dir(file))
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == filepath.Ext(file) {
			names = append(names, e.Name())
		}
	}
	if like := dsl.Suggest(filepath.Base(file), names); like != "" {
		return relative(filepath.Join(filepath.Dir(file), like))
	}
	var same []string
	looked := 0
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		looked++
		switch {
		case err != nil || d.IsDir() && path != root && SkipFolder(d.Name()):
			return filepath.SkipDir
		case looked > maxLooked:
			return filepath.SkipAll
		case !d.IsDir() && d.Name() == filepath.Base(file):
			same = append(same, path)
		}
		return nil
	})
	if len(same) != 1 {
		return ""
	}
	return relative(slices.Max(same))
}
