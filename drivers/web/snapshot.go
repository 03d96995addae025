package web

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	maxSnapshot   = 4 << 20 // script/dom.js ends long before
	snapshotLimit = time.Second
)

// snapshot is the one that was given last.
type snapshot struct {
	id   string // of script/dom.js
	data []byte
}

// PageSnapshot reads the page by script/dom.js. It changes nothing: a dialog stays open, and the page is not waited
// for.
func (rd *Reader) PageSnapshot(ctx context.Context) ([]byte, error) {
	s, page, err := rd.slot.page()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.dialogs.isOpen() || s.mute.Load() {
		return nil, fmt.Errorf("%w: the page does not answer", drivers.ErrNotReady)
	}
	rd.mu.Lock()
	last := rd.snapshot
	rd.mu.Unlock()
	done := start(rd.slot, func() (snapshot, error) {
		var answer struct{ ID, Dom string }
		if err := askFor(page, nil, "dom."+last.id, &answer, snapshotLimit); err != nil {
			return snapshot{}, err
		}
		switch {
		case answer.Dom == "" && answer.ID == last.id:
			return last, nil
		case len(answer.Dom) > maxSnapshot:
			return snapshot{}, errors.New("the page has too much in it")
		}
		return snapshot{answer.ID, []byte(answer.Dom)}, nil
	})
	select {
	case r := <-done:
		if r.err != nil {
			return nil, s.explain(r.err)
		}
		rd.mu.Lock()
		rd.snapshot = r.value
		rd.mu.Unlock()
		return r.value.data, nil
	case <-s.dialogs.onDialog():
		return nil, fmt.Errorf("%w: an open dialog stops the page", drivers.ErrNotReady)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.ending:
		return nil, s.closedError()
	case <-s.browser.lost:
		return nil, errBrowserLost
	case <-s.crash:
		return nil, errCrashed
	}
}
