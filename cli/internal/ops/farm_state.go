package ops

import (
	"context"
	"encoding/json"

	"github.com/taproot-dev/taproot/farm/dispatch"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/runner/plan"
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

// farmRunning prints the running cases of a project.
func farmRunning(q *queue.Queue) func(context.Context, string) ([]server.FarmCase, error) {
	return func(ctx context.Context, project string) ([]server.FarmCase, error) {
		running, err := q.Running(ctx, project)
		if err != nil {
			return nil, err
		}
		var list []server.FarmCase
		for _, r := range running {
			var test plan.Ref // written by the client that sent it; an unreadable one has no name
			_ = json.Unmarshal(r.What, &test)
			list = append(list, server.FarmCase{Run: r.Run, Test: test.ID, Attempt: r.Attempt, Device: r.Device, Host: r.Host,
				Since: r.Since})
		}
		return list, nil
	}
}
