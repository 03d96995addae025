package dsl

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newAction is an action that Taproot does not have, as an author would add it: what is put in front of which text of
// which file. These files are the only ones that have to know of an action.
var newAction = []struct{ file, before, text string }{
	{file: "dsl/internal/vocabulary/press.go", before: "\t\t{\n\t\t\tName: \"hideKeyboard\"", text: `		{
			Name: "nod", Args: Nod{},
			Doc:       "Nods.",
			Example:   "nod: {times: 2}",
			Platforms: everywhere, Interfaces: AllInterfaces, Effect: Acts,
		},
`},
	{file: "dsl/internal/vocabulary/press.go", before: "// keyActions returns", text: `// Nod is the argument of nod.
type Nod struct {
	Times int "json:\"times,omitempty\" minimum:\"1\" default:\"1\" doc:\"How often.\""
}

`},
	{file: "dsl/actions.go", before: "// Press is the argument of press", text: `// Nod is the argument of nod.
type Nod = vocabulary.Nod

`},
	{file: "runner/internal/action/perform.go", before: "\ton(table, hideKeyboard)\n", text: `	on(table, nod)
`},
	{file: "runner/internal/action/perform.go", before: "// on puts the performer",
		text: `// nod returns how often it was done.
func nod(_ context.Context, s *Performer, a dsl.Nod) error {
	s.Value = a.Times
	return nil
}

`},
}

// newActionTest uses the action as tests, editors, assistants, and the engine do.
const newActionTest = `package action_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

func TestNod(t *testing.T) {
	tests, err := dsl.Parse("nod.yaml", []byte("id: a\nplatform: web\nsteps:\n  - nod: {times: 2}\n  - nod:\n"))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := dsl.NewScope(tests[0], nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{2, 1} {
		args, _, err := dsl.Bind(tests[0].Steps[i], scope)
		if err != nil {
			t.Fatal(err)
		}
		s := &action.Performer{Device: &fake{}, Platform: dsl.Web}
		if err := action.Perform(t.Context(), s, args); err != nil || s.Value != want {
			t.Errorf("it returns %v, %v", s.Value, err)
		}
	}
	_, err = dsl.Parse("nod.yaml", []byte("id: a\nplatform: web\nsteps:\n  - nodd: {times: 2}\n"))
	if err == nil || !strings.Contains(err.Error(), "did you mean \"nod\"?") {
		t.Errorf("a wrong word: %v", err)
	}
	for name, schema := range map[string]any{
		"tests": dsl.Schema(), "REST": dsl.BodySchemas(dsl.REST, ""), "assistants": dsl.BodySchemas(dsl.MCP, ""),
	} {
		text, err := json.Marshal(schema)
		if err != nil || !strings.Contains(string(text), "How often.") {
			t.Errorf("the schema for %s does not have it: %v", name, err)
		}
	}
}
`

// TestNewActionIsKnownEverywhere adds an action in a temporary copy of three files. It fails when a fourth one would
// have to know of it: when it cannot be written, performed, suggested or described, or when a test of the vocabulary
// wants more.
func TestNewActionIsKnownEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles most of the module anew, which takes more than 20 s")
	}
	const mostFiles = 3
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, edit := range newAction {
		if texts[edit.file] == "" {
			src, err := os.ReadFile(filepath.Join(root, edit.file))
			if err != nil {
				t.Fatal(err)
			}
			texts[edit.file] = string(src)
		}
		if strings.Count(texts[edit.file], edit.before) != 1 {
			t.Fatalf("%s does not hold %q once", edit.file, edit.before)
		}
		texts[edit.file] = strings.Replace(texts[edit.file], edit.before, edit.text+edit.before, 1)
	}
	if len(texts) > mostFiles {
		t.Errorf("%d files have to know of an action, %d at most", len(texts), mostFiles)
	}
	texts["runner/internal/action/nod_test.go"] = newActionTest
	dir, replace := t.TempDir(), map[string]string{}
	for file, text := range texts {
		copied := filepath.Join(dir, strings.ReplaceAll(file, "/", "+"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, file)] = copied
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-overlay", list, "-vet=off", "-short", "-v", "-run",
		"^(TestNod|TestVocabulary|TestActionsAreListedOnce|TestBodySchemas|TestExampleBodies|TestSchemaAgreesWithParse|"+
			"TestEveryActionHasAPerformer)$", "./dsl", "./runner/internal/action")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestNod ") {
		t.Errorf("a new action needs more than %d files: %v\n%s", mostFiles, err, out)
	}
}
