// Package lint finds what a test may contain and yet hardly means: a test goes in, warnings with their places come out.
package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/check"
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Test finds what is allowed in a test and yet hardly meant: variables that nothing uses, steps that can never be run,
// sleeps, tests that cannot fail, tests of pages that open none, variables as other tools write them, and CSS where a
// label is read. Link comes first, where the test runs other files.
func Test(t *vocabulary.Test) []*source.Error {
	if len(t.Steps) == 1 && t.Steps[0].Says != nil {
		return t.Warnings // of another language
	}
	l := linter{test: t}
	l.unusedVars()
	for _, steps := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		l.steps(steps)
	}
	l.unusedBlocks()
	l.optionalOnly()
	l.noPage()
	errs, _ := source.Errors(l.found).Err().(source.Errors)
	return errs
}

type linter struct {
	test  *vocabulary.Test
	found []*source.Error
}

func (l *linter) warn(pos source.Pos, src *source.Source, width int, msg, hint string) {
	l.found = append(l.found, &source.Error{Pos: pos, Source: src, Width: width, Msg: msg, Hint: hint})
}

func (l *linter) unusedVars() {
	t := l.test
	used := map[string]bool{}
	for _, v := range t.Vars {
		for name := range vocabulary.TextNames(source.Value{Kind: source.String, Text: v.Value}) {
			if name != v.Name {
				used[name] = true
			}
		}
	}
	for _, steps := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		for step := range steps.All {
			maps.Copy(used, step.Uses())
			if step.Block != nil {
				maps.Copy(used, step.Block.Uses())
			}
		}
		if len(check.ReferencesIn(steps)) > 0 {
			return // a file that is not linked may use any of them
		}
	}
	for _, v := range t.Vars {
		if !used[v.Name] {
			l.warn(v.Pos, t.Source, len([]rune(phrase.FirstLine(v.Value))), fmt.Sprintf("nothing uses the variable %q", v.Name),
				"remove it, or write ${"+v.Name+"} where it belongs")
		}
	}
}

// unusedBlocks warns of named blocks that no step runs; those of a test that is not linked may be run by a file that is
// not read.
func (l *linter) unusedBlocks() {
	used := map[string]bool{}
	for _, steps := range l.test.Lists() {
		for step := range steps.All {
			if f, given := step.Args.Get("block"); given {
				used[f.Value.Text] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.test.Blocks)) {
		if b := l.test.Blocks[name]; !used[name] {
			l.warn(b.Pos, l.test.Source, len([]rune(name)), fmt.Sprintf("no step runs the block %q", name),
				"remove it, or write - run: {block: "+name+"}")
		}
	}
}

func (l *linter) steps(steps vocabulary.Steps) {
	for step := range steps.All {
		if step.Says != nil {
			continue
		}
		if _, sleep := step.Def.Args.(vocabulary.Sleep); sleep {
			l.warn(step.Pos, step.File, len("sleep"), "a sleep is too long most of the time and too short one day",
				`write "- waitFor: …" with what the test is waiting for`)
		}
		l.time(step)
		l.otherTools(step)
		l.cssAsLabel(step)
		l.labelMeant(step)
		l.appNamed(step)
		l.packageKind(step)
		l.textAsCSS(step)
		l.unreachable(step)
	}
}

// time looks for waits that were given a time, and take it for the name of an element.
func (l *linter) time(step *vocabulary.Step) {
	key := "visible"
	switch step.Def.Args.(type) {
	case vocabulary.WaitFor:
	case vocabulary.WebWait:
		key = "selector"
	default:
		return
	}
	v := step.Args
	if _, meant, ok := phrase.ParseDuration(v.Text); !ok && meant == "" && v.Kind != source.Int && v.Kind != source.Float {
		return
	}
	l.warn(v.Pos, step.File, len([]rune(v.Text)), fmt.Sprintf("this waits for an element named %q, not for a time",
		v.Text),
		fmt.Sprintf("write sleep to wait for a time, or %s: {%s: %q} if that is its name", step.Def.Name, key, v.Text))
}

// unreachable looks for conditions that never change.
func (l *linter) unreachable(step *vocabulary.Step) {
	never := func(e expr.Expr, what string) {
		l.warn(e.Pos, step.File, len([]rune(phrase.FirstLine(e.Text))), "this is never true: "+what+" not run",
			"remove it, or correct the condition")
	}
	if e := step.Options.When; e != nil {
		if is, constant := l.constant(*e); constant && !is {
			never(*e, "the step is")
		}
	}
	for _, key := range []string{"cond", "while"} {
		f, given := step.Args.Get(key)
		if !given || vocabulary.FieldType(step.Def, key) != vocabulary.ExprType {
			continue
		}
		e := expr.Expr{Text: f.Value.Text, Pos: f.Value.Pos}
		is, constant := l.constant(e)
		_, otherwise := step.Args.Get("else")
		switch {
		case !constant:
		case !is:
			never(e, "the steps under it are")
		case key == "cond" && otherwise:
			l.warn(e.Pos, step.File, len([]rune(phrase.FirstLine(e.Text))),
				`this is always true: the steps under "else" are not run`, "remove them, or correct the condition")
		}
	}
	if f, given := step.Args.Get("times"); given && f.Value.Kind == source.Int && f.Value.Text == "0" {
		l.warn(f.Value.Pos, step.File, 1, "0 times: the steps under it are not run", "")
	}
	if f, given := step.Args.Get("in"); given && vocabulary.FieldType(step.Def, "in") == vocabulary.ItemsType &&
		f.Value.Kind == source.List &&
		len(f.Value.Items) == 0 {
		l.warn(f.Value.Pos, step.File, 1, "an empty list: the steps under it are not run", "")
	}
}

// constant evaluates an expression that depends on nothing but the platform.
func (l *linter) constant(e expr.Expr) (is, constant bool) {
	known := map[string]any{}
	if len(l.test.Platform.Each()) == 1 {
		known["platform"] = string(l.test.Platform)
	}
	return expr.ConstantOf(e, known)
}

// optionalOnly warns of a test in which every step may fail.
func (l *linter) optionalOnly() {
	t := l.test
	for step := range t.Leaves {
		if !step.Options.Optional {
			return
		}
	}
	for step := range t.Steps.All {
		if step.Def.Control() && len(step.Inner) == 0 && step.Block == nil {
			return // a file that is not linked
		}
	}
	l.warn(t.IDPos, t.Source, len([]rune(t.ID)), "this test cannot fail: every step is optional",
		`remove "optional: true" from what has to work`)
}
