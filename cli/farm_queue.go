package cli

import (
	"context"

	"github.com/taproot-dev/taproot/farm/dispatch"
	"github.com/taproot-dev/taproot/server"
)

// farmQueue tells what waits of a project, and why.
func farmQueue(d *dispatch.Dispatcher) func(context.Context, string) ([]server.FarmLine, error) {
	return func(ctx context.Context, project string) ([]server.FarmLine, error) {
		waiting, err := d.Waiting(ctx, project)
		var list []server.FarmLine
		for _, l := range waiting {
			list = append(list, server.FarmLine{Needs: l.Needs.String(), Waiting: l.Waiting, Why: l.Why})
		}
		return list, err
	}
}
