package cli

import (
	"context"
	"encoding/json"

	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server"
)

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
