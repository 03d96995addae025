package dsl

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/check"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

const nested = `id: a
platform: web
before: [{log: before}]
steps:
  - tap: one
  - if:
      cond: visible("x")
      else: [{tap: two}]
      then:
        - repeat: {times: 2, steps: [{tap: three}, {group: {steps: [{tap: four}]}}]}
  - try: {always: [{tap: five}], steps: [{tap: six}]}
  - run: block.yaml
  - tap: nine
`

var blocks = map[string]string{
	"block.yaml":      "vars: {WORD: seven}\nsteps:\n  - tap: ${WORD}\n  - run: inner/deep.yaml\n",
	"inner/deep.yaml": "id: deep\nplatform: web\nsteps:\n  - tap: eight\n",
}

func reading(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, &NoFile{}
		}
		return []byte(text), nil
	}
}

func linked(t *testing.T, src string, files map[string]string) *Test {
	t.Helper()
	test := parseOne(t, src)
	if err := Link(test, reading(files)); err != nil {
		t.Fatal(err)
	}
	return test
}

func TestLeavesAreInTheOrderOfTheFile(t *testing.T) {
	test := linked(t, nested, blocks)
	var leaves, all []string
	for step := range test.Leaves {
		leaves = append(leaves, step.Args.Text)
	}
	if want := []string{"one", "two", "three", "four", "five", "six", "${WORD}", "eight", "nine"}; !slices.Equal(leaves,
		want) {
		t.Errorf("%q", leaves)
	}
	for step := range test.Steps.All {
		all = append(all, step.Def.Name)
	}
	if want := strings.Fields("tap if tap repeat tap group tap try tap tap run tap run tap tap"); !slices.Equal(all,
		want) {
		t.Errorf("%q", all)
	}
	for range test.Leaves { // a loop may end early
		break
	}
}

// Two run steps of one file have steps of their own, and a clone has its own, too: an engine numbers them.
func TestStepsAreUnique(t *testing.T) {
	test := linked(t, "id: a\nplatform: web\nsteps:\n  - run: block.yaml\n  - run: block.yaml\n", blocks)
	seen := map[*Step]bool{}
	for step := range test.Leaves {
		if seen[step] {
			t.Errorf("%s stands twice", step.Args.Text)
		}
		seen[step] = true
	}
	fresh := parseOne(t, nested)
	copied := fresh.Steps.Clone()
	for step := range fresh.Steps.All {
		seen[step] = true
	}
	for step := range copied.All {
		if seen[step] {
			t.Errorf("%s is shared", step.Def.Name)
		}
	}
	if err := Link(&Test{Pos: fresh.Pos, Platform: Web, Steps: copied}, reading(blocks)); err != nil {
		t.Fatal(err)
	}
	if refs := check.References(fresh); len(refs) != 1 || refs[0].Path() != "block.yaml" {
		t.Errorf("%+v", refs)
	}
}

func TestBindLeavesInnerSteps(t *testing.T) {
	test := parseOne(t,
		"id: a\nplatform: web\nvars: {N: 2}\nsteps:\n  - repeat: {times: \"${N}\", while: later == 1, steps: [{tap: "+
			"\"${later}\"}]}\n")
	scope, err := NewScope(test, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	args, _, err := Bind(test.Steps[0], scope)
	if err != nil {
		t.Fatal(err)
	}
	repeat := args.(Repeat)
	if *repeat.Times != 2 || repeat.While.Text != "later == 1" || repeat.Steps[0].Args.Text != "${later}" {
		t.Errorf("%s", show(repeat))
	}
	for key, inner := range test.Steps[0].Nested() {
		if key != "steps" || inner[0] != repeat.Steps[0] {
			t.Errorf("%s holds another step than Bind gives", key)
		}
	}
}

func TestBlockScope(t *testing.T) {
	test := linked(t,
		"id: a\nplatform: web\nvars: {USER: ada, WORD: outer}\nsteps:\n  - run: {file: b.yaml, with: {WORD: given}, as: "+
			"out}\n",
		map[string]string{
			"b.yaml": "vars: {WORD: inner, BOTH: \"${USER} ${WORD}\", MINE: m}\nsteps:\n  - tap: ${BOTH} ${saved} ${MINE}\n"})
	scope, err := NewScope(test, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckVars(test, scope); err == nil || !strings.Contains(err.Error(), "${saved} is not defined") {
		t.Errorf("%v", err)
	}
	scope.Set("saved", 5)
	if err := CheckVars(test, scope); err != nil {
		t.Error(err)
	}
	run := test.Steps[0]
	args, _, err := Bind(run, scope)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := scope.Block(run.Block, args.(Run).With)
	if err != nil {
		t.Fatal(err)
	}
	if got := Args(run.Block.Steps[0], inner); got != "ada given 5 m" {
		t.Errorf("%q", got)
	}
	inner.Set("token", "t")
	if _, leaked := scope.Value("token"); leaked {
		t.Error("what the block saves reaches the test")
	}
	if got := inner.Saved(); len(got) != 1 || got["token"] != "t" {
		t.Errorf("%v", got)
	}
}

func TestCheckPlatform(t *testing.T) {
	conf, err := ParseConfig("taproot.yaml", []byte("before:\n  - launch: a\n  - group: {steps: [{tap: {css: x}}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[Platform]string{Web: `"launch" does not work on web`, Android: `"css" works on web only`} {
		errs, _ := CheckPlatform(conf.Before, p).(source.Errors)
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), want) || errs[0].Source == nil {
			t.Errorf("%s: %v", p, errs)
		}
	}
}

func TestRows(t *testing.T) {
	test := parseOne(t,
		"id: a\nplatform: web\nvars: {MAIL: \"${USER}@example.com\"}\ndata: data/../users.csv\nsteps:\n  - tap: ${MAIL} "+
			"${AGE}\n")
	rows, err := test.Rows(reading(map[string]string{"users.csv": "\ufeffUSER,AGE\r\nada,36\r\n\"x, y\",1\r\n"}))
	if err != nil || len(rows) != 2 || rows[1].N != 2 || rows[1].Values["USER"] != "x, y" ||
		rows[0].Values["AGE"] != "36" {
		t.Fatalf("%+v, %v", rows, err)
	}
	for _, c := range []struct {
		o    ScopeOptions
		want string
	}{
		{o: ScopeOptions{Row: rows[0]}, want: "ada@example.com 36"},
		{o: ScopeOptions{Row: rows[0], Overrides: map[string]string{"USER": "eve"}}, want: "eve@example.com 36"},
		{o: ScopeOptions{Row: Row{Values: map[string]any{"USER": "u", "AGE": 1.5}},
			Suite: []Var{{Name: "MAIL", Value: "suite"}}}, want: "u@example.com 1.5"},
	} {
		scope, err := test.Scope(c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := Args(test.Steps[0], scope); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	big := "USER\n" + strings.Repeat("x\n", vocabulary.MaxRows+1)
	if _, err := test.Rows(reading(map[string]string{"users.csv": big})); err == nil ||
		!strings.Contains(err.Error(), "more than 10000 rows") {
		t.Errorf("%v", err)
	}
	if _, err := test.Rows(reading(map[string]string{"users.csv": strings.Repeat("x", source.MaxBytes+1)})); err == nil ||
		!strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
}

// A chain of files that each run two others would be run 2^n times.
func TestManyBlocksAreRefused(t *testing.T) {
	files := map[string]string{"b20.yaml": "steps: [{tap: x}]\n"}
	for i := range 20 {
		files[fmt.Sprintf("b%d.yaml", i)] = fmt.Sprintf("steps: [{run: b%d.yaml}, {run: b%d.yaml}]\n", i+1, i+1)
	}
	err := Link(parseOne(t, "id: a\nplatform: web\nsteps: [{run: b0.yaml}]\n"), reading(files))
	if errs, _ := err.(source.Errors); len(errs) != 1 || !strings.Contains(errs[0].Msg, "runs more than 500 files") {
		t.Errorf("%.300v", err)
	}
}

func TestNeed(t *testing.T) {
	for _, c := range []struct {
		need  Need
		unmet string
	}{
		{need: Need{}, unmet: ""},
		{need: Need{OS: "14"}, unmet: ""},
		{need: Need{OS: ">=13"}, unmet: ""},
		{need: Need{OS: ">= 14.1"}, unmet: ""},
		{need: Need{OS: "<15"}, unmet: ""},
		{need: Need{OS: ">14"}, unmet: "os >14 is wanted, and it has 14.1"},
		{need: Need{OS: "14.2"}, unmet: "os 14.2"},
		{need: Need{OS: "<=13"}, unmet: "os <=13"},
		{need: Need{Model: "pixel *"}, unmet: ""},
		{need: Need{Model: "Galaxy*"}, unmet: "model Galaxy* is wanted, and it is Google Pixel 7"},
		{need: Need{Size: "1080x2400"}, unmet: ""},
		{need: Need{Size: "2400x1080"}, unmet: ""},
		{need: Need{Size: ">=720x1280"}, unmet: ""},
		{need: Need{Size: ">=1440x2400"}, unmet: "a screen of >=1440x2400"},
		{need: Need{Pool: "lab"}, unmet: "pool lab is wanted, and only devices of a farm"},
		{need: Need{Labels: []string{"sim=yes"}}, unmet: "label sim=yes is wanted, and only devices of a farm"},
	} {
		got := c.need.Unmet(DeviceFacts{OS: "14.1", Manufacturer: "Google", Model: "Pixel 7", Width: 2400, Height: 1080})
		if c.unmet == "" && got != "" || !strings.HasPrefix(got, c.unmet) {
			t.Errorf("%+v: %q, want %q", c.need, got, c.unmet)
		}
	}
	if got := (Need{OS: ">=13"}).Unmet(DeviceFacts{}); got != "os >=13 is wanted, and it has an unknown one" {
		t.Errorf("%q", got)
	}
}

// TestNeedOfAModel: a model is found by what any list of devices prints for it.
func TestNeedOfAModel(t *testing.T) {
	lab := DeviceFacts{Manufacturer: "LabWorks", Model: "Lab_Phone_7"}
	for want, fits := range map[string]bool{
		"LabWorks Lab_Phone_7": true, "labworks lab phone 7": true, "Lab_Phone_7": true, "Lab Phone 7": true,
		"lab-phone-7": true,
		"Lab Phone *": true, "LabWorks *": true, "*": true, "Lab Phone [6-8]": true, " Lab  Phone 7 ": true,
		"Phone 7": false, "LabWorks": false, "LabWorks Phone 7": false, "Lab Phone 70": false, "LabPhone7": false,
		"Lab Phone [1-3]": false,
	} {
		if got := (Need{Model: want}).Unmet(lab); (got == "") != fits || !fits &&
			!strings.Contains(got, "it is LabWorks Lab_Phone_7") {
			t.Errorf("%q: %q", want, got)
		}
	}
	if got := (Need{Model: "*"}).Unmet(DeviceFacts{}); got == "" {
		t.Error("a model that is not known fits")
	}
}

func TestNeedOfAFarm(t *testing.T) {
	const test = "id: a\nplatform: android\ndevice: %s\nsteps: [{assert: Ready}]\n"
	tests, err := Parse("a.yaml", fmt.Appendf(nil, test, "{os: 14, pool: lab, labels: [sim=yes, room=3]}"))
	if err != nil {
		t.Fatal(err)
	}
	if pool, labels, rest := tests[0].Device.Placed(); pool != "lab" ||
		!slices.Equal(labels, []string{"sim=yes", "room=3"}) || rest.Unmet(DeviceFacts{OS: "14"}) != "" {
		t.Errorf("%q %q %+v", pool, labels, rest)
	}
	for device, want := range map[string]string{"{pool: my lab}": `"my lab" is not the name of a pool`,
		"{labels: [sim]}": `"sim" is not the label of a device`, "{}": "give os, model, size, pool or labels"} {
		if _, err := Parse("a.yaml", fmt.Appendf(nil, test, device)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", device, err)
		}
	}
}

func TestChords(t *testing.T) {
	got := Press{Keys: []string{"enter", "control+shift+a", "+", "control++", "é", "Enter", "Ctrl+Shift+K", "ArrowDown",
		"VolumeUp", "command+Return"}}.Chords()
	want := []string{"[] enter", "[control shift] a", "[] +", "[control] +", "[] é", "[] enter", "[control shift] K",
		"[] down", "[] volumeUp", "[meta] enter"}
	for i, c := range got {
		if text := fmt.Sprintf("%v %s", c.Modifiers, c.Key); text != want[i] {
			t.Errorf("%s, want %s", text, want[i])
		}
	}
}

func TestWorstCase(t *testing.T) {
	for steps, want := range map[string]Cost{
		"{tap: x}": {Time: 10 * time.Second},
		"{tap: {label: x, timeoutMs: 500, retries: 3}}": {Time: 2 * time.Second},
		"{sleep: 1.5s}": {Time: 1500 * time.Millisecond},
		"{set: {vars: {a: 1}}}, {log: x}, {assertTrue: 1 < 2}":                       {},
		"{if: {cond: visible(\"x\"), then: [{tap: x}], else: [{tap: x}, {tap: x}]}}": {Time: 21 * time.Second},
		"{repeat: {times: 3, steps: [{tap: x}]}}":                                    {Time: 30 * time.Second},
		"{repeat: {while: 1 < 2, steps: [{sleep: 100}]}}":                            {Time: 10 * time.Second},
		"{retry: {times: 4, steps: [{tap: x}]}}":                                     {Time: 40 * time.Second},
		"{forEach: {in: [a, b], steps: [{tap: x}]}}":                                 {Time: 20 * time.Second},
		"{forEach: {in: \"split('a', 'b')\", steps: [{tap: x}]}}":                    {Time: 10 * time.Second, AtMin: true},
		"{group: {steps: [{tap: x}, {tap: y}], timeoutMs: 3000}}":                    {Time: 3 * time.Second},
		"{try: {steps: [{tap: x}], onFailure: [{tap: x}], always: [{tap: x}]}}":      {Time: 30 * time.Second},
		"{try: {steps: [{tap: x}, {tap: y}], always: [{tap: x}], timeoutMs: 3000}}":  {Time: 13 * time.Second},
		"{run: block.yaml}": {Time: 20 * time.Second},
		"{extract: {id: x, as: t}}, {tap: {label: x, timeoutMs: \"${t}\"}}": {
			Time: 20 * time.Second},
		"{repeat: {times: 10000, steps: [{repeat: {times: 10000, steps: [{repeat: {times: 10000, steps: [{tap: x}]}}]}}]}}": {
			Time: vocabulary.Longest},
	} {
		test := linked(t, "id: a\nplatform: web\nsteps: ["+steps+"]\n", blocks)
		scope, err := NewScope(test, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := WorstCase(test, scope, StepTimeout); got != want {
			t.Errorf("%s: %+v, want %+v", steps, got, want)
		}
	}
}

func TestLint(t *testing.T) {
	test := linked(t, `id: a
platform: web
vars: {A: x, B: "${A}", C: x, D: x, WORD: x}
steps:
  - tap: ${B}
  - assertTrue: D == "x"
  - run: block.yaml
  - tap: {label: x, when: platform == "ios"}
  - tap: {label: x, when: visible("x") or 1 > 2}
  - tap: {label: x, when: now().Year() > 3000}
  - if: {cond: "true", then: [{sleep: 5}], else: [{tap: x}]}
  - repeat: {times: 0, steps: [{tap: x}]}
  - forEach: {in: [], steps: [{tap: x}]}
  - repeat: {while: "false", steps: [{tap: x}]}
  - waitFor: 5s
  - webWait: 5
  - webWait: {selector: "5"}
  - waitFor: 5s left
`, blocks)
	var got []string
	for _, w := range Lint(test) {
		got = append(got, fmt.Sprintf("%d:%d %s", w.Pos.Line, w.Pos.Col, strings.SplitN(w.Msg, ":", 2)[0]))
	}
	want := []string{`3:28 nothing uses the variable "C"`, "5:5 no step before this one opens a page",
		"8:27 this is never true", "11:16 this is always true", "11:32 a sleep is too long most of the time and too short " +
			"one day",
		"12:21 0 times", "13:19 an empty list", "14:21 this is never true",
		`15:14 this waits for an element named "5s", not for a time`,
		`16:14 this waits for an element named "5", not for a time`}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
