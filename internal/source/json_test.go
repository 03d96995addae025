package source

import (
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
