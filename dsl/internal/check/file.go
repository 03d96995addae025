package check

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/decode"
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/foreign"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
)

// Test turns a document into a Test. What is wrong with it is noted in d; it may then be nil.
func (d *reader) Test(v source.Value) *vocabulary.Test {
	if v.Kind != source.Map || len(v.Fields) == 0 {
		d.notATest(v)
		return nil
	}
	var h vocabulary.Header
	at := v.Fields[0].Pos
	d.Variables, d.Platform = expr.Refused, ""
	v = d.Named(v, vocabulary.ShapeOf(reflect.TypeFor[vocabulary.Header]()))
	d.header(&h, v, at)
	id, _ := v.Get("id")
	t := &vocabulary.Test{
		Pos:         at,
		ID:          h.ID,
		IDPos:       id.Value.Pos,
		Name:        h.Name,
		Description: h.Description,
		Platform:    h.Platform,
		Browsers:    h.Browsers,
		Tags:        h.Tags,
		Owner:       h.Owner,
		Links:       h.Links,
		Properties:  h.Properties,
		Skip:        h.Skip,
		Vars:        h.Vars,
		Secrets:     h.Secrets,
		Device:      h.Device,
		TimeoutMs:   h.TimeoutMs,
		Retries:     h.Retries,
		Data:        h.Data,
		Source:      d.Source,
		Own:         d.own,
	}
	before := len(d.Errs)
	if t.Devices = d.entries(&h, v); len(t.Devices) > 0 {
		t.Platform = t.Devices[0].Platform
	}
	_, several := v.Get("devices")
	if _, given := v.Get("platform"); !given && !several {
		t.Platform = guess(h.Before, h.Steps)
		if t.Platform == "" {
			d.Fail(at, 0, "the test does not say what it runs on", `add a line "platform: android" (or ios, web, mobile)`)
		}
	}
	t.Needs = needsOf(v)
	if f, given := v.Get("fails"); given {
		t.Fails = &event.Fails{Because: h.Fails.Because, Until: h.Fails.Until, Place: f.Pos}
	}
	if f, given := v.Get("browsers"); given && !several && !t.Platform.Has(vocabulary.Web) && t.Platform != "" {
		d.Fail(f.Pos, len(f.Key), fmt.Sprintf("a test for %s has no browsers", t.Platform.Words()),
			"remove the line, or write platform: web")
	}
	d.Variables, d.Platform, d.opened = expr.Deferred, t.Platform, foreign.NotYet
	d.lanes = lanes{devices: t.Devices, known: !several || len(t.Devices) > 0 && len(d.Errs) == before}
	t.Before, t.Steps, t.OnFailure, t.After = d.stepsUnder(v, "before"), d.stepsUnder(v, "steps"),
		d.stepsUnder(v, "onFailure"), d.stepsUnder(v, "after")
	if several {
		d.Platform = "" // that of the device which runs them; see Several
	}
	t.Blocks = d.blocks(v, at.File)
	d.checkSecrets(t, v)
	return t
}

// needsOf returns the tests that a test names under needs.
func needsOf(v source.Value) (needs []vocabulary.Needed) {
	f, _ := v.Get("needs")
	items := f.Value.Items
	if f.Value.Kind == source.String {
		items = []source.Value{f.Value}
	}
	for _, item := range items {
		needs = append(needs, vocabulary.Needed{ID: item.Text, Pos: item.Pos})
	}
	return needs
}

// stepsUnder reads the steps under a key of the top level, when it is there.
func (d *reader) stepsUnder(v source.Value, key string) vocabulary.Steps {
	if f, given := v.Get(key); given {
		return d.steps(f)
	}
	return nil
}

// checkSecrets wants a secret to be the name of something.
func (d *reader) checkSecrets(t *vocabulary.Test, v source.Value) {
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
	d.secretNames(items, t.Names(),
		"write the name of a variable, not its value; variables are listed under vars or data, or saved by a step")
}

// secretNames wants each item to be one of the names. A message never shows the item itself: it may be the secret.
func (d *reader) secretNames(items []source.Value, names []string, hint string) {
	for _, item := range items {
		if item.Kind != source.String || strings.Contains(item.Text, "${") {
			continue // reported as a wrong type
		}
		if item.Text != "" && !slices.Contains(names, item.Text) {
			hint := hint
			if near := phrase.Nearest(item.Text, names); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			d.Wrong(item, "no variable is named like this secret", hint)
		}
	}
}

// header decodes the keys of the top level and checks what tags cannot say.
func (d *reader) header(h *vocabulary.Header, v source.Value, at source.Pos) {
	s := vocabulary.ShapeOf(reflect.TypeFor[vocabulary.Header]())
	for _, f := range v.Fields {
		i, known := s.ByKey[f.Key]
		if known {
			own := s.Fields[i]
			own.At, own.Name = f.Pos, f.Word()
			d.Field(reflect.ValueOf(h).Elem().FieldByIndex(own.Index), f.Value, own)
			continue
		}
		d.unknownHeader(f, v, s)
	}
	d.Rules(s.Rules, s, v, decode.Object{Name: "the test", At: at})
	for _, f := range s.Fields {
		if _, given := v.Get(f.Name); f.Required && !given {
			d.Fail(at, 0, fmt.Sprintf("the test has no %q", f.Name), map[string]string{
				"id":    `add a line such as "id: login-works"`,
				"steps": `add "steps:" and under it the actions, each on a line that starts with "- "`,
			}[f.Name])
		}
	}
}

func (d *reader) unknownHeader(f source.Field, v source.Value, s *vocabulary.Shape) {
	width := len([]rune(f.Key))
	if def, action := vocabulary.Lookup(f.Key); action {
		_, steps := v.Get("steps")
		hint := fmt.Sprintf(`write it under "steps:" as "- %s"`, def.Example)
		if steps {
			hint += ", indented like the other steps"
		}
		d.Fail(f.Pos, width, fmt.Sprintf("%q is an action outside of the steps", f.Key), hint)
		return
	}
	keys := s.Keys()
	hint := "allowed here: " + strings.Join(keys, ", ")
	if phrase.Fold(f.Key) == "appid" || phrase.Fold(f.Key) == "bundleid" {
		hint = fmt.Sprintf(`say it in a step: "- launch: {package: %s}"`, flowText(f.Value))
	} else if near := decode.OwnKey(f.Key, keys); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	d.Fail(f.Pos, width, fmt.Sprintf("unknown key %q", phrase.LimitRunes(f.Key, 60)), hint)
}

func flowText(v source.Value) string {
	if v.Kind == source.String {
		return source.Flow(v)
	}
	return "…"
}

// notATest explains a document that is not a map.
func (d *reader) notATest(v source.Value) {
	const hint = `start with "id: …" and "platform: …", then "steps:" and under it the actions`
	switch v.Kind {
	case source.List:
		d.Fail(v.Pos, 0, "the file starts with a list, and a test starts with its keys", hint)
	case source.Map:
		d.Fail(v.Pos, 0, "this test is empty", hint)
	default:
		if mended := source.MissingSpace(v.Text); mended != "" && !strings.Contains(v.Text, " ") {
			d.Wrong(v, `a space is missing after ":"`, "write \""+mended+"\"")
			return
		}
		d.Wrong(v, "this is not a test, only a text", hint)
	}
}

// guess returns the platform of a test that does not say it: web when an action is used that works nowhere else.
func guess(lists ...source.Value) vocabulary.Platform {
	for _, v := range lists {
		for _, item := range v.Items {
			for _, f := range item.Fields {
				if onlyOnPages(f) {
					return vocabulary.Web
				}
				for _, inner := range f.Value.Fields {
					if inner.Value.Kind == source.List && guess(inner.Value) == vocabulary.Web {
						return vocabulary.Web
					}
				}
			}
		}
	}
	return ""
}

// Parse reads a file of tests: each YAML document is one. The error is an Errors: the first syntax error alone, else
// all semantic errors of the file; the tests are then nil. Variables stay in place: see Scope, Bind and CheckVars.
//
// Of YAML 1.2 it takes the core schema, anchors, aliases and merge keys (<<, where a test's own keys win). Directives
// and tags are errors, and so is every key that has no meaning.
//
// own are the actions of the project's own; nil: none.
func Parse(file string, src []byte, own vocabulary.OwnActions) ([]*vocabulary.Test, error) {
	text, from, bad := source.Readable(file, src)
	if bad != nil {
		return nil, source.Errors{bad}
	}
	values, err := source.Read(text, from)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, source.Errors{{Pos: source.Pos{File: file, Line: 1, Col: 1}, Msg: "the file holds no test",
			Hint: `start with "id: …" and "platform: …", then "steps:" and under it the actions`}}
	}
	d := NewReader(from, expr.Literal, "")
	d.own = own
	var tests []*vocabulary.Test
	for _, v := range values {
		if t := d.Test(v); t != nil {
			tests = append(tests, t)
		}
	}
	d.repeatedIDs(tests)
	if err := d.Errs.Err(); err != nil {
		return nil, err
	}
	return tests, nil
}

func (d *reader) repeatedIDs(tests []*vocabulary.Test) {
	first := map[string]*vocabulary.Test{}
	for _, t := range tests {
		key := strings.ToLower(t.ID)
		before, taken := first[key]
		switch {
		case key == "":
		case taken:
			d.Fail(t.IDPos, len([]rune(t.ID)), fmt.Sprintf("the id %q is taken", t.ID),
				fmt.Sprintf("the test on line %d has it (upper and lower case count as the same); choose another one",
					before.IDPos.Line))
		default:
			first[key] = t
		}
	}
}
