package client

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// PageNews remembers what was reported to a client of its devices. It is safe for concurrent use.
type PageNews struct {
	mu       sync.Mutex
	reported map[string]pageState // by device
}

// pageState is the state of the foreground page that was reported last.
type pageState struct {
	url    string
	status int
}

// locationTimeout limits how long a page may take to return its URL.
const locationTimeout = 500 * time.Millisecond

// maxNewsText limits the characters of a text in the news.
const maxNewsText = 200

// Since returns what happened on a device since the client's last call, one line each; words marks texts of pages.
// opened reports a new tab.
func (n *PageNews) Since(ctx context.Context, id string, d drivers.Device, words func(string) string) (lines []string,
	opened bool) {
	if c, ok := d.(drivers.CrashHinter); ok && c.CrashSuspected() {
		lines = append(lines, "the log contains a crash: logs shows it")
	}
	w, ok := d.(drivers.WebPageMonitor)
	if !ok {
		return lines, false
	}
	list, more := w.PageEvents()
	tabs := ""
	status := 0
	for _, h := range list {
		about := words(shortURL(h.URL))
		switch h.Kind {
		case drivers.TabOpened:
			lines = append(lines, "opened a tab: "+about)
			tabs, opened = "tabs", true
		case drivers.TabClosed:
			lines = append(lines, "closed a tab: "+about)
			tabs = "tabs"
		case drivers.TabDownload:
			lines = append(lines, "downloaded: "+words(h.Text))
		case drivers.TabDialog:
			lines = append(lines, "dialog: "+words(h.Text))
		case drivers.TabError:
			lines = append(lines, "the page threw: "+words(h.Text))
		case drivers.TabWentTo:
			if h.Front {
				status = h.Status
			} else if h.Status >= 400 {
				lines = append(lines, fmt.Sprintf("another tab loaded with status %d: %s", h.Status, about))
			}
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("%d more things happened", more))
	}
	if line := n.page(ctx, id, d, status, words); line != "" {
		lines = append(lines, line)
	}
	if tabs != "" {
		if all, err := w.Tabs(ctx); err == nil && len(all) > 0 {
			lines = append(lines, TabLines(all, words)...)
		}
	}
	return lines, opened
}

// page describes the foreground page when it was loaded or its URL has changed.
func (n *PageNews) page(ctx context.Context, id string, d drivers.Device, status int,
	words func(string) string) string {
	where, ok := d.(drivers.Navigator)
	if !ok {
		return ""
	}
	short, cancel := context.WithTimeout(ctx, locationTimeout)
	defer cancel()
	url, title, err := where.Location(short)
	if err != nil { // it is busy: reported with the next call
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.reported == nil {
		n.reported = map[string]pageState{}
	}
	if was := n.reported[id]; was.url == url && status == 0 {
		return ""
	}
	n.reported[id] = pageState{url, status}
	line := "page: " + words(shortURL(url))
	if status != 0 {
		line += fmt.Sprintf(" %d", status)
	}
	return line + " " + words(Quoted(title))
}

// At returns the URL of the foreground page that was reported last; "" when it is not known.
func (n *PageNews) At(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.reported[id].url
}

// Forget removes the state of a closed device.
func (n *PageNews) Forget(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.reported, id)
}

// TabLines lists open tabs, by the number that selects one.
func TabLines(tabs []drivers.WebTab, words func(string) string) []string {
	var lines []string
	for i, t := range tabs {
		front := ""
		if t.Front {
			front = " (in the foreground)"
		}
		if i == 20 && len(tabs) > 21 {
			return append(lines, fmt.Sprintf("%d more tabs", len(tabs)-i))
		}
		lines = append(lines, fmt.Sprintf("tab %d%s: %s %s", i, front, words(shortURL(t.URL)), words(Quoted(t.Title))))
	}
	return lines
}

// shortURL shortens a URL that is long or contains the page itself.
func shortURL(url string) string {
	url = strings.ToValidUTF8(url, "\ufffd")
	if r := []rune(url); len(r) > maxNewsText {
		return string(r[:maxNewsText-1]) + "…"
	}
	return url
}
