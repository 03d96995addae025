package web

import (
	"context"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// maxNews caps what is remembered of a device until it is read.
const maxNews = 50

// pageEvent is a drivers.WebHappening with a page that may still be on its way.
type pageEvent struct {
	kind, text string
	status     int
	page       playwright.Page
}

// Events is what happened on the pages of a device since it was asked last. Events come on playwright-go's event
// loop: nothing here waits.
type Events struct {
	mu   sync.Mutex
	list []pageEvent
	more int
	keep bool // the foreground page stays there
}

func (n *Events) add(h pageEvent) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.list) >= maxNews {
		n.more++
		return
	}
	n.list = append(n.list, h)
}

// news returns what happened since the last call, and how much more was left out.
func (n *Events) news() (list []pageEvent, more int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list, more = n.list, n.more
	n.list, n.more = nil, 0
	return list, more
}

func (n *Events) keepsFront() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.keep
}

// KeepFront sets whether the foreground page stays there when another one opens.
func (n *Events) KeepFront(keep bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.keep = keep
}

// TabPicker lists the tabs of a session, and chooses among them.
type TabPicker struct {
	slot    *Slot
	nav     *Navigator
	journal *Journal
}

// PageEvents returns what happened since the last call.
func (tp *TabPicker) PageEvents() ([]drivers.WebPageEvent, int) {
	_, front, _ := tp.slot.page()
	list, more := tp.journal.news()
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
func (tp *TabPicker) Tabs(ctx context.Context) ([]drivers.WebTab, error) {
	s, front, err := tp.slot.page()
	if err != nil {
		return nil, err
	}
	pages := s.tabs.all()
	list := make([]drivers.WebTab, 0, len(pages))
	for _, page := range pages {
		tab := drivers.WebTab{URL: page.URL(), Front: page == front}
		if !s.dialogs.isOpen() { // no page responds then
			tab.Title = title(ctx, s, page, fillSlice)
		}
		list = append(list, tab)
	}
	return list, ctx.Err()
}
