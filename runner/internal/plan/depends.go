package plan

import (
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// DependsOn reports whether a case depends on a changed file: that of the test, the blocks and data that it reads, what
// its steps name, its baselines, and the taproot.yaml of a folder above it. dir is the working folder, changed reports
// whether a file has changed, and all are the changed files.
func (c Case) DependsOn(dir string, changed func(file string) bool, all []string) bool {
	if changed(absolute(dir, c.Test.Pos.File)) {
		return true
	}
	for _, file := range c.Reads {
		if changed(file) {
			return true
		}
	}
	for _, ref := range c.Test.Files() {
		if changed(filepath.Join(c.Dir, filepath.FromSlash(ref.Path))) {
			return true
		}
	}
	for at := c.Dir; ; at = filepath.Dir(at) {
		for _, name := range configNames {
			if changed(filepath.Join(at, name)) {
				return true
			}
		}
		if isRoot(at) || filepath.Dir(at) == at {
			break
		}
	}
	baselines := realPath(c.Dir) + string(filepath.Separator) + "baselines" + string(filepath.Separator)
	for _, file := range all {
		if strings.HasPrefix(file, baselines) && c.comparesWith(filepath.Base(file)) {
			return true
		}
	}
	return false
}

// comparesWith reports whether a step compares the screen with a baseline; its file has the name of the step, and what
// the screen is like.
func (c Case) comparesWith(file string) bool {
	found := false
	var look func(dsl.Steps)
	look = func(steps dsl.Steps) {
		for step := range steps.All {
			if step.Block != nil {
				look(step.Block.Steps)
			}
			if _, compares := step.Def.Args.(dsl.AssertScreenshot); !compares {
				continue
			}
			name := step.Args.Text
			if f, given := step.Args.Get("name"); given {
				name = f.Value.Text
			}
			found = found || strings.Contains(name, "${") || strings.HasPrefix(file, name)
		}
	}
	for _, steps := range []dsl.Steps{c.Test.Before, c.Test.Steps, c.Test.OnFailure, c.Test.After} {
		look(steps)
	}
	return found
}

// changedOnly keeps the cases that depend on a change, or need one that does.
func (o caseOf) changedOnly(cases []Case, changed func(Case) bool) (kept []Case) {
	known := map[string]bool{}
	var is func(Case) bool
	is = func(c Case) bool {
		if is, asked := known[c.Pack]; asked {
			return is
		}
		known[c.Pack] = changed(c)
		for _, need := range c.Test.Needs {
			if other, found := o[need.ID]; found && is(other) {
				known[c.Pack] = true
			}
		}
		return known[c.Pack]
	}
	for _, c := range cases {
		if is(c) {
			kept = append(kept, c)
		}
	}
	return kept
}
