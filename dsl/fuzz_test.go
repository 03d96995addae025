package dsl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/txtar"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/source"
)

// corpus is every YAML file in the test data.
func corpus(f *testing.F) [][]byte {
	f.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	var all [][]byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range txtar.Parse(data).Files {
			if strings.HasSuffix(part.Name, ".yaml") {
				all = append(all, part.Data)
			}
		}
	}
	return all
}

func FuzzParse(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(string(src))
	}
	for _, s := range []string{"\xef\xbb\xbf", "a: \"\\", "a: '", "- ", "---\n---\n", "a: &a", "? ", "a: |", "a: >9\n",
		"%", "{a: [", "\t", "<<: ", "id: a\r\rb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if _, err := ParseConfig("fuzz.yaml", []byte(src)); err != nil {
			checkErrors(t, err, src)
		}
		if b, err := ParseBlock("fuzz.yaml", []byte(src), Android); err != nil {
			checkErrors(t, err, src)
		} else if b == nil {
			t.Error("neither a block nor an error")
		}
		tests, err := Parse("fuzz.yaml", []byte(src))
		if err != nil {
			checkErrors(t, err, src)
			if tests != nil {
				t.Error("tests beside errors")
			}
			return
		}
		for _, test := range tests {
			for step := range test.Steps.All {
				roundTrip(t, step.Args)
			}
			for _, w := range Lint(test) {
				checkErrors(t, source.Errors{w}, src)
			}
			if err := Link(test, func(string) ([]byte, error) { return nil, errors.New("no such file") }); err != nil {
				checkErrors(t, err, src)
			}
			if err := CheckPlatform(test.Steps, test.Platform); err != nil {
				t.Errorf("what Parse accepted for %s: %v", test.Platform, err)
			}
			scope, err := NewScope(test, map[string]string{"USER": "x"}, nil)
			if err == nil {
				if c := WorstCase(test, scope, StepTimeout); c.Time < 0 {
					t.Errorf("%+v", c)
				}
				err = CheckVars(test, scope)
			}
			if err != nil {
				checkErrors(t, err, src)
			}
		}
	})
}

// checkErrors wants places inside the file, messages, no repetition, and nothing that steers a terminal.
func checkErrors(t *testing.T, err error, src string) {
	t.Helper()
	errs, ok := err.(source.Errors)
	if !ok || len(errs) == 0 {
		t.Fatalf("%T", err)
	}
	lines := 1 + strings.Count(src, "\n") + strings.Count(src, "\r")
	for _, e := range errs {
		if e.Msg == "" || e.Pos.Line < 1 || e.Pos.Col < 1 || e.Pos.Line > lines {
			t.Errorf("%+v in %d lines", e, lines)
		}
	}
	for _, r := range err.Error() {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			t.Errorf("%U in a message", r)
		}
	}
}

// roundTrip wants Flow's line to give the same value when it is parsed again, on its own and inside brackets.
func roundTrip(t *testing.T, v source.Value) {
	t.Helper()
	line := source.Flow(v)
	if strings.ContainsAny(line, "\n\r") {
		t.Errorf("more than one line: %q", line)
	}
	for _, form := range []struct{ before, after string }{
		{before: "a:\n  - b: ", after: "\n"},
		{before: "a: [", after: "]\n"},
	} {
		if v.Kind == source.Null {
			continue
		}
		if form.before == "a: [" {
			line = strings.TrimSuffix(strings.TrimPrefix(source.Flow(source.Value{Kind: source.List, Items: []source.Value{v}}),
				"["), "]")
		}
		text, src, bad := source.Readable("flow.yaml", []byte(form.before+line+form.after))
		if bad != nil {
			t.Fatalf("%q: %v", line, bad)
		}
		values, err := source.Read(text, src)
		if err != nil {
			t.Fatalf("%q is not YAML: %v", line, err)
		}
		back := values[0].Fields[0].Value.Items[0]
		if form.before != "a: [" {
			back = back.Fields[0].Value
		}
		if got, want := bones(back), bones(v); got != want {
			t.Errorf("%q\n got %s\nwant %s", line, got, want)
		}
	}
}

// bones writes a value without its places.
func bones(v source.Value) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", v.Kind)
	if v.Kind != source.Null && v.Kind < source.List {
		fmt.Fprintf(&b, "%q", v.Text)
	}
	for _, item := range v.Items {
		b.WriteString(" -" + bones(item))
	}
	for _, f := range v.Fields {
		fmt.Fprintf(&b, " %q:%s", f.Word(), bones(f.Value))
	}
	return b.String()
}

func FuzzFlow(f *testing.F) {
	for _, s := range []string{"", " ", "a", "a b", "a: b", "a #b", "a#b", "- a", "-", "--- a", "...", "...a", "null", "~",
		"007", "1e3", "true",
		"yes", "${A}", "a, b", "[a", "{a", "a]", "é", "日本", "😀", "\t", "a\tb", "\n", "a\nb", "\x00", "\x1b", "\u0085",
		"\u2028", "\u202e", "\ufeff",
		"\u00a0", "a\u00a0b", `"`, `'`, `\`, "@a", "`a", "%a", "!a", "&a", "*a", "|", ">", "?", "? a", ":", ":a", "a:", "a:b",
		"<<", "<<<<", "a<<", "=", "http://x/?a=b#c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s[:min(len(s), 900)], "?") // longer ones of brackets alone are refused
		roundTrip(t, source.Value{Kind: source.String, Text: s})
		roundTrip(t,
			source.Value{Kind: source.Map, Fields: []source.Field{
				{Key: s, Value: source.Value{Kind: source.List, Items: []source.Value{{Kind: source.String, Text: s}}}}}})
	})
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"", "${A}", "${A:-b}", "$${A}", "$$${A}", "${", "${A", "${}", "${A B}", "${A:-${B}}", "$A",
		"a${A}b${B}c", "${B:-}"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		scope, err := NewScope(&Test{}, map[string]string{"A": value}, func(string) (string, bool) { return "secret", true })
		if err != nil {
			t.Fatal(err)
		}
		got, err := scope.Expand(text, source.Pos{})
		if err != nil {
			if _, ok := err.(*source.Error); !ok || got != "" {
				t.Errorf("%T, %q", err, got)
			}
			return
		}
		if len(got) > expr.MaxText {
			t.Errorf("%d bytes", len(got))
		}
		if !strings.Contains(text, "${") && got != text {
			t.Errorf("%q became %q", text, got)
		}
		if strings.Contains(got, "secret") && !strings.Contains(text, "secret") && !strings.Contains(value, "secret") {
			t.Error("the environment is visible in a step")
		}
	})
}
