package plan

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// Flows of Maestro are tests, too: a file that is named alone always, a folder by Maestro's own rules.

// flowFiles reads the files that flows name. Flows that were uploaded can read only files of their suite.
type flowFiles struct {
	dir  string
	read func(name string) ([]byte, error) // nil: any file
	note func(file string)
}

func (f flowFiles) Read(name string) ([]byte, error) {
	if f.read != nil {
		return f.read(name)
	}
	file := absolute(f.dir, name)
	f.note(file)
	return readCapped(file)
}

func (f flowFiles) Has(name string) bool {
	if f.read != nil {
		_, err := f.read(name)
		return err == nil
	}
	_, err := os.Stat(absolute(f.dir, name))
	return err == nil
}

// filesOf returns the reader of files for the flows in a folder.
func (o Options) filesOf(dir string) flowFiles {
	if o.Files {
		return flowFiles{dir: o.Dir, note: o.reads}
	}
	conf, err := findConfig(dir, o)
	if err != nil {
		conf = config{}
	}
	return flowFiles{o.Dir, newSuites(o).reader(dir, conf), o.reads}
}

// flow makes a test from a flow.
func (o Options) flow(file, dir string, src []byte) (*dsl.Test, error) {
	f, err := maestro.Parse(file, src, o.filesOf(dir))
	if err != nil {
		return nil, err
	}
	platform := dsl.Android
	if o.Platform == dsl.IOS {
		platform = dsl.IOS
	}
	t := f.Test(flowID(file), platform)
	return t, nil
}

var (
	notInID  = lazyregexp.New(`[^A-Za-z0-9._-]+`)
	twoLines = lazyregexp.New(`-{2,}`)
)

// flowID makes an id from a file's name.
func flowID(file string) string {
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	id := strings.Trim(twoLines.ReplaceAllString(notInID.ReplaceAllString(base, "-"), "-"), "-._")
	if id == "" {
		id = "flow"
	}
	return id[:min(len(id), 100)]
}

// uniqueIDs makes the ids of flows in files of the same name unique: with the name of the folder, then with a number.
func uniqueIDs(tests []*dsl.Test) {
	taken := map[string]int{}
	for _, t := range tests {
		taken[strings.ToLower(t.ID)]++
	}
	used := map[string]bool{}
	for _, t := range tests {
		if !isFlow(t) {
			used[strings.ToLower(t.ID)] = true
		}
	}
	for _, t := range tests {
		if !isFlow(t) {
			continue
		}
		id := t.ID
		if taken[strings.ToLower(id)] > 1 {
			if folder := flowID(filepath.Base(filepath.Dir(t.Pos.File)) + ".x"); folder != "flow" {
				id = flowID(folder + "-" + id + ".x")
			}
		}
		own := id
		for n := 2; used[strings.ToLower(own)]; n++ {
			own = fmt.Sprintf("%s-%d", id, n)
		}
		used[strings.ToLower(own)] = true
		t.ID = own
	}
}

// isFlow reports whether a test was made from a flow of Maestro.
func isFlow(t *dsl.Test) bool { return len(t.Steps) == 1 && t.Steps[0].Foreign() != nil }

// configOf reads the configuration of a folder of flows; file is empty when it has none.
func configOf(dir string) (file string, src []byte) {
	for _, name := range []string{"config.yaml", "config.yml"} {
		file = filepath.Join(dir, name)
		if src, err := readCapped(file); err == nil && maestro.IsWorkspace(name, src) {
			return file, src
		}
	}
	return "", nil
}

// workspace reads the config.yaml of a folder; nil: it has none.
func (l *loader) workspace(dir string) (*maestro.Workspace, error) {
	file, src := configOf(dir)
	if file == "" {
		return nil, nil
	}
	w, err := maestro.ParseWorkspace(l.show(file), src)
	if err != nil {
		return nil, err
	}
	l.warnings = append(l.warnings, w.Warnings...)
	return w, nil
}

// flowsIn takes the flows of a folder: its top level, or those that its config.yaml selects. It returns which files of
// the folder are Maestro's, so that they are not read as tests of Taproot.
func (l *loader) flowsIn(dir string) (maestros map[string]bool, some bool, err error) {
	maestros = map[string]bool{}
	w, err := l.workspace(dir)
	if err != nil {
		return nil, false, err
	}
	configured := w != nil
	if w == nil {
		w = &maestro.Workspace{}
	}
	include := append(slices.Clone(l.o.IncludeTags), w.IncludeTags...)
	exclude := append(slices.Clone(l.o.ExcludeTags), w.ExcludeTags...)
	err = walkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // reported by the other walk
		case d.IsDir() && SkipFolder(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !YAMLFile(d.Name()):
			return nil
		}
		src, err := readCapped(p)
		if err != nil {
			return nil
		}
		l.keepText(p, src)
		if (configured || maestro.IsConfigName(d.Name())) && maestro.IsWorkspace(d.Name(), src) {
			maestros[filepath.Clean(p)] = true
			return nil
		}
		if !maestro.Is(src) {
			return nil
		}
		maestros[filepath.Clean(p)] = true
		rel, err := filepath.Rel(dir, p)
		if err != nil || maestro.IsConfigName(d.Name()) {
			return nil
		}
		if !w.Picks(rel) {
			l.recordUnselected(filepath.Dir(p))
			return nil
		}
		some = true
		if !maestro.Tagged(maestro.TagsOf(src), include, exclude) {
			return nil
		}
		return l.addFile(p, d.Type().IsRegular())
	})
	if len(w.Order) > 0 {
		l.orders = append(l.orders, orderOf{l.show(dir), w})
	}
	return maestros, some, err
}

// recordUnselected records a folder with flows that were not selected.
func (l *loader) recordUnselected(folder string) {
	if folder = l.show(folder); !slices.Contains(l.unselected, folder) {
		l.unselected = append(l.unselected, folder)
	}
}

// unselectedHint names the folders with flows that were not selected, for a message that no flow was found.
func (l *loader) unselectedHint() string {
	if len(l.unselected) == 0 {
		return ""
	}
	return fmt.Sprintf(
		"; of Maestro's flows, those of its top level are taken, or what its config.yaml picks: name the folder that holds "+
			"flows, %s",
		strings.Join(l.unselected, " or "))
}

// orderOf is a folder with a config.yaml that orders flows.
type orderOf struct {
	dir string
	*maestro.Workspace
}

// contains reports whether a test is a flow of the folder.
func (o orderOf) contains(t *dsl.Test) bool {
	rel, err := filepath.Rel(filepath.FromSlash(o.dir), filepath.FromSlash(t.Pos.File))
	return isFlow(t) && err == nil && filepath.IsLocal(rel)
}

// inSequence puts the flows that a config.yaml names first.
func (l *loader) inSequence(tests []*dsl.Test) (problems []error) {
	rank := map[*dsl.Test]int{}
	for _, o := range l.orders {
		var names []string
		for _, t := range tests {
			if o.contains(t) {
				names = append(names, nameOf(t))
			}
		}
		first, err := o.First(names)
		problems = appendErr(problems, err)
		for _, t := range tests {
			if i := slices.Index(first, nameOf(t)); i >= 0 && o.contains(t) {
				rank[t] = i - len(first)
				if o.StopOnFailure {
					t.Sequence = o.dir
				}
			}
		}
	}
	slices.SortStableFunc(tests, func(a, b *dsl.Test) int { return rank[a] - rank[b] })
	return problems
}

// nameOf is a flow's name; without one, the name of its file without extension.
func nameOf(t *dsl.Test) string {
	return cmp.Or(t.Name, strings.TrimSuffix(filepath.Base(t.Pos.File), filepath.Ext(t.Pos.File)))
}

// OutputDir is the folder for the runs that the config.yaml of one of these folders of flows names; "": none. It is
// relative to dir, the program's working directory.
func OutputDir(dir string, args []string) string {
	if len(args) == 0 {
		args = []string{defaultDir(dir)}
	}
	for _, arg := range args {
		file, src := configOf(absolute(dir, arg))
		if file == "" {
			continue
		}
		if w, err := maestro.ParseWorkspace(file, src); err == nil && w.OutputDir != "" {
			return absolute(dir, w.OutputDir)
		}
	}
	return ""
}
