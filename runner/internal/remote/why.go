package remote

import (
	"context"
	"fmt"
	"net/http"
)

// Why returns why the case of a pack has not started, or "" if it has, or the reason is unknown.
func (f *Farm) Why(ctx context.Context, pack string) string {
	f.mu.Lock()
	n := -1
	for i, t := range f.tries {
		if t.of.Case.Pack == pack {
			n = i
		}
	}
	f.mu.Unlock()
	if n < 0 {
		return ""
	}
	var at struct{ State, Host, Device, Why string } // a queue.CaseStatus
	if err := f.once(ctx, Request{Method: http.MethodGet, Path: fmt.Sprintf("runs/%s/cases/%d", f.id, n),
		Into: &at}); err != nil {
		return "" // the database is unavailable, which the user need not know
	}
	switch at.State {
	case "waiting":
		return at.Why
	case "running":
		return fmt.Sprintf("it was assigned to %s of host %s, which prepares it", at.Device, at.Host)
	}
	return ""
}
