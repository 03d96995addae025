package read

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Query returns the elements of t that css or xpath picks, in every frame that the tree holds. The tree must be the
// last one that was read.
func (rd *Reader) Query(ctx context.Context, t *screen.Tree, css, xpath string) (map[*screen.Node]bool, error) {
	var selectors []string
	if css != "" {
		selectors = append(selectors, withEngine(css))
	}
	if xpath != "" {
		selectors = append(selectors, "xpath="+xpath)
	}
	if len(selectors) == 0 {
		return nil, fmt.Errorf("%w: there is neither css nor xpath", screen.ErrNotFound)
	}
	var found map[*screen.Node]bool
	for _, selector := range selectors {
		picked, err := rd.Matched(ctx, t, selector)
		if err != nil {
			return nil, err
		}
		for n := range found {
			if !picked[n] {
				delete(found, n) // both must pick it
			}
		}
		if found == nil {
			found = picked
		}
	}
	return found, nil
}

// engineForm is the start of a selector that names its engine, as text= does. No CSS starts like this.
var engineForm = lazyregexp.New(`^\s*\*?[A-Za-z_][\w:+-]*=`)

// withEngine returns a CSS selector, or one of any engine, with the name of its engine.
func withEngine(selector string) string {
	trimmed := strings.TrimSpace(selector)
	switch {
	case engineForm.MatchString(selector):
	case strings.HasPrefix(strings.TrimLeft(trimmed, "("), "//"), strings.HasPrefix(trimmed, ".."):
		selector = "xpath=" + selector
	case strings.HasPrefix(trimmed, `"`), strings.HasPrefix(trimmed, "'"):
		selector = "text=" + selector
	default:
		selector = "css=" + selector
	}
	return translated(selector)
}

// Matched is Query for a selector of any of Playwright's engines.
func (rd *Reader) Matched(ctx context.Context, t *screen.Tree, selector string) (map[*screen.Node]bool, error) {
	found := map[*screen.Node]bool{}
	places := map[string][]*screen.Node{} // by document: the way to it
	var order []string
	for n := range t.All {
		if n.Ref == "" {
			continue
		}
		way := n.Ref[:strings.LastIndexByte(n.Ref, '/')+1]
		if places[way] == nil {
			order = append(order, way)
		}
		places[way] = append(places[way], n)
	}
	for i, way := range order {
		r, err := rd.lookFor(ctx, browser.CallLimit-time.Second, frameWay(way)+selector, i > 0)
		if err != nil {
			return nil, err
		}
		refs := make(map[string]bool, len(r.Refs))
		for _, number := range r.Refs {
			refs[strconv.Itoa(number)] = true
		}
		if gen, _, _ := strings.Cut(way, "/"); r.Gen != gen {
			return nil, fmt.Errorf("%w: the page was read again or changed since this tree", drivers.ErrNotReady)
		}
		for _, n := range places[way] {
			if refs[n.Ref[len(way):]] {
				found[n] = true
			}
		}
	}
	return found, nil
}

// frameWay is the selector that enters the frames of a way: "g3/17/" is frame 17 of the tree g3.
func frameWay(way string) string {
	parts := strings.Split(strings.TrimSuffix(way, "/"), "/")
	selector := ""
	for _, number := range parts[1:] {
		selector += "taproot=ref." + parts[0] + "." + number + pages.EnterFrame
	}
	return selector
}

func errorPage() error {
	return fmt.Errorf(
		"%w: the browser shows an error page in its place: the page led to an address that cannot be reached",
		drivers.ErrPage)
}

// Scoped is a selector inside a frame, in Playwright's own words.
func Scoped(frame, selector string) string {
	if frame == "" {
		return translated(selector)
	}
	return strings.ReplaceAll(translated(frame), " >> ", pages.EnterFrame) + pages.EnterFrame + translated(selector)
}

// translated puts the engines that have names of ours (label=, placeholder=, alt=, title=, testId=) into Playwright's
// words, which it keeps to itself. What follows may be in quotes: then it must be the whole text, case and all.
func translated(selector string) string {
	if !strings.Contains(selector, "=") {
		return selector
	}
	parts := strings.Split(selector, " >> ")
	for i, part := range parts {
		name, text, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			continue
		}
		exact := len(text) >= 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0]
		if exact {
			text = text[1 : len(text)-1]
		}
		switch name {
		case "label":
			parts[i] = "internal:label=" + quoted(text, exact)
		case "placeholder", "alt", "title":
			parts[i] = "internal:attr=[" + name + "=" + quoted(text, exact) + "]"
		case "testId":
			parts[i] = "internal:testid=[data-testid=" + quoted(text, true) + "]"
		}
	}
	return strings.Join(parts, " >> ")
}

// quoted is a text as Playwright's engines read it: s is for the whole text, i for a part of it in any case.
func quoted(text string, exact bool) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	if exact {
		return strings.TrimSpace(b.String()) + "s"
	}
	return strings.TrimSpace(b.String()) + "i"
}
