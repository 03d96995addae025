package vocabulary

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// ActionFile is the top level of a file in the folder actions: an action of the project's own.
type ActionFile struct {
	Description string           `json:"description,omitempty" minLength:"1"`
	Params      map[string]Param `json:"params,omitempty"`
	Vars        Vars             `json:"vars,omitempty"`
	Steps       source.Value     `json:"steps,omitempty"`
	Run         string           `json:"run,omitempty" minLength:"1" format:"script"`
	TimeoutMs   int              `json:"timeout,omitempty" format:"duration" minimum:"1" maximum:"600000" default:"10000"`
	Memory      int              `json:"memory,omitempty" minimum:"1" maximum:"1024" default:"64"`
}

func (ActionFile) rules() []Rule {
	return []Rule{
		exactlyOne("steps run").says(`the action needs either "steps" or "run"`,
			`write "steps:" and under it the actions, or "run: check.js"`),
		belongs("timeout memory", "run").says("", `they limit a script; a step has its own "timeout"`),
		exclude("vars", "run").says("", "a script has its parameters as variables"),
	}
}

// The types of parameters.
const (
	TextParam     = "text"
	NumberParam   = "number"
	DurationParam = "duration"
	BooleanParam  = "boolean"
	SelectorParam = "selector"
	OneOfParam    = "one of"
	ListParam     = "list"
)

// Param is a parameter of an own action.
type Param struct {
	Type        string   `json:"type" required:"true" scalar:"true" enum:"text,number,duration,boolean,selector,one of,list"`
	Required    bool     `json:"required,omitempty"`
	Default     AnyValue `json:"default,omitempty"`
	Values      []string `json:"values,omitempty" minItems:"1" minLength:"1"`
	Description string   `json:"description,omitempty" minLength:"1"`

	Name string
	Pos  source.Pos // of the name
}

func (Param) rules() []Rule {
	return []Rule{exclude("default", "required=true").says(`a required parameter has no default`,
		"remove one of the two")}
}

// AnyValue is a value that is checked later, when it is known what it has to be.
type AnyValue struct{ Value source.Value }

// OwnAction is an action that a project defines itself: by steps, by a script, or by a function in Go.
type OwnAction struct {
	Name   string
	File   string // "" of a function in Go
	Pos    source.Pos
	Source *source.Source
	Params []Param
	Script *OwnScript // nil: it has steps, or is a function in Go
	Go     any        // the function; nil: it is none
	// Body returns the steps as a block, and what is wrong with them. Do not change it.
	Body func() (*Block, error)
}

// OwnScript is the JavaScript of an own action.
type OwnScript struct {
	File      string // as places name it
	Code      string
	TimeoutMs int
	MemoryMiB int
}

// OwnActions finds the own actions of a project.
type OwnActions interface {
	// Lookup returns an own action. Without an error and an action, there is none of that name.
	Lookup(name string) (*Def, error)
	// Names returns the names of all own actions, sorted.
	Names() []string
}

// HasSteps reports whether the action consists of steps in YAML.
func (a *OwnAction) HasSteps() bool { return a != nil && a.Script == nil && a.Go == nil }

// Def makes the definition of an own action, of which everything else follows as it does of a built-in one: its
// arguments are a struct with a field for each parameter. saves is what as saves; empty: nothing.
func (a *OwnAction) Def(description, saves string) *Def {
	typ := a.argsType()
	return &Def{Name: a.Name, Own: a, Args: reflect.Zero(typ).Interface(),
		Doc: cmp.Or(description, "An own action."), Example: a.example(), Platforms: everywhere, Interfaces: YAML,
		Saves: saves, Effect: Acts}
}

// argsType is the struct of the arguments. Its tags are those of the vocabulary.
func (a *OwnAction) argsType() reflect.Type {
	fields := make([]reflect.StructField, 0, len(a.Params))
	for _, p := range a.Params {
		tags := []string{tagOf("json", p.Name), tagOf("own", p.Type)}
		doc := strings.TrimSpace(p.Description)
		if p.Required {
			tags = append(tags, tagOf("required", "true"))
		}
		if p.Type == OneOfParam {
			tags = append(tags, tagOf("oneOf", strings.Join(p.Values, "\n")))
		}
		if format := map[string]string{NumberParam: Number, DurationParam: Duration}[p.Type]; format != "" {
			tags = append(tags, tagOf("format", format))
		}
		if text, plain := p.defaultText(); plain {
			tags = append(tags, tagOf("default", text))
		} else if p.Default.Value.Kind != source.Null {
			doc = strings.TrimSpace(doc + " Default: `" + source.Flow(p.Default.Value) + "`.")
		}
		if len(a.Params) == 1 {
			tags = append(tags, tagOf("scalar", "true"))
		}
		tags = append(tags, tagOf("doc", doc))
		fields = append(fields, reflect.StructField{Name: "P" + p.Name, Type: paramTypes()[p.Type],
			Tag: reflect.StructTag(strings.Join(tags, " "))})
	}
	return reflect.StructOf(fields)
}

// defaultText is the default as a tag holds it; plain reports whether one can.
func (p Param) defaultText() (text string, plain bool) {
	switch {
	case p.Default.Value.Kind == source.Null, p.Type == SelectorParam, p.Type == ListParam:
		return "", false
	case p.Type == DurationParam:
		return strconv.Itoa(millisecondsOf(p.Default.Value)), true
	case p.Type == BooleanParam:
		return strings.ToLower(p.Default.Value.Text), true
	}
	return p.Default.Value.Text, p.Default.Value.Text != ""
}

// millisecondsOf is a duration that has been checked.
func millisecondsOf(v source.Value) int {
	if n, whole := source.Number(v.Text); whole {
		return n
	}
	d, _, _ := phrase.ParseDuration(v.Text)
	return int(d.Milliseconds())
}

func tagOf(key, text string) string { return key + ":" + strconv.Quote(text) }

// paramTypes are the types of the fields for the types of parameters. A number is the text of one, which keeps all its
// digits.
func paramTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		TextParam: reflect.TypeFor[string](), OneOfParam: reflect.TypeFor[string](),
		NumberParam: reflect.TypeFor[string](), DurationParam: reflect.TypeFor[int](),
		BooleanParam: reflect.TypeFor[bool](), SelectorParam: SelectorType, ListParam: reflect.TypeFor[[]any](),
	}
}

// example is a step with the parameters that have to be given, or with the first one.
func (a *OwnAction) example() string {
	var given []string
	for i, p := range a.Params {
		if p.Required || i == 0 && !slices.ContainsFunc(a.Params, func(p Param) bool { return p.Required }) {
			given = append(given, p.Name+": "+source.Flow(p.sample()))
		}
	}
	if len(given) == 0 {
		return a.Name + ":"
	}
	return a.Name + ": {" + strings.Join(given, ", ") + "}"
}

// sample is a value of the parameter, for examples.
func (p Param) sample() source.Value {
	switch {
	case p.Default.Value.Kind != source.Null:
		return p.Default.Value
	case p.Type == OneOfParam && len(p.Values) > 0:
		return source.Value{Kind: source.String, Text: p.Values[0]}
	}
	return map[string]source.Value{
		TextParam:     {Kind: source.String, Text: "ada"},
		NumberParam:   {Kind: source.Int, Text: "1"},
		DurationParam: {Kind: source.String, Text: "5s"},
		BooleanParam:  {Kind: source.Bool, Text: "true"},
		SelectorParam: {Kind: source.String, Text: "Sign in"},
		ListParam:     {Kind: source.List, Items: []source.Value{{Kind: source.String, Text: "one"}}},
	}[p.Type]
}

// OwnCall is what the argument of an own action is bound to.
type OwnCall struct {
	Values map[string]any
	Args   any // the struct of the parameters
}

// Params returns the values of the parameters by their names. Do not change them.
func (c OwnCall) Params() map[string]any { return c.Values }

// Values returns the values of the parameters: args is the checked struct of a step, v the argument that it was made
// of, with its variables filled in. What is not given has its default, and otherwise no value.
func (a *OwnAction) Values(args any, v source.Value) map[string]any {
	values := map[string]any{}
	filled := reflect.ValueOf(args)
	for i, p := range a.Params {
		given := p.Default.Value
		switch f, has := v.Get(p.Name); {
		case has:
			given = f.Value
		case v.Kind != source.Map && v.Kind != source.Null && len(a.Params) == 1:
			given = v
		}
		values[p.Name] = p.value(given, filled.Field(i))
	}
	return values
}

func (p Param) value(v source.Value, filled reflect.Value) any {
	if v.Open {
		return expr.Open{}
	}
	if v.Kind == source.Null {
		return nil
	}
	switch p.Type {
	case NumberParam:
		if v.Typed != nil {
			return v.Typed
		}
		return source.NumberOf(v.Text)
	case DurationParam:
		return int(filled.Int()) // in milliseconds
	case BooleanParam:
		return filled.Bool()
	case SelectorParam:
		if v.Kind == source.Map {
			return expr.Element{Value: v}
		}
	case ListParam:
		if list, is := v.Go().([]any); is {
			return list
		}
		return []any{v.Go()}
	}
	return v.Text
}

// ParamsOf returns the parameters that the fields of a struct are. A field is called as its json tag says, otherwise as
// in Go with a small first letter; the tags doc, required, default and enum mean what they do for built-in actions.
func ParamsOf(args any) ([]Param, error) {
	t := reflect.TypeOf(args)
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("its arguments must be a struct, not %v", t)
	}
	var all []Param
	options := ShapeOf(reflect.TypeFor[StepOptions]())
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		p := Param{Name: cmp.Or(name, lowered(f.Name)), Description: f.Tag.Get("doc"),
			Required: f.Tag.Get("required") == "true", Values: words(f.Tag.Get("enum"))}
		if p.Type = paramTypeOf(f.Type); p.Type == "" {
			return nil, fmt.Errorf("the field %s has a type that no parameter has: %s", f.Name, f.Type)
		}
		if p.Values != nil {
			p.Type = OneOfParam
		}
		if !expr.VarForm.MatchString(p.Name) || expr.Reserved(p.Name) || options.Has(p.Name) {
			return nil, fmt.Errorf("the field %s: %q cannot be the name of a parameter", f.Name, p.Name)
		}
		if text, given := f.Tag.Lookup("default"); given {
			p.Default.Value = source.Value{Kind: source.Resolve(text), Text: text}
		}
		all = append(all, p)
	}
	return all, nil
}

// lowered is the name of a field as a key: user for User, url for URL, userID for UserID.
func lowered(name string) string {
	n := 0
	for n < len(name) && name[n] >= 'A' && name[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(name) {
		n-- // the next word starts there
	}
	return strings.ToLower(name[:n]) + name[n:]
}

// paramTypeOf is the type of the parameter for a field; empty: there is none.
func paramTypeOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return DurationParam
	case t == SelectorType:
		return SelectorParam
	}
	switch t.Kind() {
	case reflect.String:
		return TextParam
	case reflect.Bool:
		return BooleanParam
	case reflect.Int, reflect.Int64, reflect.Float64:
		return NumberParam
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String || t.Elem().Kind() == reflect.Interface {
			return ListParam
		}
	}
	return ""
}

// Fill sets the fields of a struct in Go to the values of a call, which is what a step was bound to.
func (a *OwnAction) Fill(dst reflect.Value, args any) error {
	call, is := args.(OwnCall)
	if !is {
		return fmt.Errorf("%T is not a call of an own action", args)
	}
	for i, p := range a.Params {
		x := call.Values[p.Name]
		f := fieldOf(dst, i)
		if x == nil {
			continue
		}
		switch {
		case p.Type == DurationParam:
			f.SetInt(int64(time.Duration(x.(int)) * time.Millisecond))
		case p.Type == SelectorParam:
			f.Set(reflect.ValueOf(call.Args).Field(i))
		case f.Kind() == reflect.Slice:
			for _, item := range x.([]any) {
				to := reflect.New(f.Type().Elem()).Elem()
				if to.Kind() == reflect.String {
					to.SetString(expr.Show(item))
				} else if item != nil {
					to.Set(reflect.ValueOf(item))
				}
				f.Set(reflect.Append(f, to))
			}
		case f.Kind() == reflect.String:
			f.SetString(expr.Show(x))
		case f.Kind() == reflect.Bool:
			f.SetBool(x.(bool))
		default:
			n, err := strconv.ParseFloat(expr.Show(x), 64)
			if err == nil && f.Kind() != reflect.Float64 {
				var whole int64
				if whole, err = strconv.ParseInt(expr.Show(x), 10, 64); err == nil {
					f.SetInt(whole)
				}
			} else if err == nil {
				f.SetFloat(n)
			}
			if err != nil {
				return fmt.Errorf("%q must be a whole number, not %s", p.Name, expr.Show(x))
			}
		}
	}
	return nil
}

// fieldOf is the nth field of a struct that is a parameter.
func fieldOf(dst reflect.Value, nth int) reflect.Value {
	for i := range dst.NumField() {
		name, _, _ := strings.Cut(dst.Type().Field(i).Tag.Get("json"), ",")
		if !dst.Type().Field(i).IsExported() || name == "-" {
			continue
		}
		if nth--; nth < 0 {
			return dst.Field(i)
		}
	}
	return reflect.Value{}
}

// GoAction returns the name of an own action in Go that a step of the test is; empty: there is none.
func (t *Test) GoAction() string {
	for _, steps := range t.Lists() {
		for step := range steps.All {
			if step.Def.Own != nil && step.Def.Own.Go != nil {
				return step.Def.Name
			}
		}
	}
	return ""
}
