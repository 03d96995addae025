package network

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// request is one of a kind.
type request struct {
	playwright.Request
	kind string
}

func (r *request) ResourceType() string { return r.kind }

// TestCallsOfScripts: a page waits for the responses to its scripts' calls, and a moment longer, and not for one that
// stays open.
func TestCallsOfScripts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var of Traffic
		is := func(want screen.Activity, when string) {
			t.Helper()
			if have := of.Rest(); have != want {
				t.Errorf("%s: %q, not %q", when, have, want)
			}
		}
		time.Sleep(callsAfter)
		of.Called(&request{kind: "image"})
		is(screen.Quiet, "a picture")
		call := &request{kind: "fetch"}
		of.Called(call)
		is(screen.Busy, "a call")
		time.Sleep(callsFor)
		is(screen.Quiet, "a call that waits for news")
		of.CalledBack(call)
		is(screen.Busy, "the answer")
		time.Sleep(callsAfter)
		is(screen.Quiet, "a moment after it")
		of.Receives()
		is(screen.Unknown, "a page that hears from the network")
	})
}
