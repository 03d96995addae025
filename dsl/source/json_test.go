package source

import (
	"github.com/taproot-dev/taproot/dsl"
	"strings"
	"testing"
)

func TestFromJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"label": "Sign in", "index": -1, "enabled": true, "below": {"id": "x"}}`,
			`{label: Sign in, index: -1, enabled: true, below: {id: x}}`},
		{`["a", 1, 1.5, null, "true", "1"]`, `[a, 1, 1.5, null, "true", "1"]`},
		{`"${A} \u00e9"`, `${A} é`},
	} {
		v, err := FromJSON([]byte(c.in))
		if got := Flow(v); err != nil || got != c.want {
			t.Errorf("%s gave %s, %v", c.in, got, err)
		}
	}
}

func TestFromJSONRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, "read JSON"},
		{`{`, "read JSON"},
		{`{"a": 1} x`, "read JSON"},
		{`{"a": 1}{"b": 2}`, "read JSON"},
		{`{"a": 01}`, "read JSON"},
		{`{a: 1}`, "read JSON"},
		{"\"\xff\"", "not UTF-8"},
		{`{"a": 1, "b": {"c": 1, "c": 2}}`, `the key "c" is given twice`},
		{strings.Repeat("[", 101) + strings.Repeat("]", 101), "nested deeper than 100"},
		{strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), "nested deeper than 100"},
		{strings.Repeat("[", 500_000), "read JSON"},
		{"[" + strings.Repeat("1,", 30_000) + "1]", "more than 20000 values"},
		{strings.Repeat(" ", 2<<20), "larger than"},
	} {
		if _, err := FromJSON([]byte(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: %v, want %q", c.in, err, c.want)
		}
	}
}

func TestDecode(t *testing.T) {
	tap, _ := dsl.Lookup("tap")
	decode := func(in string) (any, error) {
		v, err := FromJSON([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		return dsl.Decode(tap, v)
	}
	if got, err := decode(`{"label": "${A}"}`); err != nil || got.(dsl.Tap).Label != "${A}" {
		t.Errorf("a variable has a meaning in JSON: %#v, %v", got, err)
	}
	for in, want := range map[string]string{
		`{"lable": "x"}`:                   `unknown key "lable" in "tap" (did you mean "label"?)`,
		`{"label": true}`:                  `"label" must be a text, not true (write "true" in quotes)`,
		`{"label": "x", "timeoutMs": 5}`:   `unknown key "timeoutMs" in "tap"`,
		`{}`:                               `"tap" does not say which element`,
		`null`:                             `"tap" has no value`,
		`{"label": "(", "match": "regex"}`: `this is not a regular expression: missing closing ) in "("`,
	} {
		if _, err := decode(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
	v, _ := FromJSON([]byte(`{"label": "x", "timeoutMs": 5}`))
	args, opts, err := dsl.DecodeStep(tap, v)
	if err != nil || args.(dsl.Tap).Label != "x" || opts.TimeoutMs == nil || *opts.TimeoutMs != 5 {
		t.Errorf("%#v %#v %v", args, opts, err)
	}
}
