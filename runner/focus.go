package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// subtest is the part of go test -run for subtests of a test function, "" without one: specs are not subtests, and go
// test would run all of them for -run TestSuites/login.
func subtest(pattern string) string {
	depth, class := 0, false // a slash in brackets does not separate, as in go test
	for i, r := range pattern {
		switch {
		case r == '[':
			class = true
		case r == ']':
			class = false
		case class:
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '/' && depth == 0:
			return pattern[i+1:]
		}
	}
	return ""
}

// focus makes Ginkgo run the tests that go test -run selects: the YAML tests with exactly this id, or case, otherwise
// those that match the pattern, otherwise the specs in Go with a matching text, in which _ matches a space.
func (s *suite) focus(config *types.SuiteConfig, pattern string) error {
	fits, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("-run %s: %w", pattern, err)
	}
	var cases []plan.Case
	for _, c := range s.cases {
		cases = append(cases, c)
	}
	name := strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	is := func(c plan.Case) bool { return c.Test.ID == name || c.Pack == name }
	if !slices.ContainsFunc(cases, is) {
		is = func(c plan.Case) bool { return fits.MatchString(c.Test.ID) || fits.MatchString(c.Pack) }
	}
	for _, c := range cases {
		if is(c) {
			config.FocusStrings = append(config.FocusStrings, "(^| )"+regexp.QuoteMeta(c.Test.Pos.File+" "+c.Pack)+"$")
		}
	}
	if len(config.FocusStrings) == 0 {
		config.FocusStrings = []string{strings.ReplaceAll(pattern, "_", "[ _]")}
	}
	return nil
}

// focused fails the test if go test -run matched nothing: Ginkgo reports an empty selection as a pass.
func (s *suite) focused(t *testing.T, pattern string, r ginkgo.Report) {
	t.Helper()
	if r.PreRunStats.SpecsThatWillRun > 0 {
		return
	}
	var ids []string
	for _, c := range s.cases {
		ids = append(ids, c.Test.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	hint := "there are " + strings.Join(ids[:min(len(ids), 20)], ", ")
	if near := phrase.Nearest(pattern, ids); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	t.Errorf("no test was run: neither the id of a YAML test nor the text of a spec fits %q; %s", pattern, hint)
}
