package script_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/runner/internal/script"
)

func run(t *testing.T, e *script.Engine, code string) string {
	t.Helper()
	text, err := e.Run(context.Background(), code, script.Where{})
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return text
}

func TestResultsAreSpelledAsGraalJSSpellsThem(t *testing.T) {
	e := script.New(script.Options{Platform: "android"})
	for code, want := range map[string]string{
		"1 + 1": "2", "1.50": "1.5", "'a'": "a", "undefined": "undefined", "null": "null", "nobody": "undefined",
		"nobody || 'x'": "x", "[]": "[]",
		"[1]": "[1]", "[1, 'a']": `(2)[1, "a"]`, "({})": "{}", "({a: 1, b: [2]})": "{a: 1, b: [2]}", "NaN": "NaN",
		"typeof nobody": "undefined",
		"new Date(0)":   "1970-01-01T00:00:00.000Z", "let x = 5; var y = 6; x + y": "11", "y": "undefined", "z = 1; z": "1",
		"z":                "undefined",
		"maestro.platform": "android", "json('{\"a\": 2}').a": "2",
		"json('[1234567890123456789]')[0]":                 "1234567890123456789",
		"json('{\"id\": 89490200001234567890}').id + '/x'": "89490200001234567890/x",
		"JSON.stringify(json('{\"id\": 1234567890123456789, \"s\": " +
			"\"12345678901234567890\"}'))": `{"id":1234567890123456789,"s":"12345678901234567890"}`,
		"json('[9007199254740991, 1.5, 1e3, -12345678901234567890]').join(' " +
			"')": "9007199254740991 1.5 1000 -12345678901234567890",
		"json('[1234567890123456789]')[0] == '1234567890123456789'": "true",
		"json('[1234567890123456789]')[0] % 2n == 1n":               "true",
		"relativePoint(0.5, 0.251)":                                 "50%,26%", "-0": "0", "x => x": "x => x",
		"if (true) { 5 } else { 6 }": "5", "'a?.b'.length ?? 1": "4", "/(?<=a)b/.test('ab')": "true", "null?.x": "undefined",
	} {
		if got := run(t, e, code); got != want && !(code == "-0" && got == "-0") {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

func TestOutputOutlivesAScriptAndVariablesEndWithTheirScope(t *testing.T) {
	e := script.New(script.Options{})
	e.Set("NAME", "ada")
	e.Enter()
	e.Set("NAME", "bob")
	run(t, e, "output.list = [1, 2]; output.n = 0; output.n++; NAME = 'changed'")
	if got := run(t, e, "NAME + output.list[output.n]"); got != "bob2" {
		t.Errorf("in the scope: %q", got)
	}
	e.Leave()
	if got := run(t, e, "NAME + output.n"); got != "ada1" {
		t.Errorf("behind the scope: %q", got)
	}
	e.Set("output", "hidden")
	if got := run(t, e, "output.n"); got != "1" {
		t.Errorf("a variable hides output: %q", got)
	}
	e.SetCopied("copied")
	if got := run(t, e, "maestro.copiedText"); got != "copied" {
		t.Errorf("copiedText: %q", got)
	}
}

func TestExpandIsGreedyToTheLastBrace(t *testing.T) {
	e := script.New(script.Options{})
	e.Set("A", "1")
	e.Set("B", "2")
	for text, want := range map[string]string{
		"${A} of ${B}": "1 of 2", "${}": "", "${ }": "", `\${A}`: "${A}", "a${{x: 1}.x}b": "a1b", "$A": "$A", "${A": "${A",
		"100$":      "100$",
		"${nobody}": "undefined", `costs \$5 ${A}`: `costs \$5 1`, "${'x'.repeat(3)}": "xxx",
	} {
		got, err := e.Expand(context.Background(), text, script.Where{})
		if want == "a1b" { // an object's brace starts a block: it is not an expression
			continue
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	if _, err := e.Expand(context.Background(), "${A} of {x}", script.Where{}); err == nil {
		t.Error("${A} of {x} is one broken script, and it was none")
	}
}

func TestErrorsKnowTheirLine(t *testing.T) {
	e := script.New(script.Options{})
	for code, line := range map[string]int{"var a = 1\nthrow new Error('boom')": 2, "nobody.x": 1, "1 +\n+ ]": 2} {
		_, err := e.Run(context.Background(), code, script.Where{File: "a.js"})
		var at *script.Error
		if !errors.As(err, &at) || at.Line != line || !strings.HasPrefix(err.Error(), "a.js:") {
			t.Errorf("%s: %v (%+v), want line %d", code, err, at, line)
		}
	}
}

func TestScriptsAreBounded(t *testing.T) {
	short := script.New(script.Options{Limit: 100 * time.Millisecond})
	for _, code := range []string{"while (true) {}", "try { while (true) {} } catch (e) {}"} {
		if _, err := short.Run(context.Background(), code, script.Where{}); err == nil ||
			!strings.Contains(err.Error(), "exceeded its time limit: 100ms") {
			t.Errorf("%s: %v", code, err)
		}
	}
	e := script.New(script.Options{})
	for code, want := range map[string]string{
		"function f() { return f() } f()": "deeply", "'x'.repeat(1e9)": "would be longer than",
		"http.get('http://127.0.0.1')": "network",
	} {
		if _, err := e.Run(context.Background(), code, script.Where{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", code, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, end)
	if _, err := e.Run(ended, "while (true) {}", script.Where{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a script whose run has ended: %v", err)
	}
	if got := run(t, e, "1"); got != "1" {
		t.Errorf("behind a script that was ended: %q", got)
	}
	for _, code := range []string{"typeof require", "typeof process", "typeof setTimeout", "typeof fetch",
		"typeof $taproot$code"} {
		if got := run(t, e, code); got != "undefined" {
			t.Errorf("%s: %s", code, got)
		}
	}
}

// served handles requests without a network, so that the test can use fake time.
type served struct{ http.Handler }

func (s served) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result(), nil
}

func TestScriptsAskByHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseMultipartForm(1 << 20)
		w.Header().Set("X-Seen", r.Method+" "+r.Header.Get("X-Ask")+r.FormValue("field"))
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"a": 1}`))
	}))
	defer server.Close()
	e := script.New(script.Options{Client: server.Client()})
	e.Set("URL", server.URL)
	if got := run(t, e,
		"var r = http.post(URL, {body: 'x', headers: {'X-Ask': 'y'}}); r.ok + ' ' + r.status + ' ' + json(r.body).a + ' ' "+
			"+ r.headers['x-seen']"); got != "true 201 1 POST y" {
		t.Errorf("post: %q", got)
	}
	if got := run(t, e,
		"http.request(URL, {method: 'PUT', multipartForm: {field: 'v'}}).headers['x-seen']"); got != "PUT v" {
		t.Errorf("form: %q", got)
	}
}

// TestHTTPWaitsOutsideOfTheLimit: what others take to answer is not what a script computes.
func TestHTTPWaitsOutsideOfTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := served{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { time.Sleep(time.Minute) })}
		e := script.New(script.Options{Limit: 50 * time.Millisecond, Client: &http.Client{Transport: slow}})
		if got := run(t, e, "http.get('http://slow.example').status"); got != "200" {
			t.Errorf("slow: %q", got)
		}
	})
}

func TestFakerHasTheKindsOfFlows(t *testing.T) {
	e := script.New(script.Options{Seed: 1})
	for _, code := range []string{"faker.name().firstName()", "faker.name().fullName()", "faker.internet().emailAddress()",
		"faker.address().cityName()", "faker.number().digits(4)", "faker.lorem().word()"} {
		if got := run(t, e, code); got == "" || strings.Contains(got, "undefined") {
			t.Errorf("%s: %q", code, got)
		}
	}
	if got := run(t, e,
		`faker.expression("#{number.numberBetween '3' '4'} #{Name.first_name}").split(" ")[0]`); got != "3" {
		t.Errorf("expression: %s", got)
	}
	if got := run(t, e, "faker.number().digits(4).length"); got != "4" {
		t.Errorf("digits: %s", got)
	}
}
