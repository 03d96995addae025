package replay

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
)

// plainScalar is a text that YAML needs no quotes for.
var plainScalar = lazyregexp.New(`^\pL[\pL\pN _./-]*$`)

// reserved are plain texts that YAML reads as something else.
var reserved = lazyregexp.New(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)

func yamlText(text string) string {
	if plainScalar.MatchString(text) && !reserved.MatchString(text) && strings.TrimSpace(text) == text {
		return text
	}
	data, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(data)
}

// keyOf is the key of a selector that names its element, and its text.
func keyOf(sel dsl.Selector) (key, text string) {
	for _, k := range []struct{ key, text string }{{"label", sel.Label}, {"id", sel.ID}, {"testId", sel.TestID},
		{"text", sel.Text}, {"css", sel.CSS}} {
		if k.text != "" {
			return k.key, k.text
		}
	}
	return "", ""
}

// named is a selector that names its element by another key; what else it requires stays.
func named(sel, by dsl.Selector) dsl.Selector {
	sel.Label, sel.ID, sel.TestID, sel.Text, sel.CSS = by.Label, by.ID, by.TestID, by.Text, by.CSS
	return sel
}

// stepText is a step as its file has it: the text that the step is in, and its place there.
type stepText struct {
	file  string
	lines []string
	line  int // in lines, from 1
	more  int // what is added to a line for its number in the file
	col   int
	word  string
}

// maxSource is how many bytes of the file of a test are read.
const maxSource = 4 << 20

// textOf returns the text of a step: its file below a folder, unless that has changed since, or else its line in the
// report.
func textOf(folder string, s *event.StepResult) stepText {
	t := stepText{file: s.Place.File, line: s.Place.Line, col: s.Place.Col, word: s.Action}
	if text, err := readSource(folder, s.Place.File); err == nil {
		t.lines = strings.Split(text, "\n")
		if t.line <= len(t.lines) && strings.TrimSpace(t.lines[t.line-1]) == strings.TrimSpace(s.Source) {
			return t
		}
	}
	t.lines, t.line, t.more = []string{"steps:", s.Source}, 2, s.Place.Line-2
	return t
}

func readSource(folder, name string) (string, error) {
	root, base, err := filetree.ProjectFile(folder, name)
	if err != nil {
		return "", err
	}
	data, err := filetree.ReadCapped(root, base, maxSource)
	return string(data), errors.Join(err, root.Close())
}

// edit is a changed line.
type edit struct {
	line     int // in the file, from 1
	old, now string
}

// rewritten is the line of a step, or of the selector below it, with another selector in the place of the one that it
// has; everything else, comments too, stays. ok is false where the text does not have the selector as it is, such as
// ${NAME}, or in several places.
func (t stepText) rewritten(old, now dsl.Selector) (e edit, ok bool) {
	if t.line < 1 || t.line > len(t.lines) {
		return edit{}, false
	}
	step, ok := t.step()
	if !ok {
		return edit{}, false
	}
	var fits []edit
	for _, p := range places(step.Value, old) {
		if one, ok := t.at(p, old, now); ok && !slices.Contains(fits, one) {
			fits = append(fits, one)
		}
	}
	if len(fits) != 1 {
		return edit{}, false
	}
	fits[0].line += t.more
	return fits[0], true
}

// step is the step in the text, as it is written.
func (t stepText) step() (step source.Field, found bool) {
	text, from, bad := source.Readable(t.file, []byte(strings.Join(t.lines, "\n")))
	if bad != nil {
		return step, false
	}
	docs, err := source.Read(text, from)
	if err != nil {
		return step, false
	}
	var walk func(v source.Value)
	walk = func(v source.Value) {
		for _, f := range v.Fields {
			if f.Pos.Line == t.line && f.Pos.Col == t.col {
				step, found = f, true
			}
			walk(f.Value)
		}
		for _, item := range v.Items {
			walk(item)
		}
	}
	for _, doc := range docs {
		walk(doc)
	}
	return step, found
}

// place is where a text has a selector: as a key and its text, or, in short, as a text.
type place struct {
	key   source.Pos // the zero value: in short
	value source.Pos
}

// places are where the argument of a step may have what a selector names its element by.
func places(v source.Value, sel dsl.Selector) (list []place) {
	key, text := keyOf(sel)
	if key == "" {
		return nil
	}
	if v.Kind == source.String && v.Text == text {
		list = append(list, place{value: v.Pos})
	}
	for _, f := range v.Fields {
		if f.Key == key && f.Value.Kind != source.Map && f.Value.Text == text {
			list = append(list, place{key: f.Pos, value: f.Value.Pos})
			continue
		}
		list = append(list, places(f.Value, sel)...)
	}
	for _, item := range v.Items {
		list = append(list, places(item, sel)...)
	}
	return list
}

// at is the text with another selector at a place; ok is false if the step means anything else then.
func (t stepText) at(p place, old, now dsl.Selector) (edit, bool) {
	key, text := keyOf(now)
	_, was := keyOf(old)
	if key == "" || p.value.Line < 1 || p.value.Line > len(t.lines) || p.key.Line != 0 && p.key.Line != p.value.Line {
		return edit{}, false
	}
	line := []rune(t.lines[p.value.Line-1])
	length := written(line, p.value.Col-1, was)
	if length == 0 {
		return edit{}, false
	}
	from, put := p.value.Col-1, yamlText(text)
	switch {
	case p.key.Line != 0:
		from, put = p.key.Col-1, key+": "+put
	case key != "label":
		put = "{" + key + ": " + put + "}"
	}
	changed := string(line[:from]) + put + string(line[p.value.Col-1+length:])
	other := t
	other.lines = slices.Clone(t.lines)
	other.lines[p.value.Line-1] = changed
	if !other.means(t, old, now) {
		return edit{}, false
	}
	return edit{line: p.value.Line, old: strings.TrimSpace(string(line)), now: strings.TrimSpace(changed)}, true
}

// written is how many characters a text takes at a place of a line, 0 if it is not there, or continues.
func written(line []rune, from int, text string) int {
	if from < 0 || from >= len(line) {
		return 0
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return 0
	}
	for _, form := range []string{text, string(quoted), `'` + strings.ReplaceAll(text, `'`, `''`) + `'`} {
		if rest, is := strings.CutPrefix(string(line[from:]), form); is && form != "" {
			if rest = strings.TrimLeft(rest, " \t\r"); rest == "" || strings.ContainsAny(rest[:1], ",}]#") {
				return len([]rune(form))
			}
		}
	}
	return 0
}

// means reports whether the step is that of another text with a selector in the place of another one, and nothing else
// is different.
func (t stepText) means(earlier stepText, old, now dsl.Selector) bool {
	a, ok := earlier.argument()
	b, okNow := t.argument()
	if !ok || !okNow {
		return false
	}
	want, ok := withSelector(a, old, now)
	return ok && reflect.DeepEqual(want, b)
}

// argument is the argument of the step in a text, with variables as they are written.
func (t stepText) argument() (any, bool) {
	step, ok := t.step()
	if !ok {
		return nil, false
	}
	def, known := dsl.Lookup(step.Key)
	if !known || step.Key != t.word {
		return nil, false
	}
	args, _, err := dsl.DecodeStep(def, step.Value)
	return args, err == nil
}

// withSelector is the argument of an action with another selector in the place of the one by which it names an element;
// ok is false where it has that selector not once.
func withSelector(args any, old, now dsl.Selector) (other any, ok bool) {
	v := reflect.ValueOf(args)
	if v.Kind() != reflect.Struct {
		return nil, false
	}
	changed := reflect.New(v.Type()).Elem()
	changed.Set(v)
	n := 0
	for i := range v.NumField() {
		sel, is := elementIn(v.Field(i))
		if !is || !reflect.DeepEqual(sel, old) {
			continue
		}
		n++
		put := reflect.ValueOf(now)
		if of := reflect.Indirect(v.Field(i)); of.Type() == reflect.TypeFor[dsl.Target]() {
			target := of.Interface().(dsl.Target)
			target.Selector = now
			put = reflect.ValueOf(target)
		}
		if v.Field(i).Kind() == reflect.Pointer {
			p := reflect.New(put.Type())
			p.Elem().Set(put)
			put = p
		}
		changed.Field(i).Set(put)
	}
	return changed.Interface(), n == 1
}
