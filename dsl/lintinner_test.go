package dsl

import (
	"strings"
	"testing"
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
