package replay

import (
	"fmt"
	"slices"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// ask evaluates a webAssert by what the browser reported for another one: about the same selector, or about the page.
func (p *pageAsk) ask(seen *decide.PageLook) Answer {
	q := *p
	switch {
	case q.Selector != "" && (q.Selector != seen.Selector || q.Frame != seen.Frame):
		return Answer{Word: Unknown, Why: "what " + q.Selector + " picks was not asked of the page"}
	case q.Value != nil && seen.Seen.Visible > len(seen.Seen.Values) && len(seen.Seen.Values) >= 10:
		return Answer{Word: Unknown, Why: "the page had more fields than the report keeps"}
	case q.Title != nil && seen.Title == nil:
		return Answer{Word: Unknown, Why: "the title of the page was not asked"}
	case q.NoConsoleErrors && !seen.NoConsoleErrors:
		return Answer{Word: Unknown, Why: "the console was not asked"}
	}
	look := decide.PageLook(q)
	look.Seen = seen.Seen
	a := Answer{Word: Holds, Why: fmt.Sprintf("%d on the page, %d visible", look.Seen.Count, look.Seen.Visible)}
	if !look.Met() {
		a.Word = Fails
	}
	if q.Selector == "" {
		a.Why = "the URL is " + look.Seen.URL
	}
	return a
}

// pageAsk is a question to a page.
type pageAsk decide.PageLook

// onPage evaluates a webAssert on a screen, with the snapshot of its page.
func (s *shown) onPage(q question) Answer {
	look := q.page
	if look.URL != nil || look.Title != nil || look.NoConsoleErrors {
		return Answer{Word: Unknown, Why: "the URL, the title and the console are not in the frames of the step"}
	}
	sel := decide.InDocument(look.Selector, look.Frame)
	if q.text != nil {
		return s.claim(decide.Claim{Selector: sel, Check: decide.Check{Text: q.text, Match: q.match}})
	}
	if look.Count != nil {
		return s.counted(look)
	}
	c := decide.Claim{Selector: sel, Not: look.Hidden, Check: decide.Check{Value: look.Value}}
	matches, err := s.found(sel, true) // webAssert looks at the whole page
	if err != nil {
		return answerOf(err)
	}
	matches = slices.DeleteFunc(matches, func(m screen.Match) bool {
		return look.Value != nil && !screen.SameValue(m.Node.Value(), *look.Value)
	})
	a := Answer{Word: Fails, Matches: namesOf(matches), Why: fmt.Sprintf("%d visible", len(matches))}
	if len(matches) > 0 != c.Not {
		a.Word = Holds
	}
	return a
}

// counted evaluates the number of elements, visible or not, by the snapshot alone.
func (s *shown) counted(look *decide.PageLook) Answer {
	d := s.page()
	if _, ok := s.picked("html"); !ok || d == nil || !d.whole || look.Frame != "" {
		return Answer{Word: Unknown, Why: "how many elements " + look.Selector + " picks was not asked of the page"}
	}
	list, err := parseCSS(look.Selector)
	if err != nil {
		return Answer{Word: Unknown, Why: "which elements " + look.Selector + " picks was not asked of the page"}
	}
	n := len(d.all(list))
	a := Answer{Word: Fails, Why: fmt.Sprintf("%d elements match", n)}
	if n == *look.Count {
		a.Word = Holds
	}
	return a
}
