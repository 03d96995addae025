package foreign_test

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl/internal/check"
	"github.com/taproot-dev/taproot/dsl/internal/foreign"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// TestRows checks the example of each row: the lines to write are valid steps, unless the row says that it only names
// the nearest, and no word is an action or is listed twice.
func TestRows(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range foreign.Rows() {
		for name := range strings.FieldsSeq(r.Words) {
			if _, action := vocabulary.Lookup(name); action {
				t.Errorf("%q is an action", name)
			}
			if seen[phrase.Fold(name)] {
				t.Errorf("%q is listed twice", name)
			}
			seen[phrase.Fold(name)] = true
		}
		if r.Line == "" {
			if r.Why == "" {
				t.Errorf("%s becomes nothing", r.Words)
			}
			continue
		}
		steps := "  - " + strings.ReplaceAll(r.Line, "\n", "\n  - ") + "\n"
		if strings.Contains(steps, "[…]") {
			steps = strings.ReplaceAll(steps, "[…]", "[{tap: x}]")
		}
		platform := "web"
		if r.Of == "Maestro" || r.Of == "Appium" || strings.Contains(r.Of, "Appium and") {
			platform = "android"
		}
		if strings.Contains(steps, "keychain") {
			platform = "ios"
		}
		if err := valid(platform, steps); err != nil {
			t.Errorf("%s: %v", r.Words, err)
		}
	}
	if len(seen) < 150 {
		t.Errorf("only %d words", len(seen))
	}
}

func valid(platform, steps string) error {
	text := "id: a\nplatform: " + platform + "\nvars: {total: 1, count: 1}\nsteps:\n" + steps
	_, err := check.Parse("a.yaml", []byte(text), nil)
	return err
}

// TestForms checks the examples of actions with the arguments of other tools: they are wrong as they are, and the lines
// to write are valid.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, r := range foreign.FormRows() {
		if _, action := vocabulary.Lookup(r.Words); !action {
			t.Errorf("%q is not an action", r.Words)
		}
		platform := "android"
		if r.Of == "Playwright" {
			platform = "web"
		}
		steps := strings.ReplaceAll(r.Line, "[…]", "[{tap: x}]")
		if err := valid(platform, "  - "+steps+"\n"); err != nil || r.Why != "" {
			t.Errorf("%s: %s, %v", r.Line, r.Why, err)
		}
		sample := strings.ReplaceAll(r.Sample, "[…]", "[{tap: x}]")
		if err := valid(platform, "  - "+sample+"\n"); err == nil {
			t.Errorf("%s is valid as it is", sample)
		}
	}
}

// TestTranslations has the forms of arguments that the examples do not have. "?" marks what is not certain.
func TestTranslations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ platform, from, to string }{
		{"android", `tapOn: Sign in`, `tap: Sign in`},
		{"android", `tap-on: Sign in`, `tap: Sign in`},
		{"android", `tapOn: {id: "row_.*"}`, `tap: {id: row_.*, match: regex}`},
		{"android", `tapOn: Order \d+`, `tap: {label: Order \d+, match: regex}`},
		{"android", `tapOn: Really delete?`, `tap: Really delete?`},
		{"android", `tapOn: {text: A, childOf: {id: list}, containsDescendants: [{text: B}]}`,
			`tap: {label: A, inside: {id: list}, contains: [B]}`},
		{"android", `tapOn: {id: x, point: "10%,10%"}`, `tap: {id: x, at: "10%,10%"}`},
		{"android", `tapOn: {id: x, retryTapIfNoChange: false, waitUntilVisible: true}`, `tap: {id: x}`},
		{"android", `tapOn: {id: x, delay: 50}`, `? tap: {id: x}`},
		{"android", `pressKey: Volume Up`, `press: volumeUp`},
		{"android", `tapOn:`, `? tap: Sign in`},
		{"android", `launchApp: com.example`, `launch: {package: com.example, force: true}`},
		{"android", `launchApp: {appId: com.example, stopApp: false, clearState: true}`,
			`launch: {package: com.example, force: false, clear: true}`},
		{"android", `launchApp: {clearState: true}`, `? launch: {clear: true, force: true}`},
		{"android", `inputText: {text: Ada, label: name}`, `input: {text: Ada, name: name}`},
		{"android", `runFlow: {file: a.yaml, when: {platform: Android}}`,
			`run: {file: a.yaml, when: "platform == \"android\""}`},
		{"android", `runFlow: {file: a.yaml, when: {notVisible: Home}}`,
			`if: {notVisible: Home, then: [{run: {file: a.yaml}}]}`},
		{"android", `retry: {maxRetries: 2, commands: [{tap: A}]}`, `retry: {times: 3, steps: [{tap: A}]}`},
		{"android", `click: "#menu"`, `tap: "#menu"`},
		{"android", `goto: "shop://a"`, `openLink: shop://a`},
		{"android", `check: Terms`, `? tap: Terms`},
		{"android", `backgroundApp: 5`, `background: 5s`},
		{"web", `click: "#menu"`, `tap: {css: "#menu"}`},
		{"web", `click: button`, `? tap: {css: button}`},
		{"web", `click: {css: "#a", clickCount: 2, force: true}`, `tap: {css: "#a", times: 2}`},
		{"web", `click: "xpath=//b"`, `tap: {xpath: //b}`},
		{"web", `click: Price > 5`, `tap: Price > 5`},
		{"web", `fill: {selector: "#a", text: x}`, `input: {into: {css: "#a"}, text: x, replace: true}`},
		{"web", `fill: {label: E-mail, value: x}`, `input: {into: E-mail, text: x, replace: true}`},
		{"web", `fill: "#a"`, `? input: {into: {css: "#a"}, text: …}`},
		{"web", `type: {selector: "#a", text: x}`, `input: {into: {css: "#a"}, text: x}`},
		{"web", `check: Terms`, `webCheck: label=Terms`},
		{"web", `select: ["#a", B]`, `webSelect: {selector: "#a", label: B}`},
		{"web", `wait: 2s`, `sleep: 2s`},
		{"web", `wait: 2000`, `sleep: 2000`},
		{"web", `wait: 2`, `? sleep: 2s`},
		{"web", `openLink: {link: "https://example.com"}`, `webNavigate: https://example.com`},
		{"web", `get: "https://example.com"`, `webNavigate: https://example.com`},
		{"web", `get: "#menu"`, `? tap: {css: "#menu"}`},
		{"web", `let: {a: 1}`, `set: {a: 1}`},
		{"web", `record:`, `? `},
	} {
		docs := read(t, "- "+c.from)
		f := docs[0].Items[0].Fields[0]
		at := foreign.Place{Platform: vocabulary.Platform(c.platform), Opened: foreign.Open}
		fix, known := foreign.Refused(f, at)
		if !known {
			fix, known = foreign.Form(f, at)
		}
		var lines []string
		for _, s := range fix.Steps {
			key := s.Key + ": "
			lines = append(lines, strings.TrimRight(key+source.Flow(s.Value), " "))
		}
		got := strings.Join(lines, "\n")
		if !fix.Certain() {
			got = "? " + got
		} else if err := valid(c.platform, "  - "+got+"\n"); err != nil {
			t.Errorf("%s: %v", c.from, err)
		}
		if !known || got != c.to {
			t.Errorf("%s on %s: %s, want %s (%s)", c.from, c.platform, got, c.to, fix.Why)
		}
	}
}

func read(t *testing.T, text string) []source.Value {
	t.Helper()
	plain, from, bad := source.Readable("a.yaml", []byte(text))
	if bad != nil {
		t.Fatal(bad)
	}
	docs, err := source.Read(plain, from)
	if err != nil || len(docs) != 1 {
		t.Fatal(err)
	}
	return docs
}

// TestPageIsOpen checks that the first page is opened in a browser, and that the next one is a navigation.
func TestPageIsOpen(t *testing.T) {
	t.Parallel()
	f := source.Field{Key: "goto", Value: source.Value{Kind: source.String, Text: "https://example.com"}}
	for opened, want := range map[foreign.Opened]string{foreign.NotYet: "openBrowser", foreign.Open: "webNavigate"} {
		fix, _ := foreign.Refused(f, foreign.Place{Platform: vocabulary.Web, Opened: opened})
		if !fix.Certain() || fix.Steps[0].Key != want {
			t.Errorf("%v: %+v", opened, fix)
		}
	}
	if fix, _ := foreign.Refused(f, foreign.Place{Platform: vocabulary.Web, Opened: foreign.Unknown}); fix.Certain() {
		t.Error("a block cannot know whether a page is open")
	}
}

// TestWithoutArgument: the action is known from the word alone.
func TestWithoutArgument(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"tapOn": "tap", "tap-on": "tap", "click": "tap", "goto": "openBrowser",
		"nonsense": "", "tap": "", "launch-app": "launch", "": "", "rotate": "setOrientation", "status-bar": "setStatusBar"} {
		fix, _ := foreign.Refused(source.Field{Key: name}, foreign.Place{Opened: foreign.Unknown})
		got := ""
		if len(fix.Steps) > 0 {
			got = fix.Steps[0].Key
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
