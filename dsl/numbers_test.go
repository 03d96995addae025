package dsl

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/source"
)

// spellings are numbers that are not what Go prints of them, and some that are.
var spellings = []string{"5", "-5", "0", "007", "01234", "1.10", "5.0", "0.10", "-0", "+5", "1e3", "1E+03", ".5", "5.",
	"0x1F", "0o17",
	"89490200001234567890", "1234567890123456789", "-9223372036854775809", "9007199254740993", "1234567890123456789.0",
	"0.30000000000000000001", "1_000", "4111111111111111", "00000000000000000000000001", ".inf", ".nan", "1e-7",
	"123456789.123456789"}

// TestNumbersKeepTheirSpelling returns a variable a number in each place where it can get a value, and wants the same
// text back.
func TestNumbersKeepTheirSpelling(t *testing.T) {
	for _, n := range spellings {
		const steps = "steps:\n  - log: ${N}\n"
		for place, src := range map[string]string{
			"vars":                      "vars: {N: " + n + "}\n" + steps,
			"vars that refer to others": "vars: {M: " + n + ", N: \"${M}\"}\n" + steps,
			"a default":                 "steps:\n  - log: ${N:-" + n + "}\n",
			"data":                      "data: [{N: " + n + "}]\n" + steps,
		} {
			test := parseOne(t, "id: a\nplatform: web\n"+src)
			var row Row
			if rows, err := test.Rows(nil); err != nil {
				t.Fatal(err)
			} else if len(rows) > 0 {
				row = rows[0]
			}
			s, err := test.Scope(ScopeOptions{Row: row})
			if err != nil {
				t.Fatal(err)
			}
			wantText(t, place, test.Steps[0], s, n)
		}
		wantText(t, "the suite", logN(t), must(logN2(t).Scope(ScopeOptions{Suite: suiteVars(t, n)})), n)
		wantText(t, "--var", logN(t), must(logN2(t).Scope(ScopeOptions{Overrides: map[string]string{"N": n}})), n)
		wantText(t, "--var in place of a number", logN(t),
			must(parseOne(t, "id: a\nplatform: web\nvars: {N: 5}\nsteps: [tap: x]\n").
				Scope(ScopeOptions{Overrides: map[string]string{"N": n}})), n)
	}
}

func must(s *Scope, err error) *Scope {
	if err != nil {
		panic(err)
	}
	return s
}

func logN2(t *testing.T) *Test { return parseOne(t, "id: a\nplatform: web\nsteps:\n  - log: ${N}\n") }

func logN(t *testing.T) *Step { return logN2(t).Steps[0] }

func suiteVars(t *testing.T, n string) []Var {
	t.Helper()
	c, err := ParseConfig("taproot.yaml", []byte("vars: {N: "+n+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return c.Vars
}

// wantText fills in the variables of a log step.
func wantText(t *testing.T, place string, step *Step, s *Scope, want string) {
	t.Helper()
	args, _, err := Bind(step, s)
	if err != nil {
		t.Errorf("%s in %s: %v", want, place, err)
		return
	}
	if got := args.(Log).Message; got != want {
		t.Errorf("%s in %s becomes %q", want, place, got)
	}
}

// TestNumbersKeepTheirSpellingInSteps passes a number on as steps do: set, with, forEach, expressions and entries
// of lists.
func TestNumbersKeepTheirSpellingInSteps(t *testing.T) {
	for _, n := range spellings {
		test := parseOne(t, fmt.Sprintf(`id: a
platform: web
vars: {V: %[1]s}
blocks:
  b: {vars: {N: none}, steps: [{log: "${N}"}]}
steps:
  - set: {vars: {N: %[1]s, list: [%[1]s, {deep: %[1]s}], map: {k: %[1]s}}}
  - run: {block: b, with: {N: %[1]s}}
  - run: {block: b, with: {N: "${V}"}}
  - forEach: {in: [%[1]s], steps: [tap: x]}
  - set: {expr: {copy: V, some: 'true ? V : 0', entry: 'list[0]', all: 'filter(list, true)'}}
  - set: {expr: {last: 'map.k', text: 'string(V)', chosen: 'let x = V; x'}}
`, n))
		if err := Link(test, func(string) ([]byte, error) { return nil, errors.New("no file") }); err != nil {
			t.Fatal(err)
		}
		s := must(test.Scope(ScopeOptions{}))
		for _, step := range test.Steps {
			args, _, err := Bind(step, s)
			if err != nil {
				t.Fatal(err)
			}
			switch a := args.(type) {
			case Set:
				for name, x := range a.Vars {
					s.Set(name, x)
				}
				for _, name := range slices.Sorted(maps.Keys(a.Expr)) {
					x, err := s.EvalExpr(a.Expr[name], test.Source, nil)
					if err != nil {
						t.Fatalf("%s: %s: %v", n, name, err)
					}
					s.Set(name, x)
				}
			case Run:
				inner, err := s.Block(step.Block, a.With)
				if err != nil {
					t.Fatal(err)
				}
				wantText(t, "with", step.Block.Steps[0], inner, n)
			case ForEach:
				s.Set("item", a.In.List[0])
			}
		}
		for _, name := range strings.Fields(
			"N list.0 list.1.deep map.k item copy some entry all.0 all.1.deep last text chosen") {
			if got, err := s.Expand("${"+name+"}", source.Pos{}); err != nil || got != n {
				t.Errorf("%s: ${%s} is %q, %v", n, name, got, err)
			}
		}
	}
}

// TestNumbersOfFiles reads rows and responses: JSON keeps the digits of its numbers.
func TestNumbersOfFiles(t *testing.T) {
	for _, n := range []string{"5", "1.10", "5.0", "89490200001234567890", "1234567890123456789", "1e3", "-0.0", "1E400"} {
		for _, file := range []string{"rows.json", "rows.csv"} {
			if file == "rows.json" && n == "1E400" {
				continue // refused
			}
			test := parseOne(t, "id: a\nplatform: web\ndata: "+file+"\nsteps:\n  - log: ${N}\n")
			rows, err := test.Rows(func(string) ([]byte, error) {
				if file == "rows.csv" {
					return []byte("N\n" + n + "\n"), nil
				}
				return []byte(`[{"N": ` + n + `}]`), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			wantText(t, file, test.Steps[0], must(test.Scope(ScopeOptions{Row: rows[0]})), n)
		}
		v, err := source.ParseJSON([]byte(`{"rows": [{"id": ` + n + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		s := must(logN2(t).Scope(ScopeOptions{}))
		s.Set("answer", v)
		if got, err := s.Expand("${answer.rows.0.id}", source.Pos{}); err != nil || got != n {
			t.Errorf("%s of an answer becomes %q, %v", n, got, err)
		}
		if data, err := json.Marshal(v); err != nil || string(data) != `{"rows":[{"id":`+n+`}]}` {
			t.Errorf("%s is written as %s, %v", n, data, err)
		}
	}
	for n, want := range map[string]string{"01234": "1234", ".5": "0.5", "5.": "5", "0x1F": "31", "0o17": "15", "+5": "5",
		"1e3": "1e3"} {
		if data, err := json.Marshal(source.NumberOf(n)); err != nil || string(data) != want {
			t.Errorf("%s is %s in JSON, %v", n, data, err)
		}
	}
}

// TestNumbersAreExact compares and computes with numbers that a float64 does not hold.
func TestNumbersAreExact(t *testing.T) {
	s := must(parseOne(t,
		"id: a\nplatform: web\nvars: {SIM: 89490200001234567890, PIN: 01234, PRICE: 1.10, K: 1e3, HEX: 0x1F, N: 7}\n"+
			"steps: [tap: x]\n").Scope(ScopeOptions{}))
	_, err := source.ParseJSON(
		[]byte(`{"id": 1234567890123456789, "next": 1234567890123456788, "n": 4, "whole": 4.0, "half": 4.5,
		"big": 89490200001234567890, "text": "1234567890123456789", "list": [1234567890123456789, 1.10, 007], "none": null}`))
	if err == nil {
		t.Fatal("007 is no number of JSON")
	}
	v, err := source.ParseJSON(
		[]byte(`{"id": 1234567890123456789, "next": 1234567890123456788, "n": 4, "whole": 4.0, "half": 4.5,
		"big": 89490200001234567890, "float": 1234567890123456789.0, "list": [1234567890123456789, 1.10], "none": null}`))
	if err != nil {
		t.Fatal(err)
	}
	s.Set("a", v)
	for _, text := range []string{"a.id == 1234567890123456789", "a.id != 1234567890123456788", "a.id > a.next",
		"not (a.id == a.next)",
		"a.id - a.next == 1", "a.n % 2 == 0", "a.whole % 2 == 0", "a.id % 10 == 9", "a.big > a.id", "a.big == SIM",
		"SIM - 1 != SIM",
		"SIM % 10 == 0", `string(SIM) == "89490200001234567890"`, `string(SIM + 1) == "89490200001234567891"`, "PIN == 1234",
		`string(PIN) == "01234"`, "PRICE == 1.1", `"costs " + string(PRICE) == "costs 1.10"`, "K == 1000", "K % 7 == 6",
		"HEX + 1 == 32",
		"a.id in a.list", "a.next not in a.list", "1.1 in a.list", "-SIM < 0", "a.float == a.id", "a.float > a.next",
		"9223372036854775807 + 1 > 9223372036854775807", "max(PIN, N) == 1234", "sum([PIN, N]) == 1241", "len(a.list) == 2",
		"[PIN, PRICE] == [1234, 1.1]", "N / 2 == 3.5", "N * PRICE > 7.69", `fromJSON("[1234567890123456789]")[0] == a.id`,
		"abs(-PIN) == 1234", "filter(a.list, # > 2)[0] == a.id", "PIN..1236 == [1234, 1235, 1236]", "a.none == nil",
		"any(a.list, # == 1.1) ? N > 6 : false", "a.list[N - 7] == a.id"} {
		if got, err := s.Eval(text, source.Pos{}, nil); err != nil || got != true {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if got, err := s.Eval("SIM + 1", source.Pos{}, nil); err != nil || Show(got) != "89490200001234567891" {
		t.Errorf("SIM + 1 is %s, %v", Show(got), err)
	}
}

// TestWrongExpressionsAreInAuthorsWords wants no type of Go in a message, and what lacks a value distinguished from
// what cannot work.
func TestWrongExpressionsAreInAuthorsWords(t *testing.T) {
	s := must(parseOne(t, "id: a\nplatform: web\nvars: {N: 7, T: seven, SIM: 89490200001234567890}\nsteps: [tap: x]\n").
		Scope(ScopeOptions{}))
	v, err := source.ParseJSON(
		[]byte(`{"half": 4.5, "id": 1.10, "name": "ada", "list": [1], "map": {"a": 1}, "yes": true, "none": null}`))
	if err != nil {
		t.Fatal(err)
	}
	s.Set("a", v)
	for text, want := range map[string]struct {
		words   string
		missing bool
	}{
		"a.half % 2 == 0":           {words: "% takes whole numbers, and 4.5 is not one", missing: false},
		"a.name % 2 == 0":           {words: "% does not work between a text and a number", missing: false},
		"a.name > 2":                {words: "> does not work between a text and a number", missing: false},
		"a.name + 1":                {words: "+ does not work between a text and a number", missing: false},
		"a.list - 1":                {words: "- does not work between a list and a number", missing: false},
		"a.id contains \"1\"":       {words: "contains does not work between a number and a text", missing: false},
		"a.id matches \"1\"":        {words: "matches does not work between a number and a text", missing: false},
		"a.map > 1":                 {words: "> does not work between a map and a number", missing: false},
		"a.name and true":           {words: "true or false is needed, and here is a text", missing: false},
		"not a.list":                {words: "true or false is needed, and here is a list", missing: false},
		"a.id ? 1 : 2":              {words: "true or false is needed, and here is a number", missing: false},
		"filter(a.list, #)":         {words: "true or false is needed, and here is a number", missing: false},
		"1 in a.id":                 {words: `"in" needs a list or a map, not a number`, missing: false},
		"len(a.id)":                 {words: "len does not take a number", missing: false},
		"abs(a.name)":               {words: "abs does not take a text", missing: false},
		"abs(SIM)":                  {words: "89490200001234567890 is too large for a function", missing: false},
		"N == 89490200001234567890": {words: "compare it as a text", missing: false},
		"T > N":                     {words: "> does not work between a text and a number", missing: false},
		"a.list[a.half] == 1":       {words: "a whole number is needed, and here is 4.5", missing: false},
		"len(1..a.half) == 1":       {words: "a whole number is needed, and here is 4.5", missing: false},
		"N % 0":                     {words: "% 0", missing: false},
		"a.none > 1":                {words: "> does not work between what has no value and a number", missing: true},
		"a.other.thing == 1":        {words: "cannot fetch thing from what has no value", missing: true},
		"a.list[3] == 1":            {words: "index out of range", missing: true},
		"a.other and true":          {words: "true or false is needed, and here is what has no value", missing: true},
		"a.other startsWith \"x\"":  {words: "startsWith does not work between what has no value and a text", missing: true},
		"a.name.first == \"x\"":     {words: "", missing: true},
		"a.id.first == \"x\"":       {words: "", missing: false},
		"a.list[\"x\"] == 1":        {words: "", missing: false},
	} {
		_, err := s.Eval(text, source.Pos{}, nil)
		var bad *source.Error
		if !errors.As(err, &bad) || !strings.Contains(bad.Msg+"; "+bad.Hint, want.words) ||
			want.words != "" && bad.Missing != want.missing {
			t.Errorf("%s: %v, missing %t", text, err, bad != nil && bad.Missing)
			continue
		}
		for _, word := range []string{"interface", "float64", "Numeral", "string,", "map[", "[]", "runtime", "reflect",
			"big.Int", "%!"} {
			if strings.Contains(bad.Msg, word) {
				t.Errorf("%s: %s", text, bad.Msg)
			}
		}
	}
}
