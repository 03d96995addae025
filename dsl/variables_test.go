package dsl

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/source"
)

func parseOne(t testing.TB, src string) *Test {
	t.Helper()
	tests, err := Parse("test.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return tests[0]
}

func TestScopePrecedence(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nvars: {A: from vars, B: \"${A}!\"}\nsteps:\n  - input: ${A} ${B}\n")
	scope, err := NewScope(test, map[string]string{"A": "from --var"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := Args(test.Steps[0], scope); got != "from --var from --var!" {
		t.Errorf("an override loses: %q", got)
	}
	scope.Set("A", "saved ${B}")
	if got := Args(test.Steps[0], scope); got != "saved ${B} from --var!" {
		t.Errorf("a saved value loses or is expanded again: %q", got)
	}
	args, _, err := Bind(test.Steps[0], scope)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := args.(Input); !ok || got.Text != "saved ${B} from --var!" {
		t.Errorf("%#v", args)
	}
}

func TestOverriddenVarNeedsNoEnvironment(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nvars: {PASSWORD: \"${LOGIN_PASSWORD}\"}\nsteps:\n  - input: ${PASSWORD}\n")
	if _, err := NewScope(test, nil, nil); err == nil {
		t.Error("an unset environment variable passed")
	}
	if _, err := NewScope(test, map[string]string{"PASSWORD": ""}, nil); err != nil {
		t.Error(err)
	}
}

func TestExpandErrorIsPlaced(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nsteps:\n  - input: x\n")
	scope, err := NewScope(test, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = scope.Expand("${NOPE}", source.Pos{File: "test.yaml", Line: 4, Col: 12})
	var e *source.Error
	if !errors.As(err, &e) || e.Pos.Line != 4 || e.Source == nil {
		t.Errorf("%#v", err)
	}
	if got, err := scope.Expand("plain $ $$ $${A}", source.Pos{}); err != nil || got != "plain $ $$ ${A}" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestExpansionIsCapped(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nsteps:\n  - input: "+strings.Repeat("${A}", 2000)+"\n")
	scope, err := NewScope(test, map[string]string{"A": strings.Repeat("x", 1000)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = CheckVars(test, scope)
	if err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("%.200v", err)
	}
	if got := Args(test.Steps[0], scope); !strings.HasPrefix(got, "${A}${A}") {
		t.Errorf("%.40q", got)
	}
}

func TestCheckVarsGivesAll(t *testing.T) {
	test := parseOne(t,
		"id: a\nplatform: web\nsteps:\n  - input: ${A} ${B}\n  - tap: {label: \"${C}\", timeoutMs: \"${D}\"}\n")
	scope, err := NewScope(test, map[string]string{"A": "x", "D": "soon"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	errs, _ := CheckVars(test, scope).(source.Errors)
	if len(errs) != 2 || errs[0].Pos.Line != 4 || errs[1].Pos.Line != 5 {
		t.Errorf("%v", errs)
	}
	if _, _, err := Bind(test.Steps[0], scope); err == nil {
		t.Error("an undefined variable was bound")
	}
	scope.Set("B", "x")
	scope.Set("C", "x")
	errs, _ = CheckVars(test, scope).(source.Errors)
	if len(errs) != 1 || !strings.Contains(errs[0].Msg, `"timeoutMs" must be a time`) {
		t.Errorf("%v", errs)
	}
}

// A value that came out of variables is data: what a device or a caller sent must not be read as YAML or as a variable.
func TestValuesAreNotReadAgain(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nsteps:\n  - tap: ${A}\n")
	for _, hostile := range []string{"{label: x}", "null", "true", "- x", "${A}", "a: b", "\x1b[31m", "5"} {
		scope, err := NewScope(test, map[string]string{"A": hostile}, nil)
		if err != nil {
			t.Fatal(err)
		}
		args, _, err := Bind(test.Steps[0], scope)
		if tap, ok := args.(Tap); err != nil || !ok || tap.Label != hostile {
			t.Errorf("%q gave %#v, %v", hostile, args, err)
		}
	}
}

func scopeOf(t *testing.T, vars string) *Scope {
	t.Helper()
	s, err := NewScope(parseOne(t, "id: a\nplatform: web\nvars: "+vars+"\nsteps:\n  - tap: x\n"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEval(t *testing.T) {
	s := scopeOf(t, `{N: 3, ZIP: "007", NAME: ada}`)
	s.Set("total", 7.5)
	s.Set("answer", map[string]any{"status": 201, "json": map[string]any{"items": []any{"a", "b"}}})
	s.Set("nothing", nil)
	extra := map[string]any{"platform": "web", "device": map[string]any{"id": "web-1", "model": "", "os": "14"},
		"visible": func(label string) (bool, error) {
			if label == "broken" {
				return false, errors.New("the page is gone")
			}
			return label == "Pay", nil
		}}
	for text, want := range map[string]any{
		`N + 1`: 4, `N > 2 and total < 8`: true, `ZIP == "007"`: true, `NAME startsWith "a"`: true,
		`answer.status == 201`: true,
		`answer.json.items`:    []any{"a", "b"}, `len(answer.json.items)`: 2, `visible("Pay")`: true,
		`visible("Buy") or platform == "web"`: true,
		`device.os`:                           "14", `nothing == nil`: true, `filter(answer.json.items, # != "a")`: []any{
			"b"}, `let x = N; x * 2`: 6,
	} {
		if got, err := s.Eval(text, source.Pos{}, extra); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		`NAME > 3`:                 "> does not work between a text and a number",
		`nobody == 1`:              "the variable nobody is not defined",
		`N +`:                      "ends too early",
		`visible("broken")`:        "the page is gone",
		`answer.json.items[5]`:     "out of range",
		`1..999999999`:             "memory budget",
		strings.Repeat("1+", 3000): "longer than 4096",
		`count(1..1000, count(1..1000, # > 0) > 0) > 0`:                      "memory budget",
		`all([1], all([1], all([1], # > 0)))`:                                "more than two loops",
		strings.Repeat("all([1], ", 400) + "true" + strings.Repeat(")", 400): "more than ten",
		`${N} > 2`:                   "write the name alone: N",
		`answer.nothing.at.all == 1`: "cannot fetch at from what has no value",
		`nothing > 3`:                "> does not work between what has no value and a number",
	} {
		got, err := s.Eval(text, source.Pos{File: "a.yaml", Line: 4, Col: 3}, extra)
		var e *source.Error
		if !errors.As(err, &e) || got != nil || !strings.Contains(e.Msg+e.Hint, want) || e.Pos.Line != 4 {
			t.Errorf("%.40s: %v, %v; want %q", text, got, err, want)
		}
	}
}

// Overrides keep the type that the test's own value has; those that do not fit are texts.
func TestNumbersStayNumbers(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nvars: {N: 3, T: \"3\"}\nsteps:\n  - tap: ${N}\n")
	for override, want := range map[string]any{"5": 5, "1.5": 1.5, "many": "many"} {
		s, err := NewScope(test, map[string]string{"N": override, "T": override}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := s.Value("N"); got != want {
			t.Errorf("%s: %#v", override, got)
		}
		if got, _ := s.Value("T"); got != override {
			t.Errorf("a text became %#v", got)
		}
		if got := Args(test.Steps[0], s); got != override {
			t.Errorf("%s prints as %s", override, got)
		}
	}
}

func TestValuesPrint(t *testing.T) {
	s := scopeOf(t, `{N: 3}`)
	for _, c := range []struct {
		value any
		want  string
	}{{value: nil, want: ""}, {value: true, want: "true"}, {value: 5, want: "5"}, {value: 5.0, want: "5"},
		{value: 0.1, want: "0.1"}, {value: 1e21, want: "1000000000000000000000"}, {value: "a", want: "a"},
		{value: []any{1, "a"}, want: `[1,"a"]`}, {value: map[string]any{"a": nil}, want: `{"a":null}`}} {
		s.Set("x", c.value)
		if got, err := s.Expand("${x}", source.Pos{}); err != nil || got != c.want {
			t.Errorf("%#v: %q, %v", c.value, got, err)
		}
	}
	s.Set("x", map[string]any{"rows": []any{map[string]any{"id": 7}}})
	if got, err := s.Expand("<${x.rows.0.id}>", source.Pos{}); err != nil || got != "<7>" {
		t.Errorf("%q, %v", got, err)
	}
	for text, want := range map[string]string{"${x.row}": `${x} has no "row"`, "${x.rows.1}": `${x.rows} has no "1"`,
		"${N.a}": `${N} has no "a"`} {
		if _, err := s.Expand(text, source.Pos{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got, err := s.Expand("${x.row:-none}", source.Pos{}); err != nil || got != "none" {
		t.Errorf("%q, %v", got, err)
	}
	s.Unset("x")
	if _, known := s.Value("x"); known {
		t.Error("Unset leaves it")
	}
}

// show writes a struct with what its pointers point to, and without its zero fields.
func show(x any) string {
	v := reflect.ValueOf(x)
	if x == nil {
		return "nil"
	}
	if step, ok := x.(*Step); ok {
		return fmt.Sprintf("%s@%d:%d", step.Def.Name, step.Pos.Line, step.Pos.Col)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return "&" + show(v.Elem().Interface())
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			if f := v.Field(i); v.Type().Field(i).IsExported() && !f.IsZero() {
				parts = append(parts, v.Type().Field(i).Name+": "+show(f.Interface()))
			}
		}
		return v.Type().Name() + "{" + strings.Join(parts, ", ") + "}"
	case reflect.Map:
		var parts []string
		for _, key := range v.MapKeys() {
			parts = append(parts, fmt.Sprint(key)+": "+show(v.MapIndex(key).Interface()))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = show(v.Index(i).Interface())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	default:
		return fmt.Sprint(x)
	}
}
