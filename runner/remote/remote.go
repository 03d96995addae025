// Package remote runs cases of this machine on the devices of a hub: it implements run.RemoteRunner over HTTP. The
// code is in runner/internal/remote; this is what other folders need of it.
package remote

import (
	"context"
	"net/http"

	"github.com/taproot-dev/taproot/runner/internal/remote"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// Client sends requests to a hub. Safe for concurrent use.
type Client = remote.Client

// NewClient makes a client of the hub at a URL, with an API key. The error is a *plan.Usage.
func NewClient(address string, key string) (*Client, error) {
	return remote.NewClient(address, key)
}

// Inside makes a client of a hub in this process (dispatch.Handler).
func Inside(hub http.Handler) *Client {
	return remote.Inside(hub)
}

// Request is a request to the API of a hub.
type Request = remote.Request

// HubError is an error response of the hub.
type HubError = remote.HubError

// Options name the hub, and what is run there.
type Options = remote.Options

// NoteInputs makes a configuration record what its planning reads.
func NoteInputs(c *run.Config) *remote.PlanInputs {
	return remote.NoteInputs(c)
}

// Farm is a run on a hub. Safe for concurrent use.
type Farm = remote.Farm

// Open uploads what the tests need, and starts a run. Close must be called in the end.
func Open(ctx context.Context, o Options) (*Farm, error) {
	return remote.Open(ctx, o)
}
