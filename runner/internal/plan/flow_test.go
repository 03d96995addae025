package plan_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// folder writes files, by name.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const aFlow = "appId: a\n---\n- back\n"

func tagged(tags string) string { return "appId: a\ntags: [" + tags + "]\n---\n- back\n" }

// packsOf are the cases that the options plan.
func packsOf(t *testing.T, o plan.Options) string {
	t.Helper()
	o.Files = true
	p, err := plan.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	var packs []string
	for _, c := range p.Cases {
		packs = append(packs, c.Pack+" "+string(c.Platform))
	}
	return strings.Join(packs, ", ")
}

func TestFolderOfFlowsRunsItsTopLevel(t *testing.T) {
	dir := folder(t, map[string]string{"b.yaml": aFlow, "a.yml": aFlow, "sub/c.yaml": aFlow,
		"web.yaml": "url: https://x\n---\n- back\n", "config.yaml": "", "notes.txt": "x"})
	if got := packsOf(t, plan.Options{Dir: dir, Args: []string{"."}}); got != "a android, b android, web web" {
		t.Error(got)
	}
	if got := packsOf(t, plan.Options{Dir: dir, Args: []string{"sub/c.yaml"}}); got != "c android" {
		t.Error(got)
	}
	if got := packsOf(t, plan.Options{Dir: dir, Args: []string{"a.yml"}, Platform: dsl.IOS}); got != "a ios" {
		t.Error(got)
	}
}

func TestFolderOfFlowsRunsWhatItsConfigPicks(t *testing.T) {
	dir := folder(t, map[string]string{"b.yaml": tagged("x"), "a.yaml": tagged("x, slow"), "sub/c.yaml": tagged("x"),
		"sub/d.yaml": aFlow, "sub/config.yml": "",
		"config.yaml": "flows: ['**', '!sub/e*']\nincludeTags: [x]\nexcludeTags: [slow]\nexecutionOrder: {flowsOrder: [c]}\n",
		"sub/e.yaml":  tagged("x")})
	if got := packsOf(t, plan.Options{Dir: dir, Args: []string{"."}}); got != "c android, b android" {
		t.Error(got)
	}
	if got := packsOf(t, plan.Options{Dir: dir, Args: []string{"a.yaml"}}); got != "a android" {
		t.Errorf("a file alone ignores tags: %s", got)
	}
}

func TestSequenceOfAConfig(t *testing.T) {
	for more, want := range map[string]string{"": "b  | c  | a ", ", continueOnFailure: true": "b  | c  | a ",
		", continueOnFailure: false": "b flows | c flows | a "} {
		dir := folder(t, map[string]string{"flows/a.yaml": aFlow, "flows/b.yaml": aFlow,
			"flows/c.yaml":      "appId: a\nname: Third\n---\n- back\n",
			"flows/config.yaml": "executionOrder: {flowsOrder: [b, Third]" + more + "}\n"})
		p, err := plan.Build(plan.Options{Dir: dir, Args: []string{"flows"}, Files: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range p.Cases {
			got = append(got, c.Pack+" "+c.Test.Sequence)
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("%q: %q, want %q", more, got, want)
		}
	}
}

// TestOrderOfAConfig: a flow is found by its name, one without a name by its file; the order ends at the first name
// that does not exist.
func TestOrderOfAConfig(t *testing.T) {
	for order, want := range map[string]string{
		"[c, b]": `"flowsOrder" starts with "c"`, "[Third, b]": "c | b | a", "[b, nobody, Third]": "b | a | c",
		"[nobody]": "a | b | c", "[b, b, Third]": "a | b | c",
		"[nobody, b]": `config.yaml:1:18: "flowsOrder" starts with "nobody"`,
	} {
		dir := folder(t, map[string]string{"flows/a.yaml": aFlow, "flows/b.yaml": aFlow,
			"flows/c.yaml": "appId: a\nname: Third\n---\n- back\n", "other/b.yaml": aFlow,
			"flows/config.yaml": "executionOrder: {flowsOrder: " + order + "}\n"})
		p, err := plan.Build(plan.Options{Dir: dir, Args: []string{"flows"}, Files: true})
		var got []string
		if err != nil {
			got = append(got, err.Error())
		} else {
			for _, c := range p.Cases {
				got = append(got, c.Pack)
			}
		}
		if all := strings.Join(got, " | "); all != want && !(err != nil && strings.Contains(all, want)) {
			t.Errorf("%s: %q, want %q", order, all, want)
		}
	}
}

func TestConfigOfFlowsWarns(t *testing.T) {
	dir := folder(t, map[string]string{"flows/a.yaml": aFlow,
		"flows/config.yaml": "testOutputDir: build/out\nflow: ['*']\n", "plain/a.yaml": aFlow,
		"plain/config.yaml": "flows: ['*']\n"})
	p, err := plan.Build(plan.Options{Dir: dir, Args: []string{"flows"}})
	if err != nil || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0].Error(),
		`flows/config.yaml:2:1: the key "flow"`) {
		t.Errorf("%v, %v", p.Warnings, err)
	}
	for args, want := range map[string]string{"flows": filepath.Join(dir, "build", "out"), "plain": "", "flows/a.yaml": "",
		"nowhere": ""} {
		if got := plan.OutputDir(dir, []string{args}); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestTagsOfTheCommandLine(t *testing.T) {
	dir := folder(t, map[string]string{"a.yaml": tagged("x"), "b.yaml": tagged("y"),
		"t.yaml": "id: native\nplatform: web\ntags: [y]\nsteps: [{log: x}]\n"})
	if got := packsOf(t, plan.Options{Dir: dir, Args: []string{"a.yaml", "b.yaml"}, IncludeTags: []string{
		"y"}}); got != "b android" {
		t.Errorf("of several files: %s", got)
	}
	if got := packsOf(t, plan.Options{Dir: dir, Args: []string{"."}, IncludeTags: []string{
		"y"}}); got != "b android, native web" {
		t.Error(got)
	}
	if got := packsOf(t, plan.Options{Dir: dir, Args: []string{"."}, ExcludeTags: []string{"y"}}); got != "a android" {
		t.Error(got)
	}
}

func TestFlowsOfOneNameGetIDsOfTheirOwn(t *testing.T) {
	dir := folder(t, map[string]string{"x/log in.yaml": aFlow, "y/log in.yaml": aFlow})
	if got := packsOf(t,
		plan.Options{
			Dir: dir, Args: []string{"x/log in.yaml", "y/log in.yaml"}}); got != "x-log-in android, y-log-in android" {
		t.Error(got)
	}
}

func TestMistakeInOneFlowStopsAll(t *testing.T) {
	dir := folder(t, map[string]string{"a.yaml": aFlow, "b.yaml": "appId: a\n---\n- tapOm: x\n"})
	_, err := plan.Build(plan.Options{Dir: dir, Args: []string{"."}, Files: true})
	if err == nil || !strings.Contains(err.Error(), "b.yaml:3:3: unknown command") {
		t.Error(err)
	}
}

func TestTestRunsAFlow(t *testing.T) {
	dir := folder(t,
		map[string]string{"go.mod": "", "t.yaml": "id: t\nplatform: android\nsteps:\n  - run: {file: flows/a.yaml, with: " +
			"{USER: ada}}\n", "flows/a.yaml": "appId: a\n---\n- runFlow: b.yaml\n", "flows/b.yaml": aFlow})
	p, err := plan.Build(plan.Options{Dir: dir, Args: []string{"t.yaml"}, Files: true})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for s := range p.Cases[0].Test.Steps.All {
		names = append(names, s.Def.Name)
	}
	if !slices.Equal(names, []string{"run", "flow", "runFlow", "back"}) {
		t.Error(names)
	}
}

func TestUploadedFlowReadsOnlyItsSuite(t *testing.T) {
	dir := folder(t, map[string]string{"in/go.mod": "", "secret.yaml": aFlow})
	_, err := plan.Build(plan.Options{Dir: filepath.Join(dir, "in"), Inline: []plan.Source{
		{Name: "sent.yaml", Text: []byte("appId: a\n---\n- runFlow: ../secret.yaml\n")}}})
	if err == nil || !strings.Contains(err.Error(), "outside") {
		t.Error(err)
	}
}
