package pack

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(eventtest.File("*"))
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ndjson")
		t.Run(name, func(t *testing.T) {
			res := event.Fold(eventtest.Recorded(t, name))
			if want := map[string]event.Result{"panic": event.Error}[name]; want == "" && string(res.Result) != name ||
				want != "" && res.Result != want {
				t.Errorf("result %s", res.Result)
			}
			testutil.Golden(t, "golden/"+name+".md", markdown.RunMarkdown(res))
			testutil.Golden(t, "golden/"+name+".json", SummaryJSON(res))
		})
	}
}

// The first eight fields are a contract: their names, order and types.
func TestSummaryFields(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pass", "fail", "skipped", "interrupted"} {
		dec := json.NewDecoder(bytes.NewReader(SummaryJSON(event.Fold(eventtest.Recorded(t, name)))))
		if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
			t.Fatal(tok, err)
		}
		for _, want := range []struct {
			key  string
			into any
		}{
			{"id", new(string)}, {"result", new(string)}, {"duration_ms", new(int64)}, {"steps", new(int)},
			{"steps_passed", new(int)},
			{"steps_failed", new(int)}, {"screenshots", new(int)}, {"artifacts", new([]string)},
		} {
			key, err := dec.Token()
			if err != nil || key != want.key {
				t.Fatalf("%s: key %v, %v; want %s", name, key, err, want.key)
			}
			if err := dec.Decode(want.into); err != nil {
				t.Fatalf("%s: %s: %v", name, want.key, err)
			}
			if list, ok := want.into.(*[]string); ok && *list == nil {
				t.Errorf("%s: artifacts is null", name)
			}
		}
	}
}

func TestRunMarkdownHead(t *testing.T) {
	t.Parallel()
	lines := strings.Split(string(markdown.RunMarkdown(event.Fold(eventtest.Recorded(t, "pass")))), "\n")
	want := []string{"# login-ok", "", "- id: login-ok", "- platform: android", "- solver: dsl", "- duration: 3.5s",
		"- result: ✅ PASS"}
	if diff := cmp.Diff(want, lines[:len(want)]); diff != "" {
		t.Error(diff)
	}
}

func FuzzReadEvents(f *testing.F) {
	for _, name := range []string{"pass", "fail", "interrupted"} {
		var b bytes.Buffer
		for _, e := range eventtest.Recorded(f, name) {
			line, err := event.Encode(e)
			if err != nil {
				f.Fatal(err)
			}
			b.Write(line)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(`{"event":"step_ended","step":-9223372036854775808,"duration_ms":9223372036854775807}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, _ := event.ReadEvents(bytes.NewReader(data))
		res := event.Fold(events)
		if res.Result == event.Pass && !bytes.Contains(data, []byte(event.CaseEnded)) {
			t.Error("a pass without an end")
		}
		markdown.RunMarkdown(res)
		if len(SummaryJSON(res)) == 0 {
			t.Error("no summary")
		}
	})
}
