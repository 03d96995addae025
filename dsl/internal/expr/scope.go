package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// MaxText caps a text after its variables are filled in.
const MaxText = 1 << 20

// Scope holds the values of a test's variables while it runs: those saved by steps, then those given by the caller,
// then those of the data row, then the test's own, then the suite's. It belongs to one run of one test; it is not safe
// for concurrent use.
type Scope struct {
	source *source.Source
	env    func(string) (string, bool)
	saved  map[string]any
	values map[string]string // of everything that is not saved
	typed  map[string]any    // those of values that are not texts in expressions
	ended  map[string]bool   // variables of loops that have ended
	codes  codes
	base   Template
	caller *Scope // of an own action: the scope of the step that calls it
}

// ScopeOptions are where a test's variables get their values from.
type ScopeOptions struct {
	Overrides map[string]string // win over everything that is not saved, and are taken as they are
	Row       Row               // of the test's data
	Suite     []Var             // of the suite's taproot.yaml; the test's own vars win
	// the process environment, which only the values of vars can see; nil: there is none
	Env func(string) (string, bool)
	// Given are values of the run, by names that the caller, the row, the suite or the test may take: start.
	Given map[string]any
	// BaseURL is the site that paths in openBrowser belong to; empty: none.
	BaseURL Template
}

// Template is a text of a taproot.yaml with variables that a run fills in.
type Template struct {
	Text string
	Pos  source.Pos

	source *source.Source
}

// NewTemplate makes a template of a text in a file.
func NewTemplate(text string, pos source.Pos, from *source.Source) Template {
	return Template{Text: text, Pos: pos, source: from}
}

// Source is the file of the text.
func (t Template) Source() *source.Source { return t.source }

// BaseURL is the site that paths in openBrowser belong to; empty: none. The error is an *Error.
func (s *Scope) BaseURL() (string, error) {
	if s.caller != nil {
		return s.caller.BaseURL()
	}
	return s.Template(s.base)
}

// Template fills in the variables of a text of a taproot.yaml. The error is an *Error.
func (s *Scope) Template(t Template) (string, error) {
	out, err := s.expand(t.source, t.Text, t.Pos, s.lookup)
	if err != nil {
		return "", err
	}
	return out, nil
}

// ResolveScope resolves the vars of a test, which are in the file from. The error is an Errors.
func ResolveScope(from *source.Source, vars []Var, o ScopeOptions) (*Scope, error) {
	s := &Scope{source: from, env: o.Env, saved: map[string]any{}, values: map[string]string{},
		typed: map[string]any{}, base: o.BaseURL}
	var errs source.Errors
	for _, name := range slices.Sorted(maps.Keys(o.Overrides)) {
		switch {
		case Reserved(name):
			errs = append(errs, &source.Error{Msg: fmt.Sprintf("the variable %q has a meaning of its own in expressions", name),
				Hint: "choose another name"})
		case !VarForm.MatchString(name):
			errs = append(errs, &source.Error{Msg: fmt.Sprintf("%q cannot be the name of a variable", name),
				Hint: "use letters without accents, digits and underscores, and start with a letter"})
		}
	}
	for name, x := range o.Row.Values {
		s.give(name, x)
	}
	for name, text := range o.Overrides {
		delete(s.typed, name)
		s.values[name] = text
	}
	all := append(slices.Clone(o.Suite), vars...)
	for name, x := range o.Given {
		if _, taken := s.values[name]; !taken && !slices.ContainsFunc(all, func(v Var) bool { return v.Name == name }) {
			s.give(name, x)
		}
	}
	if err := append(errs, s.resolve(all)...).Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// give sets a value that is not saved by a step.
func (s *Scope) give(name string, x any) {
	s.values[name] = Show(x)
	if _, text := x.(string); text {
		delete(s.typed, name)
		return
	}
	s.typed[name] = x
}

// resolve works out vars; of two with one name the later counts.
func (s *Scope) resolve(vars []Var) source.Errors {
	r := resolver{scope: s, vars: map[string]Var{}, failed: map[string]bool{}}
	for _, v := range vars {
		r.vars[v.Name] = v
	}
	for _, v := range vars {
		r.resolve(v.Name)
	}
	for name, v := range r.vars {
		if kind := source.Resolve(s.values[name]); v.kind != source.String && (kind == source.Int || kind == source.Float) &&
			s.typed[name] == nil {
			s.typed[name] = source.Value{Kind: kind, Text: s.values[name]}.Go()
		}
	}
	return r.errs
}

// Holder has variables of its own: a Block.
type Holder interface {
	Variables() (vars []Var, from *source.Source)
}

// Block makes the variables of a run step's block: it sees those of s; its own vars override them, and with before
// those. What the block saves stays in the new scope; see Saved. The error is an Errors.
func (s *Scope) Block(b Holder, with map[string]any) (*Scope, error) {
	vars, from := b.Variables()
	inner := &Scope{source: from, env: s.env, saved: map[string]any{}, values: maps.Clone(s.values),
		typed: maps.Clone(s.typed), base: s.base, codes: s.codes}
	for name, x := range s.saved {
		inner.give(name, x)
	}
	for _, v := range vars {
		delete(inner.values, v.Name)
		delete(inner.typed, v.Name)
	}
	for name, x := range with {
		inner.give(name, x)
	}
	if err := inner.resolve(vars).Err(); err != nil {
		return nil, err
	}
	return inner, nil
}

// Branch returns a copy of the variables for steps that run at the same time as others; see Merge.
func (s *Scope) Branch() *Scope {
	out := *s
	out.saved, out.values, out.typed, out.ended = map[string]any{}, maps.Clone(s.values), maps.Clone(s.typed),
		maps.Clone(s.ended)
	for name, x := range s.saved {
		out.give(name, x)
	}
	return &out
}

// Merge saves what the steps of a branch have saved.
func (s *Scope) Merge(branch *Scope) {
	for name, x := range branch.saved {
		s.Set(name, x)
	}
}

// Action makes the variables of an own action: its parameters and its own vars. It sees no others. What its steps save
// stays in the new scope; see Saved. The error is an Errors.
func (s *Scope) Action(b Holder, params map[string]any) (*Scope, error) {
	vars, from := b.Variables()
	inner := &Scope{source: from, env: s.env, saved: map[string]any{}, values: map[string]string{},
		typed: map[string]any{}, caller: s}
	for name, x := range params {
		inner.give(name, x)
	}
	if err := inner.resolve(vars).Err(); err != nil {
		return nil, err
	}
	return inner, nil
}

// resolver works out the vars, each after those that it needs.
type resolver struct {
	scope  *Scope
	vars   map[string]Var
	path   []string // the vars that are being resolved
	failed map[string]bool
	errs   source.Errors
}

func (r *resolver) resolve(name string) {
	if _, done := r.scope.values[name]; done || r.failed[name] {
		return
	}
	v := r.vars[name]
	r.path = append(r.path, name)
	source := v.source
	if source == nil {
		source = r.scope.source
	}
	text, err := r.scope.expand(source, v.Value, v.Pos, func(other string) (string, *miss) { return r.lookup(v, other) })
	r.path = r.path[:len(r.path)-1]
	if err == nil {
		r.scope.values[name] = text
		return
	}
	r.failed[name] = true
	if err.Msg != "" {
		r.errs = append(r.errs, err)
	}
}

// miss says why a variable has no value.
type miss struct {
	msg, hint string // no msg: the reason has been reported at another var
	undefined bool   // a default may take its place
}

// lookup returns the value of a name that is used in the value of v: an override, another var, or the environment. A
// var may hold its own name: HOME: ${HOME}.
func (r *resolver) lookup(v Var, name string) (string, *miss) {
	if text, known := r.scope.values[name]; known {
		return text, nil
	}
	if root, _, within := strings.Cut(name, "."); within && r.scope.typed[root] != nil { // a value of the run
		return r.scope.lookup(name)
	}
	if _, isVar := r.vars[name]; isVar && name != v.Name {
		if i := slices.Index(r.path, name); i >= 0 {
			cycle := strings.Join(append(slices.Clone(r.path[i:]), name), " → ")
			return "", &miss{msg: "the variables need each other: " + cycle, hint: "give one of them a plain value"}
		}
		r.resolve(name)
		if r.failed[name] {
			return "", &miss{}
		}
		return r.scope.values[name], nil
	}
	if r.scope.env != nil {
		if text, set := r.scope.env(name); set {
			return text, nil
		}
	}
	hint := fmt.Sprintf("set it in the environment, give --var %s=…, or write ${%s:-default}", v.Name, name)
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(r.vars)), func(s string) bool { return s == v.Name })
	if near := phrase.Nearest(name, others); near != "" {
		hint = fmt.Sprintf("did you mean ${%s}?", near)
	}
	return "", &miss{
		msg:       fmt.Sprintf("${%s} is not defined: neither in vars nor in the environment", name),
		hint:      hint,
		undefined: true,
	}
}

// Expand fills in the variables of a text, once: a value that holds ${ stays as it is. The error is an *Error at pos.
func (s *Scope) Expand(text string, pos source.Pos) (string, error) {
	out, err := s.expand(s.source, text, pos, s.lookup)
	if err != nil {
		return "", err
	}
	return out, nil
}

func (s *Scope) lookup(name string) (string, *miss) {
	if _, isTyped := s.typed[name]; isTyped { // a number prints as it was written
		if _, isSaved := s.saved[name]; !isSaved {
			return s.values[name], nil
		}
	}
	x, missed := s.value(name)
	if missed != nil {
		return "", missed
	}
	return Show(x), nil
}

const loopOver = `only the steps in the forEach know its variable; to keep the last one, save it there under another ` +
	`name: set: {last: …}`

// undefined says what to do about a variable that has no value.
func (s *Scope) undefined(name string) *miss {
	names := slices.AppendSeq(slices.Collect(maps.Keys(s.values)), maps.Keys(s.saved))
	slices.Sort(names)
	hint := fmt.Sprintf("add \"%s: …\" under vars, or give --var %s=…", name, name)
	if s.ended[name] {
		hint = loopOver
	} else if name == "env" || name == "process" || name == "ENV" {
		hint = `the environment is read under vars: "HOME: ${HOME}", and ${HOME} in the steps is its value`
	} else if name == "needs" {
		hint = "it is what other tests have saved: name them under needs"
	} else if name == "start" {
		hint = "it is the values of the servers under start in taproot.yaml, and none of them was started for this test"
	} else if near := phrase.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean ${%s}?", near)
	} else if s.caller != nil {
		hint = s.callerHint(name)
	} else if s.env != nil {
		if _, set := s.env(name); set {
			hint = fmt.Sprintf("it is set in the environment; to use it, add \"%s: ${%s}\" under vars", name, name)
		}
	}
	return &miss{msg: fmt.Sprintf("the variable ${%s} is not defined", name), hint: hint, undefined: true}
}

// callerHint says what the steps of an own action can use.
func (s *Scope) callerHint(name string) string {
	return fmt.Sprintf("an action knows its parameters and what its own steps save: add %q under params", name)
}

// expand calls lookup for each variable. A miss that has been reported elsewhere is an Error without a message.
func (s *Scope) expand(src *source.Source, text string, pos source.Pos, lookup func(string) (string, *miss)) (string,
	*source.Error) {
	at := func(part, msg, hint string) *source.Error {
		part = phrase.FirstLine(part)
		return &source.Error{Pos: source.Locate(src, pos, part), Msg: msg, Hint: hint, Width: len([]rune(part)), Source: src}
	}
	if !strings.Contains(text, "${") {
		return text, nil
	}
	all, bad, msg, hint := Pieces(text)
	if msg != "" {
		return "", at(bad, msg, hint)
	}
	var b strings.Builder
	for _, p := range all {
		value := p.text
		if p.raw != "" {
			found, missed := lookup(p.Name)
			switch {
			case p.fallback != nil && (missed != nil && missed.undefined || missed == nil && found == ""):
				found = *p.fallback
			case missed != nil:
				return "", at(p.raw, missed.msg, missed.hint)
			}
			value = found
		}
		if b.Len()+len(value) > MaxText {
			return "", at(p.raw, "the text becomes larger than 1 MiB when its variables are filled in", "")
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

// Row is one row of data.
type Row struct {
	N      int // counted from 1
	Values map[string]any
}

// Var is one entry of a test's vars, in the order of the file.
type Var struct {
	Name  string
	Value string     // may hold ${NAME}
	Pos   source.Pos // of the value

	kind   source.Kind    // as it is written: a number stays one in expressions
	source *source.Source // nil: the test's
}

// NewVar makes a variable of a value in a file. Where the value is a number, so is the variable in expressions.
func NewVar(name, text string, v source.Value, from *source.Source) Var {
	return Var{Name: name, Value: text, Pos: v.Pos, kind: v.Kind, source: from}
}
