package plan

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// needed finds the tests that others need, and the order in which they run.
type needed struct {
	l        *loader
	byID     map[string]*dsl.Test // exactly as it is written
	library  *library             // of the whole project; nil: not read yet
	added    []*dsl.Test          // those that the arguments do not name
	path     []*dsl.Test          // that are being resolved
	resolved map[*dsl.Test]bool
	problems []error
}

// addNeeded adds the tests that the tests need, directly or not. It finds them by their ids in the whole project.
func addNeeded(o Options, w *owns, tests []*dsl.Test) (added []*dsl.Test, problems []error) {
	n := &needed{l: newLoader(o, w), byID: map[string]*dsl.Test{}, resolved: map[*dsl.Test]bool{}}
	for _, t := range tests {
		n.byID[t.ID] = t
	}
	for _, t := range tests {
		n.resolve(t)
	}
	return n.added, n.problems
}

func (n *needed) resolve(t *dsl.Test) {
	if n.resolved[t] {
		return
	}
	n.path = append(n.path, t)
	for i := range t.Needs {
		other, err := n.find(t, i)
		switch {
		case err != nil:
			n.problems = append(n.problems, err)
		case slices.Contains(n.path, other):
			var ids []string
			for _, p := range n.path[slices.Index(n.path, other):] {
				ids = append(ids, p.ID)
			}
			n.problems = append(n.problems, wrongNeed(t, i,
				"the tests need each other: "+strings.Join(append(ids, other.ID), " → "), "remove one of these needs"))
		default:
			n.resolve(other)
		}
	}
	n.path = n.path[:len(n.path)-1]
	n.resolved[t] = true
}

func wrongNeed(t *dsl.Test, nth int, msg, hint string) error {
	need := t.Needs[nth]
	return &source.Error{Pos: need.Pos, Source: t.Source, Width: len([]rune(need.ID)), Msg: msg, Hint: hint}
}

// find returns the test of an id.
func (n *needed) find(t *dsl.Test, nth int) (*dsl.Test, error) {
	need := t.Needs[nth]
	if other := n.byID[need.ID]; other != nil {
		return other, nil
	}
	if n.library == nil {
		all, err := n.l.all()
		if err != nil {
			return nil, err
		}
		n.library = &all
	}
	found := n.library.tests[need.ID]
	switch {
	case len(found) > 1:
		return nil, wrongNeed(t, nth, fmt.Sprintf("several tests have the id %q", need.ID),
			fmt.Sprintf("%s and %s; give one of them another id", found[0].IDPos, found[1].IDPos))
	case len(found) == 1:
		n.byID[need.ID] = found[0]
		n.added = append(n.added, found[0])
		return found[0], nil
	case n.library.broken[need.ID] != nil:
		return nil, n.library.broken[need.ID]
	}
	ids := slices.Sorted(maps.Keys(n.library.tests))
	hint := "needs names tests by their ids"
	if near := dsl.Suggest(need.ID, ids); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return nil, wrongNeed(t, nth, fmt.Sprintf("no test has the id %q", need.ID), hint)
}

// caseOf is the one case of each test that others need.
type caseOf map[string]Case // by the id

// resolveNeeds sets Case.Needs of the cases. planned are the cases of all tests, those that filters drop, too.
func resolveNeeds(planned map[*dsl.Test][]Case, cases []Case) (one caseOf, problems []error) {
	one = caseOf{}
	byID := map[string][]Case{}
	for _, list := range planned {
		if len(list) > 0 {
			byID[list[0].Test.ID] = list
		}
	}
	for left := slices.Clone(cases); len(left) > 0; left = left[1:] {
		c := left[0]
		for i, need := range c.Test.Needs {
			if _, known := one[need.ID]; known {
				continue
			}
			list := byID[need.ID]
			if len(list) == 1 && list[0].Row.N == 0 {
				one[need.ID] = list[0]
				left = append(left, list[0])
				continue
			}
			var names []string
			for _, l := range list {
				names = append(names, l.Pack)
			}
			if len(names) > 3 {
				names = append(names[:3], "…")
			}
			if len(list) > 0 {
				problems = append(problems, wrongNeed(c.Test, i,
					fmt.Sprintf("%q has several cases: %s", need.ID, strings.Join(names, ", ")),
					"a test that others need has one platform, one browser and no rows of data"))
			}
		}
	}
	return one, distinct(problems)
}

// with returns the cases with those that they need, directly or not, each before the first that needs it.
func (o caseOf) with(cases []Case) []Case {
	var all []Case
	done := map[string]bool{}
	var add func(c Case)
	add = func(c Case) {
		if done[c.Pack] {
			return
		}
		done[c.Pack] = true
		for _, need := range c.Test.Needs {
			if other, known := o[need.ID]; known {
				other.Needed = true
				add(other)
			}
		}
		_, c.Needed = o[c.Test.ID]
		all = append(all, c)
	}
	for _, c := range cases {
		add(c)
	}
	return all
}

// withoutNeeded returns the cases that no other one of them needs: the others follow from these.
func (o caseOf) withoutNeeded(cases []Case) []Case {
	needed := map[string]bool{}
	var mark func(c Case)
	mark = func(c Case) {
		for _, need := range c.Test.Needs {
			other, known := o[need.ID]
			if known && !needed[other.Pack] {
				needed[other.Pack] = true
				mark(other)
			}
		}
	}
	for _, c := range cases {
		mark(c)
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return needed[c.Pack] })
}

// NeedsOf returns the packs of the cases that a case needs, in its round of a run that repeats its tests.
func (c Case) NeedsOf() (packs []string) {
	for _, need := range c.Test.Needs {
		packs = append(packs, packOf(c, need.ID))
	}
	return packs
}

// packOf is the pack of a needed test in the round of a case.
func packOf(c Case, id string) string {
	if c.Round > 0 {
		return fmt.Sprintf("%s--rep-%d", id, c.Round)
	}
	return id
}

// all reads the tests below the default folder, also in excluded folders.
func (l *loader) all() (library, error) {
	all := newLoader(l.o, l.owns)
	from := defaultDir(l.o.Dir)
	if l.o.Everywhere {
		from = l.o.Dir
	}
	err := walkDir(from, all.visit)
	if err != nil {
		return library{}, &Usage{err.Error()}
	}
	found := library{tests: map[string][]*dsl.Test{}, broken: map[string]error{}}
	for _, file := range slices.Sorted(maps.Values(all.seen)) {
		tests, err := all.parseFile(file)
		if err != nil {
			found.broken[strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))] = err
			if conf, err := findConfig(filepath.Dir(file), l.o); err == nil && !conf.excludes(file, "") {
				found.unread = append(found.unread, l.show(file))
			}
		}
		for _, t := range tests {
			found.tests[t.ID] = append(found.tests[t.ID], t)
		}
	}
	return found, nil
}
