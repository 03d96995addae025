package queue

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/taproot-dev/taproot/internal/store"
)

// Accept stores results. The statement names the attempt and the host, so of each case only the current attempt is
// accepted, and only once. It reports for each result whether it was accepted. A result of an attempt that was
// superseded, accepted before or never assigned changes nothing, however late it arrives.
func (q *Queue) Accept(ctx context.Context, results []Result) (accepted []bool, err error) {
	type attempt struct {
		run        string
		n, attempt int
		host       string
	}
	places := map[attempt]int{} // duplicates within the call count once
	var order []int
	for i, r := range results {
		at := attempt{r.Run, r.N, r.Attempt, r.Host}
		if _, twice := places[at]; !twice {
			places[at] = i
			order = append(order, i)
		}
	}
	err = q.db.Write(ctx, func(tx *store.Tx) error {
		accepted = make([]bool, len(results))
		for rest := order; len(rest) > 0; rest = rest[min(len(rest), rowsAtOnce):] {
			v := values{}
			for _, i := range rest[:min(len(rest), rowsAtOnce)] {
				data, err := json.Marshal(results[i])
				if err != nil {
					return err
				}
				r := results[i]
				v.row(v.text(r.Run), r.N, r.Attempt, v.text(r.Host), v.text(string(data)))
			}
			err := tx.Each("UPDATE farm_cases SET state = 'ended', result = v.column5 FROM (VALUES "+v.rows.String()+") AS v "+
				"WHERE run = v.column1 AND n = v.column2 AND attempt = v.column3 AND host = v.column4 AND state = 'running' "+
				"RETURNING run, n, attempt, host", v.args,
				func(scan func(...any) error) error {
					var at attempt
					err := scan(&at.run, &at.n, &at.attempt, &at.host)
					accepted[places[at]] = true
					return err
				})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("accept results: %w", err)
	}
	return accepted, nil
}

// Accepted reports whether a result was accepted earlier, for a host that lost the response and sends it again.
func (q *Queue) Accepted(ctx context.Context, run string, n, attempt int) (bool, error) {
	var count int
	err := q.db.One(ctx, "SELECT COUNT(*) FROM farm_cases WHERE run = $1 AND n = $2 AND attempt = $3 AND state = 'ended'",
		[]any{run, n, attempt}, &count)
	return count > 0, err
}

// Return puts back a case that its host could not start. The case waits again, for another device if there is one. With
// free the device was not the cause (for example, the host drains), and the attempt does not count as lost.
func (q *Queue) Return(ctx context.Context, r Result, free bool) (bool, error) {
	lost := 1
	if free {
		lost = 0
	}
	n, err := q.again(ctx, lost, r.Error, "run = $3 AND n = $4 AND attempt = $5 AND host = $6", r.Run, r.N, r.Attempt,
		r.Host)
	return n > 0, err
}

// Lost puts back the cases of a host that is known to be dead, and returns their number.
func (q *Queue) Lost(ctx context.Context, host string) (int, error) {
	return q.again(ctx, 1, "its host was lost: "+host, "host = $3", host)
}

// again puts running cases back. Those that were lost too often end with an error.
func (q *Queue) again(ctx context.Context, lost int, why, which string, args ...any) (n int, err error) {
	err = q.db.Write(ctx, func(tx *store.Tx) error {
		n = 0
		if err := turn(tx); err != nil {
			return err
		}
		var over []Result
		longer := map[[2]string]int{}
		err := tx.Each(
			"UPDATE farm_cases SET state = CASE WHEN cancel = 1 THEN 'withdrawn' WHEN lost + $1 >= $2 THEN 'ended' ELSE "+
				"'waiting' END, lost = lost + $1, "+
				"avoid = CASE WHEN $1 = 0 THEN avoid ELSE host || '/' || device END WHERE state = 'running' AND "+which+
				" RETURNING run, n, attempt, project, kind, state, host",
			append([]any{lost, MaxLost}, args...), func(scan func(...any) error) error {
				var r Result
				var at [2]string
				var state string
				err := scan(&r.Run, &r.N, &r.Attempt, &at[0], &at[1], &state, &r.Host)
				n++
				switch state {
				case ended:
					r.Error = fmt.Sprintf("it was started %d times and never ended: %s", r.Attempt, why)
					over = append(over, r)
				case waiting:
					longer[at]++
				}
				return err
			})
		if err != nil {
			return err
		}
		for at, more := range longer {
			if err := lengthen(tx, at[0], at[1], "", more); err != nil {
				return err
			}
		}
		for _, r := range over {
			data, err := json.Marshal(r)
			if err != nil {
				return err
			}
			if _, err := tx.Exec("UPDATE farm_cases SET result = $3 WHERE run = $1 AND n = $2", r.Run, r.N,
				string(data)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("put cases back into the queue: %w", err)
	}
	return n, nil
}

// Ended returns the results of a run that the client has not taken yet, up to limit.
func (q *Queue) Ended(ctx context.Context, run string, limit int) (list []Result, err error) {
	err = q.db.Each(ctx, "SELECT result FROM farm_cases WHERE run = $1 AND state = 'ended' ORDER BY n LIMIT $2",
		[]any{run, limit}, func(scan func(...any) error) error {
			var text string
			if err := scan(&text); err != nil {
				return err
			}
			var r Result
			err := json.Unmarshal([]byte(text), &r)
			list = append(list, r)
			return err
		})
	return list, err
}

// Take removes cases after the client has received their results, and returns the blobs of their packs, which can be
// removed.
func (q *Queue) Take(ctx context.Context, run string, n []int) (blobs []string, err error) {
	args := []any{run}
	in := list(&args, n)
	err = q.db.Write(ctx, func(tx *store.Tx) error {
		blobs = nil
		return tx.Each("DELETE FROM farm_cases WHERE run = $1 AND state IN ('ended', 'withdrawn') AND n IN ("+in+
			") RETURNING result", args, func(scan func(...any) error) error {
			var text string
			var r Result
			if err := scan(&text); err != nil || text == "" {
				return err
			}
			err := json.Unmarshal([]byte(text), &r)
			if r.Blob != "" {
				blobs = append(blobs, r.Blob)
			}
			return err
		})
	})
	return blobs, err
}

// UnderWay returns the running attempts: of one host, or of all when host is "". cancelled has those of them that were
// withdrawn.
func (q *Queue) UnderWay(ctx context.Context, host string) (list []Assignment, cancelled map[[2]any]bool, err error) {
	cancelled = map[[2]any]bool{}
	err = q.db.Each(ctx,
		"SELECT run, n, attempt, host, device, devices, project, what, cancel FROM farm_cases WHERE state = 'running' "+
			"AND ($1 = '' OR host = $1) ORDER BY since, run, n", []any{host}, func(scan func(...any) error) error {
			var a Assignment
			var what, several string
			var cancel int
			err := scan(&a.Run, &a.N, &a.Attempt, &a.Host, &a.Device, &several, &a.Project, &what, &cancel)
			if err == nil {
				a.Devices, err = placesIn(several)
			}
			a.What = json.RawMessage(what)
			if list = append(list, a); cancel == 1 {
				cancelled[[2]any{a.Run, a.N}] = true
			}
			return err
		})
	return list, cancelled, err
}
