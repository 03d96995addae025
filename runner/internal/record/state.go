package record

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/client"
)

// State is the state of a page in addition to its elements. The zero value is that of a phone.
type State struct {
	Dialog     *drivers.Alert // the open dialog: other queries would dismiss it
	Tabs       []drivers.WebTab
	FilesAsked bool // the page has opened a file chooser since the last call of At
}

const askedScript = `() => {
const key = Symbol.for("taproot.files"), asked = window[key] === true;
window[key] = false;
return asked;
}`

// StateOf returns the state of a device.
func StateOf(ctx context.Context, d drivers.Device) (s State, err error) {
	page, ok := d.(drivers.WebPages)
	if !ok {
		return s, nil
	}
	if s.Dialog, err = client.OpenDialog(ctx, d); s.Dialog != nil || err != nil {
		return s, err
	}
	tabs, ok := d.(drivers.WebPageMonitor)
	if !ok {
		return s, nil
	}
	s.Tabs, err = tabs.Tabs(ctx)
	if errors.Is(err, drivers.ErrPage) || err == nil && len(s.Tabs) == 0 {
		return s, nil // no page is open yet
	}
	if err != nil {
		return s, err
	}
	asked, err := page.Eval(ctx, "("+askedScript+")()", queryTimeout)
	s.FilesAsked = asked == true
	return s, err
}

// Remember sets the earlier title of tabs that have none now, because they are being closed.
func Remember(was, now []drivers.WebTab) {
	for i := range now {
		if now[i].Title == "" && i < len(was) && was[i].URL == now[i].URL {
			now[i].Title = was[i].Title
		}
	}
}

// Picking returns the arguments of webTab that select a tab, the best first: its title, the path of its URL, its
// index.
func Picking(tabs []drivers.WebTab, at int) (list []source.Value) {
	alone := func(of func(drivers.WebTab) string) bool {
		for i, tab := range tabs {
			if i != at && of(tab) == of(tabs[at]) {
				return false
			}
		}
		return true
	}
	text := func(key, value string) {
		list = append(list,
			source.Value{Kind: source.Map, Fields: []source.Field{
				{Key: key, Value: source.Value{Kind: source.String, Text: strings.ReplaceAll(value, "${", "$${")}}}})
	}
	title := func(tab drivers.WebTab) string { return strings.TrimSpace(tab.Title) }
	path := func(tab drivers.WebTab) string {
		if u, err := url.Parse(tab.URL); err == nil && u.Host != "" {
			return u.EscapedPath()
		}
		return ""
	}
	if name := title(tabs[at]); isStable(name) && len([]rune(name)) <= 60 && alone(title) &&
		!strings.HasPrefix(name, "/") {
		text("title", name)
	}
	if p := path(tabs[at]); isStable(p) && p != "/" && !strings.ContainsAny(p, "*{}[]?") && alone(path) {
		text("url", "**"+p+"*")
	}
	return append(list,
		source.Value{Kind: source.Map, Fields: []source.Field{
			{Key: "index", Value: source.Value{Kind: source.Int, Text: strconv.Itoa(at)}}}})
}

// isStable reports whether a text has no number, which may change with the data.
func isStable(text string) bool { return text != "" && !strings.ContainsFunc(text, unicode.IsDigit) }
