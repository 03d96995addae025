package foreign

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// The tools that words are of.
const (
	maestro    = "Maestro"
	playwright = "Playwright"
	cypress    = "Cypress"
	selenium   = "Selenium"
	appium     = "Appium"
	others     = "other tools"
	older      = "an older version"
)

// Fix is what a step with a refused word becomes.
type Fix struct {
	Word  string         // as it is written
	Of    string         // the tool that has it
	Steps []source.Field // the actions with their arguments; what is of the file keeps its place
	Why   string         // why the steps are not certain; "": they are

	Arguments bool // the word is an action of Taproot, and its arguments are those of another tool
	Renamed   bool // the word is an action's old name
}

// Certain reports whether the steps mean what the author wrote.
func (f Fix) Certain() bool { return f.Why == "" && len(f.Steps) > 0 }

// Message says that the word is refused.
func (f Fix) Message() string {
	switch {
	case f.Renamed:
		return fmt.Sprintf("%q is now called %q", f.Word, f.Steps[0].Key)
	case f.Arguments:
		return fmt.Sprintf("%q has arguments of %s", f.Word, f.Of)
	}
	return fmt.Sprintf("%q is a word of %s", phrase.LimitRunes(f.Word, 60), f.Of)
}

// Hint shows the lines to write, each on a line of its own.
func (f Fix) Hint() string {
	switch {
	case len(f.Steps) == 0:
		return f.Why
	case f.Why != "":
		return fmt.Sprintf("not certain, because %s; perhaps:\n%s", f.Why, f.Lines())
	default:
		return "write, or let taproot fmt --fix write:\n" + f.Lines()
	}
}

// maxLine is how many characters of a fixed line are shown.
const maxLine = 400

// Lines are the fixed lines.
func (f Fix) Lines() string {
	lines := make([]string, len(f.Steps))
	for i, s := range f.Steps {
		lines[i] = "    - " + phrase.LimitRunes(Line(s), maxLine)
	}
	return strings.Join(lines, "\n")
}

// Line writes one step. Steps inside of it are only hinted at.
func Line(step source.Field) string {
	if step.Value.Kind == source.Null {
		return step.Key + ":"
	}
	return step.Key + ": " + source.Flow(brief(step.Value))
}

func brief(v source.Value) source.Value {
	v.Fields = slices.Clone(v.Fields)
	for i, f := range v.Fields {
		if isSteps(f.Value) {
			v.Fields[i].Value = source.Value{Kind: source.List, Items: []source.Value{{Kind: source.Int, Text: "…"}}}
		} else {
			v.Fields[i].Value = brief(f.Value)
		}
	}
	return v
}

// isSteps reports whether a value looks like a list of steps.
func isSteps(v source.Value) bool {
	return v.Kind == source.List && len(v.Items) > 0 && v.Items[0].Kind == source.Map && v.Pos.Line > 0
}

// Opened says whether a page is open where a step is.
type Opened int

// What is known of pages.
const (
	NotYet  Opened = iota // no step before it opens one
	Open                  // one does
	Unknown               // the steps are a block, or a block has run
)

// Place is what the meaning of a foreign word depends on.
type Place struct {
	Platform vocabulary.Platform // "": not known
	Opened   Opened
}

// word is one row of the table: a word, with an example of it.
type word struct {
	names  string // separated by blanks; the first is shown
	of     string
	sample string // its argument
	do     func(*translation)
}

// Refused translates a step with a word that is not an action; false: the table does not have it.
func Refused(step source.Field, at Place) (Fix, bool) {
	if own := renamed(step.Key); own != "" {
		return Fix{Word: step.Key, Of: older, Renamed: true, Steps: []source.Field{{Key: own, Pos: step.Pos,
			Value: step.Value}}}, true
	}
	row, known := table()[phrase.Fold(step.Key)]
	if !known {
		return Fix{}, false
	}
	return run(step, at, row), true
}

// Form translates a step that has the name of an action, and an argument as another tool has it; false: it has none.
func Form(step source.Field, at Place) (Fix, bool) {
	row, known := forms()[step.Key]
	if !known {
		return Fix{}, false
	}
	fix := run(step, at, row)
	fix.Arguments = true
	return fix, fix.Certain()
}

// renamed returns today's name of an action; "": it is not an old name.
func renamed(word string) string {
	folded := phrase.Fold(word)
	for old, now := range vocabulary.Renamed() {
		if phrase.Fold(old) == folded {
			return now
		}
	}
	return ""
}

// Row is a line of the documentation.
type Row struct{ Words, Of, Sample, Line, Why string }

// Rows are the words of other tools with an example of each, in the order of the table.
func Rows() []Row { return rowsOf(words()) }

// FormRows are the actions that other tools have with other arguments, with an example of each.
func FormRows() []Row { return rowsOf(formWords()) }

func rowsOf(words []word) []Row {
	var rows []Row
	for _, w := range words {
		first, _, _ := strings.Cut(w.names, " ")
		step := source.Field{Key: first, Value: sampleOf(w)}
		fix := run(step, Place{Platform: sampleOn(w), Opened: Open}, w)
		lines := make([]string, len(fix.Steps))
		for i, s := range fix.Steps {
			lines[i] = Line(s)
		}
		rows = append(rows, Row{Words: w.names, Of: w.of, Sample: Line(step), Line: strings.Join(lines, "\n"),
			Why: fix.Why})
	}
	return rows
}

// sampleOn is the platform of a row's example.
func sampleOn(w word) vocabulary.Platform {
	if w.of == maestro || w.of == appium {
		return vocabulary.Android
	}
	return vocabulary.Web
}

func sampleOf(w word) source.Value {
	text, from, bad := source.Readable("", []byte(w.sample))
	if bad != nil {
		return source.Value{}
	}
	values, err := source.Read(text, from)
	if err != nil || len(values) != 1 {
		return source.Value{}
	}
	return values[0]
}

func words() []word {
	return slices.Concat(maestroTouches(), maestroTexts(), maestroApps(), maestroChecks(), maestroDevice(),
		maestroControl(), pageTouches(), pageWaits(), pageChecks(), pageMoves(), appWords(), otherWords())
}

// rows is the table by the folded words; table fills it.
var rows struct {
	once  sync.Once
	words map[string]word
}

func table() map[string]word {
	rows.once.Do(func() {
		rows.words = map[string]word{}
		for _, w := range words() {
			for name := range strings.FieldsSeq(w.names) {
				rows.words[phrase.Fold(name)] = w
			}
		}
	})
	return rows.words
}

// run translates a step by a row of the table.
func run(step source.Field, at Place, row word) Fix {
	t := &translation{Place: at, at: step.Pos, arg: step.Value}
	row.do(t)
	return Fix{Word: step.Key, Of: row.of, Steps: t.steps, Why: t.why}
}

// translation is one step on its way to Taproot's.
type translation struct {
	Place
	at    source.Pos
	arg   source.Value
	steps []source.Field
	why   string
}

// doubt says why the translation is not certain. The first reason counts.
func (t *translation) doubt(why string) {
	if t.why == "" {
		t.why = why
	}
}

// step adds a step.
func (t *translation) step(action string, arg source.Value) {
	f := source.Field{Key: action, Value: arg}
	if len(t.steps) == 0 {
		f.Pos = t.at
	}
	t.steps = append(t.steps, f)
}

// options adds a step with a map, or with the value of its short key alone when nothing else is given.
func (t *translation) options(action, short string, fields []source.Field) {
	switch {
	case len(fields) == 0:
		t.step(action, source.Value{})
	case len(fields) == 1 && fields[0].Key == short && simple(fields[0].Value):
		t.step(action, fields[0].Value)
	default:
		t.step(action, t.like(fields))
	}
}

// like is a map with these fields in the place of the argument's.
func (t *translation) like(fields []source.Field) source.Value {
	v := source.Value{Kind: source.Map, Fields: fields}
	if t.arg.Kind == source.Map {
		v.Pos = t.arg.Pos
	}
	return v
}

func (t *translation) web() bool { return t.Platform == vocabulary.Web }

func (t *translation) phone() bool { return t.Platform != vocabulary.Web && t.Platform != "" }

func (t *translation) bare() bool { return t.arg.Kind == source.Null }

// simple reports whether a value is a text or a number.
func simple(v source.Value) bool {
	return v.Kind == source.String || v.Kind == source.Int || v.Kind == source.Float || v.Kind == source.Bool
}

func textOf(s string) source.Value { return source.Value{Kind: source.String, Text: s} }

func numberOf(s string) source.Value { return source.Value{Kind: source.Resolve(s), Text: s} }

func truth(on bool) source.Value { return source.ValueOf(on) }

func key(name string, v source.Value) source.Field { return source.Field{Key: name, Value: v} }

// with returns a value with another text, in its place.
func with(v source.Value, text string) source.Value {
	v.Kind, v.Text = source.String, text
	return v
}

// renames reads what becomes of keys: "a=b" renames one, "a" leaves it, "a=-" drops it.
func renames(names string) map[string]string {
	all := map[string]string{}
	for part := range strings.FieldsSeq(names) {
		name, to, renamed := strings.Cut(part, "=")
		if !renamed {
			to = name
		}
		all[name] = to
	}
	return all
}

// keys takes over the fields of a map. names says what becomes of each key: "a=b" renames it, "a" leaves it, "a=-"
// drops it, which changes nothing in Taproot. Every other key has no counterpart, and is left out with doubt.
func (t *translation) keys(v source.Value, names string) []source.Field {
	own := map[string]string{"label": "name", "optional": "optional"}
	maps.Copy(own, renames(names))
	var fields []source.Field
	for _, f := range v.Fields {
		to, known := own[f.Key]
		switch {
		case !known:
			t.doubt(fmt.Sprintf("%q has no counterpart", f.Key))
		case to != "-":
			f.Key = to
			fields = append(fields, f)
		}
	}
	return fields
}

// needs keeps an argument that has to be there, and changes the name of the action; the keys of a map are renamed.
func needs(action, short, names string) func(*translation) {
	return func(t *translation) {
		switch {
		case t.arg.Kind == source.Map:
			t.options(action, short, t.keys(t.arg, names))
		case t.bare():
			t.example(action, "nothing says what it is about")
		default:
			t.step(action, t.arg)
		}
	}
}

// fixed is one step that is always the same.
func fixed(action string, arg source.Value) func(*translation) {
	return func(t *translation) {
		if t.arg.Kind == source.Map {
			more := t.keys(t.arg, "")
			if len(more) > 0 && arg.Kind != source.Null {
				more = append([]source.Field{key(shortKey(action), arg)}, more...)
			}
			if len(more) > 0 {
				t.step(action, t.like(more))
				return
			}
		} else if !t.bare() {
			t.doubt("it takes no argument")
		}
		t.step(action, arg)
	}
}

// shortKey is the key of an action that a plain value fills.
func shortKey(action string) string {
	def, known := vocabulary.Lookup(action)
	if !known {
		return ""
	}
	shape := vocabulary.ShapeOf(reflect.TypeOf(def.Args))
	if shape.Scalar < 0 {
		return ""
	}
	return shape.Fields[shape.Scalar].Name
}

// example shows how an action is written, with doubt.
func (t *translation) example(action, why string) {
	t.doubt(why)
	def, known := vocabulary.Lookup(action)
	if !known {
		return
	}
	_, text, _ := strings.Cut(def.Example, ": ")
	t.step(action, sampleOf(word{sample: text}))
}
