package maestro_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// files are those of a txtar archive.
type files map[string]string

func (f files) Read(name string) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(text), nil
}

func (f files) Has(name string) bool { _, ok := f[name]; return ok }

// TestGolden reads flow.yaml of each archive; want is the steps, the warnings, or the errors.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 10 {
		t.Fatalf("only %d archives: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all, want := files{}, 0
			for i, f := range a.Files {
				if f.Name == "want" {
					want = i
				}
				all[f.Name] = string(f.Data)
			}
			if want == 0 {
				a.Files = append(a.Files, txtar.File{Name: "want"})
				want = len(a.Files) - 1
			}
			got := show(all)
			if *testutil.Update {
				a.Files[want].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(a.Files[want].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func show(all files) string {
	f, err := maestro.Parse("flow.yaml", []byte(all["flow.yaml"]), all)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	flow(&b, f, "")
	for _, w := range f.Warnings {
		fmt.Fprintf(&b, "warning: %v\n", w)
	}
	return b.String()
}

func flow(b *strings.Builder, f *maestro.Flow, indent string) {
	fmt.Fprintf(b, "%sflow %s%s\n", indent, f.File, fields(reflect.ValueOf(*f), "File", "Source", "Start", "Steps",
		"Complete", "Warnings"))
	for _, list := range []struct {
		name  string
		steps dsl.Steps
	}{{"start", f.Start}, {"", f.Steps}, {"complete", f.Complete}} {
		steps(b, list.steps, indent+"  "+list.name)
	}
}

func steps(b *strings.Builder, list dsl.Steps, indent string) {
	for _, s := range list {
		c := s.Foreign().(*maestro.Command)
		v := reflect.ValueOf(c.Do)
		fmt.Fprintf(b, "%s%d:%d %s%s %s%s\n", indent, s.Pos.Line, s.Pos.Col, c.Name, fields(reflect.ValueOf(*c), "Name",
			"Do"), v.Type().Name(), fields(v, "Flow", "Steps", "RunFlow", "Pos"))
		inner := strings.Repeat(" ", len(indent)+2)
		switch do := c.Do.(type) {
		case maestro.RunFlow:
			steps(b, do.Steps, inner)
			if do.Flow != nil {
				flow(b, do.Flow, inner)
			}
		case maestro.Retry:
			steps(b, do.Steps, inner)
			if do.Flow != nil {
				flow(b, do.Flow, inner)
			}
		case maestro.Repeat:
			steps(b, do.Steps, inner)
		}
	}
}

// fields writes what is not zero in a struct.
func fields(v reflect.Value, but ...string) string {
	out := ""
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || v.Field(i).IsZero() || strings.Contains(" "+strings.Join(but, " ")+" ", " "+f.Name+" ") {
			continue
		}
		out += " " + f.Name + "=" + value(v.Field(i))
	}
	return out
}

func value(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return value(v.Elem())
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Struct:
		return "{" + strings.TrimSpace(fields(v, "Pos")) + "}"
	case reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, value(v.Index(i)))
		}
		return "[" + strings.Join(all, " ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

func FuzzParse(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		if a, err := txtar.ParseFile(name); err == nil {
			for _, file := range a.Files {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		flow, err := maestro.Parse("flow.yaml", src, files{})
		if err == nil {
			maestro.ToNative(flow, maestro.NativeOptions{ID: "x", Platform: dsl.Android, Rel: func(s string) string {
				return s
			}})
		}
		_, _ = maestro.ParseWorkspace("config.yaml", src)
		maestro.Is(src)
	})
}

func TestWorkspacePicks(t *testing.T) {
	for _, c := range []struct {
		config, file string
		picked       bool
	}{
		{"", "a.yaml", true}, {"", "sub/a.yaml", false}, {"flows: ['**']", "sub/a.yaml", true},
		{"flows: ['*', '!b*']", "b.yaml", false}, {"flows: ['*', '!b*']", "a.yaml", true},
		{"flows: [sub/*]", "sub/a.yaml", true}, {"flows: [sub/*]", "a.yaml", false},
		{"flows: ['**/a.yaml']", "a.yaml", false}, {"flows: ['**/a.yaml']", "x/y/a.yaml", true},
	} {
		w, err := maestro.ParseWorkspace("config.yaml", []byte(c.config))
		if err != nil || w.Picks(c.file) != c.picked {
			t.Errorf("%s on %s: %v", c.config, c.file, err)
		}
	}
}

func TestWorkspaceThatOnlyTakesAway(t *testing.T) {
	_, err := maestro.ParseWorkspace("config.yaml", []byte("testOutputDir: x\nflows:\n  - '!a.yaml'\n"))
	if err == nil || !strings.Contains(err.Error(), `config.yaml:2:1: "flows" only takes files away`) {
		t.Error(err)
	}
}

func TestTags(t *testing.T) {
	for _, c := range []struct {
		tags, include, exclude []string
		run                    bool
	}{
		{nil, nil, nil, true}, {nil, []string{"a"}, nil, false}, {[]string{"a"}, []string{"b", "a"}, nil, true},
		{[]string{"a", "b"}, []string{"a"}, []string{"b"}, false},
	} {
		if maestro.Tagged(c.tags, c.include, c.exclude) != c.run {
			t.Errorf("%+v", c)
		}
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"appId: a\n---\n- back\n": true, "url: x\n---\n- back\n": true, "id: a\nplatform: web\nsteps: []\n": false,
		"- back\n": true, "name: x\n---\n- back\n": true,
		"appId: a\n---\n- tapOn: {\n": true, "steps: []\n": false, "# c\nappId: a\n": true,
		"---\nappId: a\n---\n- back\n": true,
	} {
		if maestro.Is([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
