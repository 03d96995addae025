package pages

import (
	"fmt"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
)

// Slot is the place for one page: the session that is open in it, and the calls into its pages.
type Slot struct {
	id    string
	Grace time.Duration  // ActGrace
	Limit time.Duration  // CallLimit
	Calls sync.WaitGroup // calls into Playwright that outlived their context

	mu      sync.Mutex
	closed  bool
	session *BrowserContext // what was opened last, nil before
}

// NewSlot returns a slot without a page.
func NewSlot(id string) *Slot {
	return &Slot{id: id, Grace: browser.ActGrace, Limit: browser.CallLimit}
}

// ClosedError says that the device was closed.
func (sl *Slot) ClosedError() error {
	return fmt.Errorf("%w: %s is closed", drivers.ErrDeviceLost, sl.id)
}

// Opened returns the session, nil when none is open, and whether the slot is closed.
func (sl *Slot) Opened() (s *BrowserContext, closed bool) {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	return sl.session, sl.closed
}

// Take empties the slot and returns what was open in it.
func (sl *Slot) Take() (s *BrowserContext, closed bool) {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	s, sl.session = sl.session, nil
	return s, sl.closed
}

// Close closes the pages. No session can be opened after it.
func (sl *Slot) Close() error {
	sl.mu.Lock()
	sl.closed = true
	s := sl.session
	sl.session = nil
	sl.mu.Unlock()
	if s != nil {
		s.Close()
	}
	// With the context gone every call returns; a browser that hangs keeps them until the driver closes.
	if !browser.Within(browser.StopLimit, sl.Calls.Wait) {
		return fmt.Errorf("close %s: %w: the browser does not answer", sl.id, drivers.ErrDeviceLost)
	}
	return nil
}

// Page returns the current page, or an error that says why there is none.
func (sl *Slot) Page() (*BrowserContext, playwright.Page, error) {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	switch {
	case sl.closed:
		return nil, nil, sl.ClosedError()
	case sl.session == nil:
		return nil, nil, drivers.NoPage("no page is open: start with openBrowser")
	}
	page, err := sl.session.Current()
	return sl.session, page, err
}

// Adopt makes s the device's session, unless the device was closed meanwhile.
func (sl *Slot) Adopt(s *BrowserContext) bool {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	if sl.closed {
		return false
	}
	sl.session = s
	return true
}

func (sl *Slot) IsClosed() bool {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	return sl.closed
}
