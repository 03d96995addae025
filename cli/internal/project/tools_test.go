package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/runner/plan"
)

// tool runs one command in a folder with these files and returns its output and its exit code.
func tool(t *testing.T, make func(*process.Env) *cobra.Command, files map[string]string, args ...string) (
	dir, out, errs string, code int) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	env := &process.Env{
		Stdin:  strings.NewReader(files["stdin"]),
		Stdout: &stdout,
		Stderr: &stderr,
		Getenv: func(string) string {
			return ""
		},
		Dir: dir,
	}
	cmd := make(env)
	cmd.SetArgs(append([]string{}, args...)) // nil would mean those of the test
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	var ended process.Exit
	var usage *plan.Usage
	switch {
	case errors.As(err, &ended):
		code = int(ended)
	case errors.As(err, &usage):
		code = 2
		stderr.WriteString(usage.Msg)
	case err != nil:
		t.Fatal(err)
	}
	return dir, stdout.String(), stderr.String(), code
}

var (
	oneMistake = map[string]string{
		"suites/a.yaml": "id: a\nplatform: android\nsteps:\n  - tapp: x\n",
		"suites/b.yaml": "id: b\nplatform: android\nsteps:\n  - tap: ${NOBODY}\n",
		"suites/c.yaml": "id: c\nplatform: android\nvars: {UNUSED: x}\nsteps:\n  - tap: x\n",
	}
	warnings = map[string]string{
		"suites/a.yaml": `id: a
platform: android
vars: {UNUSED: x, USED: y, HIDDEN: z}
secrets: [HIDDEN]
steps:
  - tap: ${USED}
  - sleep: 2s
  - if: {cond: platform == "ios", then: [{tap: a}]}
  - tap: {label: a, when: 1 > 2}
  - repeat: {times: 3, steps: [{tap: {label: b, timeoutMs: 500, retries: 1}}]}
`,
		"suites/b.yaml": "id: b\nplatform: both\nsteps:\n  - tap: {label: x, optional: true}\n  - forEach: {in: \"[1, " +
			"2]\", " +
			"steps: [{tap: {label: \"${item}\", optional: true}}]}\n",
	}
)

func TestValidateText(t *testing.T) {
	t.Parallel()
	_, out, _, code := tool(t, ValidateCommand, oneMistake)
	for _, want := range []string{"suites/a.yaml:4:5: unknown action \"tapp\"\n", "did you mean \"tap\"?",
		"suites/b.yaml:4:10: the variable ${NOBODY} is not defined", "2 errors\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if code != 2 {
		t.Errorf("exit code %d", code)
	}
}

func TestValidateWarnsAndCounts(t *testing.T) {
	t.Parallel()
	_, out, _, code := tool(t, ValidateCommand, warnings)
	if code != 0 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	for _, want := range []string{
		`suites/a.yaml:3:16: warning: nothing uses the variable "UNUSED"`,
		`suites/a.yaml:3:36: warning: nothing uses the variable "HIDDEN"`,
		"suites/a.yaml:7:5: warning: a sleep is too long",
		"suites/a.yaml:8:16: warning: this is never true",
		"suites/a.yaml:9:27: warning: this is never true",
		"suites/b.yaml:1:5: warning: this test cannot fail",
		// 10 s tap, 2 s sleep, 10 s then, 10 s tap, 3 rounds of 2 attempts of 500 ms
		"35s  a\n",
		"at least 40s  b\n",
		"2 tests, no error, 6 warnings;",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestValidateJSON(t *testing.T) {
	t.Parallel()
	_, out, _, code := tool(t, ValidateCommand, oneMistake, "--format", "json")
	var got findings
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 2 {
		t.Fatalf("%v, exit code %d:\n%s", err, code, out)
	}
	want := problem{Severity: "error", File: "suites/a.yaml", Line: 4, Column: 5, Width: 4,
		Message: `unknown action "tapp"`, Hint: `did you mean "tap"?`}
	if got.Valid || len(got.Problems) != 2 || got.Problems[0] != want {
		t.Errorf("%+v", got)
	}
	_, out, _, code = tool(t, ValidateCommand, warnings, "--format=json", "suites/b.yaml")
	got = findings{}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || !got.Valid || len(got.Tests) != 1 {
		t.Fatalf("%v, exit code %d:\n%s", err, code, out)
	}
	if c := got.Tests[0]; c != (cost{ID: "b", Cases: 2, WorstCaseMS: 40_000, AtLeast: true}) {
		t.Errorf("%+v", c)
	}
}

func TestValidateGitHub(t *testing.T) {
	t.Parallel()
	_, out, _, code := tool(t, ValidateCommand,
		map[string]string{"suites/a,b.yaml": "id: a\nplatform: android\nsteps:\n  - tap: 100%\n  - tap: {point: " +
			"\"5%:\"}\n"}, "--format", "github")
	want := "::error file=suites/a%2Cb.yaml,line=5,col=18,endColumn=23::\"point\" must be two numbers, not the text " +
		"\"5%25:\"%0Awrite \"120,340\" for pixels or \"50%25,80%25\" for per cent, with the quotes\n"
	if out != want || code != 2 {
		t.Errorf("exit code %d\n got %s\nwant %s", code, out, want)
	}
}

func TestValidateUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--format", "xml"}, {"--var", "A"}, {"nowhere.yaml"}} {
		if _, _, errs, code := tool(t, ValidateCommand, oneMistake, args...); code != 2 || errs == "" {
			t.Errorf("%v: exit code %d, %q", args, code, errs)
		}
	}
}

const crooked = "id: a   \nsteps:\n- tap: x # here\n"

func TestFmtWrites(t *testing.T) {
	t.Parallel()
	files := map[string]string{"suites/a.yaml": crooked, "suites/b.yml": "id: b\n", "suites/testdata/c.yaml": crooked,
		"other.yaml": crooked}
	dir, out, _, code := tool(t, FmtCommand, files)
	if out != "suites/a.yaml\n" || code != 0 {
		t.Errorf("%q, exit code %d", out, code)
	}
	for name, want := range map[string]string{"suites/a.yaml": "id: a\nsteps:\n  - tap: x # here\n",
		"suites/b.yml": "id: b\n", "suites/testdata/c.yaml": crooked, "other.yaml": crooked} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	left, err := os.ReadDir(filepath.Join(dir, "suites"))
	if err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestFmtLists(t *testing.T) {
	t.Parallel()
	dir, out, _, code := tool(t, FmtCommand, map[string]string{"suites/a.yaml": crooked, "suites/b.yaml": "id: b\n"},
		"-l")
	got, err := os.ReadFile(filepath.Join(dir, "suites", "a.yaml"))
	if out != "suites/a.yaml\n" || code != 1 || err != nil || string(got) != crooked {
		t.Errorf("%q, exit code %d, %q, %v", out, code, got, err)
	}
}

func TestFmtTellsAllBrokenFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{"suites/a.yaml": "a: [\n", "suites/b.yaml": crooked, "suites/c.yaml": "a: \"\n"}
	dir, out, errs, code := tool(t, FmtCommand, files)
	if code != 2 || out != "suites/b.yaml\n" || !strings.Contains(errs, "suites/a.yaml:1:4") ||
		!strings.Contains(errs, "suites/c.yaml:1:4") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "suites", "a.yaml")); err != nil || string(got) != "a: [\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFmtStdin(t *testing.T) {
	t.Parallel()
	_, out, _, code := tool(t, FmtCommand, map[string]string{"stdin": crooked}, "-")
	if out != "id: a\nsteps:\n  - tap: x # here\n" || code != 0 {
		t.Errorf("%q, exit code %d", out, code)
	}
	if _, _, errs, code := tool(t, FmtCommand, map[string]string{"stdin": "a: ["}, "-"); code != 2 ||
		!strings.Contains(errs, "-:1:4") {
		t.Errorf("%q, exit code %d", errs, code)
	}
}

// Without a folder suites, fmt does not format every YAML file that it finds.
func TestFmtWantsAPath(t *testing.T) {
	t.Parallel()
	if _, _, errs, code := tool(t, FmtCommand, map[string]string{"compose.yaml": crooked}); code != 2 ||
		!strings.Contains(errs, "no folder suites") {
		t.Errorf("%q, exit code %d", errs, code)
	}
}

func TestSchemaAndDocs(t *testing.T) {
	t.Parallel()
	_, out, _, _ := tool(t, SchemaCommand, nil)
	var schema map[string]any
	if err := json.Unmarshal([]byte(out), &schema); err != nil ||
		schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("%v: %.200s", err, out)
	}
	dir, out, _, _ := tool(t, DocsCommand, nil, "-o", "reference.md")
	got, err := os.ReadFile(filepath.Join(dir, "reference.md"))
	if out != "" || err != nil || !strings.Contains(string(got), "### tap\n") {
		t.Errorf("%q, %.100s, %v", out, got, err)
	}
}
