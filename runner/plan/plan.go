package plan

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/dsl"
)

// Options say which tests to plan.
type Options struct {
	// Dir is the folder that relative paths start from and places in messages are relative to.
	Dir string
	// Args are files, folders or test ids; none: the folder suites, or Dir without one.
	Args []string
	// Platform keeps the cases of one platform; empty: all.
	Platform dsl.Platform
	// Labels is a Ginkgo label filter over tags and platform; empty: all.
	Labels string
	// Vars override the vars of every test.
	Vars map[string]string
	// Env reads the process environment, for vars whose value names it.
	Env func(string) (string, bool)
}

// Plan is what will run.
type Plan struct {
	Cases []Case
	// Tests is how many tests were read, filtered ones too.
	Tests int
	// Left out by a filter: the cases that Platform and Labels dropped.
	Filtered int
}

// Case is one test on one platform.
type Case struct {
	Test     *dsl.Test
	Platform dsl.Platform
	Dir      string   // folder of the test's file, absolute
	Pack     string   // folder of its report pack, unique in the run
	Labels   []string // tags and the platform
	Vars     map[string]string
	Env      func(string) (string, bool)
}

// Scope makes the variables of the case, fresh for one run of it.
func (c *Case) Scope() (*dsl.Scope, error) { return dsl.NewScope(c.Test, c.Vars, c.Env) }

// Usage is an error in what the user asked for, as against one in a test file.
type Usage struct{ Msg string }

func (e *Usage) Error() string { return e.Msg }

// Build reads the tests and plans their cases. The error holds everything that is wrong with any of the files.
func Build(o Options) (*Plan, error) {
	keep, err := filter(o)
	if err != nil {
		return nil, err
	}
	tests, err := load(o)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Tests: len(tests)}
	var problems []error
	for _, t := range tests {
		cases := casesOf(t, o)
		if err := check(cases[0]); err != nil {
			problems = append(problems, err)
			continue
		}
		for _, c := range cases {
			if keep(c) {
				plan.Cases = append(plan.Cases, c)
			} else {
				plan.Filtered++
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return plan, nil
}

// casesOf gives a case for each platform of the test.
func casesOf(t *dsl.Test, o Options) []Case {
	platforms := []dsl.Platform{t.Platform}
	if t.Platform == dsl.Both {
		platforms = []dsl.Platform{dsl.Android, dsl.IOS}
	}
	file := filepath.FromSlash(t.Pos.File)
	if !filepath.IsAbs(file) {
		file = filepath.Join(o.Dir, file)
	}
	var cases []Case
	for _, p := range platforms {
		c := Case{Test: t, Platform: p, Dir: filepath.Dir(file), Pack: t.ID, Vars: o.Vars, Env: o.Env}
		if len(platforms) > 1 {
			c.Pack = t.ID + "--" + string(p)
		}
		c.Labels = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(t.Tags), string(p)))))
		cases = append(cases, c)
	}
	return cases
}

// check finds, before anything runs, every variable that cannot be resolved.
func check(c Case) error {
	scope, err := c.Scope()
	if err != nil {
		return err
	}
	return dsl.CheckVars(c.Test, scope)
}

// filter compiles the filters into one test over cases.
func filter(o Options) (func(Case) bool, error) {
	switch o.Platform {
	case "", dsl.Android, dsl.IOS, dsl.Web:
	default:
		return nil, &Usage{fmt.Sprintf("platform %q is not known: use android, ios or web", o.Platform)}
	}
	labels, err := types.ParseLabelFilter(o.Labels)
	if err != nil {
		return nil, &Usage{fmt.Sprintf("label filter %q: %s", o.Labels, strings.TrimSpace(err.Error()))}
	}
	return func(c Case) bool {
		return (o.Platform == "" || c.Platform == o.Platform) && (o.Labels == "" || labels(c.Labels))
	}, nil
}

// unique refuses two tests of one id: their packs would be one folder, also on disks that ignore case.
func unique(tests []*dsl.Test) error {
	first := map[string]*dsl.Test{}
	var problems []error
	for _, t := range tests {
		key := strings.ToLower(t.ID)
		if other := first[key]; other != nil {
			problems = append(problems, &dsl.Error{Pos: t.IDPos, Source: t.Source, Width: len([]rune(t.ID)),
				Msg:  fmt.Sprintf("the id %q is taken", t.ID),
				Hint: fmt.Sprintf("%s has it, too; give one of them another id", other.IDPos)})
			continue
		}
		first[key] = t
	}
	return errors.Join(problems...)
}

// order is by file, then by place in the file.
func order(a, b *dsl.Test) int {
	return cmp.Or(cmp.Compare(filepath.ToSlash(a.Pos.File), filepath.ToSlash(b.Pos.File)), cmp.Compare(a.Pos.Line, b.Pos.Line))
}
