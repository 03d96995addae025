package action

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// browser returns the device as a browser.
func (s *Performer) browser() (drivers.Browser, error) {
	b, ok := s.Device.(drivers.Browser)
	if !ok {
		return nil, fmt.Errorf("a browser is needed: %w", drivers.ErrUnsupported)
	}
	return b, nil
}

func openBrowser(ctx context.Context, s *Performer, a dsl.OpenBrowser) error {
	b, err := s.browser()
	if err != nil {
		return err
	}
	headed := s.Headed || a.Headless != nil && !*a.Headless
	address, err := onBase(s, a.URL)
	if err != nil {
		return err
	}
	opts := drivers.PageOptions{Headed: headed, DeviceName: a.Device, Locale: a.Locale, Timezone: a.Timezone,
		ColorScheme: a.ColorScheme,
		Browser:     a.Browser, Connect: a.Connect, Permissions: a.Permissions, Offline: a.Offline, UserAgent: a.UserAgent,
		Headers: a.Headers,
		AnyCert: a.AnyCert}
	if a.Geolocation != "" {
		at := placeOf(a.Geolocation, 0)
		opts.Geolocation = &at
	}
	if c := a.Credentials; c != nil {
		opts.Username, opts.Password = c.Username, c.Password
	}
	opts.Viewport.X, opts.Viewport.Y = a.Size()
	if a.Storage != "" {
		if opts.Storage, err = savedState(s, a.Storage); err != nil {
			return err
		}
	}
	opts.Timeout = max(s.Timeout, time.Millisecond) // 0 would be the browser's own limit
	s.tapped = nil
	if err := s.mayOpen(ctx, address); err != nil {
		return err
	}
	if err := b.OpenPage(ctx, address, opts); err != nil {
		return err
	}
	s.flow.paged = true
	noteAnswer(s)
	noteBrowser(s, a)
	return stillLoading(ctx, s)
}

// onBase returns the URL to open; a path belongs to the site of baseUrl.
func onBase(s *Performer, to string) (string, error) {
	if !(dsl.OpenBrowser{URL: to}).OnBase() {
		return s.address(to)
	}
	if s.BaseURL == "" {
		return "", &Failure{problem("%q is a path, and no baseUrl says of which site: add baseUrl to taproot.yaml, or "+
			"write the whole URL", to)}
	}
	base, err := url.Parse(s.BaseURL)
	if err != nil {
		return "", &Failure{problem("baseUrl %q is not a URL", s.BaseURL)}
	}
	path, err := url.Parse(to)
	if err != nil {
		return "", &Failure{problem("%q is not the path of a page", to)}
	}
	return base.ResolveReference(path).String(), nil
}

// noteBrowser keeps which browser a page has that named one itself.
func noteBrowser(s *Performer, a dsl.OpenBrowser) {
	if d, ok := s.Device.(drivers.BrowserChooser); ok && a.Browser != "" {
		name, version := d.PageBrowser()
		s.note("the page is open in %s %s", dsl.BrowserTitle(name), version)
	}
}

// stillLoading returns what the page that was opened still loads, though it can be used.
func stillLoading(ctx context.Context, s *Performer) error {
	d, ok := s.Device.(drivers.WebOpener)
	if !ok {
		return nil
	}
	o, err := d.Opening(ctx)
	if err == nil && len(o.Loading) > 0 {
		s.note("the page could be used and was still loading %s", strings.Join(o.Loading, ", "))
	}
	return err
}

// PageError says that the page which is open came with a response that is an error; "" when it did not, or that is
// unknown.
func (s *Performer) PageError() string {
	d, ok := s.Device.(drivers.PageAnswerer)
	if !ok {
		return ""
	}
	status, address := d.PageAnswer()
	if status < http.StatusBadRequest {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("the page %s was answered with %d %s", address, status, http.StatusText(status)))
}

// noteAnswer keeps an answer that is an error in the result of the step that asked for the page.
func noteAnswer(s *Performer) {
	if text := s.PageError(); text != "" {
		s.warn("%s", text)
	}
}

// address returns the URL to open; the path of an HTML file becomes one of a file next to the test.
func (s *Performer) address(to string) (string, error) {
	if u, err := url.Parse(to); err == nil && strings.EqualFold(u.Scheme, "file") && s.Access.Root != nil {
		rel, err := filepath.Rel(s.Access.Root.Name(), filepath.FromSlash(u.Path))
		if err != nil || !filepath.IsLocal(rel) {
			return "", &Failure{problem("%q cannot be opened: files lie below the folder that the server was given", to)}
		}
	}
	if strings.HasPrefix(to, "/") || !(dsl.OpenBrowser{URL: to}).Local() {
		return to, nil
	}
	rest := strings.IndexAny(to+"?", "?#")
	if s.Dir == "" && s.Access.Root == nil {
		return "", &Failure{problem("%q is not a URL: only a test in a file can name a page by its path", to)}
	}
	real, err := s.path(to[:rest])
	if err != nil {
		return "", err
	}
	path := filepath.ToSlash(real)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return (&url.URL{Scheme: "file", Path: path}).String() + to[rest:], nil
}

func webType(ctx context.Context, s *Performer, a dsl.WebType) error {
	return onElements(s, func(d drivers.WebElements) error { return d.FillIn(ctx, s.at(a.Selector, a.Frame), a.Text) })
}

// webAssert looks at the whole page; what a text is compared with must be on the screen, as for assert.
func webAssert(ctx context.Context, s *Performer, a dsl.WebAssert) error {
	b, err := s.browser()
	if err != nil {
		return err
	}
	want := drivers.WebCondition{Frame: a.Frame, Hidden: a.Visible != nil && !*a.Visible, Value: a.Value, Count: a.Count,
		NoConsoleErrors: a.NoConsoleErrors, Drawn: s.drawnBelow()}
	if a.URL != "" {
		want.URL = &a.URL
	}
	if a.Title != "" {
		want.Title = &a.Title
	}
	if a.Text != nil && isOnlyVisible(want) {
		return webText(ctx, s, b, a, want)
	}
	seen, err := lookFor(ctx, s, func(timeout time.Duration) (drivers.WebObservation, error) {
		return b.Look(ctx, a.Selector, want, timeout)
	})
	if err != nil {
		return asAssertion(err)
	}
	s.Searches = append(s.Searches, pageRecording(a.Selector, want, seen))
	if !seen.Met {
		return notOnPage(s, a, want, seenText(a, seen))
	}
	if seen.Warning != "" {
		s.doubtOnce("%s", seen.Warning)
	}
	if a.Text != nil {
		if err := webText(ctx, s, b, a, want); err != nil {
			return err
		}
	}
	if a.Selector != "" { // of the page itself there is nothing to count
		s.Detail.Matched = fmt.Sprintf("%s: %d on the page, %d visible", a.Selector, seen.Count, seen.Visible)
	}
	return nil
}

// pageRecording is what was required of a page, and what the browser reported.
func pageRecording(selector string, want drivers.WebCondition, seen drivers.WebObservation) decide.Recording {
	look := &decide.PageLook{Selector: selector, Frame: want.Frame, Hidden: want.Hidden, Value: want.Value,
		Count: want.Count, URL: want.URL, Title: want.Title, NoConsoleErrors: want.NoConsoleErrors,
		Seen: decide.PageSeen{Count: seen.Count, Visible: seen.Visible, Texts: seen.Texts, Values: seen.Values,
			URL: seen.URL, Title: seen.Title, ConsoleErrors: len(seen.ConsoleErrors)}}
	r := decide.Recording{Page: look, Result: look.Result()}
	if look.Met() != seen.Met {
		r.Lacks = "the page was still being loaded, or it had more elements than the report keeps"
		r.Result.Kind = decide.Fail
		if seen.Met {
			r.Result = decide.Result{Kind: decide.Found}
		}
	}
	return r
}

// isOnlyVisible reports whether a condition is met by any visible element, such as one that shows a text.
func isOnlyVisible(want drivers.WebCondition) bool {
	return !want.Hidden && want.Value == nil && want.Count == nil && want.URL == nil && want.Title == nil &&
		!want.NoConsoleErrors
}

// webText waits until an element that the selector of webAssert picks shows its text. The page itself is asked only
// after a failure: it knows selectors that are not valid, frames that are missing, and elements out of view.
func webText(ctx context.Context, s *Performer, b drivers.Browser, a dsl.WebAssert, want drivers.WebCondition) error {
	c := claim{Claim: decide.Claim{Selector: decide.InDocument(a.Selector, a.Frame),
		Check: decide.Check{Text: a.Text, Match: a.Match}}}
	c.written = func(match dsl.MatchMode) any {
		other := a
		other.Match = match
		return other
	}
	err := c.holds(ctx, s)
	var f *Failure
	if !errors.As(err, &f) || f.Kind == event.AppCrashed {
		return err
	}
	seen, lookErr := b.Look(ctx, a.Selector, want, time.Millisecond)
	switch {
	case ctx.Err() != nil:
		return err
	case lookErr != nil && !errors.Is(lookErr, drivers.ErrNotReady):
		return asAssertion(lookErr)
	case lookErr == nil && !seen.Met:
		return notOnPage(s, a, want, seenText(a, seen))
	}
	return notOnPage(s, a, want, f.Actual)
}

func notOnPage(s *Performer, a dsl.WebAssert, want drivers.WebCondition, found string) error {
	p := event.Problem{Assertion: true, Expected: wantText(a, want), Actual: found}
	p.Message = fmt.Sprintf("expected %s within %s; %s", p.Expected, s.Timeout, p.Actual)
	return &Failure{p}
}

// lookFor searches until what is wanted is there, the report having its screenshot after the first read. It counts only
// once what the last action led to must be there to count, for it may be taken back, and what the action takes away may
// still be there.
func lookFor(ctx context.Context, s *Performer, look func(timeout time.Duration) (drivers.WebObservation, error)) (
	drivers.WebObservation, error) {
	asked, end := time.Now(), time.Now().Add(s.Timeout)
	again := func() (drivers.WebObservation, error) {
		asked = time.Now()
		return look(max(end.Sub(asked), time.Millisecond))
	}
	timing := decide.Native()
	seen, err := look(min(s.Timeout, firstLook))
	if sawErr := s.saw(ctx, nil); sawErr != nil {
		return seen, sawErr
	}
	if !seen.Met && s.Timeout > firstLook && (err == nil || errors.Is(err, drivers.ErrNotReady)) {
		seen, err = again()
	}
	for err == nil && seen.Met {
		counts := s.acted.Add(timing.HoldsFor(seen.Rest))
		if !asked.Before(counts) {
			break
		}
		if err := drivers.Pause(ctx, min(time.Until(counts), timing.QuietHolds)); err != nil {
			return seen, err
		}
		seen, err = again()
	}
	return seen, err
}

func wantText(a dsl.WebAssert, want drivers.WebCondition) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch {
	case want.Hidden:
		add("%s to be hidden", a.Selector)
	case a.Text != nil && a.Match != "":
		add("%s to show %s (match: %s)", a.Selector, screen.Quote(*a.Text), a.Match)
	case a.Text != nil:
		add("%s to show %s", a.Selector, screen.Quote(*a.Text))
	case a.Selector != "" && want.Count == nil && want.Value == nil:
		add("%s to be visible", a.Selector)
	}
	if want.Value != nil {
		add("%s to hold %s", a.Selector, screen.Quote(*want.Value))
	}
	if want.Count != nil {
		add("%d elements %s", *want.Count, a.Selector)
	}
	if want.URL != nil {
		add("the address %s", *want.URL)
	}
	if want.Title != nil {
		add("the title %s", screen.Quote(*want.Title))
	}
	if want.NoConsoleErrors {
		add("no errors in the console")
	}
	return strings.Join(parts, " and ")
}

func seenText(a dsl.WebAssert, seen drivers.WebObservation) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch {
	case a.Selector == "":
	case seen.Count == 0:
		add("no element of the page matches")
	case seen.Visible == 0:
		add("%d elements match and none is visible", seen.Count)
	default:
		add("%d match, %d visible, showing %s", seen.Count, seen.Visible, quoted(seen.Texts))
	}
	if len(seen.Values) > 0 && a.Value != nil {
		add("they hold %s", quoted(seen.Values))
	}
	if a.URL != "" {
		add("the address is %s", seen.URL)
	}
	if a.Title != "" {
		add("the title is %s", screen.Quote(seen.Title))
	}
	if a.NoConsoleErrors && len(seen.ConsoleErrors) > 0 {
		add("the console has %s", quoted(seen.ConsoleErrors))
	}
	return strings.Join(parts, "; ")
}

func quoted(texts []string) string {
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = screen.Quote(t)
	}
	return strings.Join(list, ", ")
}
