package dsl

import (
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/source"
)

// TestCSSInsideSelectorsIsWarnedOf has CSS where an element's label is read: as the argument, and in each key that
// names an element.
func TestCSSInsideSelectorsIsWarnedOf(t *testing.T) {
	for step, want := range map[string]string{
		`tap: "#login"`:                              `did you mean tap: {css: "#login"}?`,
		`input: {text: x, into: "#email"}`:           `did you mean into: {css: "#email"}?`,
		`tap: {label: Buy, below: "#total"}`:         `did you mean below: {css: "#total"}?`,
		`tap: {label: Buy, below: {label: "#a"}}`:    `did you mean below: {css: "#a"}?`,
		`waitFor: "text=Sign in"`:                    `{text: "Sign in"}?`,
		`if: {visible: "#cookie", then: [{log: x}]}`: `did you mean visible: {css: "#cookie"}?`,
		`tap: "#login .btn"`:                         `did you mean tap: {css: "#login .btn"}?`,
		`tap: "div > span"`:                          `did you mean tap: {css: "div > span"}?`,
		`assert: "ul li.done"`:                       `did you mean assert: {css: "ul li.done"}?`,
		`assert: Home > Books`:                       "",
		`assert: a form`:                             "",
		`assert: "Hello {USER}"`:                     "{USER} is a plain text here, not a variable; write ${USER}",
		`assert: "Hello #{USER}"`:                    "#{USER} is a plain text here, not a variable; write ${USER}",
		`assert: "Hello ${USER}, {braces}"`:          "",
		`tap: Buy`:                                   "",
		`tap: {label: Buy, below: "Total (2)"}`:      "",
	} {
		test := parseOne(t,
			"id: a\nplatform: web\nvars: {USER: ada}\nsteps:\n  - openBrowser: https://example.com/${USER}\n  - "+step+"\n")
		var said []string
		for _, w := range Lint(test) {
			said = append(said, w.Msg+"; "+w.Hint)
		}
		if got := strings.Join(said, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", step, got, want)
		}
	}
	test := parseOne(t, "id: a\nplatform: android\nsteps:\n  - openLink: myapp://item/5\n")
	if said := Lint(test); len(said) > 0 {
		t.Errorf("a link is taken for an app: %v", said)
	}
	if _, err := Parse("a.yaml", []byte("id: a\nplatform: web\nsteps:\n  - tap \"Buy\"\n")); err == nil ||
		!strings.Contains(err.Error(), `did you mean "- tap: Buy"?`) {
		t.Errorf("%v", err)
	}
}

// TestPitfallKeysIgnoredInSilence: an unknown key is an error at its own place, however right its neighbours
// are.
func TestPitfallKeysIgnoredInSilence(t *testing.T) {
	for src, want := range map[string]string{
		"id: a\nplatform: android\nsteps:\n  - tap: {txet: Greet, id: go}\n": "a.yaml:4:11: unknown key \"txet\"",
		"id: a\nplatform: android\nsteps:\n  - tap:\n      id: go\n      txet: " +
			"Greet\n": "a.yaml:6:7: unknown key \"txet\"",
		"id: a\nplatform: android\nretrys: 3\nsteps:\n  - tap: x\n": "a.yaml:3:1: " +
			"unknown key \"retrys\"",
		"id: a\nplatform: android\nsteps:\n  - if: {cond: \"true\", than: [{tap: x}]}\n": "unknown key \"than\"",
		"id: a\nplatform: android\nsteps:\n  - tap: {label: x, inside: {lable: y}}\n":    "unknown key \"lable\"",
		"id: a\nplatform: android\nblocks: {b: [{tap: {txet: x}}]}\nsteps: [{run: {block: " +
			"b}}]\n": "a.yaml:3:21: unknown key \"txet\"",
	} {
		_, err := Parse("a.yaml", []byte(src))
		var errs source.Errors
		if !errors.As(err, &errs) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", src, err, want)
		}
	}
}

// TestPitfallVariablesLeak: what a block saves stays its own, and a test starts with what it says itself.
func TestPitfallVariablesLeak(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: android\nvars: {A: x}\nsteps: [{tap: x}]\n")
	first, err := NewScope(test, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	first.Set("SAVED", "y")
	first.Set("A", "changed")
	inner, err := first.Block(&Block{Source: test.Source}, nil)
	if err != nil {
		t.Fatal(err)
	}
	inner.Set("INNER", "z")
	if _, leaked := first.Value("INNER"); leaked {
		t.Error("what a block saved is seen outside")
	}
	second, err := NewScope(test, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, leaked := second.Value("SAVED"); leaked {
		t.Error("what one run saved is seen in the next")
	}
	if a, _ := second.Value("A"); a != "x" {
		t.Errorf("a var was changed for the next run: %v", a)
	}
}
