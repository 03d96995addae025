package cli

import (
	"context"

	"github.com/taproot-dev/taproot/farm/dispatch"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/server"
)

// farmQueue prints the waiting cases of a project, with the reason.
func farmQueue(d *dispatch.Dispatcher, q *queue.Queue) func(context.Context, string) ([]server.FarmLine,
	server.FarmShare, error) {
	return func(ctx context.Context, project string) (list []server.FarmLine, share server.FarmShare, err error) {
		shares, err := q.Shares(ctx, project)
		if err != nil {
			return nil, share, err
		}
		for _, s := range shares {
			share = server.FarmShare{Weight: s.Weight, Limit: s.Limit, Running: s.Running, Waiting: s.Waiting}
		}
		waiting, err := d.Waiting(ctx, project)
		for _, l := range waiting {
			list = append(list, server.FarmLine{Needs: l.Needs.String(), Waiting: l.Waiting, Why: l.Why})
		}
		return list, share, err
	}
}
