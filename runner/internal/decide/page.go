package decide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/urlpattern"
)

// PageLook is what a step required of a page that the browser itself was asked about: the elements that a selector
// picks, wherever they are, the URL and the title. There is no frame of it: what the browser reported is kept.
type PageLook struct {
	Selector        string   `json:"selector,omitempty"`
	Frame           string   `json:"frame,omitempty"`
	Hidden          bool     `json:"hidden,omitempty"`
	Value           *string  `json:"value,omitempty"`
	Count           *int     `json:"count,omitempty"`
	URL             *string  `json:"url,omitempty"`
	Title           *string  `json:"title,omitempty"`
	NoConsoleErrors bool     `json:"noConsoleErrors,omitempty"`
	Seen            PageSeen `json:"seen"`
}

// PageSeen is what the browser reported last.
type PageSeen struct {
	Count         int      `json:"count"`
	Visible       int      `json:"visible"`
	Texts         []string `json:"texts,omitempty"`
	Values        []string `json:"values,omitempty"`
	URL           string   `json:"url,omitempty"`
	Title         string   `json:"title,omitempty"`
	ConsoleErrors int      `json:"consoleErrors,omitempty"`
}

// Met reports whether what was seen is what was required. It is a pure function.
func (p *PageLook) Met() bool {
	return p.elementsMet() && (p.URL == nil || fitsURL(*p.URL, p.Seen.URL)) &&
		(p.Title == nil || fitsTitle(*p.Title, p.Seen.Title)) && (!p.NoConsoleErrors || p.Seen.ConsoleErrors == 0)
}

func (p *PageLook) elementsMet() bool {
	switch {
	case p.Selector == "":
		return true
	case p.Count != nil && p.Seen.Count != *p.Count:
		return false
	case p.Hidden:
		return p.Seen.Visible == 0
	case p.Seen.Visible == 0:
		return p.Count != nil && p.Value == nil
	}
	return p.Value == nil || slices.ContainsFunc(p.Seen.Values, func(v string) bool {
		return screen.SameValue(v, *p.Value)
	})
}

// Result is the decision on it.
func (p *PageLook) Result() Result {
	if p.Met() {
		return Result{Kind: Found}
	}
	return Result{Kind: Fail, Problem: "the page is not as " + p.String()}
}

// String is what was required, in words.
func (p *PageLook) String() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch {
	case p.Selector == "":
	case p.Hidden:
		add("%s hidden", p.Selector)
	case p.Count != nil:
		add("%d elements %s", *p.Count, p.Selector)
	default:
		add("%s visible", p.Selector)
	}
	if p.Value != nil {
		add("the value %s", screen.Quote(*p.Value))
	}
	if p.URL != nil {
		add("the URL %s", *p.URL)
	}
	if p.Title != nil {
		add("the title %s", screen.Quote(*p.Title))
	}
	if p.NoConsoleErrors {
		add("no errors in the console")
	}
	return strings.Join(parts, ", ")
}

func fitsURL(pattern, url string) bool {
	re, err := urlpattern.Compile(pattern)
	return err == nil && re.MatchString(url)
}

func fitsTitle(want, title string) bool {
	if inner, ok := urlpattern.Slashed(want); ok {
		re, err := regexp.Compile(inner)
		return err == nil && re.MatchString(title)
	}
	return screen.TextShows(title, want)
}
