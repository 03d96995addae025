package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// maxFiles bounds a walk that began in the wrong folder.
const maxFiles = 100_000

// load reads the tests that the arguments name, each once, in order.
func load(o Options) ([]*dsl.Test, error) {
	named, ids, err := sortArgs(o)
	if err != nil {
		return nil, err
	}
	l := loader{o: o, seen: map[string]bool{}}
	for _, path := range named {
		if err := l.add(path, true); err != nil {
			return nil, err
		}
	}
	tests, err := l.parse()
	if err != nil || len(ids) == 0 {
		return tests, err
	}
	byID, err := l.byID(ids)
	if err != nil {
		return nil, err
	}
	tests = append(tests, byID...)
	slices.SortStableFunc(tests, order)
	return tests, unique(tests)
}

// sortArgs tells paths from ids.
func sortArgs(o Options) (paths, ids []string, err error) {
	if len(o.Args) == 0 {
		return []string{defaultDir(o.Dir)}, nil, nil
	}
	for _, arg := range o.Args {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(o.Dir, arg)
		}
		_, err := os.Stat(path)
		switch {
		case err == nil:
			paths = append(paths, path)
		case strings.ContainsAny(arg, `/\`) || strings.HasSuffix(arg, ".yaml") || strings.HasSuffix(arg, ".yml"):
			return nil, nil, &Usage{fmt.Sprintf("%s: there is no such file or folder", arg)}
		case strings.HasPrefix(arg, "-"):
			return nil, nil, &Usage{fmt.Sprintf("%s: flags go before the tests", arg)}
		default:
			ids = append(ids, arg)
		}
	}
	return paths, ids, nil
}

// defaultDir is the folder suites when there is one.
func defaultDir(dir string) string {
	suites := filepath.Join(dir, "suites")
	if info, err := os.Stat(suites); err == nil && info.IsDir() {
		return suites
	}
	return dir
}

// loader collects files.
type loader struct {
	o     Options
	files []string
	seen  map[string]bool // absolute paths
}

// add takes a file, or every test file below a folder that the folder's taproot.yaml does not exclude.
func (l *loader) add(path string, named bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return &Usage{err.Error()}
	}
	if !info.IsDir() {
		return l.addFile(path)
	}
	conf, err := findConfig(path, l.o.Dir)
	if err != nil {
		return err
	}
	before := len(l.files)
	if err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return &Usage{err.Error()}
		case d.IsDir() && p != path && (skipDir(d.Name()) || conf.excludes(p, path)):
			return filepath.SkipDir
		case d.IsDir() || !testFile(d.Name()) || conf.excludes(p, path):
			return nil
		}
		return l.addFile(p)
	}); err != nil {
		return err
	}
	if named && len(l.files) == before && len(l.o.Args) > 0 {
		return &Usage{fmt.Sprintf("%s: there is no test (*.yaml) in this folder", l.show(path))}
	}
	return nil
}

// addFile takes a file once; two names of one file are one.
func (l *loader) addFile(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return &Usage{err.Error()}
	}
	if l.seen[abs] {
		return nil
	}
	if len(l.files) == maxFiles {
		return &Usage{fmt.Sprintf("more than %d test files: name the folder that holds the tests", maxFiles)}
	}
	l.seen[abs] = true
	l.files = append(l.files, abs)
	return nil
}

func skipDir(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || name == "testdata"
}

func testFile(name string) bool {
	return !strings.HasPrefix(name, ".") && name != ConfigName && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml"))
}

// parse reads the collected files; every error of every file is told.
func (l *loader) parse() ([]*dsl.Test, error) {
	var tests []*dsl.Test
	var problems []error
	for _, file := range l.files {
		found, err := l.parseFile(file)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		tests = append(tests, found...)
	}
	slices.SortStableFunc(tests, order)
	if len(problems) == 0 {
		return tests, unique(tests)
	}
	return nil, errors.Join(problems...)
}

func (l *loader) parseFile(file string) ([]*dsl.Test, error) {
	src, err := readCapped(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.show(file), err)
	}
	return dsl.Parse(l.show(file), src)
}

// readCapped reads one byte more than the language allows at most, so that Parse says what is wrong with a huge file.
func readCapped(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, min(info.Size(), dsl.MaxFileSize+1))
	n, err := readFull(f, buf)
	return buf[:n], err
}

// show gives a path as messages show it: relative to the working folder where it lies below.
func (l *loader) show(path string) string {
	dir, err := filepath.Abs(l.o.Dir)
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}
