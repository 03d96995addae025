package remote

import (
	"context"
	"fmt"
	"net/http"
)

// Why says why a case has not begun, by the name of its pack; "": it has, or is not known.
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
	var at struct{ State, Host, Device, Why string } // a queue.Place
	if err := f.once(ctx, Request{Method: http.MethodGet, Path: fmt.Sprintf("runs/%s/cases/%d", f.id, n),
		Into: &at}); err != nil {
		return "" // it is no news that the database is away
	}
	switch at.State {
	case "waiting":
		return at.Why
	case "running":
		return fmt.Sprintf("it was given to %s of host %s, which prepares it", at.Device, at.Host)
	}
	return ""
}
