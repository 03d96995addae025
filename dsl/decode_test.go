package dsl

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl/source"
)

func TestDecode(t *testing.T) {
	tap, _ := Lookup("tap")
	decode := func(in string) (any, error) {
		v, err := source.FromJSON([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		return Decode(tap, v)
	}
	if got, err := decode(`{"label": "${A}"}`); err != nil || got.(Tap).Label != "${A}" {
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
	v, _ := source.FromJSON([]byte(`{"label": "x", "timeoutMs": 5}`))
	args, opts, err := DecodeStep(tap, v)
	if err != nil || args.(Tap).Label != "x" || opts.TimeoutMs == nil || *opts.TimeoutMs != 5 {
		t.Errorf("%#v %#v %v", args, opts, err)
	}
}
