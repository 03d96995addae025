package dsl

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl/source"
)

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
	}{{value: nil, want: ""}, {value: true, want: "true"}, {value: 5, want: "5"}, {value: 5.0, want: "5"}, {value: 0.1, want: "0.1"}, {value: 1e21, want: "1000000000000000000000"}, {value: "a", want: "a"},
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
