package check

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/decode"
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/form"
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
		Remotes:        s.Remotes,
	}
	for name, e := range s.Environments {
		c.Environments[name] = vocabulary.Environment{Vars: e.Vars, Tags: e.Tags, TimeoutMs: e.TimeoutMs, Retries: e.Retries,
			BaseURL: e.BaseURL}
	}
	d.suiteSecrets(c, v)
	d.startServers(c.Start, v)
	d.remotes(c.Remotes, v)
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

// remotes notes where the remotes are, and wants names of which those of devices can be made.
func (d *reader) remotes(remotes map[string]vocabulary.Remote, v source.Value) {
	f, _ := v.Get("remotes")
	for _, entry := range f.Value.Fields {
		r, read := remotes[entry.Key]
		if !read {
			continue // reported
		}
		if !form.IdForm.MatchString(entry.Key) {
			d.Fail(entry.Pos, len([]rune(entry.Key)), fmt.Sprintf("%q cannot be the name of a remote", entry.Key),
				"use letters, digits, dots, dashes and underscores: grid")
		}
		r.Pos = entry.Pos
		wanted, given := entry.Value.Get("capabilities")
		if r.Wanted = wanted.Value; given && wanted.Value.Kind != source.Map {
			d.Wrong(wanted.Value, `"capabilities" must be a map`, `for example: capabilities: {browserName: firefox}`)
		}
		key, keyed := entry.Value.Get("key")
		if user, given := entry.Value.Get("user"); keyed != given {
			at := key.Pos
			if given {
				at = user.Pos
			}
			d.Fail(at, 4, fmt.Sprintf("the remote %q has a user without a key, or a key without a user", entry.Key),
				`write both: user: "${CLOUD_USER}", key: "${CLOUD_KEY}"`)
		}
		d.remoteApp(entry)
		remotes[entry.Key] = r
	}
}

// remoteApp wants an app for phones alone.
func (d *reader) remoteApp(entry source.Field) {
	app, given := entry.Value.Get("app")
	platform, named := entry.Value.Get("platform")
	if given && (!named || platform.Value.Text == string(vocabulary.Web)) {
		d.Fail(app.Pos, len("app"), fmt.Sprintf("the remote %q has an app, and is for pages", entry.Key),
			"remove app, or write the platform of the app")
		return
	}
	capabilities, _ := entry.Value.Get("capabilities")
	if other, both := capabilities.Value.Get("appium:app"); given && both {
		d.Fail(other.Pos, len("appium:app"), fmt.Sprintf("the remote %q names two apps: app, and appium:app", entry.Key),
			"remove one: app is a file, appium:app a URL or what the server knows by this name")
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
