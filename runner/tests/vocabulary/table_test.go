package vocabulary

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/expr-lang/expr"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

// TestTable runs every cell: action × platform, each with a test that passes and has its effect, and one that fails as
// it should. The cells of a platform share its driver; each lane has a device of its own. In the short mode, there are
// those that remain says.
func TestTable(t *testing.T) {
	cells := readCells(t)
	for platform, start := range benches(t) {
		t.Run(string(platform), func(t *testing.T) {
			t.Parallel() // platforms share nothing
			lanes := start(t)
			t.Cleanup(func() {
				if err := lanes[0].driver.Close(); err != nil {
					t.Error(err)
				}
			})
			var own []cell
			chosen := map[string]bool{}
			for _, c := range cells {
				kind := fmt.Sprint(c.action, c.passes)
				if c.platform == platform && !(testing.Short() && (chosen[kind] || !remains(c))) {
					own = append(own, c)
					chosen[kind] = true
				}
			}
			for i, b := range lanes {
				t.Run(b.id, func(t *testing.T) {
					t.Parallel()
					for n, c := range own {
						if n%len(lanes) == i {
							t.Run(c.action+"/"+strings.TrimPrefix(c.name, string(platform)+" "), func(t *testing.T) { b.run(t, c) })
						}
					}
				})
			}
		})
	}
}

// remains reports whether the first such cell of its action and platform is run in the short mode. On Android all are
// that pass, and those that do not of the assertions and of what most tests do. What does without a device, and what
// does not pass, is the same on iOS. On pages, each of which takes the time of ten cells on phones, it is what every
// test does; the rest of them is tried by the tests of packages web and action.
func remains(c cell) bool {
	switch every := slices.Contains([]string{"tap", "input", "assert", "webAssert"}, c.action); c.platform {
	case dsl.Android:
		return every || c.passes || strings.HasPrefix(c.action, "assert") ||
			slices.Contains([]string{"launch", "scrollTo", "longPress", "waitFor", "http", "extract", "shell", "exec",
				"install"}, c.action)
	case dsl.IOS:
		return c.passes && !deviceless(c.action)
	case dsl.Web:
		return every || c.passes && slices.Contains([]string{"openBrowser", "webClick", "webType", "webRoute", "webDownload",
			"webTab"}, c.action)
	}
	return true
}

// deviceless are the actions for which the engine needs no device.
func deviceless(action string) bool {
	return slices.Contains([]string{"assertTrue", "exec", "forEach", "group", "http", "log", "on", "repeat", "retry",
		"run", "set", "sleep", "try", "waitForMail"}, action)
}

// run runs the cell on the bench's device and looks at how it ended and what it did.
func (b bench) run(t *testing.T, c cell) {
	path := c.write(t, b.site)
	if c.options["baselines-first"] != "" {
		if result, kept, _ := b.once(t, c, path, "first"); result != event.Pass {
			t.Fatalf("%s with --update-baselines: %s", result, kept.problem())
		}
	}
	result, kept, env := b.once(t, c, path, "second")
	want := event.Pass
	if !c.passes {
		want = c.result
	}
	if result != want {
		t.Fatalf("%s, want %s: %s\n%s", result, want, kept.problem(), c.steps)
	}
	for _, words := range c.says {
		if !strings.Contains(kept.problem(), words) {
			t.Errorf("the problem does not say %q: %s", words, kept.problem())
		}
	}
	if c.result == event.Fail && !documented(c, kept.problem()) {
		t.Errorf("the page of %s has no such message: %s", c.action, kept.problem())
	}
	for _, effect := range c.effects {
		if env[effect] != true {
			t.Errorf("%s: %v\n%s", effect, env[effect], env["facts"])
		}
	}
}

// documented reports whether the page of an action in the cell has the message of its failure: the step that fails may
// be an inner one. Other names of actions have no pages.
func documented(c cell, problem string) bool {
	return slices.ContainsFunc(dsl.Vocabulary(), func(def dsl.Def) bool {
		if !strings.Contains(c.steps, def.Name+":") {
			return false
		}
		for _, f := range def.Page().Fails {
			if hasParts(problem, strings.Split(f.Message, "…")) {
				return true
			}
		}
		return def.Current != ""
	})
}

// hasParts reports whether a text contains all parts in their order.
func hasParts(text string, parts []string) bool {
	for _, part := range parts {
		_, after, found := strings.Cut(text, strings.TrimSpace(part))
		if !found {
			return false
		}
		text = after
	}
	return true
}

// patience is how long steps wait that say nothing themselves: the time that a slow machine takes. Those that fail by
// waiting say it.
const patience = time.Minute

// once runs it once, and returns the value of each effect.
func (b bench) once(t *testing.T, c cell, path, run string) (event.Result, *record, map[string]any) {
	planned, err := plan.Build(plan.Options{Dir: filepath.Dir(path), Args: []string{path}, Platform: c.platform,
		Vars: map[string]string{"RUN": run}})
	if err != nil || len(planned.Cases) != 1 {
		t.Fatalf("%v\n%s", err, c.steps)
	}
	dev, err := b.driver.Open(t.Context(), b.id)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := dev.Close(); err != nil && c.passes {
			t.Errorf("close: %v", err)
		}
	}()
	b.ready(c)
	kept := newRecord(t)
	o := engine.Options{NoTrace: true, NoVideo: c.options["film"] == "", Timeout: patience,
		AllowShell:      c.options["allow-shell"] != "",
		Exec:            programs(t, c),
		UpdateBaselines: c.options["baselines-first"] != "" && run == "first"}
	if c.options["no-vision"] == "" {
		o.Vision = fakeVision{c.sees}
	}
	// What a page shows can be asked as long as it is open; what the report holds, at the end.
	values := map[string]any{}
	asksPage := slices.ContainsFunc(c.effects, func(effect string) bool { return strings.Contains(effect, "js(") })
	kept.stepped = func() {
		if !asksPage {
			return
		}
		if a, ok := dev.(drivers.Alerter); ok {
			if open, err := a.Alert(t.Context()); err != nil || open != nil {
				return // a page with an open dialog does not respond
			}
		}
		env := with(b.facts(t.Context(), dev), kept.facts())
		for _, effect := range c.effects {
			if strings.Contains(effect, "js(") {
				values[effect] = holds(effect, env)
			}
		}
	}
	result, err := engine.Run(t.Context(), planned.Cases[0], dev, kept, o)
	if err != nil {
		t.Fatal(err)
	}
	if b.done != nil {
		b.done()
	}
	env := with(b.facts(t.Context(), dev), kept.facts())
	for _, effect := range c.effects {
		if !strings.Contains(effect, "js(") {
			values[effect] = holds(effect, env)
		}
	}
	delete(env, "files")
	values["facts"] = fmt.Sprintf("%.1500q", fmt.Sprint(env))
	return result, kept, values
}

// programs lets the programs of a cell run.
func programs(t *testing.T, c cell) *start.Options {
	if c.options["allow-exec"] == "" {
		return nil
	}
	return &start.Options{Records: filepath.Join(t.TempDir(), "records"), Environ: os.Environ()}
}

// holds returns the value of an effect, true when it holds, or why it has none.
func holds(effect string, env map[string]any) any {
	value, err := expr.Eval(effect, env)
	if err != nil {
		return err
	}
	return value
}

// aimless are the actions that leave nothing on a device or page that could be looked at: they wait, look, or speak to
// the report, and their cells prove themselves by failing and passing.
func aimless(action string) bool {
	return slices.Contains([]string{"assert", "assertNot", "assertElement", "assertTrue", "assertApp", "assertLog",
		"assertVisual",
		"waitStable", "waitFor", "webWait", "webAssert"}, action)
}

// TestTableIsWhole wants, for each action and each platform that it claims and that has a driver, a test that passes,
// an effect, and a test that does not; and each key of each action in a test.
func TestTableIsWhole(t *testing.T) {
	type count struct{ passes, fails, effects int }
	have := map[string]*count{}
	used := map[string]bool{}
	for _, c := range readCells(t) {
		def, known := dsl.Lookup(c.action)
		if !known || !def.On(c.platform) {
			t.Errorf("%s: %s does not claim %s", c.source, c.action, c.platform)
			continue
		}
		key := c.action + " on " + string(c.platform)
		if have[key] == nil {
			have[key] = &count{}
		}
		n := have[key]
		if c.passes {
			n.passes++
		} else {
			n.fails++
		}
		n.effects += len(c.effects)
		if !uses(t, c, def, used) {
			t.Errorf("%s: %s does not use %s", c.source, c.name, c.action)
		}
	}
	platforms := slices.Sorted(maps.Keys(benches(t)))
	for _, d := range run.Drivers(run.Config{}) {
		if !slices.Contains(platforms, d.Platform()) {
			t.Errorf("there is a driver for %s, and no bench that proves what it claims", d.Platform())
		}
	}
	for _, def := range dsl.Vocabulary() {
		for _, platform := range platforms {
			if !def.On(platform) || def.Interfaces&dsl.YAML == 0 {
				continue
			}
			n := have[def.Name+" on "+string(platform)]
			switch {
			case n == nil:
				t.Errorf("%s claims %s and has no cells", def.Name, platform)
			case n.passes == 0 || n.fails == 0:
				t.Errorf("%s on %s has %d tests that pass and %d that do not", def.Name, platform, n.passes, n.fails)
			case n.effects == 0 && !aimless(def.Name):
				t.Errorf("%s on %s: no test looks at what it did", def.Name, platform)
			}
		}
		for _, key := range dsl.Keys(def.Args) {
			if !used[def.Name+"."+key] && !used["selector."+key] {
				t.Errorf("no test uses %s of %s", key, def.Name)
			}
		}
	}
	for _, key := range slices.Concat(dsl.Keys(dsl.Selector{}), dsl.Keys(dsl.StepOptions{})) {
		if !used["selector."+key] && !used["option."+key] {
			t.Errorf("no test uses the key %s", key)
		}
	}
}

// uses notes every key that the cell's steps use, and reports whether its own action is among the steps.
func uses(t *testing.T, c cell, def *dsl.Def, used map[string]bool) bool {
	t.Helper()
	path := c.write(t, "http://127.0.0.1:9")
	planned, err := plan.Build(plan.Options{Dir: filepath.Dir(path), Args: []string{path}})
	if err != nil {
		t.Errorf("%s: %s: %v", c.source, c.name, err)
		return true
	}
	found := false
	options, selector := dsl.Keys(dsl.StepOptions{}), dsl.Keys(dsl.Selector{})
	for step := range planned.Cases[0].Test.Steps.All {
		found = found || step.Def.Name == def.Name
		own := dsl.Keys(reflect.Zero(reflect.TypeOf(step.Def.Args)).Interface())
		if step.Args.Kind != source.Map && step.Args.Kind != source.Null {
			for _, f := range step.Def.Fields() {
				used[step.Def.Name+"."+f.Key] = used[step.Def.Name+"."+f.Key] || f.Main
			}
		}
		for _, f := range step.Args.Fields {
			switch {
			case slices.Contains(own, f.Key):
				used[step.Def.Name+"."+f.Key] = true
				if slices.Contains(selector, f.Key) {
					used["selector."+f.Key] = true
				}
				nested(f.Value, selector, used)
			case slices.Contains(options, f.Key):
				used["option."+f.Key] = true
			case step.Def.Name == "set": // a variable
			case step.Def.Name == "on": // a device
			default:
				t.Error(fmt.Errorf("%s: %s: the key %s", c.source, c.name, f.Key))
			}
		}
	}
	return found
}

// nested notes the keys of selectors inside of selectors.
func nested(v source.Value, selector []string, used map[string]bool) {
	for _, f := range v.Fields {
		if slices.Contains(selector, f.Key) {
			used["selector."+f.Key] = true
		}
		nested(f.Value, selector, used)
	}
}
