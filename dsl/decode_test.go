package dsl

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/source"
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

func TestParseSelector(t *testing.T) {
	zero := 0
	for text, want := range map[string]Selector{
		"Sign in":                    {Label: "Sign in"},
		"Total: 5":                   {Label: "Total: 5"},
		"E-mail: you: me":            {Label: "E-mail: you: me"},
		"42":                         {Label: "42"},
		"- one":                      {Label: "- one"},
		"true":                       {Label: "true"},
		`"quoted"`:                   {Label: `"quoted"`},
		"*":                          {Label: "*"},
		"&a":                         {Label: "&a"},
		"id: email":                  {ID: "email"},
		"{id: email, below: E-mail}": {ID: "email", Below: &Selector{Label: "E-mail"}},
		`{"label":"Pay","index":0}`:  {Label: "Pay", Index: &zero},
		" {label: ' x '}":            {Label: " x "},
		"{label: a\\b}":              {Label: `a\b`},
		"Zahlung bestätigen 🛒":       {Label: "Zahlung bestätigen 🛒"},
	} {
		if got, err := ParseSelector("selector", text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{
		"{lable: x}":                 `did you mean "label"`,
		"{id: email":                 "}",
		"":                           "selector",
		"   ":                        "selector",
		"{}":                         "which element",
		"{index: 1}":                 "which element",
		"{label: '(', match: regex}": "regular expression",
		"{point: '3,4'}":             "element, not a point",
	} {
		if got, err := ParseSelector("selector", text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func selectorError(key, selector string) string {
	_, err := Parse("a.yaml", fmt.Appendf(nil, "id: a\nplatform: web\nsteps:\n  - %s: {%s: %q}\n",
		map[string]string{"selector": "webClick", "css": "tap", "xpath": "tap"}[key], key, selector))
	if err == nil {
		return ""
	}
	return err.Error()
}

// What Playwright takes must never be refused.
func TestSelectorsThatAreRight(t *testing.T) {
	for _, s := range []string{
		"#email", "button.primary", "[role=alert]", "*", "a[href^='http']", `[data-x="]"]`, `li:has-text("x (y")`, "> div",
		"~ b", ":scope > a", ":is(a, b)", "#über", ".-x",
		`.a\:b`, `#\31 23`, "input:right-of(:text(\"Password\"))", ":nth-match(:text('Buy'), 3)", "tr:nth-child(2n+1) td",
		"a:not([href])", "p::first-line", "h1, h2",
		"css=div >> css=article", "*css=article >> text=Hello", "article >> nth=-1", "visible=true", "text=It's 5 > 3",
		`"Log in"`, "'Log in'", `text=/Log\s*in/i`,
		"//button[@name='a']", "..", "xpath=//a[contains(., 'x')]", "xpath=./following-sibling::a", "role=button",
		`role=button[name="Save [all]"]`, "role=button[name=/save/i]",
		"role=heading[level=1]", "role=checkbox[checked][include-hidden]", "label=E-mail", "placeholder=What's up?",
		"testId=a.b", "id=1a", "data-test=foo", "_react=BookItem[author = 'x' i]",
		"internal:role=button", `button:text-is(">>")`, "my-element[a='b' i]", "input[value='a,b'], x", "${SELECTOR}",
		"#${ID}",
	} {
		if err := selectorError("selector", s); err != "" && !strings.Contains(err, "is not defined") {
			t.Errorf("%s: %s", s, err)
		}
	}
}

func TestSelectorsThatAreWrong(t *testing.T) {
	for s, want := range map[string]string{
		"button[name=Save": `has a "[" that is not closed`, "div:has(a": `has a "(" that is not closed`,
		"a]": `closes a "]" that is not open`, `[a="b]`: `has a quote " that is not closed`,
		"ul > ": `ends with ">"`, "a >> ": "is empty next to >>", "a,": "a comma with nothing next to it",
		"#": `has a "#" without a name`, ". a": `has a "." without a name`, "#1a": `[id="1a"]`,
		"[]": "has an empty []", "/html/body": "an XPath starts with //", "$(a)": "is not CSS: \"$\"",
		"role=buton": `did you mean "button"?`, "role=[name=x]": "names no role",
		"role=button[nam=x]": `has the role attribute "nam", which does not exist`,
		"//a[@href":          `has a "[" that is not closed`,
		"xpath=//a['x]":      "has a quote ' that is not closed", "a:": `has a ":" without a name`,
	} {
		if err := selectorError("selector", s); !strings.Contains(err, want) {
			t.Errorf("%s: %q, want %q", s, err, want)
		}
	}
	if err := selectorError("css", "a["); !strings.Contains(err, "not closed") {
		t.Errorf("css: %q", err)
	}
	if err := selectorError("css", "text=Save"); err != "" {
		t.Errorf("css: %q", err)
	}
	if err := selectorError("xpath", "//a[1"); !strings.Contains(err, "not closed") {
		t.Errorf("xpath: %q", err)
	}
	_, err := Parse("a.yaml",
		[]byte("id: a\nplatform: android\nsteps: [{tap: {xpath: \"//a[foo(\"}}, {tap: {xpath: \"//a[@b=]\"}}]\n"))
	if err == nil || strings.Count(err.Error(), "the XPath") != 2 {
		t.Errorf("on a phone: %v", err)
	}
}
