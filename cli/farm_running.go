package cli

import (
	"context"
	"encoding/json"

	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server"
)

// farmRunning tells which cases of a project are under way.
func farmRunning(q *queue.Queue) func(context.Context, string) ([]server.FarmCase, error) {
	return func(ctx context.Context, project string) ([]server.FarmCase, error) {
		running, err := q.Running(ctx, project)
		if err != nil {
			return nil, err
		}
		var list []server.FarmCase
		for _, r := range running {
			var test plan.Ref // whoever sent it has written it; what cannot be read has no name
			_ = json.Unmarshal(r.What, &test)
			list = append(list, server.FarmCase{Run: r.Run, Test: test.ID, Attempt: r.Attempt, Device: r.Device, Host: r.Host,
				Since: r.Since})
		}
		return list, nil
	}
}
