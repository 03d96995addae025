package live

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/runner/action"
)

// cleanLimit bounds what is done with apps when a hold ends.
const cleanLimit = 20 * time.Second

// note has the session of a device note what its holder uses. What an earlier holder left is cleaned first. The caller
// has the turn.
func (d *Devices) note(e *entry) {
	if !d.o.AfterUse.Cleans() {
		return
	}
	d.mu.Lock()
	h, held := e.held(time.Now())
	d.mu.Unlock()
	if !held {
		h.Who = ""
	}
	if h.Who != e.user {
		d.clean(e)
	}
	if held && e.uses == nil {
		e.uses, e.user = &action.UsedApps{}, h.Who
	}
	e.session.Uses = e.uses
}

// clean does with the apps of a hold that has ended what the policy says; that an app cannot be stopped keeps nobody
// from the device. The caller has the turn.
func (d *Devices) clean(e *entry) {
	uses := e.uses
	e.uses, e.user = nil, ""
	if e.session == nil {
		return // the device broke, and is not there
	}
	e.session.Uses = nil
	ctx, cancel := context.WithTimeout(context.Background(), cleanLimit)
	defer cancel()
	_ = action.Guard(func() error { return uses.Clean(ctx, e.session.Device, d.o.AfterUse) })
}
