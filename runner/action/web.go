package action

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
)

// browser gives the device as a browser.
func (s *Session) browser() (drivers.Browser, error) {
	b, ok := s.Device.(drivers.Browser)
	if !ok {
		return nil, fmt.Errorf("a browser is needed: %w", drivers.ErrUnsupported)
	}
	return b, nil
}

func openBrowser(ctx context.Context, s *Session, a dsl.OpenBrowser) error {
	b, err := s.browser()
	if err != nil {
		return err
	}
	headed := a.Headless != nil && !*a.Headless
	address, err := s.address(a)
	if err != nil {
		return err
	}
	return b.OpenPage(ctx, address, drivers.PageOptions{Headed: headed, Timeout: max(s.Timeout, DefaultTimeout)})
}

// address gives the URL to open; a path becomes one of a file beside the test.
func (s *Session) address(a dsl.OpenBrowser) (string, error) {
	if !a.Local() {
		return a.URL, nil
	}
	rest := strings.IndexAny(a.URL+"?", "?#")
	if s.Dir == "" {
		return "", &Failure{problem("%q is no address: only a test in a file can name a page by its path", a.URL)}
	}
	path := filepath.ToSlash(filepath.Join(s.Dir, filepath.FromSlash(a.URL[:rest])))
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return (&url.URL{Scheme: "file", Path: path}).String() + a.URL[rest:], nil
}

func webType(ctx context.Context, s *Session, a dsl.WebType) error {
	b, err := s.browser()
	if err != nil {
		return err
	}
	s.tapped = nil
	return b.Fill(ctx, a.Selector, a.Text, s.Timeout)
}

func webAssert(ctx context.Context, s *Session, a dsl.WebAssert) error {
	b, err := s.browser()
	if err != nil {
		return err
	}
	want := drivers.WebWant{Hidden: a.Visible != nil && !*a.Visible, Text: a.Text}
	seen, err := b.Look(ctx, a.Selector, want, s.Timeout)
	if err != nil {
		if !drivers.AppIsWrong(err) {
			return err
		}
		p := ProblemOf(err)
		p.Assertion = true
		return &Failure{p}
	}
	if seen.Met {
		s.Detail.Matched = fmt.Sprintf("%s: %d on the page, %d visible", a.Selector, seen.Count, seen.Visible)
		return nil
	}
	p := reporters.Problem{Assertion: true, Expected: wantText(a, want), Actual: seenText(seen)}
	p.Message = fmt.Sprintf("expected %s within %s; %s", p.Expected, s.Timeout, p.Actual)
	return &Failure{p}
}

func wantText(a dsl.WebAssert, want drivers.WebWant) string {
	switch {
	case want.Hidden:
		return a.Selector + " to be hidden"
	case want.Text != nil:
		return fmt.Sprintf("%s to show %s", a.Selector, drivers.Quote(*want.Text))
	}
	return a.Selector + " to be visible"
}

func seenText(seen drivers.Seen) string {
	switch {
	case seen.Count == 0:
		return "no element of the page matches"
	case seen.Visible == 0:
		return fmt.Sprintf("%d elements match and none is visible", seen.Count)
	}
	texts := make([]string, len(seen.Texts))
	for i, t := range seen.Texts {
		texts[i] = drivers.Quote(t)
	}
	return fmt.Sprintf("%d visible, showing %s", seen.Visible, strings.Join(texts, ", "))
}
