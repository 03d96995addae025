// Package plan turns the arguments of a run (files, folders, test ids, filters) into the cases to run, in a
// deterministic order. It does not access devices.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
)

// Options say which tests to plan.
type Options struct {
	Everywhere bool // needed tests are searched for in all of Dir, not only in its suites: on hosts of a farm
	// Dir is the folder that relative paths start from and places in messages are relative to.
	Dir string
	// Args are files, folders or test ids; none: the folder suites, or Dir without one.
	Args []string
	// IDs are test ids, whatever files or folders have the same name.
	IDs []string
	// Inline are files of tests that are not on the disk: their paths start from Dir.
	Inline []Source
	// Platform keeps the cases of one platform; empty: all.
	Platform dsl.Platform
	// Browser is the browser for tests of pages that name none; empty: chromium.
	Browser string
	// Browsers are those of AllBrowsers: the installed ones.
	Browsers []string
	// Remote is the WebDriver server on which the tests run; nil: they run on this machine.
	Remote *dsl.RemoteServer
	// Labels is a Ginkgo label filter over tags and platform; empty: all.
	Labels string
	// IncludeTags and ExcludeTags keep the tests of folders that have one of the first, if there are any, and none of the
	// second. A flow of Maestro that is named alone is kept.
	IncludeTags, ExcludeTags []string
	// Vars override the vars of every test.
	Vars map[string]string
	// Environment is one of the suite's environments; empty: none.
	Environment string
	// Retries is how often a test that fails is run again, instead of the number in the test or its suite; nil: as they
	// say.
	Retries *int
	// Today is the day on which marks of known failures must be in force, as 2027-01-31; empty: all are.
	Today string
	// Env reads the process environment, for vars with a value that names one of its variables.
	Env func(string) (string, bool)
	// Files requires that the files that steps name exist. It must be off for uploaded tests, which could otherwise
	// find out which files exist.
	Files bool
	// Reads is called with each file other than the tests' own that the planning reads, possibly by several goroutines
	// at once; it may be nil.
	Reads func(file string)
	// Actions are own actions of a suite in Go.
	Actions []GoAction
	// AllActions wants each own action of the project to be right, used or not.
	AllActions bool
	// Choice selects from the cases that the filters keep: how many, how often and in which order.
	Choice Choice
}

// isInline reports whether a test was uploaded: no test file has the name of its file.
func (o Options) isInline(t *dsl.Test) bool {
	return slices.ContainsFunc(o.Inline, func(s Source) bool { return s.Name == t.Pos.File })
}

// Source is an uploaded file of tests.
type Source struct {
	Name string // for messages
	Text []byte
}

// Plan is the cases of a run.
type Plan struct {
	Cases []Case
	// Tests is the number of tests that were read, including those that the filters drop.
	Tests int
	// Left are the cases that Platform and Labels dropped, in the order of the files.
	Left []Case
	// Matched is the number of cases that the filters keep, Again the number of those that Choice.Only names (all, if
	// it names none).
	Matched, Again int
	// Split is how the shards were made by time; nil: by count.
	Split *Split

	options Options
	needed  caseOf // those that others need
	roots   []Case // those of Cases that the filters keep

	// Warnings are about settings in the config.yaml of a folder of flows that Maestro ignores, and about tests that are
	// not run in one of all browsers.
	Warnings []*source.Error
}

// Case is one test on one platform, with one row of its data.
type Case struct {
	Test     *dsl.Test
	Platform dsl.Platform
	Browser  string // of pages; empty: that of the driver
	// Devices are those of a test with several, with their browsers; Platform and Browser are those of the first one.
	Devices []dsl.Entry
	Dir     string   // folder of the test's file, absolute
	Pack    string   // folder of its report pack, unique in the run
	Twin    string   // what else a folder of that name could be; "": "attempt"
	Labels  []string // tags and the platform
	Row     dsl.Row  // of the test's data; the zero Row without any
	Suite   []dsl.Var
	Vars    map[string]string
	Env     func(string) (string, bool)
	Base    dsl.Config // with baseUrl, the site of paths in openBrowser, and evidence
	Servers []Server   // those of its suite, which must run; none for uploaded tests
	// Given are values of the run, such as ${start.shop.port}; a plan has none.
	Given map[string]any
	// Needed means that others need the case: what it saves is kept for them.
	Needed bool
	Round  int      // from 1, in a run that repeats its tests; 0 otherwise
	Hidden []string // secret values in Given
	Reads  []string // the files that the planning of the test has read, absolute
	// Outdated is the mark of a known failure that is no longer in force; nil: there is none.
	Outdated *event.Fails

	all bool // its browser is one of all, which the test does not name
}

// Scope makes new variables of the case for one run of it.
func (c *Case) Scope() (*dsl.Scope, error) {
	return c.Test.Scope(dsl.ScopeOptions{Overrides: c.Vars, Row: c.Row, Suite: c.Suite, Env: c.Env, Given: c.Given,
		BaseURL: c.Base.BaseURL})
}

// PlannedScope is the scope of a case with placeholders for the values that only a run has.
func (p *Plan) PlannedScope(c Case) (*dsl.Scope, error) {
	c.Given = nil
	c.GiveStart(Server.Values)
	if len(c.Test.Needs) > 0 {
		needs := map[string]any{}
		for _, need := range c.Test.Needs {
			if other, known := p.needed[need.ID]; known {
				needs[need.ID] = other.Test.Promised()
			}
		}
		c.Give("needs", needs)
	}
	return c.Scope()
}

func contains(cases []Case, pack string) bool {
	return slices.ContainsFunc(cases, func(c Case) bool { return c.Pack == pack })
}

// Usage is an error in the user's arguments, not in a test file.
type Usage struct{ Msg string }

func (e *Usage) Error() string { return e.Msg }

// Build reads the tests and plans their cases. The error contains all errors of all files.
func Build(o Options) (*Plan, error) {
	keep, err := filter(o)
	if err != nil {
		return nil, err
	}
	own := &owns{o: o}
	all, err := load(o, own)
	if err != nil {
		return nil, err
	}
	tests, problems := all.tests, append(all.problems, own.problems()...)
	added, unknown := addNeeded(o, own, tests)
	problems = append(problems, unknown...)
	plan := &Plan{Tests: len(tests), Warnings: all.warnings, options: o}
	suites := newSuites(o)
	suites.needed = neededIDs(slices.Concat(tests, added))
	for _, t := range slices.Concat(tests, added) { // reads the suites' files, which contain the order
		if _, err := suites.of(filepath.Dir(absolute(o.Dir, t.Pos.File))); err != nil {
			return nil, err
		}
	}
	found := [][]error{problems} // in the order in which they are reported
	slots := map[string]int{}    // in it, of the cases
	planned := map[*dsl.Test][]Case{}
	for _, t := range suites.ordered(slices.Concat(tests, added)) {
		cases, err := suites.cases(t)
		cases, plan.Warnings = withoutRefused(cases, plan.Warnings)
		var usage *Usage
		if errors.As(err, &usage) {
			return nil, err
		}
		found = append(found, appendErr(nil, err))
		planned[t] = cases
		for _, c := range cases {
			slots[c.Pack] = len(found)
			found = append(found, nil, nil)
			if slices.Contains(added, t) {
				continue
			}
			if !keep(c) {
				plan.Left = append(plan.Left, c)
				continue
			}
			plan.Cases = append(plan.Cases, c)
		}
	}
	needed, unclear := resolveNeeds(planned, plan.Cases)
	found = append(found, unclear)
	if len(unknown) == 0 {
		plan.needed, plan.roots = needed, plan.Cases
		plan.Cases = needed.with(plan.Cases)
		plan.Left = slices.DeleteFunc(plan.Left, func(c Case) bool { return contains(plan.Cases, c.Pack) })
		for _, c := range plan.Cases {
			if o.Files {
				found[slots[c.Pack]+1] = suites.missing(c)
			}
		}
		onEachCore(len(plan.Cases), func(i int) { // a case that is not run may lack variables
			found[slots[plan.Cases[i].Pack]] = appendErr(nil, plan.check(plan.Cases[i]))
		})
	}
	if problems := slices.Concat(found...); len(problems) > 0 {
		return nil, Problems(distinct(problems))
	}
	plan.choose(o.Choice)
	return plan, nil
}

// distinct removes repetitions: an error in --var occurs in every test, and one in an own action in every test that
// uses it.
func distinct(list []error) (kept []error) {
	said := map[string]bool{}
	again := func(err error) bool {
		text := err.Error()
		before := said[text]
		said[text] = true
		return before
	}
	for _, err := range list {
		several, is := err.(source.Errors)
		if !is {
			if !again(err) {
				kept = append(kept, err)
			}
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(several), func(e *source.Error) bool { return again(e) })
		kept = appendErr(kept, rest.Err())
	}
	return kept
}

func appendErr(list []error, err error) []error {
	if err != nil {
		return append(list, err)
	}
	return list
}

// Problems are the errors of the files, file after file.
type Problems []error

// Error separates the files by blank lines, as their own errors are.
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n\n")
}

// Unwrap lets errors.As find the single errors.
func (ps Problems) Unwrap() []error { return ps }

// cases returns a case for each platform and each row of the test.
func (s *suites) cases(t *dsl.Test) ([]Case, error) {
	dir := filepath.Dir(absolute(s.o.Dir, t.Pos.File))
	mark := t.Fails
	t, conf, rows, err := s.prepare(t)
	if err != nil {
		return nil, err
	}
	platforms, devices := t.Platform.Each(), s.devices(t)
	all := s.inAll(t)
	if rows == nil {
		rows = []dsl.Row{{}}
	}
	base, err := s.base(dir)
	if err != nil {
		return nil, err
	}
	var servers []Server
	if !s.o.isInline(t) {
		if servers, err = s.servers(dir); err != nil {
			return nil, err
		}
	}
	var outdated *event.Fails
	if t.Fails == nil {
		outdated = mark
	}
	var cases []Case
	for _, p := range platforms {
		browsers := s.browsers(t, p)
		for _, b := range browsers {
			for _, row := range rows {
				c := Case{Test: t, Platform: p, Browser: b, Devices: devices, Dir: dir, Pack: t.ID, Row: row,
					Suite: conf.Vars, Vars: s.o.Vars, Env: s.o.Env, Base: base, Servers: servers, Reads: s.readBy[t.ID],
					Outdated: outdated, all: all && p == dsl.Web}
				if len(platforms) > 1 {
					c.Pack += "--" + string(p)
				}
				labels := append(slices.Clone(t.Tags), string(p))
				for _, e := range devices {
					labels = append(labels, string(e.Platform))
				}
				if len(t.Browsers) > 0 || all && p == dsl.Web {
					labels = append(labels, b)
				}
				if len(t.Browsers) > 1 || all && len(browsers) > 1 {
					c.Pack += "--" + b
				}
				if row.N > 0 {
					c.Pack += fmt.Sprintf("--row-%d", row.N)
				}
				c.Labels = slices.Compact(slices.Sorted(slices.Values(labels)))
				cases = append(cases, c)
			}
		}
	}
	return cases, nil
}

// Pages is how many pages the case with the most of them has open at once, of those with several devices.
func (p *Plan) Pages() int {
	most := 0
	for _, c := range p.Cases {
		n := 0
		for _, e := range c.Devices {
			if e.Platform == dsl.Web {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Names are the names of the devices of a case.
func Names(devices []dsl.Entry) []string {
	names := make([]string, len(devices))
	for i, e := range devices {
		names[i] = e.Name
	}
	return names
}

// absolute finds the file that a message names.
func absolute(dir, file string) string {
	path := filepath.FromSlash(file)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// check finds, before anything runs, every variable that cannot be resolved.
func (p *Plan) check(c Case) error {
	scope, err := p.PlannedScope(c)
	if err != nil {
		return err
	}
	if err := dsl.CheckVars(c.Test, scope); err != nil {
		return err
	}
	if p.options.Remote != nil {
		if NotOnRemote(c, p.options.Remote) != "" {
			return nil // it is skipped
		}
		return checkOnRemote(c, *p.options.Remote)
	}
	for _, e := range c.Devices {
		if err := dsl.CheckDevice(c.Test, e, e.Browser); err != nil {
			return err
		}
	}
	if c.Platform != dsl.Web || len(c.Devices) > 0 {
		return nil
	}
	return dsl.CheckBrowser(c.Test, c.Browser)
}

// unique reports tests with the same id: their packs would have the same folder, also on disks that ignore case.
func unique(tests []*dsl.Test) (problems []error) {
	first := map[string]*dsl.Test{}
	for _, t := range tests {
		key := strings.ToLower(t.ID)
		if other := first[key]; other != nil {
			problems = append(problems, &source.Error{Pos: t.IDPos, Source: t.Source, Width: len([]rune(t.ID)),
				Msg:  fmt.Sprintf("the id %q is taken", t.ID),
				Hint: fmt.Sprintf("%s has it, too; give one of them another id", other.IDPos)})
			continue
		}
		first[key] = t
	}
	return problems
}

// order compares by file, then by place in the file.
func order(a, b *dsl.Test) int {
	return cmp.Or(cmp.Compare(filepath.ToSlash(a.Pos.File), filepath.ToSlash(b.Pos.File)),
		cmp.Compare(a.Pos.Line, b.Pos.Line))
}

// List reads the tests that the options name, without planning them; problems are the errors of files without tests.
func List(o Options) (tests []*dsl.Test, problems []error, err error) {
	all, err := load(o, &owns{o: o})
	return all.tests, all.problems, err
}
