package capture

import (
	"slices"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// eagerCDP sends images before it responds that it will.
type eagerCDP struct {
	playwright.CDPSession
	picture func(any)

	mu    sync.Mutex
	acked []any
}

func (e *eagerCDP) On(_ string, handler any) { e.picture = handler.(func(any)) }

func (e *eagerCDP) Detach() error { return nil }

func (e *eagerCDP) Send(method string, args map[string]any) (any, error) {
	if method == "Page.startScreencast" {
		for id := range 3 {
			e.picture(map[string]any{"data": "AA==", "sessionId": id})
		}
		return nil, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.acked = append(e.acked, args["sessionId"])
	return nil, nil
}

func TestPicturesBeforeTheScreencastIsAnswered(t *testing.T) {
	t.Parallel()
	cdp := &eagerCDP{}
	c := &screencast{session: &pages.BrowserContext{}, frames: make(chan castFrame, 1)}
	c.start(cdp)
	c.end()
	if !c.sends || len(cdp.acked) != 2 || slices.Contains(cdp.acked, any(2)) {
		t.Errorf("acknowledged %v; the newest is still to be shown", cdp.acked)
	}
}
