package cli

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/server"
)

// farmQueue tells what waits of a project, and why.
func farmQueue(h *hub.Hub, q *queue.Queue) func(context.Context, string) ([]server.FarmLine, error) {
	return func(ctx context.Context, project string) ([]server.FarmLine, error) {
		lines, err := q.Lines(ctx, project)
		if err != nil || len(lines) == 0 {
			return nil, err
		}
		all, busy := farmDevices(h.Devices(project))
		var list []server.FarmLine
		for _, l := range lines {
			at, err := q.Why(ctx, l.Run, l.N, all, busy)
			if err != nil {
				return nil, err
			}
			list = append(list, server.FarmLine{Needs: l.Needs.String(), Waiting: l.Waiting, Why: at.Why})
		}
		return list, nil
	}
}

// farmDevices are the devices that cases could have, and those of them that somebody has.
func farmDevices(of []hub.Device) (all []queue.Device, busy map[string]bool) {
	busy = map[string]bool{}
	for _, d := range of {
		if d.State != drivers.Ready || d.Gone {
			continue
		}
		all = append(all, queue.Device{Host: d.Host, ID: d.ID, Platform: d.Platform, Model: d.Model, OS: d.OSVersion, Width: d.Width, Height: d.Height, Pool: d.Pool, Labels: labelList(d.Labels)})
		if d.Use != hub.Free {
			busy[d.Host+"/"+d.ID] = true
		}
	}
	return all, busy
}
