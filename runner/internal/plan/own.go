package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

// actionsFolder is the folder of own actions, at the root of a project or of a suite.
const actionsFolder = "actions"

// owns are the own actions by the folders of tests. Safe for concurrent use.
type owns struct {
	o Options

	mu   sync.Mutex
	sets map[string]*dsl.Own // by their folders
}

// of returns the own actions that tests in a folder can use: those of the folders called actions from there up to the
// project's root. Of two with one name the nearer counts.
func (w *owns) of(dir string) *dsl.Own {
	folders := actionFolders(dir)
	key := strings.Join(folders, "\x00")
	w.mu.Lock()
	defer w.mu.Unlock()
	if own, known := w.sets[key]; known {
		return own
	}
	own := w.o.own(folders)
	own.InGo = sync.OnceValue(func() map[string]string { return goActions(w.o, dir) })
	if w.sets == nil {
		w.sets = map[string]*dsl.Own{}
	}
	w.sets[key] = own
	return own
}

// actionFolders are the folders of own actions for a folder, the nearest first.
func actionFolders(dir string) (folders []string) {
	for at := dir; ; at = filepath.Dir(at) {
		folder := filepath.Join(at, actionsFolder)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			folders = append(folders, folder)
		}
		if isRoot(at) || filepath.Dir(at) == at {
			return folders
		}
	}
}

// own makes the own actions of some folders, and those in Go.
func (o Options) own(folders []string) *dsl.Own {
	l := loader{o: o}
	own := &dsl.Own{Script: checkScript}
	own.Find = func(name string) (string, []byte, error) {
		for _, folder := range folders {
			for _, ext := range []string{".yaml", ".yml"} {
				file := filepath.Join(folder, name+ext)
				text, err := readCapped(file)
				if errors.Is(err, fs.ErrNotExist) || err == nil && !own.Takes(text) {
					continue
				}
				return l.show(file), text, err
			}
		}
		return "", nil, fs.ErrNotExist
	}
	own.List = func() (names []string) {
		for _, folder := range folders {
			entries, _ := os.ReadDir(folder) // without it there are none
			for _, e := range entries {
				name, ext := e.Name(), filepath.Ext(e.Name())
				if e.IsDir() || !testFile(name) {
					continue
				}
				if text, err := readCapped(filepath.Join(folder, name)); err != nil || own.Takes(text) {
					names = append(names, strings.TrimSuffix(name, ext))
				}
			}
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	own.Read = func(name string) ([]byte, error) { return o.readBelow(folders, name) }
	for _, a := range o.Actions {
		own.Add(a.Name, a.Doc, a.Args, a.Do)
	}
	return own
}

// readBelow reads a file that an own action names, in the folder that holds the folder of actions.
func (o Options) readBelow(folders []string, name string) ([]byte, error) {
	file := absolute(o.Dir, name)
	for _, folder := range folders {
		root := filepath.Dir(folder)
		inside, err := filepath.Rel(root, file)
		if err != nil || !filepath.IsLocal(inside) {
			continue
		}
		at, err := os.OpenRoot(root)
		if err != nil {
			return nil, err
		}
		defer at.Close() // opened for reading only
		info, err := at.Stat(inside)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &dsl.NoFile{Near: near(root, file, filepath.Dir(file))}
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a file", name)
		case info.Size() > dsl.MaxFileSize:
			return nil, fmt.Errorf("it is larger than %d bytes", dsl.MaxFileSize)
		}
		return at.ReadFile(inside)
	}
	return nil, errors.New("it is outside of the project")
}

// GoAction is an own action that a suite in Go defines.
type GoAction struct {
	Name, Doc string
	Args      any // the zero value of its argument struct
	Do        any // the function, for who runs it
}

// actionCall is the call that defines an action in Go: runner.Action("pay", …).
var actionCall = lazyregexp.New(`\bAction(?:\[[^\]\n]*\])?\(\s*"([A-Za-z][A-Za-z0-9_]*)"\s*,`)

// goActions returns the places of the actions that Go files in a folder, and in those above it up to the project's
// root, define, by their names.
func goActions(o Options, dir string) map[string]string {
	places := map[string]string{}
	l := loader{o: o}
	for at := dir; ; at = filepath.Dir(at) {
		files, _ := filepath.Glob(filepath.Join(at, "*.go")) // the only error is about the pattern
		for _, file := range files {
			text, err := readCapped(file)
			if err != nil { // the places are for hints
				continue
			}
			code := string(text)
			for _, m := range actionCall.FindAllStringSubmatchIndex(code, -1) {
				name := code[m[2]:m[3]]
				if places[name] == "" {
					places[name] = fmt.Sprintf("%s:%d", l.show(file), 1+strings.Count(code[:m[0]], "\n"))
				}
			}
		}
		if isRoot(at) || filepath.Dir(at) == at {
			return places
		}
	}
}

// OwnActions returns the own actions that tests in a folder can use.
func OwnActions(o Options, dir string) *dsl.Own {
	w := owns{o: o}
	return w.of(absolute(o.Dir, dir))
}

// isOwnAction reports whether a file is that of an own action.
func isOwnAction(file string, src []byte) bool {
	return filepath.Base(filepath.Dir(file)) == actionsFolder && (*dsl.Own)(nil).Takes(src)
}

// checkOwn returns what is wrong with the file of an own action that is among the files of tests.
func (l *loader) checkOwn(file string) error {
	name := filepath.Base(file)
	return l.owns.of(filepath.Dir(filepath.Dir(file))).Check(strings.TrimSuffix(name, filepath.Ext(name)))
}

// problems returns what is wrong with the own actions that no test shows: names that Taproot's own actions have, and
// with Options.AllActions everything.
func (w *owns) problems() (errs []error) {
	if w.o.AllActions {
		w.of(absolute(w.o.Dir, "."))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(w.sets)) {
		own := w.sets[key]
		if w.o.AllActions {
			errs = appendErr(errs, own.Problems())
			continue
		}
		for _, name := range own.List() {
			if _, builtIn := dsl.Lookup(name); builtIn {
				_, err := own.Lookup(name)
				errs = appendErr(errs, err)
			}
		}
	}
	return errs
}

// checkScript returns the first mistake in the syntax of a script. The error is an Errors.
func checkScript(name string, text []byte) error {
	_, err := parser.ParseFile(new(file.FileSet), name, string(text), 0)
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return err
	}
	first := list[0]
	src := &source.Source{File: name, Lines: strings.Split(string(text), "\n")}
	return source.Errors{{Pos: source.Pos{File: name, Line: first.Position.Line, Col: first.Position.Column}, Source: src,
		Width: 1, Msg: "the script has a mistake: " + first.Message}}
}
