package shell

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/plan"
)

// written are the steps of a test as its file contains them, to be saved in the journal.
type written struct {
	items   map[source.Pos]source.Value
	files   map[source.Pos]bool // of paths of files
	file    string              // of the test, from the session's folder
	vars    map[string]string
	secrets []string
}

// writtenOf reads the file of a case; dir is the folder from which a saved test names files.
func writtenOf(one plan.Case, dir string) (*written, error) {
	w := &written{items: map[source.Pos]source.Value{}, files: map[source.Pos]bool{}, vars: map[string]string{},
		secrets: one.Test.Secrets}
	scope, err := one.Scope()
	if err != nil {
		return nil, err
	}
	for name := range scope.Texts() {
		value, _ := scope.Value(name)
		if text, is := value.(string); is {
			value = strings.ReplaceAll(text, "${", "$${")
		}
		if !slices.Contains(w.secrets, name) {
			w.vars[name] = source.Flow(source.ValueOf(value))
		}
	}
	for _, ref := range one.Test.Files() {
		w.files[ref.Pos] = true
	}
	if w.file, err = filepath.Rel(dir, filepath.Join(one.Dir, filepath.Base(one.Test.Pos.File))); err != nil {
		w.file = filepath.Join(one.Dir, filepath.Base(one.Test.Pos.File))
	}
	docs, err := source.Read(strings.Join(one.Test.Source.Lines, "\n"), one.Test.Source)
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		for _, key := range []string{"before", "steps"} {
			list, _ := doc.Get(key)
			for _, item := range list.Value.Items {
				if len(item.Fields) == 1 {
					w.items[item.Fields[0].Pos] = item.Fields[0].Value
				}
			}
		}
	}
	return w, nil
}

// done returns what the journal stores of a step.
func (w *written) done(c *client.Call, step *dsl.Step, device string, platform dsl.Platform) client.Done {
	value, own := w.items[step.Pos]
	if !own {
		value = step.Args
	}
	value, passwords := c.Passwords.Replace(w.relativePaths(step.Def.Name, value))
	text := source.Flow(value)
	d := client.Done{Device: device, Platform: platform, YAML: step.Def.Name + ": " + text, Uses: passwords}
	if value.Kind == source.Null {
		d.YAML = step.Def.Name + ":"
	}
	for name, value := range w.vars {
		if containsName(text, name) {
			if d.Vars == nil {
				d.Vars = map[string]string{}
			}
			d.Vars[name] = value
		}
	}
	for _, name := range w.secrets {
		if containsName(text, name) {
			d.Uses = append(d.Uses, name)
		}
	}
	return d
}

// containsName reports whether a text contains a name as a word: between ${ and }, or in an expression. A step that
// runs another file may need all variables.
func containsName(text, name string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text)
}

// relativePaths makes paths relative to the session's folder instead of the test's.
func (w *written) relativePaths(key string, v source.Value) source.Value {
	if w.files[v.Pos] && v.Kind == source.String {
		v.Text = w.rebased(v.Text)
	}
	items := v.Items
	v.Items = nil
	for _, item := range items {
		v.Items = append(v.Items, w.relativePaths("", item))
	}
	fields := v.Fields
	v.Fields = nil
	for _, f := range fields {
		f.Value = w.relativePaths(f.Key, f.Value)
		v.Fields = append(v.Fields, f)
	}
	if key != "run" {
		return v
	}
	switch f, given := v.Get("file"); {
	case v.Kind == source.String:
		v.Text = w.rebased(v.Text)
	case given:
		v = v.With("file", source.Value{Kind: source.String, Text: w.rebased(f.Value.Text)})
	default: // a block of the test's own file
		v = v.With("file", source.Value{Kind: source.String, Text: filepath.ToSlash(w.file)})
	}
	return v
}

func (w *written) rebased(name string) string {
	if path.IsAbs(name) || filepath.IsAbs(name) {
		return name
	}
	return path.Join(path.Dir(filepath.ToSlash(w.file)), name)
}
