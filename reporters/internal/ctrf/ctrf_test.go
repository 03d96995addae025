package ctrf

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func write(t *testing.T, r *history.Run) []byte {
	t.Helper()
	data, err := Write(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGolden(t *testing.T) {
	got := write(t, runtest.Recorded(t))
	testutil.Golden(t, "ctrf.json.golden", got)
}

// The schema is the one that the format's own npm package carries.
func TestSchema(t *testing.T) {
	schema := ctrfSchema(t)
	for name, run := range map[string]*history.Run{"recorded": runtest.Recorded(t),
		"empty": {Name: runtest.Name, Env: &history.Environment{Commit: "abc", Branch: "main", Job: "https://ci.example/7",
			OS: "linux/amd64"}}, "many": runtest.Synthetic(300)} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(write(t, run)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A schema that takes everything would prove nothing.
	bad, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(string(write(t, runtest.Recorded(t))),
		`"testId"`, `"taprootId"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if schema.Validate(bad) == nil {
		t.Error("an unknown field is taken")
	}
}

func ctrfSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(
		bytes.NewReader(runtest.NPM(t, "ctrf@0.3.0", "package/dist/ctrf-schema-0.0.json")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("ctrf.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("ctrf.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// A failure names its file and line; rawStatus distinguishes results that the format has no status for.
func TestResults(t *testing.T) {
	var got report
	if err := json.Unmarshal(write(t, runtest.Recorded(t)), &got); err != nil {
		t.Fatal(err)
	}
	byName := map[string]test{}
	for _, c := range got.Results.Tests {
		byName[c.Name] = c
	}
	paid := byName["checkout (android)"]
	if paid.Status != "failed" || !strings.HasPrefix(paid.Message, "suites/shop/checkout.yaml:7:5: ") ||
		paid.FilePath != "suites/shop/checkout.yaml" ||
		paid.Steps[4].Status != "pending" || paid.Device != "Pixel 8 emulator-5554" ||
		paid.Attachments[0].Path != "checkout--android/screenshots/02-pay.png" {
		t.Errorf("%+v", paid)
	}
	for name, want := range map[string][2]string{"phone-lost": {"failed", "error"}, "killed": {"failed", "interrupted"},
		"checkout (ios)": {"skipped", "skipped"},
		"login":          {"passed", "pass"}} {
		if c := byName[name]; c.Status != want[0] || c.RawStatus != want[1] {
			t.Errorf("%s: %s, %s", name, c.Status, c.RawStatus)
		}
	}
	login := byName["login"]
	if !login.Flaky || login.Retries != 1 || len(login.Attempts) != 1 || login.Attempts[0].Line != 5 ||
		got.Results.Summary.Flaky != 1 {
		t.Errorf("%+v", login)
	}
	s := got.Results.Summary
	if s.Tests != 13 || s.Failed != 9 || s.Passed != 2 || s.Skipped != 2 ||
		s.Passed+s.Failed+s.Skipped+s.Pending+s.Other != s.Tests {
		t.Errorf("%+v", s)
	}
}

func TestUUID(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	a, b := uuid("case", "login"), uuid("case", "login--android")
	if !form.MatchString(a) || !form.MatchString(b) || a == b || a != uuid("case", "login") {
		t.Error(a, b)
	}
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
