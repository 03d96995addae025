package web

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// maxChoices is how many of the elements that a selector picks are reported with a selector for each.
const maxChoices = 4

// several is the error of a selector that picks more than one element, with selectors that were seen to pick one of
// them each.
func (a *Actor) several(ctx context.Context, at drivers.WebTarget, r *report) error {
	var choices []string
	for i, what := range r.What[:min(len(r.What), maxChoices)] {
		choices = append(choices, a.choice(ctx, at, i, what))
	}
	return &screen.AmbiguousError{What: "the selector " + naming(at), Candidates: candidates(r), Choices: func() []string {
		return choices
	}}
}

// candidates are all elements of a report, of which it describes the first.
func candidates(r *report) []string {
	return slices.Concat(r.What, slices.Repeat([]string{"another"}, max(r.Count-len(r.What), 0)))
}

// choice returns a selector for the i-th element that a selector picks: by its id, by what it shows, else by its
// number.
func (a *Actor) choice(ctx context.Context, at drivers.WebTarget, i int, what string) string {
	list := []string{at.Selector + " >> nth=" + strconv.Itoa(i)}
	if text := shownText(what); text != "" && plainCSS(at.Selector) {
		list = append([]string{at.Selector + ":text-is('" + text + "')"}, list...)
	}
	if _, id, ok := strings.Cut(strings.SplitN(what, " ", 2)[0], "#"); ok {
		list = append([]string{"#" + id}, list...)
	}
	for _, selector := range list {
		if r, err := a.reader.lookIn(ctx, at.Frame, selector); err == nil && r.Count == 1 && len(r.What) == 1 && r.What[0] == what {
			return screen.Quote(selector)
		}
	}
	return ""
}

// plainCSS reports whether a selector is one compound of CSS, behind which another condition can be written.
func plainCSS(selector string) bool {
	return !strings.ContainsAny(selector, ",=") && !strings.HasPrefix(selector, "/") && !strings.HasPrefix(selector, "(")
}

// shownText takes the text out of the description of an element, "" when it is cut or has none.
func shownText(what string) string {
	i := strings.Index(what, ` "`)
	if i < 0 {
		return ""
	}
	text, err := strconv.Unquote(what[i+1:])
	if err != nil || len([]rune(text)) > 40 || strings.ContainsAny(text, "'\\\n") {
		return ""
	}
	return text
}

// proposing adds to the error of an element that Playwright refused, because there are several, what would choose one.
func (a *Actor) proposing(ctx context.Context, at drivers.WebTarget, err error) error {
	var strict *screen.AmbiguousError
	if !errors.As(err, &strict) || strict.Choices != nil {
		return err
	}
	if r, e := a.reader.lookIn(ctx, at.Frame, at.Selector); e == nil && r.Count > 1 {
		return a.several(ctx, at, r)
	}
	return err
}
