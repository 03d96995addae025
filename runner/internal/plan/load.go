package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// maxFiles limits a walk that was started in the wrong folder.
const maxFiles = 100_000

// maxKept limits the texts that are kept from one walk over the files to the next, in bytes; those of larger suites are
// read again.
const maxKept = 16 << 20

// loaded is the result of loading the arguments.
type loaded struct {
	tests    []*dsl.Test // each once, in order
	problems []error     // of all files
	warnings []*source.Error
}

// load reads the tests that the arguments name. The error is a *Usage.
func load(o Options, w *owns) (loaded, error) {
	named, ids, err := sortArgs(o)
	if err != nil {
		return loaded{}, err
	}
	l := newLoader(o, w)
	for _, path := range named {
		if err := l.add(path); err != nil {
			return loaded{}, err
		}
	}
	tests, problems := l.parse()
	for _, source := range o.Inline {
		if maestro.Is(source.Text) {
			t, err := o.flow(source.Name, o.Dir, source.Text)
			if problems = appendErr(problems, err); err == nil {
				tests = append(tests, t)
			}
			continue
		}
		found, err := dsl.Parse(source.Name, source.Text, w.of(filepath.Dir(absolute(o.Dir, source.Name))))
		tests, problems = append(tests, found...), appendErr(problems, err)
	}
	if ids = append(ids, o.IDs...); len(ids) > 0 {
		chosen, broken, err := l.byID(ids)
		if err != nil {
			return loaded{}, err
		}
		tests, problems = append(tests, chosen...), append(problems, broken...)
	}
	slices.SortStableFunc(tests, order)
	problems = append(problems, l.inSequence(tests)...)
	uniqueIDs(tests)
	return loaded{tests, append(problems, unique(tests)...), l.warnings}, nil
}

// sortArgs separates paths from ids.
func sortArgs(o Options) (paths, ids []string, err error) {
	if len(o.Args)+len(o.IDs)+len(o.Inline) == 0 {
		return []string{defaultDir(o.Dir)}, nil, nil
	}
	for _, arg := range o.Args {
		if arg == "" { // most likely a variable of a script that is not set; it must not mean "all"
			return nil, nil, &Usage{"an empty argument names no test"}
		}
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(o.Dir, arg)
		}
		_, err := os.Stat(path)
		switch {
		case err == nil && slices.Contains(configNames, filepath.Base(path)):
			if len(o.Args) == 1 {
				return nil, nil,
					&Usage{fmt.Sprintf("%s: this file is the settings of its folder, not a test; name the folder, or a test in "+
						"it", arg)}
			} // suites/*.yaml, expanded by a shell
		case err == nil:
			paths = append(paths, path)
		case strings.ContainsAny(arg, `/\`) || YAMLFile(arg):
			return nil, nil, &Usage{fmt.Sprintf("%s: there is no such file or folder", arg)}
		case strings.HasPrefix(arg, "-"):
			return nil, nil, &Usage{fmt.Sprintf("%s: write flags before the tests", arg)}
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
	o    Options
	seen map[string]string // absolute name by the file's real path
	real map[string]string // real path of a folder, by its name

	texts  map[string][]byte // of files that were read to find out whether they are Maestro's, by absolute name
	budget int               // bytes that may still be kept

	orders   []orderOf       // of folders of flows
	warnings []*source.Error // of their config.yaml

	unselected []string // folders with flows that were not selected

	owns *owns
}

func newLoader(o Options, w *owns) *loader {
	return &loader{o: o, owns: w, seen: map[string]string{}, real: map[string]string{}, texts: map[string][]byte{},
		budget: maxKept}
}

// add takes a file, or every test file below a folder that is not excluded by a taproot.yaml there. A link that is
// named is followed; one to a folder below is not.
func (l *loader) add(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return &Usage{err.Error()}
	}
	if !info.IsDir() {
		return l.addFile(path, false)
	}
	conf, err := findConfig(path, l.o)
	if err != nil {
		return err
	}
	confs := map[string]config{filepath.Clean(path): conf} // that applies to each folder: the nearest one upward
	maestros, some, err := l.flowsIn(path)
	if err != nil {
		return err
	}
	err = walkDir(path, func(p string, d fs.DirEntry, err error) error {
		conf := confs[filepath.Dir(p)]
		switch {
		case err != nil:
			return &Usage{err.Error()}
		case d.IsDir() && (SkipFolder(d.Name()) || conf.excludes(p, path)):
			return filepath.SkipDir
		case d.IsDir():
			own, found, err := readConfig(p, l.o)
			if confs[p] = conf; found {
				confs[p] = own
			}
			return err
		case maestros[filepath.Clean(p)], !testFile(d.Name()) || conf.excludes(p, path) || !conf.includes(p):
			return nil
		}
		some = true
		return l.addFile(p, d.Type().IsRegular())
	})
	if err == nil && !some && len(l.o.Args) > 0 {
		err = &Usage{fmt.Sprintf("%s: there is no test (*.yaml) in this folder", l.show(path)) + l.unselectedHint()}
	}
	return err
}

// walkDir is filepath.WalkDir for a folder, which may be a link to one; a folder that no longer exists is empty.
func walkDir(dir string, visit fs.WalkDirFunc) error {
	root := filepath.Clean(dir) + string(filepath.Separator)
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if p == root && err == nil {
			return nil
		}
		return visit(p, d, err)
	})
}

// keepText keeps the text of a file for the parser.
func (l *loader) keepText(path string, src []byte) {
	if abs, err := filepath.Abs(path); err == nil && len(src) <= l.budget {
		l.texts[abs], l.budget = src, l.budget-len(src)
	}
}

// addFile takes a file once; of several names of one file it takes the first in order. plain: it is not a link itself,
// so the folders above it need not be checked.
func (l *loader) addFile(path string, plain bool) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return &Usage{err.Error()}
	}
	key := ""
	if plain {
		dir := filepath.Dir(abs)
		if _, known := l.real[dir]; !known {
			l.real[dir] = realPath(dir)
		}
		key = filepath.Join(l.real[dir], filepath.Base(abs))
	} else {
		key = realPath(abs)
	}
	if name, known := l.seen[key]; known {
		l.seen[key] = min(name, abs)
		return nil
	}
	if len(l.seen) == maxFiles {
		return &Usage{fmt.Sprintf("more than %d test files: name the folder of the tests", maxFiles)}
	}
	l.seen[key] = abs
	return nil
}

func realPath(abs string) string {
	if path, err := filepath.EvalSymlinks(abs); err == nil {
		return path
	}
	return abs // the error is reported when the file is read
}

// SkipFolder reports whether folders of that name contain no tests.
func SkipFolder(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || name == "testdata"
}

func testFile(name string) bool {
	return !strings.HasPrefix(name, ".") && !slices.Contains(configNames, name) && YAMLFile(name)
}

// YAMLFile reports whether a file's name is one of YAML.
func YAMLFile(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// Folders returns the folders of the arguments of a run: a named folder, the folder of a named file, the default folder
// for ids and for no argument.
func Folders(dir string, args []string) []string {
	var folders []string
	for _, arg := range args {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, arg)
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			path = defaultDir(dir)
		case !info.IsDir():
			path = filepath.Dir(path)
		}
		folders = append(folders, path)
	}
	if len(args) == 0 {
		folders = append(folders, defaultDir(dir))
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// parse reads the collected files, one on each core; it reports every error of every file.
func (l *loader) parse() (tests []*dsl.Test, problems []error) {
	files := slices.Sorted(maps.Values(l.seen))
	found, errs := make([][]*dsl.Test, len(files)), make([]error, len(files))
	onEachCore(len(files), func(i int) { found[i], errs[i] = l.parseFile(files[i]) })
	for i := range files {
		if errs[i] != nil {
			problems = append(problems, errs[i])
			continue
		}
		tests = append(tests, found[i]...)
	}
	return tests, problems
}

// onEachCore calls do n times, as many at once as there are cores.
func onEachCore(n int, do func(i int)) {
	var next atomic.Int64
	var work sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		work.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	work.Wait()
}

// parseFile is safe for concurrent use.
func (l *loader) parseFile(file string) ([]*dsl.Test, error) {
	src, read := l.texts[file]
	if !read {
		var err error
		if src, err = readCapped(file); err != nil {
			return nil, fmt.Errorf("%s: %w", l.show(file), err)
		}
	}
	if maestro.Is(src) {
		t, err := l.o.flow(l.show(file), filepath.Dir(file), src)
		if err != nil {
			return nil, err
		}
		return []*dsl.Test{t}, nil
	}
	if isOwnAction(file, src) {
		return nil, l.checkOwn(file)
	}
	own := l.owns.of(filepath.Dir(file))
	if own.HoldsBlocks(file, src) {
		_, err := dsl.ParseBlock(l.show(file), src, "", own)
		return nil, err
	}
	return dsl.Parse(l.show(file), src, own)
}

// readCapped reads one byte more than the largest allowed file, so that Parse reports a file that is too large.
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

// show returns a path for messages: relative to the working folder if it is below.
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
