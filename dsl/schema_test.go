package dsl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/taproot-dev/taproot/dsl/internal/check"
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/schema"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func compiled(t *testing.T, own ...*Own) *jsonschema.Schema {
	t.Helper()
	return compile(t, schema.SchemaID, Schema(own...))
}

func compile(t *testing.T, id string, schema map[string]any) *jsonschema.Schema {
	t.Helper()
	data, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance is a value as a JSON Schema validator wants it.
func instance(v source.Value) any {
	switch v.Kind {
	case source.List:
		all := make([]any, len(v.Items))
		for i, item := range v.Items {
			all[i] = instance(item)
		}
		return all
	case source.Map:
		all := map[string]any{}
		for _, f := range v.Fields {
			all[f.Key] = instance(f.Value)
		}
		return all
	case source.Int, source.Float:
		x := v.Go()
		if f, isFloat := x.(float64); isFloat && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return v.Text
		}
		return json.Number(fmt.Sprint(x))
	default:
		return v.Go()
	}
}

func documents(t *testing.T, name string, src []byte) []source.Value {
	t.Helper()
	text, from, bad := source.Readable(name, src)
	if bad != nil {
		return nil
	}
	values, err := source.Read(text, from)
	if err != nil {
		return nil
	}
	return values
}

// The schema accepts every file that ships, and those that are to fail.
func TestSchemaAcceptsSuites(t *testing.T) {
	s, n := compiled(t, suitesActions()), 0
	err := filepath.WalkDir("../suites", func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".yaml" || d.Name() == "taproot.yaml" {
			return err
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, v := range documents(t, file, src) {
			n++
			if err := s.Validate(instance(v)); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		return nil
	})
	if err != nil || n < 10 {
		t.Errorf("%d documents, %v", n, err)
	}
}

// TestConfigSchema: the schema of taproot.yaml accepts those that ship and that of the good corpus, and refuses each
// key of the bad one that is wrong by itself.
func TestConfigSchema(t *testing.T) {
	s := compile(t, schema.ConfigSchemaID, ConfigSchema())
	files, err := filepath.Glob("testdata/*/config*.txtar")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	check := func(name string, v source.Value, src string) {
		_, wrong := ParseConfig(name, []byte(src))
		refused := s.Validate(instance(v))
		switch {
		case wrong == nil && refused != nil:
			t.Errorf("%s: the schema refuses %s\n%v", name, src, refused)
		case wrong != nil && refused == nil && !beyondConfig.MatchString(wrong.Error()):
			t.Errorf("%s: the schema accepts %s\n%v", name, src, wrong)
		}
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range archive.Files {
			if part.Name != "taproot.yaml" {
				continue
			}
			for _, doc := range documents(t, part.Name, part.Data) {
				for _, f := range doc.Fields {
					one := source.Value{Kind: source.Map, Fields: []source.Field{f}}
					check(file, one, source.Flow(one))
				}
			}
		}
	}
	src, err := os.ReadFile("../suites/taproot.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range documents(t, "taproot.yaml", src) {
		check("../suites/taproot.yaml", v, string(src))
	}
}

// beyondConfig are the messages about a taproot.yaml that no schema can give.
var beyondConfig = regexp.MustCompile(
	`cannot be the name of a remote|"capabilities" must be a map|has a user without a key|is not a pattern|the URL|` +
		`has an app, and is for pages|names two apps|leads out of|backslash|in the tag|named like this secret|` +
		`second document`)

// beyond are the messages about what no schema can know: the platform, other files, the insides of texts, the
// neighbours' values.
var beyond = regexp.MustCompile(
	`does not work on|works? on (web|phones|android) only|regular expression|expression is|there is no function|visible ` +
		`takes|` +
		`device has no property|\$\{|default cannot hold|cannot be the name of a variable|is not a link|is not a place|is ` +
		`not a key|key is missing|not a locale|address|the URL|` +
		`cannot open|directory's name|"--" in an id|named like this secret|has no bracket|both allowed and denied|has no ` +
		`body|combined with "(visible: false|block|optional)"|` +
		`"visible: false" cannot|name of a YAML file|is not relative to|backslash|cannot hold a variable|not a version|not ` +
		`a pattern|size of|first row has no|row \d+ has no|` +
		`in the tag|empty tag|what it runs on|file's name|belongs to "random|changes nothing|cannot be a file|is outside ` +
		`the screen|mixes pixels|` +
		`"on" needs a test|test has no device|inside of "on"|of a device holds|device cannot be called|have the same name|` +
		`"on" names no device|name of a variable cannot|is set twice|has no browsers|the selector "|` +
		`is too large a number|must be at (most|least) \w+, not "|"press" has no keys|not \d+\.0$`)

// What Parse accepts the schema accepts, and what Parse refuses for its structure the schema refuses: each header of
// the corpus with one good step, and each of its steps in a good test.
func TestSchemaAgreesWithParse(t *testing.T) {
	s := compiled(t)
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	refused, accepted := 0, 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range archive.Files {
			if part.Name != "test.yaml" {
				continue
			}
			for _, doc := range documents(t, part.Name, part.Data) {
				for _, v := range partsOf(doc) {
					d := check.NewReader(nil, expr.Literal, "")
					d.Test(v)
					err := s.Validate(instance(v))
					structural := false
					for _, e := range d.Errs {
						structural = structural || !beyond.MatchString(e.Msg)
					}
					switch {
					case structural && err == nil:
						t.Errorf("%s: the schema accepts %s\n%v", file, source.Flow(v), d.Errs)
					case len(d.Errs) == 0 && err != nil:
						t.Errorf("%s: the schema refuses %s\n%v", file, source.Flow(v), err)
					case structural:
						refused++
					case len(d.Errs) == 0:
						accepted++
					}
				}
			}
		}
	}
	if refused < 200 || accepted < 100 {
		t.Errorf("only %d refused and %d accepted: is the corpus read?", refused, accepted)
	}
}

// partsOf takes a document apart.
func partsOf(doc source.Value) []source.Value {
	steps, given := doc.Get("steps")
	if doc.Kind != source.Map || !given || steps.Value.Kind != source.List || len(steps.Value.Items) == 0 {
		return []source.Value{doc}
	}
	with := func(v source.Value, list source.Value) source.Value {
		out := source.Value{Kind: source.Map}
		for _, f := range v.Fields {
			if f.Key == "steps" {
				f.Value = list
			}
			out.Fields = append(out.Fields, f)
		}
		return out
	}
	text := func(s string) source.Value { return source.Value{Kind: source.String, Text: s} }
	good := source.Value{Kind: source.List, Items: []source.Value{
		{Kind: source.Map, Fields: []source.Field{{Key: "tap", Value: text("x")}}}}}
	all := []source.Value{with(doc, good)}
	platform, known := doc.Get("platform")
	if !known || !strings.Contains("android ios both web", platform.Value.Text) {
		platform = source.Field{Key: "platform", Value: text("web")}
	}
	frame := source.Value{Kind: source.Map, Fields: []source.Field{{Key: "id", Value: text("a")}, platform,
		{Key: "steps"}}}
	for _, item := range steps.Value.Items {
		all = append(all, with(frame, source.Value{Kind: source.List, Items: []source.Value{item}}))
	}
	return all
}

// TestReferenceIsFresh fails when docs/reference.md, the pages of docs/actions or the tables of docs/waiting.md are not
// what the vocabulary says; `go test ./dsl -run Reference -update` writes them.
func TestReferenceIsFresh(t *testing.T) {
	const folder = "../docs/actions"
	fresh(t, "../docs/reference.md", schema.Index())
	pages := map[string]string{}
	for _, d := range schema.Documented() {
		pages[d.Name] = schema.ActionPage(&d)
		fresh(t, filepath.Join(folder, d.Name+".md"), pages[d.Name])
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".md"); pages[name] == "" && filepath.Ext(f.Name()) == ".md" {
			t.Errorf("%s is the page of no action: remove it", filepath.Join(folder, f.Name()))
		}
	}
	const waiting, head = "../docs/waiting.md", "## What each action waits for\n\n"
	text, err := os.ReadFile(waiting)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	_, after, more := strings.Cut(rest, "\n## ")
	if !found || !more {
		t.Fatalf("%s has no section %q", waiting, head)
	}
	fresh(t, waiting, before+head+schema.WaitingTables()+"\n## "+after)
}

// fresh compares a file with what it should hold, or writes it with -update.
func fresh(t *testing.T, file, want string) {
	t.Helper()
	if *testutil.Update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not up to date; run \"go test ./dsl -run Reference -update\" (-want +got)\n%s", file, diff)
	}
}

// suitesActions are the own actions of the suites that ship.
func suitesActions() *Own {
	const folder = "../suites/actions/"
	return &Own{
		Find: func(name string) (string, []byte, error) {
			text, err := os.ReadFile(folder + name + ".yaml")
			return folder + name + ".yaml", text, err
		},
		List: func() []string { return []string{"signIn", "total"} },
		Read: os.ReadFile,
	}
}
