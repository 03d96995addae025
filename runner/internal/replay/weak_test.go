package replay_test

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/result/event"
	found "github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/runner/internal/replay"
)

// phoneBefore and phoneAfter are a shop on a phone before and after an order; a dialog closes with it.
func phoneBefore() *screen.Tree {
	return treeOf(label("Shop"), label("Cart"), label("3 items"), button("Order", "shop:id/order"), field("Coupon", ""),
		&screen.Node{Type: "android.widget.CheckBox", Text: "Express", Checkable: true},
		&screen.Node{Type: "android.widget.Button", Text: "Pay", Disabled: true, Clickable: true},
		label("Row"), label("Row"), label("Loading"))
}

func phoneAfter() *screen.Tree {
	return treeOf(label("Shop"), label("Thank you"), label("Order 7"), button("Home", "shop:id/home"), label("0 items"),
		&screen.Node{Type: "android.widget.CheckBox", Text: "Express", Checkable: true, Checked: true},
		&screen.Node{Type: "android.widget.Button", Text: "Pay", Clickable: true}, label("Row"), label("Row"), label("Row"),
		&screen.Node{Type: "android.widget.EditText", Text: "SAVE10", Hint: "Coupon", ID: "shop:id/coupon", Editable: true})
}

// pageOf is the same shop as a page.
func pageOf(t *screen.Tree) *screen.Tree {
	types := map[string]string{"android.widget.TextView": "p", "android.widget.Button": "button",
		"android.widget.EditText": "input", "android.widget.CheckBox": "input", "android.widget.FrameLayout": "body"}
	var of func(n *screen.Node) *screen.Node
	of = func(n *screen.Node) *screen.Node {
		same := *n
		same.Type, same.ID, same.Children = types[n.Type], strings.TrimPrefix(n.ID, "shop:id/"), nil
		for _, c := range n.Children {
			same.Children = append(same.Children, of(c))
		}
		return &same
	}
	page := screen.NewTree([]*screen.Node{of(t.Windows[0])}, image.Pt(1080, 2400), noon)
	page.HitTested = true
	return page
}

// TestWeak: 30 assertions that can fail and 30 that cannot, on phones and pages, are distinguished.
func TestWeak(t *testing.T) {
	t.Parallel()
	strong := []string{"assert: Thank you", "assert: Order 7", "assert: {id: home}", "assert: 0 items",
		"assert: {label: Express, checked: true}", "assert: {label: Pay, enabled: true}", "assert: {label: Row, count: 3}",
		"assert: {type: EditText, value: SAVE10}", "assertNot: Loading", "assertNot: Cart", "assertNot: 3 items",
		"assertElement: {label: Thank you, visible: true}", "assertElement: {label: Express, is: {checked: true}}",
		"assertElement: {label: Loading, visible: false}", "assert: {label: Loading, count: 0}"}
	weak := []string{"assert: Shop", "assert: {type: CheckBox}", "assert: {label: Shop, first: true}", "assert: Row",
		"assert: {label: Pay}", "assert: {label: Express}", "assert: {label: Shop, count: 1}", "assertNot: Error",
		"assertNot: {id: crash}", "assertNot: {label: Row, count: 7}", "assertElement: {label: Shop, visible: true}",
		"assertElement: {label: Error, visible: false}", "assert: {label: Error, count: 0}",
		"assertElement: {label: Row, first: true, count: 1}", "assert: {label: Sh, match: prefix}"}
	for _, platform := range []event.Platform{event.Android, event.Web} {
		before, after := phoneBefore(), phoneAfter()
		if platform == event.Web {
			before, after = pageOf(before), pageOf(after)
		}
		kinds := strings.NewReplacer("type: EditText", "type: input", "type: CheckBox", "type: input")
		for _, yaml := range slices.Concat(strong, weak) {
			if platform == event.Web {
				yaml = kinds.Replace(yaml)
			}
			open := "launch: com.example.shop"
			if platform == event.Web {
				open = "openBrowser: {url: 'https://example.com'}"
			}
			run := t.TempDir()
			dir := report{id: "shop", platform: platform, steps: []step{{yaml: open}, {yaml: "assert: Cart", tree: before},
				{yaml: "tap: Order", tree: before}, {yaml: "assert: Order 7", tree: after}, {yaml: yaml, tree: after}}}.write(t,
				run)
			w, err := replay.Reports{}.Weak([]string{dir})
			if err != nil {
				t.Fatal(err)
			}
			isWeak := slices.ContainsFunc(w.Findings, func(f found.Weak) bool { return f.Step == 5 })
			want := slices.ContainsFunc(weak, func(s string) bool { return s == yaml || kinds.Replace(s) == yaml })
			if isWeak != want {
				t.Errorf("%s, %s: weak is %v, want %v: %+v", platform, yaml, isWeak, want, w)
			}
		}
	}
}

// TestWeakExpressions: an assertTrue is weak when no value makes it false.
func TestWeakExpressions(t *testing.T) {
	t.Parallel()
	for yaml, weak := range map[string]bool{
		"assertTrue: total > 5": false, "assertTrue: name == 'Ada'": false, "assertTrue: len(rows) > 0": false,
		"assertTrue: a != b": false, "assertTrue: device.os == 'android'": false, "assertTrue: ok": false,
		"assertTrue: name startsWith 'A'": false, "assertTrue: \"'x' in rows\"": false,
		"assertTrue: 1 == 1": true, "assertTrue: total == total": true, "assertTrue: len(rows) >= 0": true,
		"assertTrue: a == b || a != b": true, "assertTrue: total > 5 || total <= 5": true, "assertTrue: true": true,
	} {
		dir := report{id: "x", steps: []step{{yaml: "launch: a"}, {yaml: yaml}}}.write(t, t.TempDir())
		w, err := replay.Reports{}.Weak([]string{dir})
		if err != nil || (w.Weak == 1) != weak || w.Assertions != 1 {
			t.Errorf("%s: %+v %v, want weak %v", yaml, w, err, weak)
		}
	}
}

// TestWeakTests: the first assertion of a test, tests without an assertion at their end, and tests that pass without
// their last action.
func TestWeakTests(t *testing.T) {
	t.Parallel()
	run := t.TempDir()
	home := treeOf(label("Shop"), button("Order", "o"))
	end := treeOf(label("Shop"), label("Done"))
	var dirs []string
	for i := range 3 {
		dirs = append(dirs, report{id: fmt.Sprintf("other-%d", i), steps: []step{{yaml: "launch: a"},
			{yaml: "assert: Order", tree: home}, {yaml: "tap: Order", tree: home}, {yaml: "assert: Done", tree: end}}}.write(t,
			run))
	}
	dirs = append(dirs,
		report{id: "first", steps: []step{{yaml: "launch: a"}, {yaml: "assert: Shop", tree: home},
			{yaml: "assert: Order", tree: home}}}.write(t, run),
		report{id: "blind", steps: []step{{yaml: "launch: a"}, {yaml: "assert: Order", tree: home},
			{yaml: "tap: Order", tree: home}}}.write(t, run),
		report{id: "idle", steps: []step{{yaml: "launch: a"}, {yaml: "assert: Order", tree: home},
			{yaml: "tap: Shop", tree: home}, {yaml: "assert: Order", tree: home}}}.write(t, run),
		report{id: "waits", steps: []step{{yaml: "launch: a"}, {yaml: "tap: Order", tree: home},
			{yaml: "waitFor: Done", tree: end}}}.write(t, run),
		report{id: "failed", result: event.Fail, steps: []step{{yaml: "launch: a"},
			{yaml: "assert: Shop", tree: home}}}.write(t, run))
	w, err := replay.Reports{}.Weak(dirs)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range w.Findings {
		got = append(got, fmt.Sprintf("%s %d %s", f.Test, f.Step, f.Kind))
		if f.Why == "" || !strings.Contains(f.Frame, "/artifacts/frames.ndjson#step=") || f.Line == 0 {
			t.Errorf("%+v", f)
		}
	}
	slices.Sort(got)
	want := []string{"blind 3 no-assertion", "first 2 held-elsewhere", "idle 3 action-not-shown", "idle 4 held-before"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if w.Assertions != 12 || w.Weak != 2 || w.Strength != 83 {
		t.Errorf("%d of %d weak, strength %d", w.Weak, w.Assertions, w.Strength)
	}
	if _, err := (replay.Reports{}).Weak([]string{filepath.Join(run, "none")}); err == nil {
		t.Error("a report that is not there has weak assertions")
	}
}

// TestWeakOfWhatIsNotKnown: nothing is reported that depends on what is not in the steps of a report, or on steps of
// Maestro.
func TestWeakOfWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	home, end := treeOf(label("Shop"), button("Order", "o")), treeOf(label("Shop"), label("Done"))
	then := func(more ...step) []step {
		return append([]step{{yaml: "launch: a"}, {yaml: "assert: Order", tree: home}, {yaml: "tap: Order", tree: home}},
			more...)
	}
	shop := step{yaml: "assert: Shop", tree: end}
	const inGo = "suites/shop_test.go"
	for name, c := range map[string]struct {
		file  string
		steps []step
		want  string
	}{
		"blind":                  {"", then(), "no-assertion"},
		"blind in Go":            {inGo, then(), ""},
		"idle":                   {"", then(step{yaml: "waitFor: Shop", tree: end}), "held-before action-not-shown"},
		"idle in Go":             {inGo, then(step{yaml: "waitFor: Shop", tree: end}), ""},
		"weak in Go":             {inGo, then(shop), "held-before"},
		"a request":              {"", then(step{yaml: "http: {url: 'https://a.example'}"}), "no-assertion"},
		"a request that expects": {"", then(step{yaml: "http: {url: 'https://a.example', expect: {status: 200}}"}), ""},
		"a flow that asserts":    {"", then(step{yaml: "assertVisible: Done", foreign: true}), ""},
		"after a flow that taps": {"", then(step{yaml: "tapOn: Order", foreign: true}, shop), ""},
		"after one that asserts": {"", then(step{yaml: "assertVisible: Done", foreign: true}, shop), "held-before"},
	} {
		dir := report{id: "shop", file: c.file, steps: c.steps}.write(t, t.TempDir())
		w, err := replay.Reports{}.Weak([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range w.Findings {
			got = append(got, f.Kind)
		}
		slices.Sort(got)
		want := strings.Fields(c.want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q: %+v", name, got, want, w)
		}
	}
}
