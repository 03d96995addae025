package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// byID finds tests by their ids below the default folder, excluded folders too: who names a test wants it. Files that cannot be
// read as tests do not stand in the way of the one that was asked for.
func (l *loader) byID(ids []string) ([]*dsl.Test, error) {
	all := loader{o: l.o, seen: map[string]bool{}}
	root := defaultDir(l.o.Dir)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() && p != root && skipDir(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !testFile(d.Name()):
			return nil
		}
		return all.addFile(p)
	})
	if err != nil {
		return nil, &Usage{err.Error()}
	}
	tests, problems := map[string]*dsl.Test{}, map[string]error{}
	for _, file := range all.files {
		found, err := all.parseFile(file)
		if err != nil {
			problems[strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))] = err
		}
		for _, t := range found {
			tests[t.ID] = t
		}
	}
	return l.choose(ids, tests, problems)
}

// choose takes the tests of the ids that were not loaded yet.
func (l *loader) choose(ids []string, tests map[string]*dsl.Test, problems map[string]error) ([]*dsl.Test, error) {
	var chosen []*dsl.Test
	for i, id := range ids {
		t := tests[id]
		switch {
		case slices.Contains(ids[:i], id):
		case t != nil:
			if abs, err := filepath.Abs(filepath.Join(l.o.Dir, t.Pos.File)); err != nil || !l.seen[abs] {
				chosen = append(chosen, t)
			}
		case problems[id] != nil:
			return nil, problems[id]
		default:
			return nil, &Usage{unknownID(id, tests, len(problems))}
		}
	}
	return chosen, nil
}

func unknownID(id string, tests map[string]*dsl.Test, broken int) string {
	names := make([]string, 0, len(tests))
	for name := range tests {
		names = append(names, name)
	}
	slices.Sort(names)
	msg := fmt.Sprintf("no test has the id %q, and there is no such file", id)
	if near := dsl.Suggest(id, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	if broken > 0 {
		msg += fmt.Sprintf(" (%d files could not be read as tests)", broken)
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
