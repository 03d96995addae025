package check

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/decode"
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// ParseConfig reads a taproot.yaml; an empty one is fine.
// own are the actions of the project's own; nil: none.
func ParseConfig(file string, src []byte, own vocabulary.OwnActions) (vocabulary.Config, error) {
	text, from, bad := source.Readable(file, src)
	if bad != nil {
		return vocabulary.Config{}, source.Errors{bad}
	}
	values, err := source.Read(text, from)
	if err != nil || len(values) == 0 {
		return vocabulary.Config{}, err
	}
	d := NewReader(from, expr.Refused, "")
	d.own = own
	if len(values) > 1 {
		d.Fail(values[1].Pos, 0, "a second document", "taproot.yaml holds one")
	}
	var s vocabulary.Suite
	v := d.Named(values[0], vocabulary.ShapeOf(reflect.TypeFor[vocabulary.Suite]()))
	d.Structure(reflect.ValueOf(&s).Elem(), v, decode.Object{Name: "taproot.yaml", At: v.Pos})
	c := vocabulary.Config{
		Include:        s.Include,
		Exclude:        s.Exclude,
		Order:          s.Order,
		Vars:           s.Vars,
		Tags:           s.Tags,
		TimeoutMs:      s.TimeoutMs,
		Retries:        s.Retries,
		Secrets:        s.Secrets,
		Environments:   map[string]vocabulary.Environment{},
		PreferSelector: s.PreferSelector,
		BaseURL:        s.BaseURL,
		Start:          s.Start,
		Evidence:       s.Evidence,
	}
	for name, e := range s.Environments {
		c.Environments[name] = vocabulary.Environment{Vars: e.Vars, Tags: e.Tags, TimeoutMs: e.TimeoutMs, Retries: e.Retries,
			BaseURL: e.BaseURL}
	}
	d.suiteSecrets(c, v)
	d.startServers(c.Start, v)
	d.Variables = expr.Deferred
	c.Before, c.OnFailure, c.After = d.stepsUnder(v, "before"), d.stepsUnder(v, "onFailure"), d.stepsUnder(v, "after")
	if err := d.Errs.Err(); err != nil {
		return vocabulary.Config{}, err
	}
	return c, nil
}

// startServers notes where the entries of start are, and wants each to have a name of its own.
func (d *reader) startServers(servers []vocabulary.StartServer, v source.Value) {
	f, _ := v.Get("start")
	items := f.Value.Items
	if f.Value.Kind == source.Map {
		items = []source.Value{f.Value}
	}
	first := map[string]source.Pos{}
	for i := range servers {
		if i >= len(items) {
			return // reported as a wrong type
		}
		s := &servers[i]
		s.Pos = items[i].Pos
		name, _ := items[i].Get("name")
		before, taken := first[s.Name]
		switch {
		case s.Name == "":
		case taken:
			d.Fail(name.Value.Pos, len(s.Name), fmt.Sprintf("the name %q is taken", s.Name),
				fmt.Sprintf("the server on line %d has it; choose another one", before.Line))
		default:
			first[s.Name] = s.Pos
		}
	}
}

// suiteSecrets wants a secret of the suite to be one of its variables.
func (d *reader) suiteSecrets(c vocabulary.Config, v source.Value) {
	var names []string
	for _, x := range c.Vars {
		names = append(names, x.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Environments)) {
		for _, x := range c.Environments[name].Vars {
			names = append(names, x.Name)
		}
	}
	f, given := v.Get("secrets")
	if !given {
		return
	}
	items := []source.Value{f.Value}
	if f.Value.Kind == source.List {
		items = f.Value.Items
	}
	d.secretNames(items, names,
		"write the name of a variable, not its value; variables are listed under vars, or under those of an environment")
}
