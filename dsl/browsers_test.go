package dsl

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// Each word that works on pages, and each option of openBrowser, has its row in the table of browsers: nothing is left
// to chance.
func TestEveryWebWordHasARowForBrowsers(t *testing.T) {
	rows := map[string]bool{}
	for _, r := range vocabulary.BrowserTable() {
		if rows[r.Word] {
			t.Errorf("%s has two rows", r.Word)
		}
		rows[r.Word] = true
	}
	known := map[string]bool{}
	for _, d := range Vocabulary() {
		if d.On(Web) {
			known[d.Name] = true
		}
	}
	options := reflect.TypeFor[OpenBrowser]()
	for i := range options.NumField() {
		name, _, _ := strings.Cut(options.Field(i).Tag.Get("json"), ",")
		known["openBrowser."+name] = true
	}
	for word := range known {
		if !rows[word] { // options of other actions have a row where a browser differs
			t.Errorf("%s has no row", word)
		}
	}
	for word := range rows {
		plain, _, _ := strings.Cut(word, "=")
		action, option, _ := strings.Cut(plain, ".")
		if !known[plain] && !hasOption(action, option) && !strings.HasPrefix(word, "report: ") {
			t.Errorf("there is no %s", word)
		}
	}
	byWord := func(a, b vocabulary.BrowserRow) int { return strings.Compare(a.Word, b.Word) }
	if !slices.IsSortedFunc(vocabulary.BrowserTable(), byWord) {
		t.Error("the table is not sorted")
	}
}

// hasOption reports whether an action has an argument of that name.
func hasOption(action, option string) bool {
	for _, d := range Vocabulary() {
		if d.Name != action {
			continue
		}
		args := reflect.TypeOf(d.Args)
		for i := range args.NumField() {
			if name, _, _ := strings.Cut(args.Field(i).Tag.Get("json"), ","); name == option {
				return true
			}
		}
	}
	return false
}

func TestCheckBrowser(t *testing.T) {
	for _, c := range []struct{ steps, browser, want string }{
		{steps: "[{openBrowser: {url: a.html, offline: true}}, {tap: A}]", browser: Firefox, want: ""},
		{steps: "[{openBrowser: a.html}, {swipe: up}]", browser: Chromium, want: ""},
		{steps: "[{openBrowser: a.html}, {swipe: up}]", browser: WebKit, want: "swipe does not work in WebKit"},
		{steps: "[{openBrowser: a.html}, {webWait: {url: /b}}, {webClick: \"#c\"}]", browser: WebKit, want: ""},
		{steps: "[{openBrowser: a.html}, {webWait: {request: /b}}, {webWait: {load: networkidle}}]", browser: WebKit,
			want: ""},
		{steps: "[{openBrowser: a.html}, {webClick: {selector: \"#a\", button: right}}]", browser: WebKit,
			want: "webClick.button: right does not work in WebKit"},
		{steps: "[{openBrowser: {url: a.html, headless: false}}]", browser: WebKit,
			want: "headless: false does not work in WebKit"},
		{steps: "[{openBrowser: a.html}, {swipe: up}]", browser: Firefox, want: "swipe does not work in Firefox"},
		{steps: "[{openBrowser: a.html}, {group: {name: g, steps: [{setDarkMode: true}]}}]", browser: Firefox,
			want: "setDarkMode does not work in Firefox"},
		{steps: "[{openBrowser: {url: a.html, browser: firefox}}, {swipe: up}]", browser: "",
			want: "swipe does not work in Firefox"},
		{steps: "[{openBrowser: {url: a.html, browser: chromium}}, {swipe: up}]", browser: Firefox, want: ""},
		{steps: "[{openBrowser: {url: a.html, colorScheme: dark}}]", browser: Firefox, want: ""},
		{steps: "[{openBrowser: {url: a.html, colorScheme: no-preference}}]", browser: Firefox,
			want: "colorScheme: no-preference does not work in Firefox"},
		{steps: "[{openBrowser: {url: a.html, permissions: [geolocation, clipboard-read]}}]", browser: Firefox,
			want: "permissions: clipboard-read does not work in Firefox"},
		{steps: "[{openBrowser: {url: a.html, permissions: [clipboard-read, camera]}}]", browser: Chromium, want: ""},
		{steps: "[{openBrowser: {url: a.html, permissions: [geolocation]}}]", browser: Firefox, want: ""},
		{steps: "[{openBrowser: {url: a.html, connect: \"http://127.0.0.1:9222\"}}]", browser: Firefox,
			want: "connect does not work in Firefox"},
	} {
		tests, err := Parse("a.yaml", []byte("id: a\nplatform: web\nsteps: "+c.steps+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		err = CheckBrowser(tests[0], c.browser)
		if got := ""; err != nil && c.want != "" && !strings.Contains(err.Error(), c.want) || (err == nil) != (c.want == "") {
			t.Errorf("%s in %s: %v, want %q%s", c.steps, c.browser, err, c.want, got)
		}
	}
	tests, err := Parse("a.yaml",
		[]byte("id: a\nbrowsers: [chromium, firefox]\nsteps: [{openBrowser: {url: a.html, browser: firefox}}]\n"))
	if err != nil || CheckBrowser(tests[0], Firefox) == nil {
		t.Errorf("%v: two places name a browser", err)
	}
}

func TestBrowsersOfATest(t *testing.T) {
	for text, want := range map[string]string{
		"id: a\nbrowsers: [chromium, netscape]\nsteps: [{openBrowser: a.html}]\n":                    "netscape",
		"id: a\nplatform: android\nbrowsers: [firefox]\nsteps: [{tap: A}]\n":                         "has no browsers",
		"id: a\nbrowsers: [chromium, firefox]\nsteps: [{openBrowser: a.html}, {webClick: \"#b\"}]\n": "",
	} {
		_, err := Parse("a.yaml", []byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
