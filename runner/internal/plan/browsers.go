package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// AllBrowsers is the name of all browsers that are installed, as Options.Browser.
const AllBrowsers = "all"

// browsers returns the browsers in which a test is run on a platform.
func (s *suites) browsers(t *dsl.Test, p dsl.Platform) []string {
	switch {
	case p != dsl.Web:
		return []string{""}
	case len(t.Devices) > 0:
		return []string{cmp.Or(t.Devices[0].Browser, s.one())}
	case len(t.Browsers) > 0:
		return slices.Compact(slices.Sorted(slices.Values(t.Browsers)))
	}
	if s.inAll(t) {
		return s.o.Browsers
	}
	return []string{cmp.Or(dsl.NamedBrowser(t), s.one())}
}

// one is the browser of tests that run in one and name none.
func (s *suites) one() string {
	if s.o.Browser == AllBrowsers {
		return ""
	}
	return s.o.Browser
}

// inAll reports whether a test is run in all browsers: it names none, and has one device. What a test saves for another
// one must be of one run.
func (s *suites) inAll(t *dsl.Test) bool {
	return s.o.Browser == AllBrowsers && len(t.Browsers) == 0 && len(t.Devices) == 0 && dsl.NamedBrowser(t) == "" &&
		!s.needed[t.ID]
}

// neededIDs are the ids of the tests that others need.
func neededIDs(tests []*dsl.Test) map[string]bool {
	ids := map[string]bool{}
	for _, t := range tests {
		for _, need := range t.Needs {
			ids[need.ID] = true
		}
	}
	return ids
}

// withoutRefused removes the cases that a browser refuses which was not asked for by name, and adds warnings that say
// so. A test that all browsers refuse keeps its cases, and is an error.
func withoutRefused(cases []Case, warnings []*source.Error) ([]Case, []*source.Error) {
	var kept []Case
	var said []*source.Error
	for _, c := range cases {
		var refused source.Errors
		if c.all && errors.As(dsl.CheckBrowser(c.Test, c.Browser), &refused) && len(refused) > 0 {
			w := *refused[0]
			w.Msg = fmt.Sprintf("%s is not run in %s: %s", c.Test.ID, dsl.BrowserTitle(c.Browser), w.Msg)
			said = append(said, &w)
			continue
		}
		kept = append(kept, c)
	}
	if len(kept) == 0 {
		return cases, warnings
	}
	return kept, append(warnings, said...)
}

// devices returns the devices of a test with several, with the browsers of their pages.
func (s *suites) devices(t *dsl.Test) []dsl.Entry {
	list := slices.Clone(t.Devices)
	for i, e := range list {
		if e.Platform == dsl.Web {
			list[i].Browser = cmp.Or(e.Browser, s.one())
		}
	}
	return list
}
