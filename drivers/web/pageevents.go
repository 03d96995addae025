package web

import (
	"context"
	"slices"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

var _ drivers.WebPageMonitor = (*Device)(nil)

// maxNews caps what is remembered of a device until it is read.
const maxNews = 50

// pageEvent is a drivers.WebHappening with a page that may still be on its way.
type pageEvent struct {
	kind, text string
	status     int
	page       playwright.Page
}

// pageEvents is what happened on the pages of a device since it was asked last. Events come on playwright-go's event
// loop: nothing here waits.
type pageEvents struct {
	mu   sync.Mutex
	list []pageEvent
	more int
	keep bool // the foreground page stays there
}

func (n *pageEvents) add(h pageEvent) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.list) >= maxNews {
		n.more++
		return
	}
	n.list = append(n.list, h)
}

func (n *pageEvents) keepsFront() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.keep
}

// KeepFront sets whether the foreground page stays there when another one opens.
func (d *Device) KeepFront(keep bool) {
	d.events.mu.Lock()
	defer d.events.mu.Unlock()
	d.events.keep = keep
}

// PageEvents returns what happened since the last call.
func (d *Device) PageEvents() ([]drivers.WebPageEvent, int) {
	_, front, _ := d.page()
	d.events.mu.Lock()
	list, more := d.events.list, d.events.more
	d.events.list, d.events.more = nil, 0
	d.events.mu.Unlock()
	var told []drivers.WebPageEvent
	for _, h := range list {
		w := drivers.WebPageEvent{Kind: h.kind, Text: h.text, Status: h.status}
		if h.page != nil {
			w.URL, w.Front = h.page.URL(), h.page == front
		}
		told = append(told, w)
	}
	return told, more
}

// Tabs lists the pages that are open.
func (d *Device) Tabs(ctx context.Context) ([]drivers.WebTab, error) {
	s, front, err := d.page()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	pages := slices.Clone(s.pages)
	s.mu.Unlock()
	list := make([]drivers.WebTab, 0, len(pages))
	for _, page := range pages {
		tab := drivers.WebTab{URL: page.URL(), Front: page == front}
		if !s.dialogs.isOpen() { // no page responds then
			tab.Title = s.title(ctx, page, fillSlice)
		}
		list = append(list, tab)
	}
	return list, ctx.Err()
}
