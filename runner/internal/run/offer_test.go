package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// grid is a driver of a remote without a server.
type grid struct {
	mu     sync.Mutex
	err    error         // of the next requests
	takes  time.Duration // each request
	asked  int
	opened error // of Open
	closed bool
}

func (g *grid) Platform() dsl.Platform { return dsl.Web }

func (g *grid) Devices(context.Context) ([]drivers.Info, error) {
	return nil, errors.New("the server is not to be waited for")
}

func (g *grid) Places() []drivers.Info {
	return []drivers.Info{{ID: "grid-1", Remote: "grid", State: drivers.Ready}}
}

func (g *grid) Usable(ctx context.Context) error {
	g.mu.Lock()
	g.asked++
	err, takes := g.err, g.takes
	g.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return ctx.Err()
	}
	return err
}

func (g *grid) Open(context.Context, string) (drivers.Device, error) { return nil, g.opened }

func (g *grid) Close() error { g.closed = true; return nil }

func (g *grid) set(err error, takes time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.err, g.takes = err, takes
}

// TestOffer checks that the list of an offered remote does not wait for a server that hangs, shows one that does not
// respond and one that opens no session, and offers it again later.
func TestOffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &grid{takes: time.Hour}
		o := newOffer(g, "grid", slog.New(slog.DiscardHandler))
		problem := func() string {
			t.Helper()
			began := time.Now()
			list, err := o.Devices(t.Context())
			if err != nil || len(list) != 1 || list[0].ID != "grid-1" ||
				(list[0].State == drivers.Ready) != (list[0].Problem == "") || time.Since(began) > offerFirst {
				t.Fatalf("%+v %v after %s", list, err, time.Since(began))
			}
			return list[0].Problem
		}
		is := func(want string) {
			t.Helper()
			problem() // sends a request
			synctest.Wait()
			if got := problem(); got != want {
				t.Errorf("%q, not %q", got, want)
			}
		}
		is("the remote grid has not responded yet")
		if g.asked != 1 {
			t.Errorf("a server that hangs was asked %d times", g.asked)
		}
		g.set(nil, 0)
		time.Sleep(time.Hour)
		is("")
		g.set(fmt.Errorf("%w: the remote grid: nothing listens there", drivers.ErrDeviceLost), 0)
		is("") // the last request was just now
		time.Sleep(offerEvery)
		is("the remote grid: nothing listens there")
		g.set(nil, 0)
		time.Sleep(offerEvery)
		is("")

		g.opened = fmt.Errorf("%w: the remote grid: refused", drivers.ErrDeviceLost)
		if _, err := o.Open(t.Context(), "grid-1"); !errors.Is(err, drivers.ErrDeviceLost) {
			t.Error(err)
		}
		is("no session can be opened: the remote grid: refused")
		time.Sleep(offerRest)
		is("")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = o.Open(ctx, "grid-1")
		is("") // the case was withdrawn
		g.opened = nil
		_, _ = o.Open(t.Context(), "grid-1")
		is("")
		g.set(nil, time.Hour)
		time.Sleep(offerEvery)
		problem()
		if err := o.Close(); err != nil || !g.closed {
			t.Error(err)
		}
	})
}

// A remote of a configuration is found by its name.
func TestOfferedRemotes(t *testing.T) {
	t.Parallel()
	c := Config{Remotes: []dsl.RemoteServer{{Name: "a"}, {Name: "b", Sessions: 2}}}
	if r := c.Sessions().Offered("b"); r == nil || r.Sessions != 2 {
		t.Errorf("%+v", r)
	}
	for _, name := range []string{"", "c"} {
		if r := c.Sessions().Offered(name); r != nil {
			t.Errorf("%q: %+v", name, r)
		}
	}
}
