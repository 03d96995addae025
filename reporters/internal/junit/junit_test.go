package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// inProject returns the recorded run with its folder in a project's tests/reports.
func inProject(t *testing.T) *history.Run {
	t.Helper()
	r := runtest.Recorded(t)
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.Dir = filepath.Join(root, "tests", "reports", r.Name)
	return r
}

func write(t *testing.T, r *history.Run) []byte {
	t.Helper()
	data, err := Write(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGolden(t *testing.T) {
	got := write(t, inProject(t))
	testutil.Golden(t, "junit.xml.golden", got)
	check(t, got)
}

// A failure names its file and line, an error is not a failure, an interrupted test is an error.
func TestResults(t *testing.T) {
	var s suite
	if err := xml.Unmarshal(write(t, inProject(t)), &s); err != nil {
		t.Fatal(err)
	}
	byName := map[string]testcase{}
	for _, c := range s.Cases {
		byName[c.Name] = c
	}
	paid := byName["checkout (android)"]
	attached := "tests/reports/2026-03-04T05-06-07/checkout--android/screenshots/03-paid-failed.png]]\n"
	if paid.Failure == nil || !strings.HasPrefix(paid.Failure.Message, "suites/shop/checkout.yaml:7:5: expected") ||
		paid.Failure.Type != "AssertionFailed" ||
		paid.Class != "suites.shop" || !strings.Contains(paid.Failure.Text, "   7 |   - assert: Paid") {
		t.Errorf("%+v", paid)
	}
	if paid.Out == nil || !strings.HasPrefix(paid.Out.Text, "[[ATTACHMENT|"+attached) ||
		!strings.Contains(paid.Out.Text, "unreached   5 assert") {
		t.Errorf("%+v", paid.Out)
	}
	if c := byName["checkout (ios)"]; c.Skipped == nil || c.Skipped.Message != "no iOS device is attached" {
		t.Errorf("%+v", c)
	}
	for _, name := range []string{"phone-lost", "panicked", "killed", "broken"} {
		if c := byName[name]; c.Error == nil || c.Failure != nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := byName["login"]; c.Error != nil || len(c.FlakyError) != 1 || c.FlakyError[0].Trace.Text == "" {
		t.Errorf("%+v", c)
	}
	if c := byName["crash"]; c.Failure == nil || c.Failure.Type != "AppCrashed" ||
		!strings.Contains(c.Failure.Text, "stack:\n  FATAL EXCEPTION: main") ||
		!strings.HasPrefix(c.Failure.Message, "suites/crash.yaml:6:5: com.example.shop crashed: ") {
		t.Errorf("a crash: %+v", c.Failure)
	}
	if c := byName["soft"]; c.Failure == nil || !strings.HasSuffix(c.Failure.Message, "(and 2 more)") ||
		strings.Count(c.Failure.Text, "did not appear") != 3 {
		t.Errorf("three soft failures: %+v", c.Failure)
	}
	if s.Tests != len(s.Cases) || s.Failures != 5 || s.Errors != 4 || s.Skipped != 2 {
		t.Errorf("counts %d %d %d %d", s.Tests, s.Failures, s.Errors, s.Skipped)
	}
}

func TestPropertiesOfATest(t *testing.T) {
	r := runtest.Recorded(t)
	r.Cases[0].CaseResult.Case.Properties = []dsl.Property{{Name: "requirement", Value: "PAY-12 & <13>"},
		{Name: "junitClassname", Value: "shop.Checkout"}}
	data := write(t, r)
	check(t, data)
	var s suite
	if err := xml.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if c := s.Cases[0]; c.Class != "shop.Checkout" || c.Properties == nil || len(c.Properties.List) != 2 ||
		c.Properties.List[0] != (property{"requirement", "PAY-12 & <13>"}) {
		t.Errorf("%+v", c)
	}
	// the run's and the one test's
	if c := s.Cases[1]; c.Properties != nil || strings.Count(string(data), "<properties>") != 2 {
		t.Errorf("%+v", c)
	}
}

func TestClass(t *testing.T) {
	for file, want := range map[string]string{
		"suites/shop/a.yaml": "suites.shop", "a.yaml": "taproot", "./a.yaml": "taproot", "/tmp/x.y/a.yaml": "tmp.x_y",
		`suites\web\a.yaml`: "suites.web", "": "taproot", "../other/a.yaml": "other",
	} {
		c := event.Case{}
		c.Place.File = file
		if got := class(c); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0.000", -5: "0.000", 1234567 * time.Microsecond: "1.235",
		90 * time.Minute: "5400.000"} {
		if got := seconds(d); got != want {
			t.Errorf("%s: %s", d, got)
		}
	}
}

// FuzzClean: whatever a text holds, the document is XML 1.0.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "\x00\x1b[31m]]>", "\ufffe\uffff", "\xff\xfe", "\ud7ff\ue000😀", "a\r\nb",
		"</failure>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		res := &event.CaseResult{Result: event.Fail, Problem: &event.Problem{Message: s, Expected: s}}
		data, err := Write(&history.Run{Name: s, Cases: []history.RunCase{{Pack: s, Key: s, CaseResult: res}}})
		if err != nil {
			t.Fatal(err)
		}
		check(t, data)
	})
}

func TestEmpty(t *testing.T) { check(t, write(t, &history.Run{Name: runtest.Name})) }

// children are what both schemas allow in an element, in the order that Surefire's wants; attributes with those that
// one requires.
var children = map[string][]string{
	"testsuite":  {"properties", "testcase"},
	"properties": {"property"},
	"property":   {},
	"testcase": {"properties", "failure", "rerunFailure", "flakyFailure", "skipped", "error", "rerunError", "flakyError",
		"system-out"},
	"failure": {}, "error": {}, "skipped": {}, "system-out": {}, "stackTrace": {},
	"rerunFailure": {"stackTrace"}, "flakyFailure": {"stackTrace"}, "rerunError": {"stackTrace"},
	"flakyError": {"stackTrace"},
}

var (
	required = map[string][]string{
		"testsuite": {"name", "tests", "failures", "errors", "skipped", "time"}, "property": {"name", "value"},
		"testcase": {"name", "classname", "time"}, "failure": {"message", "type"}, "error": {"message", "type"},
		"skipped":      {"message"},
		"rerunFailure": {"message", "type"}, "flakyFailure": {"message", "type"}, "rerunError": {"message", "type"},
		"flakyError": {"message", "type"},
	}
	optional  = map[string][]string{"testsuite": {"timestamp"}}
	once      = []string{"skipped", "error", "failure", "system-out", "properties", "stackTrace"}
	timeForm  = regexp.MustCompile(`^\d+\.\d{3}$`)
	stampForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`)
)

// check holds a document against what the schemas of Jenkins (junit-10.xsd) and Surefire (3.0.2) have in common.
func check(t *testing.T, data []byte) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(string(data)))
	type open struct {
		name string
		at   int // in children
		seen map[string]int
	}
	var stack []open
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			name := tok.Name.Local
			if err := attributes(tok); err != nil {
				t.Error(err)
			}
			if len(stack) == 0 {
				if name != "testsuite" {
					t.Errorf("the root is %s", name)
				}
			} else {
				in := &stack[len(stack)-1]
				at := slices.Index(children[in.name], name)
				if at < in.at {
					t.Errorf("%s in %s is not allowed, or not there", name, in.name)
				}
				in.at = max(at, in.at)
				if in.seen[name]++; in.seen[name] > 1 && slices.Contains(once, name) {
					t.Errorf("%s twice in %s", name, in.name)
				}
			}
			stack = append(stack, open{name: name, seen: map[string]int{}})
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if in := stack; len(in) > 0 && len(children[in[len(in)-1].name]) > 0 && strings.TrimSpace(string(tok)) != "" {
				t.Errorf("text in %s: %q", in[len(in)-1].name, tok)
			}
		}
	}
}

func attributes(e xml.StartElement) error {
	name, have := e.Name.Local, map[string]string{}
	for _, a := range e.Attr {
		have[a.Name.Local] = a.Value
		if !slices.Contains(required[name], a.Name.Local) && !slices.Contains(optional[name], a.Name.Local) {
			return fmt.Errorf("%s has an attribute %s", name, a.Name.Local)
		}
	}
	for _, want := range required[name] {
		if _, ok := have[want]; !ok {
			return fmt.Errorf("%s has no attribute %s", name, want)
		}
	}
	if v, ok := have["time"]; ok && !timeForm.MatchString(v) {
		return fmt.Errorf("time %q", v)
	}
	if v, ok := have["timestamp"]; ok && !stampForm.MatchString(v) {
		return fmt.Errorf("timestamp %q", v)
	}
	for _, n := range []string{"tests", "failures", "errors", "skipped"} {
		if v, ok := have[n]; ok {
			if _, err := strconv.ParseUint(v, 10, 32); err != nil {
				return fmt.Errorf("%s: %w", n, err)
			}
		}
	}
	return nil
}

// BenchmarkWrite shows that the time is linear in the tests.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		run := runtest.Synthetic(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Write(run); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/test")
		})
	}
}

// TestLongOutput: what went wrong is at the end of a long output, and the failure's screenshot before everything else.
// Both stay.
func TestLongOutput(t *testing.T) {
	r := inProject(t)
	for i := range r.Cases {
		if c := &r.Cases[i]; c.Title() == "checkout (android)" {
			for n := range 3000 {
				c.CaseResult.Steps = slices.Insert(c.CaseResult.Steps, 0,
					event.StepResult{Step: event.Step{N: 10 + n, Action: "tap", Args: strings.Repeat("x", 40)}})
			}
		}
	}
	var s suite
	if err := xml.Unmarshal(write(t, r), &s); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cases {
		if c.Name != "checkout (android)" {
			continue
		}
		text := c.Out.Text
		if len(text) > maxText || !strings.HasPrefix(text, "[[ATTACHMENT|tests/reports/") ||
			!strings.Contains(text, " bytes left out ") ||
			!strings.Contains(text, "fail        3 assert Paid") || !strings.Contains(text, "logcat.txt]]") {
			t.Errorf("%d bytes: %.200s … %s", len(text), text, text[max(0, len(text)-400):])
		}
	}
}

// TestSpecsHaveTheirText: a spec in Go is called by its own words, not by an id with a checksum.
func TestSpecsHaveTheirText(t *testing.T) {
	r := inProject(t)
	c := &r.Cases[0]
	c.Key, c.CaseResult.Case.ID = "signs-in-with-a-3f2a--device-2", "signs-in-with-a-3f2a"
	c.CaseResult.Case.Name, c.CaseResult.Case.Place.File = "Login signs in with ä password: 5 > 4", "suites/login_test.go"
	var s suite
	if err := xml.Unmarshal(write(t, r), &s); err != nil {
		t.Fatal(err)
	}
	if s.Cases[0].Name != "Login signs in with ä password: 5 > 4 (device-2)" {
		t.Errorf("%q", s.Cases[0].Name)
	}
}
