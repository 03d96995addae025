package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/dsl/internal/decode"
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/foreign"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Own are the own actions of a project: the files in its folder actions, which are read when a step needs them, and
// functions in Go. Safe for concurrent use.
type Own struct {
	// Find returns the file of an action, as places name it, and its text. The error is an fs.ErrNotExist when there is
	// none of that name.
	Find func(name string) (file string, text []byte, err error)
	// List returns the names of all files, without their extension.
	List func() []string
	// Read reads another file that an action names: its script, or blocks that it runs.
	Read func(path string) ([]byte, error)
	// InGo returns the places of the actions that suites in Go define by their names. They are for hints: only the suite
	// itself knows the functions.
	InGo func() map[string]string
	// Script returns what is wrong with the text of a script.
	Script func(file string, text []byte) error

	mu    sync.Mutex
	known map[string]*ownEntry
	added []string // in Go
}

// ownEntry is one action.
type ownEntry struct {
	head, body sync.Once
	def        *vocabulary.Def
	doc        source.Value
	vars       []expr.Var
	errs       source.Errors // of all but the steps
	block      *vocabulary.Block
	wrong      source.Errors // in the steps
}

// Lookup returns an own action; its steps are not checked yet. The error is an Errors.
func (o *Own) Lookup(name string) (*vocabulary.Def, error) {
	if o == nil || !expr.VarForm.MatchString(name) {
		return nil, nil
	}
	e := o.entry(name)
	return e.def, e.errs.Err()
}

func (o *Own) entry(name string) *ownEntry {
	o.mu.Lock()
	if o.known == nil {
		o.known = map[string]*ownEntry{}
	}
	e := o.known[name]
	if e == nil {
		e = &ownEntry{}
		o.known[name] = e
	}
	o.mu.Unlock()
	e.head.Do(func() { o.load(name, e) })
	return e
}

// Names returns the names of all own actions, sorted.
func (o *Own) Names() []string {
	if o == nil {
		return nil
	}
	var names []string
	if o.List != nil {
		names = o.List()
	}
	o.mu.Lock()
	names = slices.Concat(names, o.added)
	o.mu.Unlock()
	slices.Sort(names)
	return slices.Compact(names)
}

// Defs returns all own actions that can be used, sorted by name.
func (o *Own) Defs() []*vocabulary.Def {
	var all []*vocabulary.Def
	for _, name := range o.Names() {
		if def, err := o.Lookup(name); err == nil && def != nil {
			all = append(all, def)
		}
	}
	return all
}

// Add adds an action that is a function in Go: args is the zero value of its arguments, a struct. The error is about
// its name or its struct.
func (o *Own) Add(name, doc string, args, do any) error {
	if _, builtIn := vocabulary.Lookup(name); builtIn {
		return fmt.Errorf("%q is an action of Taproot: choose another name", name)
	}
	if !expr.VarForm.MatchString(name) {
		return fmt.Errorf("%q cannot be the name of an action: use letters without accents, digits and underscores", name)
	}
	a := &vocabulary.OwnAction{Name: name, Go: do}
	params, err := vocabulary.ParamsOf(args)
	if err != nil {
		return fmt.Errorf("the action %q: %w", name, err)
	}
	a.Params = params
	e := o.entry(name)
	if e.def != nil && e.def.Own.File != "" {
		return fmt.Errorf("%s has an action %q, too: choose another name", e.def.Own.File, name)
	}
	e.def, e.errs = a.Def(doc, ""), nil
	o.mu.Lock()
	o.added = append(o.added, name)
	o.mu.Unlock()
	return nil
}

// load reads the file of an action, its steps not.
func (o *Own) load(name string, e *ownEntry) {
	if o.Find == nil {
		return
	}
	file, text, err := o.Find(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		e.errs = source.Errors{{Pos: source.Pos{File: file, Line: 1, Col: 1}, Msg: "the file cannot be read: " + err.Error()}}
		return
	}
	clean, from, bad := source.Readable(file, text)
	if bad != nil {
		e.errs = source.Errors{bad}
		return
	}
	docs, err := source.Read(clean, from)
	if err == nil && len(docs) != 1 {
		err = source.Errors{{Pos: source.Pos{File: file, Line: 1, Col: 1}, Source: from,
			Msg: "the file of an own action holds one document", Hint: `write "steps:" and under it the actions`}}
	}
	if err != nil {
		e.errs = errorsOf(err)
		return
	}
	e.doc = docs[0]
	d := NewReader(from, expr.Refused, "")
	d.own = o
	e.def, e.vars = ownReader{d}.ownAction(name, docs[0], o)
	if e.errs = d.Errs; len(e.errs) > 0 {
		e.def = nil
	}
}

// ownReader reads the files of own actions.
type ownReader struct{ *reader }

// ownAction reads the head of a file: everything but the steps.
func (d ownReader) ownAction(name string, v source.Value, o *Own) (*vocabulary.Def, []expr.Var) {
	var h vocabulary.ActionFile
	if v.Kind == source.Map && len(v.Fields) > 0 {
		v.Pos = v.Fields[0].Pos
	}
	if _, builtIn := vocabulary.Lookup(name); builtIn {
		d.Fail(v.Pos, 1, fmt.Sprintf("Taproot itself has an action %q", name), "give the file another name")
	}
	d.Structure(reflect.ValueOf(&h).Elem(), v, decode.Object{Name: "the file", At: v.Pos,
		Example: "steps: [{tap: Sign in}]"})
	a := &vocabulary.OwnAction{Name: name, File: d.Source.File, Pos: v.Pos, Source: d.Source}
	a.Body = func() (*vocabulary.Block, error) { return o.body(name) }
	params, _ := v.Get("params")
	for _, f := range params.Value.Fields {
		p := h.Params[f.Key]
		p.Name, p.Pos = f.Key, f.Pos
		if d.param(&p, f.Value) {
			a.Params = append(a.Params, p)
		}
	}
	for _, x := range h.Vars {
		if _, taken := params.Value.Get(x.Name); taken {
			d.Fail(x.Pos, 1, fmt.Sprintf("%q is a parameter and a variable", x.Name), "remove one of the two")
		}
	}
	if len(d.Errs) > 0 {
		return nil, nil
	}
	saves := ""
	if run, given := v.Get("run"); given {
		for _, p := range a.Params {
			if slices.Contains([]string{"output", "http", "json", "faker", "console", "maestro", "relativePoint"}, p.Name) {
				d.Fail(p.Pos, len([]rune(p.Name)), fmt.Sprintf("%q has a meaning of its own in scripts", p.Name),
					"choose another name")
			}
		}
		if a.Script = d.script(h, run.Value, o); a.Script != nil {
			d.unusedInScript(a)
		}
		saves = "what the script has put into `output`, as a map"
	} else if steps, _ := v.Get("steps"); savesResult(steps.Value) {
		saves = "the value that its steps save under `result`"
	}
	def := a.Def(h.Description, saves)
	d.defaults(a, def)
	return def, h.Vars
}

// param checks what the tags of a parameter cannot say, and reports whether it can be used.
func (d ownReader) param(p *vocabulary.Param, v source.Value) bool {
	before := len(d.Errs)
	width := len([]rune(p.Name))
	switch options := vocabulary.ShapeOf(reflect.TypeFor[vocabulary.StepOptions]()); {
	case !expr.VarForm.MatchString(p.Name) || expr.Reserved(p.Name):
		d.NameOf(source.Field{Key: p.Name, Pos: p.Pos})
	case options.Has(p.Name):
		d.Fail(p.Pos, width, fmt.Sprintf("%q is an option of every step, and cannot be a parameter", p.Name),
			"choose another name")
	case p.Name == "timeoutMs" || p.Name == "budgetMs" || p.Name == "ref":
		d.Fail(p.Pos, width, fmt.Sprintf("%q cannot be the name of a parameter", p.Name), "choose another name")
	}
	values, given := v.Get("values")
	switch {
	case p.Type == vocabulary.OneOfParam && !given:
		d.Fail(p.Pos, width, `"one of" needs "values"`, "for example: {type: one of, values: [admin, guest]}")
	case p.Type != vocabulary.OneOfParam && given && p.Type != "":
		d.Fail(values.Pos, len("values"), fmt.Sprintf(`"values" belongs to the type "one of", not to %q`, p.Type),
			"write type: one of, or remove it")
	}
	return len(d.Errs) == before
}

// defaults checks that each default is what its parameter takes.
func (d ownReader) defaults(a *vocabulary.OwnAction, def *vocabulary.Def) {
	filled := reflect.New(reflect.TypeOf(def.Args)).Elem()
	shape := vocabulary.ShapeOf(filled.Type())
	for i, p := range a.Params {
		if p.Default.Value.Kind != source.Null {
			key := shape.Fields[i]
			key.Name, key.At = "default", p.Default.Value.Pos
			d.Field(filled.Field(i), p.Default.Value, key)
		}
	}
}

// savesResult reports whether a step below a value saves something under the name result.
func savesResult(v source.Value) bool {
	for _, f := range v.Fields {
		_, sets := f.Value.Get("result")
		if f.Key == "as" && f.Value.Text == "result" || sets && slices.Contains([]string{"set", "vars", "expr"}, f.Key) ||
			savesResult(f.Value) {
			return true
		}
	}
	return slices.ContainsFunc(v.Items, savesResult)
}

// script reads the script of an action.
func (d ownReader) script(h vocabulary.ActionFile, at source.Value, o *Own) *vocabulary.OwnScript {
	name := path.Join(path.Dir(d.Source.File), h.Run)
	text, err := o.Read(name)
	if err != nil {
		d.Wrong(at, fmt.Sprintf("%q cannot be run: %v", phrase.LimitRunes(h.Run, 60), err),
			vocabulary.Meant(err, "the path is relative to this file"))
		return nil
	}
	if o.Script != nil {
		if err := o.Script(name, text); err != nil {
			d.Errs = append(d.Errs, errorsOf(err)...)
			return nil
		}
	}
	return &vocabulary.OwnScript{File: name, Code: string(text), TimeoutMs: h.TimeoutMs, MemoryMiB: h.Memory}
}

// unusedInScript reports parameters that the script does not name.
func (d ownReader) unusedInScript(a *vocabulary.OwnAction) {
	for _, p := range a.Params {
		word := regexp.MustCompile(`(^|[^A-Za-z0-9_$])` + regexp.QuoteMeta(p.Name) + `($|[^A-Za-z0-9_$])`)
		if !word.MatchString(a.Script.Code) {
			d.unused(p, a.Script.File+" does not use it")
		}
	}
}

func (d ownReader) unused(p vocabulary.Param, why string) {
	d.Fail(p.Pos, len([]rune(p.Name)), fmt.Sprintf("the parameter %q is unused: %s", p.Name, why), "remove it, or use it")
}

// body returns the steps of an own action as a block. The error is an Errors.
func (o *Own) body(name string) (*vocabulary.Block, error) {
	e := o.entry(name)
	e.body.Do(func() {
		a := e.def.Own
		d := NewReader(a.Source, expr.Deferred, "")
		d.own = o
		d.opened = foreign.Unknown
		e.block = &vocabulary.Block{File: a.File, Name: a.Name, Pos: a.Pos, Vars: e.vars, Source: a.Source,
			Steps: d.stepsUnder(e.doc, "steps")}
		if len(d.Errs) == 0 {
			ownReader{d}.ownBody(a, e.block)
		}
		e.wrong = d.Errs
	})
	return e.block, e.wrong.Err()
}

// ownBody checks the variables of an action's steps: they are its parameters, and what it saves itself.
func (d ownReader) ownBody(a *vocabulary.OwnAction, b *vocabulary.Block) {
	params, elements := map[string]any{}, map[string]bool{}
	used := b.Uses()
	for _, p := range a.Params {
		params[p.Name] = expr.Open{}
		elements[p.Name] = p.Type == vocabulary.SelectorParam
		if !used[p.Name] {
			d.unused(p, "no step has ${"+p.Name+"}")
		}
	}
	outer, err := expr.ResolveScope(a.Source, nil, expr.ScopeOptions{})
	if err != nil {
		return // it has no variables
	}
	scope, err := outer.Action(&vocabulary.Block{Source: a.Source}, params)
	if err != nil {
		d.Errs = append(d.Errs, errorsOf(err)...)
		return
	}
	c := varCheck{scope: scope, promised: map[string]bool{}, anyBase: true}
	for _, v := range b.Vars { // their values are those of the environment in which the action is run
		c.promised[v.Name] = true
		for name := range vocabulary.TextNames(source.Value{Kind: source.String, Text: v.Value}) {
			if _, is := params[name]; is {
				d.Fail(v.Pos, 1, fmt.Sprintf("the variable %q needs the parameter %q", v.Name, name),
					"variables are read from the environment: save it in a step, with set")
			}
		}
	}
	c.steps(b.Steps)
	d.Errs = append(d.Errs, c.errs...)
	uses := elementUses{reader: d.reader, elements: elements}
	for step := range b.Steps.All {
		uses.step(step)
	}
}

// elementUses checks where steps use parameters that are elements.
type elementUses struct {
	*reader
	elements map[string]bool // by the names of parameters
}

// step wants parameters that are elements only where a step takes an element.
func (d elementUses) step(step *vocabulary.Step) {
	for _, e := range step.Exprs() {
		for _, n := range e.Names() {
			if d.elements[n.Name] {
				d.Fail(e.Pos, len([]rune(phrase.FirstLine(e.Text))),
					fmt.Sprintf("%q is an element, and has no value in an expression", n.Name),
					"look for it with visible: ${"+n.Name+"} or notVisible: ${"+n.Name+"} in the place of the expression")
			}
		}
	}
	shape := vocabulary.ShapeOf(reflect.TypeOf(step.Def.Args))
	if step.Args.Kind != source.Map {
		if shape.Scalar >= 0 {
			d.value(step.Args, shape, shape.Fields[shape.Scalar])
		}
		return
	}
	d.fields(step.Args, shape)
}

func (d elementUses) fields(v source.Value, shape *vocabulary.Shape) {
	for _, f := range v.Fields {
		key, known := shape.Find(f.Key)
		if !known || key.Typ == vocabulary.StepsType || key.Typ == vocabulary.ExprType {
			continue
		}
		if key.Typ == vocabulary.SelectorType && f.Value.Kind == source.Map {
			d.fields(f.Value, vocabulary.ShapeOf(key.Typ))
			continue
		}
		d.value(f.Value, shape, key)
	}
}

func (d elementUses) value(v source.Value, shape *vocabulary.Shape, key vocabulary.Key) {
	names := vocabulary.TextNames(v)
	for name := range names {
		whole := strings.TrimSpace(v.Text) == "${"+name+"}"
		takes := key.Typ == vocabulary.SelectorType || key.Typ.Name() == "Target" ||
			shape.Selects && key.Name == "label"
		if d.elements[name] && !(takes && whole) && (shape.Selects && vocabulary.SelectorKey(key.Name) || takes) {
			d.Wrong(v, fmt.Sprintf("%q is an element, and cannot be a part of one", name),
				"write ${"+name+"} alone: tap: ${"+name+"}, or tap: {label: ${"+name+"}, timeout: 5s}")
		}
	}
}

// Problems returns what is wrong with the own actions, those that no test uses too. The error is an Errors.
func (o *Own) Problems() error {
	var errs source.Errors
	for _, name := range o.Names() {
		if !expr.VarForm.MatchString(name) {
			file, _, _ := o.Find(name)
			errs = append(errs, &source.Error{Pos: source.Pos{File: file, Line: 1, Col: 1},
				Msg:  fmt.Sprintf("%q cannot be the name of an action", name),
				Hint: "name the file in letters without accents, digits and underscores, such as signIn.yaml"})
			continue
		}
		errs = append(errs, errorsOf(o.Check(name))...)
	}
	return distinctErrors(errs).Err()
}

// Check returns what is wrong with an own action. The error is an Errors.
func (o *Own) Check(name string) error {
	def, err := o.Lookup(name)
	if err != nil || def == nil || !def.Own.HasSteps() {
		return err
	}
	l := linker{own: o, read: o.Read, bodies: map[ownBody]*vocabulary.Block{}}
	b := l.body(def.Own, "")
	if b != nil {
		l.list(b.Steps, nil, []string{name})
	}
	return distinctErrors(l.errs).Err()
}

// distinctErrors drops repetitions.
func distinctErrors(errs source.Errors) source.Errors {
	said := map[string]bool{}
	return slices.DeleteFunc(errs, func(e *source.Error) bool {
		text := e.Error()
		again := said[text]
		said[text] = true
		return again
	})
}

// HoldsBlocks reports whether a file is one of blocks for run steps, and not a test.
func (o *Own) HoldsBlocks(file string, src []byte) bool { return HoldsBlocks(file, src) }

// Takes reports whether a file in the folder actions is that of an own action: not a test, and not of blocks.
func (o *Own) Takes(src []byte) bool {
	text, from, bad := source.Readable("action.yaml", src)
	if bad != nil {
		return true
	}
	docs, err := source.Read(text, from)
	if err != nil {
		return true // which is reported
	}
	return !slices.ContainsFunc(docs, func(doc source.Value) bool {
		has := func(key string) bool { _, given := doc.Get(key); return given }
		return has("id") || has("platform") || has("blocks")
	})
}
