package dsl

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestGolden reads testdata/*/*.txtar: test.yaml (or test.yaml.quoted, a Go string literal, for bytes that a text file
// cannot hold) goes in; what comes out is compared with the file "want". Further files: vars and env, one NAME=value
// per line, fill a Scope; without them no variables are filled in. A taproot.yaml goes in instead of a test. Every
// other file is one that the test may run or take its rows from.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, failed := run(t, archive)
			if wantFailed := strings.HasPrefix(name, "errors/"); failed != wantFailed {
				t.Errorf("failed: %t, want %t:\n%s", failed, wantFailed, got)
			}
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
			if *testutil.Update {
				want := txtar.File{Name: "want", Data: []byte(got)}
				if i < 0 {
					archive.Files = append(archive.Files, want)
				} else {
					archive.Files[i] = want
				}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if i < 0 {
				t.Fatal("no file \"want\"; run with -update")
			}
			if diff := cmp.Diff(string(archive.Files[i].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func run(t *testing.T, a *txtar.Archive) (out string, failed bool) {
	t.Helper()
	var src []byte
	var vars, env map[string]string
	others := map[string][]byte{}
	for _, f := range a.Files {
		switch f.Name {
		case "test.yaml":
			src = f.Data
		case "test.yaml.quoted":
			var text string
			if _, err := fmt.Sscanf(string(f.Data), "%q", &text); err != nil {
				t.Fatal(err)
			}
			src = []byte(text)
		case "vars":
			vars = pairs(f.Data)
		case "env":
			env = pairs(f.Data)
		case "taproot.yaml":
			return runConfig(f.Data)
		case "want":
		default:
			others[f.Name] = f.Data
		}
	}
	tests, err := Parse("test.yaml", src)
	if err != nil {
		return err.Error() + "\n", true
	}
	if out, failed := withFiles(tests, others); failed {
		return out, true
	}
	var b strings.Builder
	for _, test := range tests {
		if vars == nil && env == nil {
			dumpTest(&b, test, nil)
			continue
		}
		scope, err := NewScope(test, vars, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if err == nil {
			err = CheckVars(test, scope)
		}
		if err != nil {
			return err.Error() + "\n", true
		}
		dumpTest(&b, test, scope)
	}
	return b.String(), false
}

// withFiles links the blocks of the tests and reads their rows.
func withFiles(tests []*Test, files map[string][]byte) (out string, failed bool) {
	read := func(name string) ([]byte, error) {
		if strings.HasPrefix(name, "..") {
			return nil, errors.New("it lies outside of the suite")
		}
		data, ok := files[name]
		if !ok {
			return nil, &NoFile{}
		}
		return data, nil
	}
	for _, test := range tests {
		if err := Link(test, read); err != nil {
			return err.Error() + "\n", true
		}
		if _, err := test.Rows(read); err != nil {
			return err.Error() + "\n", true
		}
	}
	return "", false
}

func runConfig(src []byte) (out string, failed bool) {
	c, err := ParseConfig("taproot.yaml", src)
	if err != nil {
		return err.Error() + "\n", true
	}
	return show(c) + "\n", false
}

func pairs(data []byte) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		m[name] = value
	}
	return m
}

func dumpTest(b *strings.Builder, t *Test, s *Scope) {
	fmt.Fprintf(b, "test %s at %s (id at %s), name %q, platform %s, tags %q\n", t.ID, t.Pos, t.IDPos, t.Name, t.Platform,
		t.Tags)
	for _, v := range t.Vars {
		fmt.Fprintf(b, "  var %s = %q at %d:%d\n", v.Name, v.Value, v.Pos.Line, v.Pos.Col)
	}
	rest := Test{Description: t.Description, Owner: t.Owner, Links: t.Links, Skip: t.Skip, Secrets: t.Secrets,
		Device:    t.Device,
		TimeoutMs: t.TimeoutMs, Retries: t.Retries, Data: t.Data}
	if text := show(rest); text != "Test{}" {
		var rows []Row
		if t.Data.Path == "" {
			rows, _ = t.Rows(nil)
		}
		fmt.Fprintf(b, "  %s %s\n", text, show(rows))
	}
	for _, hook := range []struct {
		key   string
		steps Steps
	}{{key: "before", steps: t.Before}, {key: "steps", steps: t.Steps},
		{key: "onFailure", steps: t.OnFailure}, {key: "after", steps: t.After}} {
		if hook.key != "steps" && len(hook.steps) > 0 {
			fmt.Fprintf(b, "  %s: %s\n", hook.key, show(hook.steps))
		}
	}
	for _, step := range t.Steps {
		fmt.Fprintf(b, "  %d:%d %s: %s\n", step.Pos.Line, step.Pos.Col, step.Def.Name, source.Flow(step.Args))
		dumpValue(b, step.Args, "    ")
		if s == nil {
			continue
		}
		args, opts, err := Bind(step, s)
		if err != nil {
			fmt.Fprintf(b, "    %v\n", err)
			continue
		}
		fmt.Fprintf(b, "    = %s: %s → %s %s\n", step.Def.Name, Args(step, s), show(args), show(opts))
	}
}

func dumpValue(b *strings.Builder, v source.Value, indent string) {
	kinds := []string{"null", "bool", "int", "float", "string", "list", "map"}
	fmt.Fprintf(b, "%s%d:%d %s", indent, v.Pos.Line, v.Pos.Col, kinds[v.Kind])
	if v.Kind < source.List {
		fmt.Fprintf(b, " %q", v.Text)
	}
	b.WriteByte('\n')
	for _, item := range v.Items {
		dumpValue(b, item, indent+"  - ")
	}
	for _, f := range v.Fields {
		fmt.Fprintf(b, "%s  %d:%d %q\n", indent, f.Pos.Line, f.Pos.Col, f.Key)
		dumpValue(b, f.Value, indent+"    ")
	}
}

func TestErrorsUnwrap(t *testing.T) {
	_, err := Parse("x.yaml", []byte("id: a\nplatform: web\nsteps:\n  - tapp: x\n  - tap: true\n"))
	errs, ok := err.(source.Errors)
	if !ok || len(errs) != 2 || len(errs.Unwrap()) != 2 {
		t.Fatalf("%T %v", err, err)
	}
	if got, want := slices.Collect(maps.Keys(map[int]bool{errs[0].Pos.Line: true})), []int{4}; !slices.Equal(got, want) {
		t.Errorf("first error on line %v, want %v", got, want)
	}
}

// TestTestsBehindEmptyDocumentsAreRead has two separators with only a comment between them, which the YAML library
// takes for the end of the file.
func TestTestsBehindEmptyDocumentsAreRead(t *testing.T) {
	const src = `id: first
platform: web
steps: [{openBrowser: https://example.com}]
---
# id: left-out
---
id: second
platform: web
steps: [{openBrowser: https://example.com}]
---
---
id: third
platform: web
steps: [{openBrowser: https://example.com}]
`
	tests, err := Parse("tests.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, test := range tests {
		ids = append(ids, test.ID)
	}
	if got := strings.Join(ids, " "); got != "first second third" {
		t.Errorf("the tests are %q", got)
	}
}

// TestSecondDocumentsAreRefused reads files that hold one document: what is behind the empty documents is refused,
// not ignored.
func TestSecondDocumentsAreRefused(t *testing.T) {
	const gap = "---\n# a comment\n---\n"
	if _, err := ParseConfig("taproot.yaml", []byte("timeoutMs: 1000\n"+gap+"retries: 2\n")); err == nil ||
		!strings.Contains(err.Error(), "taproot.yaml:5:1: a second document") {
		t.Errorf("taproot.yaml: %v", err)
	}
	block := "steps:\n  - tap: Buy\n"
	if _, err := ParseBlock("block.yaml", []byte(block+gap+block), Web); err == nil ||
		!strings.Contains(err.Error(), "block.yaml:6:1: a second document") {
		t.Errorf("block: %v", err)
	}
	if (*Own)(nil).HoldsBlocks("blocks.yaml", []byte("blocks: {a: {steps: [back]}}\n"+gap+"blocks: {}\n")) {
		t.Error("a file with two documents counts as one of blocks")
	}
	if b, err := ParseBlock("block.yaml", []byte("---\n# a comment\n---\n"+block), Web); err != nil || len(b.Steps) != 1 {
		t.Errorf("the block behind an empty document: %v", err)
	}
}
