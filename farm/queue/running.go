package queue

import (
	"context"
	"encoding/json"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Running is a running case.
type Running struct {
	Run     string
	N       int
	Attempt int
	Host    string
	Device  string
	Since   time.Time
	What    json.RawMessage
}

// mostRunning limits the list of Running.
const mostRunning = 200

// Running lists the running cases of a project, at most 200, those that started first at the top.
func (q *Queue) Running(ctx context.Context, project string) (list []Running, err error) {
	err = q.db.Each(ctx,
		"SELECT run, n, attempt, host, device, since, what FROM farm_cases WHERE state = 'running' AND project = $1 ORDER "+
			"BY since, run, n LIMIT $2", []any{project, mostRunning}, func(scan func(...any) error) error {
			var r Running
			var since int64
			var what string
			err := scan(&r.Run, &r.N, &r.Attempt, &r.Host, &r.Device, &since, &what)
			r.Since, r.What = store.Moment(since), json.RawMessage(what)
			list = append(list, r)
			return err
		})
	return list, err
}
