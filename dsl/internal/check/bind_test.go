package check

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// decodeAgain binds a step by the whole decoder. It is what Bind is compared with.
func decodeAgain(step *vocabulary.Step, s *expr.Scope, promised map[string]bool) (any, vocabulary.StepOptions, error) {
	f := expr.Filling{Scope: s, Source: step.File, Promised: promised}
	v := fillArguments(&f, step, true)
	if err := f.Errs.Err(); err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	d := NewReader(step.File, expr.Literal, "")
	d.Inner = func(f source.Field) vocabulary.Steps {
		for _, n := range step.Inner {
			if n.Key == f.Key {
				return n.Steps
			}
		}
		return nil
	}
	m := d.arguments(step.Def, v, step.Pos)
	if err := d.Errs.Err(); err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	return m.args, m.options, nil
}

// compareBinding wants both ways to return the same, and the same errors.
func compareBinding(t *testing.T, step *vocabulary.Step, s *expr.Scope, promised map[string]bool) (failed bool) {
	t.Helper()
	before, _ := step.Made.(*made)
	var kept string
	if before != nil {
		kept = source.Flow(step.Args)
	}
	want, wantOptions, wantErr := decodeAgain(step, s, promised)
	args, options, err := bind(step, s, promised)
	where := step.Pos.String() + " " + step.Def.Name + ": " + source.Flow(step.Args)
	switch {
	case (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error():
		t.Errorf("%s\ngot  %v\nwant %v", where, err, wantErr)
	case !reflect.DeepEqual(args, want):
		t.Errorf("%s\ngot  %#v\nwant %#v", where, args, want)
	case !reflect.DeepEqual(options, wantOptions):
		t.Errorf("%s\ngot  %#v\nwant %#v", where, options, wantOptions)
	}
	if kept != source.Flow(step.Args) {
		t.Errorf("%s is changed by binding", where)
	}
	return err != nil
}

// candidates are values that fit some fields, and not others.
func candidates() []any {
	return []any{"x", "5", "-1", "true", "exact", "a(b", "#menu", "50%,80%", "https://example.com", "", "up", "2s",
		"media/photo.png", 7, 1.5, true, []any{"a", 1}, map[string]any{"x": 1}, nil}
}

// TestBindFillsACopy compares binding with decoding again, for every action and every value in its example.
func TestBindFillsACopy(t *testing.T) {
	steps, failed := 0, 0
	for _, def := range vocabulary.Vocabulary() {
		for _, body := range examples(t, &def) {
			for _, step := range withVariables(t, body) {
				steps++
				for _, x := range candidates() {
					s, err := vocabulary.NewScope(&vocabulary.Test{}, nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					s.Set("V", x)
					if compareBinding(t, step, s, nil) {
						failed++
					}
				}
				s, _ := vocabulary.NewScope(&vocabulary.Test{}, nil, nil)
				compareBinding(t, step, s, nil)
				compareBinding(t, step, s, map[string]bool{"V": true})
			}
		}
	}
	if steps < 200 || failed < 200 {
		t.Errorf("%d steps with variables, %d times an error: the examples have hardly any variables", steps, failed)
	}
}

// examples are an action's own, and those of its fields, as steps with their options.
func examples(t *testing.T, def *vocabulary.Def) []string {
	all := []string{def.Example}
	for _, text := range []string{"{label: a, below: {label: b, index: 1}, timeoutMs: 5, name: n}",
		"{text: a, match: regex, inside: {id: b}, optional: true}", "{label: a, contains: [{label: b}, c], retries: 2}",
		"{id: a, text: b, is: {enabled: true}, soft: true}", "{label: a, traits: [b, c], size: {width: 4}}",
		"{url: \"http://a/b\", method: POST, headers: {a: b}, json: {a: [b, {c: d}]}, expect: {status: 200}}",
		"{url: \"http://a/b\", modify: {merge: {a: [b]}, replace: {a: b}}, times: 2}",
		"{package: a.b, arguments: {a: b, c: 1}, env: {a: b}, permissions: {camera: allow}}",
		"{package: a.b, allow: [a, b], deny: [c]}", "{vars: {a: b, c: [d, {e: f}]}}",
		"{from: {label: a}, to: {point: \"1,2\"}, durationMs: 500}", "{from: a, by: {x: 1, y: 2}}",
		"{label: a, at: {x: 1, y: 2}, count: 2}", "{name: a, mask: [{id: b}, c], threshold: 0.5}",
		"{in: [a, {b: c}], steps: [{tap: \"${item}\"}]}", "{selector: a, files: [b, c]}",
		"{text: \"a(b)\", group: 1, as: x}", "{text: a, absent: true, forMs: 5}", "{route: [\"1,2\", \"3,4\"], speedKmh: 5}",
		"{selector: a, index: [1, 2]}", "{selector: a, value: [b]}", "[a, b]"} {
		all = append(all, def.Name+": "+text)
	}
	return all
}

// withVariables returns the steps that a body makes with each of its values replaced by a variable, without those that
// are wrong whatever the variable holds.
func withVariables(t *testing.T, body string) []*vocabulary.Step {
	t.Helper()
	text, from, bad := source.Readable("a.yaml", []byte("- "+body))
	if bad != nil {
		t.Fatal(bad)
	}
	values, err := source.Read(text, from)
	if err != nil {
		t.Fatal(body, err)
	}
	var steps []*vocabulary.Step
	whole := values[0].Items[0]
	for n := 0; ; n++ {
		left := n
		changed, did := replaceNth(whole.Fields[0].Value, &left)
		if !did {
			return steps
		}
		d := NewReader(from, expr.Deferred, "")
		step := d.step(source.Value{Kind: source.Map, Pos: whole.Pos, Fields: []source.Field{
			{Key: whole.Fields[0].Key, Pos: whole.Fields[0].Pos, Value: changed}}})
		if len(d.Errs) == 0 {
			steps = append(steps, step)
		}
	}
}

// replaceNth replaces the nth value by a variable; with every other it keeps some text around it.
func replaceNth(v source.Value, n *int) (source.Value, bool) {
	if *n == 0 {
		return source.Value{Kind: source.String, Pos: v.Pos, Text: "${V}"}, true
	}
	*n--
	for i, item := range v.Items {
		if changed, did := replaceNth(item, n); did {
			v.Items = append([]source.Value(nil), v.Items...)
			v.Items[i] = changed
			return v, true
		}
	}
	for i, f := range v.Fields {
		if changed, did := replaceNth(f.Value, n); did {
			v.Fields = append([]source.Field(nil), v.Fields...)
			v.Fields[i].Value = changed
			return v, true
		}
	}
	return v, false
}

// TestBindOfFiles compares both ways on all files that the golden tests read.
func TestBindOfFiles(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*/*.txtar")
	if err != nil || len(files) < 50 {
		t.Fatal(len(files), err)
	}
	steps := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range archive.Files {
			if part.Name != "test.yaml" {
				continue
			}
			tests, _ := Parse(part.Name, part.Data, nil)
			for _, test := range tests {
				s, err := test.Scope(expr.ScopeOptions{Env: os.LookupEnv})
				if err != nil {
					continue
				}
				for _, list := range []vocabulary.Steps{test.Before, test.Steps, test.OnFailure, test.After} {
					for step := range list.All {
						steps++
						compareBinding(t, step, s, nil)
						compareBinding(t, step, s, step.Uses())
					}
				}
			}
		}
	}
	if steps < 200 {
		t.Errorf("only %d steps", steps)
	}
}

// TestBindSharesNothing: what one binding returns is not changed by the next.
func TestBindSharesNothing(t *testing.T) {
	tests, err := Parse("a.yaml", []byte("id: a\nplatform: android\nvars: {A: x}\nsteps:\n"+
		"  - tap: {label: \"${A}\", below: {id: \"${A}\"}, contains: [{label: \"${A}\"}]}\n"+
		"  - launch: {package: a.b, arguments: {k: \"${A}\"}, permissions: {camera: allow}}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range tests[0].Steps {
		var shown []string
		var kept []any
		for _, a := range []string{"one", "two"} {
			s, err := vocabulary.NewScope(tests[0], map[string]string{"A": a}, nil)
			if err != nil {
				t.Fatal(err)
			}
			args, _, err := Bind(step, s)
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, args)
			want, _, _ := decodeAgain(step, s, nil)
			if !reflect.DeepEqual(args, want) || !reflect.DeepEqual(kept[0], kept[0]) {
				t.Errorf("%#v", args)
			}
			shown = append(shown, Args(step, s))
		}
		if reflect.DeepEqual(kept[0], kept[1]) || shown[0] == shown[1] {
			t.Errorf("%#v", kept)
		}
		first, _ := vocabulary.NewScope(tests[0], map[string]string{"A": "one"}, nil)
		if want, _, _ := decodeAgain(step, first, nil); !reflect.DeepEqual(kept[0], want) {
			t.Errorf("the second binding changed the first: %#v, want %#v", kept[0], want)
		}
	}
}

// BenchmarkBind binds steps with variables, and reports how many times as long decoding them again would take.
func BenchmarkBind(b *testing.B) {
	tests, err := Parse("a.yaml", []byte("id: a\nplatform: android\nvars: {USER: ada, N: 3}\nsteps:\n"+
		"  - tap: {label: \"Hello ${USER}\", below: {id: header}, timeoutMs: 3000}\n  - input: ${USER}\n"+
		"  - assertElement: {id: row, index: \"${N}\", text: \"${USER}\", is: {enabled: true}}\n"+
		"  - http: {url: \"http://a/${USER}\", method: POST, json: {name: \"${USER}\"}, headers: {a: b, c: d}}\n"), nil)
	if err != nil {
		b.Fatal(err)
	}
	s, err := vocabulary.NewScope(tests[0], nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	binds := map[bool]func(*vocabulary.Step, *expr.Scope, map[string]bool) (any, vocabulary.StepOptions, error){
		true: decodeAgain, false: bind}
	took := map[bool]time.Duration{}
	b.ReportAllocs()
	for b.Loop() {
		for again, f := range binds {
			began := time.Now()
			for _, step := range tests[0].Steps {
				if _, _, err := f(step, s, nil); err != nil {
					b.Fatal(err)
				}
			}
			took[again] += time.Since(began)
		}
	}
	b.ReportMetric(float64(took[true])/float64(took[false]), "×slower-by-decoding-again")
	b.ReportMetric(float64(took[false].Nanoseconds())/float64(b.N*len(tests[0].Steps)), "ns/bind")
}
