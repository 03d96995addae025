package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// byID finds tests by their ids below the default folder, also in excluded folders, because the user named them. Files
// that cannot be read as tests do not prevent that.
func (l *loader) byID(ids []string) (chosen []*dsl.Test, problems []error, err error) {
	found, err := l.all()
	if err != nil {
		return nil, nil, err
	}
	return l.choose(ids, found)
}

// visit collects the test files of a walk over all folders.
func (l *loader) visit(p string, d fs.DirEntry, err error) error {
	switch {
	case d == nil:
		return err
	case d.IsDir() && (err != nil || SkipFolder(d.Name())):
		return filepath.SkipDir
	case d.IsDir() || !testFile(d.Name()):
		return nil
	}
	return l.addFile(p, d.Type().IsRegular())
}

// library is all tests of a project, by id, and the errors of the files without tests, by the file's name without its
// extension.
type library struct {
	tests  map[string][]*dsl.Test
	broken map[string]error
	unread []string // the broken files among those that the suite includes
}

// choose takes the tests of the ids that were not loaded yet. If several files have an id, it takes them all: the
// planner then reports the duplicate.
func (l *loader) choose(ids []string, all library) (chosen []*dsl.Test, problems []error, err error) {
	for i, id := range ids {
		switch {
		case slices.Contains(ids[:i], id):
		case len(all.tests[id]) > 0:
			for _, t := range all.tests[id] {
				if _, loaded := l.seen[realPath(absolute(l.o.Dir, t.Pos.File))]; !loaded {
					chosen = append(chosen, t)
				}
			}
		case all.broken[id] != nil:
			problems = append(problems, all.broken[id])
		default:
			return nil, nil, &Usage{unknownID(id, all)}
		}
	}
	return chosen, problems, nil
}

func unknownID(id string, all library) string {
	msg := fmt.Sprintf("no test has the id %q, and there is no such file", id)
	if near := dsl.Suggest(id, slices.Sorted(maps.Keys(all.tests))); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	switch n := len(all.unread); {
	case n == 1:
		msg += fmt.Sprintf(" (%s could not be read as a test: taproot validate says why)", all.unread[0])
	case n > 3:
		msg += fmt.Sprintf(" (%s and %d other files could not be read as tests: taproot validate says why)",
			strings.Join(all.unread[:2], ", "), n-2)
	case n > 0:
		msg += fmt.Sprintf(" (%s could not be read as tests: taproot validate says why)", strings.Join(all.unread, " and "))
	}
	return msg
}

// readFull is io.ReadFull for a file that may have shrunk.
func readFull(f *os.File, buf []byte) (int, error) {
	n, err := io.ReadFull(f, buf)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

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
