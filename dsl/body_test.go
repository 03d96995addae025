package dsl

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/taproot-dev/taproot/dsl/internal/schema"
	"github.com/taproot-dev/taproot/internal/source"
)

// TestBodySchemas: every operation has one, it refers to nothing that is not there, and its content is understood
// by Decode.
func TestBodySchemas(t *testing.T) {
	b := BodySchemas(REST, "#/components/schemas/")
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split(string(text), `"$ref":"#/components/schemas/`) {
		if name, _, _ := strings.Cut(part, `"`); i > 0 && b.Shared[name] == nil {
			t.Errorf("nothing is called %q", name)
		}
	}
	for _, d := range Vocabulary() {
		body, there := b.Actions[d.Name]
		if there != (d.Interfaces&REST != 0) {
			t.Errorf("%s: schema %v, interfaces %b", d.Name, there, d.Interfaces)
		}
		if !there {
			continue
		}
		for key := range body["properties"].(schema.Schema) {
			if !d.OwnKey(key) && key != "timeout" && key != "timeoutMs" {
				t.Errorf("%s has no argument %q", d.Name, key)
			}
		}
	}
	tap := b.Actions["tap"]["properties"].(schema.Schema)
	if tap["below"].(schema.Schema)["$ref"] != "#/components/schemas/Anchor" ||
		tap["count"].(schema.Schema)["maximum"] != 10 {
		t.Errorf("%v", tap)
	}
}

// TestExampleBodies: what programs are shown as an example is an object that the operation takes.
func TestExampleBodies(t *testing.T) {
	for _, def := range Vocabulary() {
		if def.Interfaces&REST == 0 {
			continue
		}
		data, err := json.Marshal(def.ExampleBody())
		if err != nil {
			t.Fatal(err)
		}
		v, err := source.FromJSON(data)
		if err == nil {
			_, err = Decode(&def, v)
		}
		if err != nil || def.NeedsArgument() && len(v.Fields) == 0 {
			t.Errorf("%s: %s: %v", def.Name, data, err)
		}
	}
}

// TestBodiesAgreeWithTheCheck: what the schema of an operation's body allows the check accepts, and what one of them
// refuses the other does, for bodies that are made of the schema and for the same ones with something changed.
func TestBodiesAgreeWithTheCheck(t *testing.T) {
	const perWord = 60
	b := BodySchemas(REST, "#/$defs/")
	defs := schema.Schema{}
	for name, shared := range b.Shared {
		defs[name] = shared
	}
	for _, d := range Vocabulary() {
		body, there := b.Actions[d.Name]
		if !there {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			whole := maps.Clone(body)
			whole["$defs"] = defs
			g := sampler{rand: rand.New(rand.NewPCG(1, uint64(len(d.Name)))), defs: defs}
			compiled, valid := compile(t, "https://taproot.dev/schema/"+d.Name, whole), 0
			for range perWord * 20 {
				sample := plainJSON(t, g.object(body, 0))
				if compiled.Validate(sample) == nil {
					valid++
				}
				agree(t, &d, compiled, sample)
				agree(t, &d, compiled, plainJSON(t, g.changed(sample.(map[string]any), body)))
				if valid >= perWord {
					return
				}
			}
			if valid < 3 {
				t.Errorf("only %d samples fit their schema", valid)
			}
		})
	}
}

// agree compares what the schema and the check say of one body.
func agree(t *testing.T, d *Def, s *jsonschema.Schema, sample any) {
	t.Helper()
	data, err := json.Marshal(sample)
	if err != nil {
		t.Fatal(err)
	}
	v, err := source.FromJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	refused := s.Validate(sample)
	_, _, err = DecodeStep(d, v)
	switch {
	case refused == nil && err != nil && !onlyCheck.MatchString(err.Error()):
		t.Errorf("the schema allows what the check refuses:\n%s\n%v", data, err)
	case refused != nil && err == nil:
		t.Errorf("the schema refuses what the check accepts:\n%s\n%v", data, refused)
	}
}

// onlyCheck are the mistakes that compare the insides of two values, which no schema can.
var onlyCheck = regexp.MustCompile(
	`must be at (most|least) \w+, not "|has no bracket|` +
		`both allowed and denied|not a regular expression|the selector "|the XPath "`)

func plainJSON(t *testing.T, x any) any {
	t.Helper()
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sampler makes values that fit the parts of a schema; how the parts fit together is left to chance.
type sampler struct {
	rand *rand.Rand
	defs schema.Schema
}

func (g sampler) object(s schema.Schema, depth int) any {
	properties, _ := s["properties"].(schema.Schema)
	required, _ := s["required"].([]string)
	keys, out := slices.Sorted(maps.Keys(properties)), map[string]any{}
	for _, key := range append(slices.Clone(required), g.some(keys)...) {
		out[key] = g.value(properties[key].(schema.Schema), depth+1)
	}
	must, _ := s["allOf"].([]any)
	for _, rule := range append([]any{s}, must...) {
		for _, all := range alternatives(rule.(schema.Schema)) {
			keys, _ := all[g.rand.IntN(len(all))].(schema.Schema)["required"].([]string)
			for _, key := range keys {
				out[key] = g.value(properties[key].(schema.Schema), depth+1)
			}
		}
	}
	return out
}

// alternatives are the lists of a rule of which one or some must hold.
func alternatives(rule schema.Schema) (lists [][]any) {
	for _, kind := range []string{"oneOf", "anyOf"} {
		if list, ok := rule[kind].([]any); ok {
			lists = append(lists, list)
		}
	}
	return lists
}

// some picks few of the keys, so that most samples break no rule between them.
func (g sampler) some(keys []string) []string {
	var out []string
	for range g.rand.IntN(3) {
		if len(keys) > 0 {
			out = append(out, keys[g.rand.IntN(len(keys))])
		}
	}
	return out
}

func (g sampler) value(s schema.Schema, depth int) any {
	if ref, ok := s["$ref"].(string); ok {
		s = g.defs[strings.TrimPrefix(ref, "#/$defs/")].(schema.Schema)
	}
	if _, object := s["properties"]; object {
		return g.object(s, depth)
	}
	if forms, ok := s["anyOf"].([]any); ok {
		i := g.rand.IntN(len(forms))
		if depth > 3 {
			i = len(forms) - 1
		}
		return g.value(forms[i].(schema.Schema), depth)
	}
	if value, ok := s["const"]; ok {
		return value
	}
	if words, ok := s["enum"].([]string); ok {
		return words[g.rand.IntN(len(words))]
	}
	switch kind := s["type"].(type) {
	case []string:
		return g.value(schema.Schema{"type": kind[g.rand.IntN(len(kind))]}, depth)
	case string:
		return g.typed(kind, s, depth)
	}
	return []any{nil, "text", 7, []any{1, "a"}, map[string]any{"k": true}}[g.rand.IntN(5)]
}

func (g sampler) typed(kind string, s schema.Schema, depth int) any {
	least, _ := s["minimum"].(int)
	most := least + 100
	if m, ok := s["maximum"].(int); ok {
		most = m
	}
	switch kind {
	case "boolean":
		return g.rand.IntN(2) == 0
	case "integer":
		return least + g.rand.IntN(most-least+1)
	case "number":
		return float64(least) + g.rand.Float64()*float64(most-least)
	case "array":
		out := []any{}
		entries, _ := s["minItems"].(int)
		for range entries + g.rand.IntN(3) {
			out = append(out, g.value(s["items"].(schema.Schema), depth))
		}
		return out
	case "object":
		out := map[string]any{}
		for i := range g.rand.IntN(3) {
			out[fmt.Sprintf("key%d", i)] = g.value(s["additionalProperties"].(schema.Schema), depth)
		}
		return out
	}
	return g.text(s)
}

func (g sampler) text(s schema.Schema) string {
	known := map[string][]string{"regex": {"a+", "[0-9]+ €", "^x(y)?$"}, "glob": {"Pixel *", "a?"}, "address-pattern": {
		"**/cart", "/a+/", "https://example.com/"},
		"page-selector": {"#email", "role=button[name=\"Save\"]", "text=Save >> nth=0", "//a[@href]"},
		"css-selector":  {"a.b > c", "li:has-text(\"x (y\")"}, "xpath": {"//a[@href]", "//node"},
		"uri": {"http://127.0.0.1:9222", "https://example.com/a?b=c#d", "ws://h:1"}, "uri-reference": {"https://example.com",
			"about:blank", "data:text/html,x", "page.html", "a/b.htm?x"}}
	if format, ok := s["format"].(string); ok {
		return known[format][g.rand.IntN(len(known[format]))]
	}
	pattern, ok := s["pattern"].(string)
	if !ok {
		return []string{"", "a b", "Ünï", "5", "true"}[g.rand.IntN(5)]
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	g.match(&b, re)
	return b.String()
}

// match writes a text that fits a regular expression.
func (g sampler) match(b *strings.Builder, re *syntax.Regexp) {
	times := func(least, most int) {
		if most < 0 || most > least+4 {
			most = least + 4
		}
		for range least + g.rand.IntN(most-least+1) {
			g.match(b, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		i := g.rand.IntN(len(re.Rune)/2) * 2
		lo, hi := re.Rune[i], min(re.Rune[i+1], 0x2fff)
		if lo < ' ' {
			lo = max(lo, min(' ', hi))
		}
		b.WriteRune(lo + rune(g.rand.IntN(max(1, int(min(hi, lo+60)-lo)+1))))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpStar:
		times(0, -1)
	case syntax.OpPlus:
		times(1, -1)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(re.Min, re.Max)
	case syntax.OpAlternate:
		g.match(b, re.Sub[g.rand.IntN(len(re.Sub))])
	default:
		for _, part := range re.Sub {
			g.match(b, part)
		}
	}
}

// changed returns the sample with one thing changed: a key too many, one less, or a value of another kind.
func (g sampler) changed(sample map[string]any, s schema.Schema) any {
	out := maps.Clone(sample)
	properties := s["properties"].(schema.Schema)
	keys := slices.Sorted(maps.Keys(properties))
	key := keys[g.rand.IntN(len(keys))]
	switch g.rand.IntN(4) {
	case 0:
		out["noSuchKey"] = 1
	case 1:
		delete(out, key)
	case 2:
		out[key] = g.value(properties[key].(schema.Schema), 0)
	default:
		wrong := []any{nil, true, "", " ", "no such value \u0001", []any{}, map[string]any{}, []any{map[string]any{}},
			map[string]any{"x": "y"}}
		// a number counts as the text that it is written as
		if kind := properties[key].(schema.Schema)["type"]; kind == "integer" || kind == "number" {
			wrong = append(wrong, -5_000_000_000, 5e12, 1.5)
		}
		out[key] = wrong[g.rand.IntN(len(wrong))]
	}
	return out
}
