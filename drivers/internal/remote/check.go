package remote

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// Call is one call of the check of a server.
type Call struct {
	Name string        `json:"name"`
	Took time.Duration `json:"-"`
	Ms   int64         `json:"ms"`
	Err  error         `json:"-"`
	Said string        `json:"problem,omitempty"`
}

// Calls are the calls of a check, in their order.
type Calls []Call

// Do makes a call and notes how long it took. It reports whether it went well.
func (c *Calls) Do(name string, f func() error) bool {
	began := time.Now()
	err := f()
	call := Call{Name: name, Took: time.Since(began), Err: err}
	if call.Ms = call.Took.Milliseconds(); err != nil {
		call.Said = err.Error()
	}
	*c = append(*c, call)
	return err == nil
}

// Driver is a driver of a remote that can be checked.
type Driver interface {
	drivers.Driver
	// Status reports whether the server is there.
	Status(ctx context.Context) error
	// Try opens a session, reads in it, and ends it, and says what it is of.
	Try(ctx context.Context, calls *Calls) (what string)
}

// Check calls a driver's Status and Try, and closes it.
func Check(ctx context.Context, d Driver) (calls Calls, what string) {
	defer d.Close()
	if calls.Do("status", func() error { return d.Status(ctx) }) {
		what = d.Try(ctx, &calls)
	}
	return calls, what
}
