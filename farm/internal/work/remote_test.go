package work

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// TestRemoteMayReturn: cases wait for a device of a remote that could be used a moment ago, and for no other one.
func TestRemoteMayReturn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &Worker{ready: map[string]time.Time{}}
		is := func(state drivers.State, remote string, want bool) {
			t.Helper()
			d := &wire.Device{Info: drivers.Info{ID: "grid-1", Remote: remote, State: state}}
			if got := w.mayReturn(d); got != want {
				t.Errorf("%s of %q: %v", state, remote, got)
			}
		}
		is("offline", "grid", false) // it never was
		is(drivers.Ready, "grid", false)
		is("offline", "grid", true)
		is("offline", "", false)
		time.Sleep(remoteReturns)
		is("offline", "grid", false)
		is(drivers.Ready, "grid", false)
		is("offline", "grid", true)
	})
}
