package live

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/runner/internal/action"
)

// cleanLimit limits the time for stopping and removing apps when a lease ends.
const cleanLimit = 20 * time.Second

// trackApps lets the session of a device record which apps the holder uses. It first cleans up after the previous
// holder. The caller has the turn.
func (d *Devices) trackApps(e *entry) {
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

// clean stops or removes the apps of a lease that has ended, according to the policy. Errors are ignored: they must not
// block the device. The caller has the turn.
func (d *Devices) clean(e *entry) {
	uses := e.uses
	e.uses, e.user = nil, ""
	if e.session == nil {
		return // the device broke and is closed
	}
	e.session.Uses = nil
	ctx, cancel := context.WithTimeout(context.Background(), cleanLimit)
	defer cancel()
	_ = action.Guard(func() error { return uses.Clean(ctx, e.session.Device, d.o.AfterUse) })
}
