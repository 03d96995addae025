package runtest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/taproot-dev/taproot/internal/result/schemas"
)

// files are the files of a reports folder by their schemas; those with a line for each value end in "l" or "nd…".
var files = map[string]string{
	"summary.json": "summary", "run.json": "run", "events.ndjson": "events", "manifest.json": "manifest",
	"metrics.json": "metrics", "frames.ndjson": "frames", "plan.json": "plan", "choice.json": "choice",
	"environment.json": "environment", "history.jsonl": "history", "uploads.json": "uploads", "notify.json": "notify",
	"upload.json": "upload", "request.json": "request", "weak.json": "weak", "repairs.json": "repairs",
}

// Valid validates all files below a reports folder against the schemas of their formats, and returns how many of each
// there are. Keys that the schema does not have are errors.
func Valid(t testing.TB, reports string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	compiled := map[string]*jsonschema.Schema{}
	err := filepath.WalkDir(reports, func(file string, d os.DirEntry, err error) error {
		name := files[filepath.Base(file)]
		if err != nil || d.IsDir() || name == "" {
			return err
		}
		if compiled[name] == nil {
			compiled[name] = Schema(t, name)
		}
		validFile(t, file, name, compiled[name])
		counts[name]++
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return counts
}

// ValidFile is Valid for one file.
func ValidFile(t testing.TB, file string) {
	t.Helper()
	name := files[filepath.Base(file)]
	validFile(t, file, name, Schema(t, name))
}

func validFile(t testing.TB, file, name string, schema *jsonschema.Schema) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	values := [][]byte{data}
	if filepath.Ext(file) != ".json" {
		values = bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	}
	for _, value := range values {
		if len(value) == 0 {
			continue
		}
		got, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err == nil {
			err = schema.Validate(got)
		}
		if err != nil {
			t.Errorf("%s: %v\n%.500s", file, err, value)
		}
	}
	var first struct{ Format string }
	if err := json.Unmarshal(values[0], &first); err != nil || !strings.HasPrefix(first.Format, "taproot."+name+"/") {
		t.Errorf("%s has the format %q", file, first.Format)
	}
}

// Schema compiles a schema that allows no further keys.
func Schema(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	data, known := schemas.Strict(name)
	if !known {
		t.Fatalf("there is no schema %q", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
