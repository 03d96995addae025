package dsl

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/internal/suggest"
)

// header is the top level of a test. A new key is a new field.
type header struct {
	ID          string       `json:"id" required:"true" format:"id"`
	Name        string       `json:"name,omitempty" minLength:"1"`
	Description string       `json:"description,omitempty" minLength:"1"`
	Platform    Platform     `json:"platform,omitempty" enum:"android,ios,both,web"`
	Browsers    []string     `json:"browsers,omitempty" enum:"chromium,firefox,webkit"`
	Tags        []string     `json:"tags,omitempty" format:"tag"`
	Owner       string       `json:"owner,omitempty" minLength:"1"`
	Links       []string     `json:"links,omitempty" minLength:"1" format:"webLink"`
	Properties  properties   `json:"properties,omitempty"`
	Skip        string       `json:"skip,omitempty" minLength:"1"`
	Vars        vars         `json:"vars,omitempty"`
	Secrets     []string     `json:"secrets,omitempty" minLength:"1"`
	Device      Need         `json:"device,omitempty"`
	TimeoutMs   *int         `json:"timeoutMs,omitempty" minimum:"0" maximum:"3600000"`
	Retries     *int         `json:"retries,omitempty" minimum:"0" maximum:"10"`
	Data        Data         `json:"data,omitempty"`
	Before      source.Value `json:"before,omitempty"`
	Steps       source.Value `json:"steps" required:"true"`
	OnFailure   source.Value `json:"onFailure,omitempty"`
	After       source.Value `json:"after,omitempty"`
	Blocks      table        `json:"blocks,omitempty"`
}

var (
	idForm   = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	windows  = lazyregexp.New(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
	varForm  = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	pathForm = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$`)
)

// test turns a document into a Test. What is wrong with it is noted in d; it may then be nil.
func (d *decoding) test(v source.Value) *Test {
	if v.Kind != source.Map || len(v.Fields) == 0 {
		d.notATest(v)
		return nil
	}
	var h header
	at := v.Fields[0].Pos
	d.variables, d.platform = refused, ""
	d.header(&h, v, at)
	id, _ := v.Get("id")
	t := &Test{Pos: at, ID: h.ID, IDPos: id.Value.Pos, Name: h.Name, Description: h.Description, Platform: h.Platform,
		Browsers: h.Browsers, Tags: h.Tags,
		Owner: h.Owner, Links: h.Links, Properties: h.Properties, Skip: h.Skip, Vars: h.Vars, Secrets: h.Secrets,
		Device: h.Device, TimeoutMs: h.TimeoutMs,
		Retries: h.Retries, Data: h.Data, Source: d.source}
	if _, given := v.Get("platform"); !given {
		t.Platform = guess(h.Before, h.Steps)
		if t.Platform == "" {
			d.fail(at, 0, "the test does not say what it runs on", `add a line "platform: android" (or ios, both, web)`)
		}
	}
	if f, given := v.Get("browsers"); given && t.Platform != Web && t.Platform != "" {
		d.fail(f.Pos, len(f.Key), fmt.Sprintf("a test for %s has no browsers", t.Platform.words()),
			"remove the line, or write platform: web")
	}
	d.variables, d.platform = deferred, t.Platform
	t.Before, t.Steps, t.OnFailure, t.After = d.stepsUnder(v, "before"), d.stepsUnder(v, "steps"),
		d.stepsUnder(v, "onFailure"), d.stepsUnder(v, "after")
	t.Blocks = d.blocks(v, at.File)
	d.checkSecrets(t, v)
	return t
}

// stepsUnder reads the steps under a key of the top level, when it is there.
func (d *decoding) stepsUnder(v source.Value, key string) Steps {
	if f, given := v.Get(key); given {
		return d.steps(f)
	}
	return nil
}

// checkSecrets wants a secret to be the name of something.
func (d *decoding) checkSecrets(t *Test, v source.Value) {
	if t.Data.Path != "" {
		return // the file is not read yet: see Rows
	}
	f, _ := v.Get("secrets")
	items := f.Value.Items
	if f.Value.Kind != source.List {
		items = []source.Value{f.Value}
	}
	if f.Key == "" {
		return
	}
	d.secretNames(items, t.names(),
		"write the name of a variable, not its value; variables are listed under vars or data, or saved by a step")
}

// secretNames wants each item to be one of the names. A message never shows the item itself: it may be the secret.
func (d *decoding) secretNames(items []source.Value, names []string, hint string) {
	for _, item := range items {
		if item.Kind != source.String || strings.Contains(item.Text, "${") {
			continue // reported as a wrong type
		}
		if item.Text != "" && !slices.Contains(names, item.Text) {
			hint := hint
			if near := suggest.Nearest(item.Text, names); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			d.wrong(item, "no variable is named like this secret", hint)
		}
	}
}

// names returns the variables that the test itself defines or saves.
func (t *Test) names() []string {
	var names []string
	for _, v := range t.Vars {
		names = append(names, v.Name)
	}
	for _, row := range t.Data.rows {
		names = slices.AppendSeq(names, maps.Keys(row.Values))
	}
	for _, steps := range t.lists() {
		for step := range steps.All {
			names = append(names, step.saves()...)
			if name := step.loopVar(); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// header decodes the keys of the top level and checks what tags cannot say.
func (d *decoding) header(h *header, v source.Value, at source.Pos) {
	s := shapeOf(reflect.TypeFor[header]())
	for _, f := range v.Fields {
		i, known := s.byKey[f.Key]
		if known {
			own := s.fields[i]
			own.at = f.Pos
			d.field(reflect.ValueOf(h).Elem().FieldByIndex(own.index), f.Value, own)
			continue
		}
		d.unknownHeader(f, v, s)
	}
	for _, f := range s.fields {
		if _, given := v.Get(f.key); f.required && !given {
			d.fail(at, 0, fmt.Sprintf("the test has no %q", f.key), map[string]string{
				"id":    `add a line such as "id: login-works"`,
				"steps": `add "steps:" and under it the actions, each on a line that starts with "- "`,
			}[f.key])
		}
	}
}

func (d *decoding) unknownHeader(f source.Field, v source.Value, s *shape) {
	width := len([]rune(f.Key))
	if def, action := Lookup(f.Key); action {
		_, steps := v.Get("steps")
		hint := fmt.Sprintf(`write it under "steps:" as "- %s"`, def.Example)
		if steps {
			hint += ", indented like the other steps"
		}
		d.fail(f.Pos, width, fmt.Sprintf("%q is an action outside of the steps", f.Key), hint)
		return
	}
	keys := s.keys()
	hint := "allowed here: " + strings.Join(keys, ", ")
	if suggest.Fold(f.Key) == "appid" || suggest.Fold(f.Key) == "bundleid" {
		hint = fmt.Sprintf(`say it in a step: "- launch: {package: %s}"`, flowText(f.Value))
	} else if near := ownKey(f.Key, keys); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	d.fail(f.Pos, width, fmt.Sprintf("unknown key %q", shorten.Runes(f.Key, 60)), hint)
}

func flowText(v source.Value) string {
	if v.Kind == source.String {
		return source.Flow(v)
	}
	return "…"
}

// notATest explains a document that is not a map.
func (d *decoding) notATest(v source.Value) {
	const hint = `start with "id: …" and "platform: …", then "steps:" and under it the actions`
	switch v.Kind {
	case source.List:
		d.fail(v.Pos, 0, "the file starts with a list, and a test starts with its keys", hint)
	case source.Map:
		d.fail(v.Pos, 0, "this test is empty", hint)
	default:
		if mended := source.MissingSpace(v.Text); mended != "" && !strings.Contains(v.Text, " ") {
			d.wrong(v, `a space is missing after ":"`, "write \""+mended+"\"")
			return
		}
		d.wrong(v, "this is not a test, only a text", hint)
	}
}

// guess returns the platform of a test that does not say it: web when an action is used that works nowhere else.
func guess(lists ...source.Value) Platform {
	for _, v := range lists {
		for _, item := range v.Items {
			for _, f := range item.Fields {
				if def, known := Lookup(f.Key); known && def.On(Web) && len(def.Platforms) == 1 {
					return Web
				}
				for _, inner := range f.Value.Fields {
					if inner.Value.Kind == source.List && guess(inner.Value) == Web {
						return Web
					}
				}
			}
		}
	}
	return ""
}

// words names the platform in a sentence.
func (p Platform) words() string {
	if p == Both {
		return "android and ios"
	}
	return string(p)
}

// vars reads the map of variables in the order of the file.
type vars []Var

func (vs *vars) fromValue(d *decoding, v source.Value, name string) {
	if v.Kind != source.Map {
		d.wrong(v, fmt.Sprintf("%q must be a map, not %s", name, describe(v)),
			"write one \"NAME: value\" per line, indented under vars")
		return
	}
	for _, f := range v.Fields {
		if !d.nameOf(f) {
			continue
		}
		text, ok := d.string(f.Value, f.Key)
		if !ok {
			continue
		}
		d.references(f.Value)
		*vs = append(*vs, Var{Name: f.Key, Value: text, Pos: f.Value.Pos, kind: f.Value.Kind, source: d.source})
	}
}

func (vars) schema(*schemas) schema {
	out := namedValues()
	out["additionalProperties"] = schema{"type": []string{"string", "number"}}
	return out
}

func (vars) words() string { return "map of variables" }

// properties reads a map of texts in the order of the file.
type properties []Property

func (ps *properties) fromValue(d *decoding, v source.Value, name string) {
	if v.Kind != source.Map {
		d.wrong(v, fmt.Sprintf("%q must be a map, not %s", name, describe(v)),
			"write one \"name: value\" per line, indented under properties")
		return
	}
	for _, f := range v.Fields {
		if text, ok := d.string(f.Value, f.Key); ok {
			*ps = append(*ps, Property{f.Key, text})
		}
	}
}

func (properties) schema(*schemas) schema {
	return schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number"}}}
}

func (properties) words() string { return "map of texts" }
