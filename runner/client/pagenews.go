package client

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// PageNews remembers what a client was told of its devices. Safe for concurrent use.
type PageNews struct {
	mu   sync.Mutex
	told map[string]pageState // by device
}

// pageState is where the page in front was when the client heard of it last.
type pageState struct {
	url    string
	status int
}

// answers is how long a page may take to say where it is.
const answers = 500 * time.Millisecond

// maxTold caps a text in the news.
const maxTold = 200

// Since tells what happened on a device since the client's last call: a line each; words marks foreign texts. opened:
// one of these is a tab.
func (n *PageNews) Since(ctx context.Context, id string, d drivers.Device, words func(string) string) (lines []string,
	opened bool) {
	if c, ok := d.(drivers.CrashHinter); ok && c.CrashSuspected() {
		lines = append(lines, "the log tells of a crash: logs shows it")
	}
	w, ok := d.(drivers.WebPageMonitor)
	if !ok {
		return lines, false
	}
	list, more := w.PageEvents()
	tabs := ""
	status := 0
	for _, h := range list {
		about := words(shortAddress(h.URL))
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
				lines = append(lines, fmt.Sprintf("another tab came with %d: %s", h.Status, about))
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

// page tells where the page in front is now, when it was loaded or has gone elsewhere.
func (n *PageNews) page(ctx context.Context, id string, d drivers.Device, status int,
	words func(string) string) string {
	where, ok := d.(drivers.Navigator)
	if !ok {
		return ""
	}
	short, cancel := context.WithTimeout(ctx, answers)
	defer cancel()
	url, title, err := where.Location(short)
	if err != nil { // it is busy: the next call tells
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told == nil {
		n.told = map[string]pageState{}
	}
	if was := n.told[id]; was.url == url && status == 0 {
		return ""
	}
	n.told[id] = pageState{url, status}
	line := "page: " + words(shortAddress(url))
	if status != 0 {
		line += fmt.Sprintf(" %d", status)
	}
	return line + " " + words(Quoted(title))
}

// At is where the page in front was when the client heard of it last; "" when it is not known.
func (n *PageNews) At(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.told[id].url
}

// Forget drops what was told of a device that is closed.
func (n *PageNews) Forget(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.told, id)
}

// TabLines list open tabs, by the number that chooses one.
func TabLines(tabs []drivers.WebTab, words func(string) string) []string {
	var lines []string
	for i, t := range tabs {
		front := ""
		if t.Front {
			front = " (in front)"
		}
		if i == 20 && len(tabs) > 21 {
			return append(lines, fmt.Sprintf("%d more tabs", len(tabs)-i))
		}
		lines = append(lines, fmt.Sprintf("tab %d%s: %s %s", i, front, words(shortAddress(t.URL)), words(Quoted(t.Title))))
	}
	return lines
}

// shortAddress cuts an address that is long or holds the page itself.
func shortAddress(url string) string {
	url = strings.ToValidUTF8(url, "\ufffd")
	if r := []rune(url); len(r) > maxTold {
		return string(r[:maxTold-1]) + "…"
	}
	return url
}
