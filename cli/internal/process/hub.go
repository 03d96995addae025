package process

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/runner/plan"
	farmremote "github.com/taproot-dev/taproot/runner/remote"
)

// HubClient returns a client of the hub at a URL; "": that of TAPROOT_HUB.
func HubClient(env *Env, address string) (*farmremote.Client, error) {
	set, err := NewSettings(env)
	if err != nil {
		return nil, err
	}
	if address == "" {
		address = set.Get("TAPROOT_HUB")
	}
	return farmremote.NewClient(address, set.Get("TAPROOT_API_KEY"))
}

// HubLimit is how long a hub may take to respond.
const HubLimit = 30 * time.Second

// QueryHub queries the hub once, and does not wait for a hub that is offline.
func QueryHub(ctx context.Context, of *farmremote.Client, r farmremote.Request) error {
	ctx, cancel := context.WithTimeout(ctx, HubLimit)
	defer cancel()
	return HubError(of.Ask(ctx, r))
}

// HubError returns the error of a hub that rejected the request or did not respond, for the user.
func HubError(err error) error {
	var said *farmremote.HubError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said):
		return &plan.Usage{Msg: "the server says: " + said.Message}
	}
	return &plan.Usage{Msg: "the server cannot be reached: " + err.Error()}
}
