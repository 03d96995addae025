package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Queue is the queue of cases. Safe for concurrent use, also by several processes.
type Queue struct {
	db       *store.DB
	now      func() time.Time
	archives *Archives

	forgetting sync.Mutex
	seen       map[string]lastSeen // by run, as of the last call of Forget
	looked     time.Time
}

// lastSeen is when a run was last seen according to the database, and since when this value is unchanged.
type lastSeen struct {
	seen  int64
	since time.Time
}

// MaxLost is how often a case starts again after its host was lost or could not start it.
const MaxLost = 4

// New makes a Queue on a database with an up-to-date schema. now may be nil. It is used for waiting times and order
// only; correctness does not depend on it.
func New(db *store.DB, now func() time.Time) *Queue {
	if now == nil {
		now = time.Now
	}
	return &Queue{db: db, now: now, archives: &Archives{db: db, now: now}, seen: map[string]lastSeen{}}
}

// Archives returns the archives of tests that the runs of the queue need.
func (q *Queue) Archives() *Archives { return q.archives }

// The states of a case.
const (
	waiting   = "waiting"
	running   = "running"
	ended     = "ended"     // a result was accepted
	withdrawn = "withdrawn" // the client no longer needs a result
)

// levelWorth is how much earlier a case ranks for each level of priority. It is finite so that no case waits forever.
const levelWorth = 10 * time.Minute

// Run is a run of a client. Cases belong to it.
type Run struct {
	ID       string
	Project  string
	Priority int    // higher is sooner; default 0; -10 to 10
	Archive  string // SHA-256 of the tests
	Sealed   string // encrypted data for the hosts, which the queue only stores
}

// Case is a case to run.
type Case struct {
	N     int // number in its run, from 0
	Needs Needs
	What  json.RawMessage // identifies the test for the host; contains no secrets
}

// Result is the result of an attempt.
type Result struct {
	Run     string `json:"run"`
	N       int    `json:"n"`
	Attempt int    `json:"attempt"`
	Host    string `json:"host"`
	Blob    string `json:"blob,omitempty"`  // the archive of the pack
	Error   string `json:"error,omitempty"` // why there is no pack
}

// ErrNoRun means that the run does not exist or has ended.
var ErrNoRun = errors.New("there is no such run, or it has ended")

// StartRun adds a run. Its archive is kept until the run ends. It returns ErrNoArchive when the archive does not exist.
func (q *Queue) StartRun(ctx context.Context, r Run) error {
	r.Priority = min(max(r.Priority, -10), 10)
	return q.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec("INSERT INTO farm_projects (id) VALUES ($1) ON CONFLICT (id) DO NOTHING",
			r.Project); err != nil {
			return err
		}
		if r.Archive != "" {
			if err := q.archives.use(tx, r.Project, r.Archive); err != nil {
				return err
			}
		}
		now := store.Time(q.now())
		_, err := tx.Exec(
			"INSERT INTO farm_runs (id, project, priority, archive, sealed, created, seen) VALUES ($1, $2, $3, $4, $5, $6, "+
				"$6)", r.ID, r.Project, r.Priority, r.Archive, r.Sealed, now)
		return err
	})
}

// Get returns a run that has not ended.
func (q *Queue) Get(ctx context.Context, id string) (r Run, err error) {
	r.ID = id
	err = q.db.One(ctx, "SELECT project, priority, archive, sealed FROM farm_runs WHERE id = $1 AND ended = 0", []any{id},
		&r.Project, &r.Priority, &r.Archive, &r.Sealed)
	if errors.Is(err, store.ErrNoRow) {
		err = ErrNoRun
	}
	return r, err
}

// rowsAtOnce limits the number of parameters of one statement.
const rowsAtOnce = 100

// Add adds cases to a run. Cases that exist already are unchanged, so a call can be repeated.
func (q *Queue) Add(ctx context.Context, run string, cases []Case) error {
	return q.db.Write(ctx, func(tx *store.Tx) error {
		if err := turn(tx); err != nil {
			return err
		}
		var project string
		var priority int
		err := tx.One("SELECT project, priority FROM farm_runs WHERE id = $1 AND ended = 0", []any{run}, &project, &priority)
		if errors.Is(err, store.ErrNoRow) {
			return ErrNoRun
		}
		if err != nil {
			return err
		}
		// A project without waiting cases continues at the pass of the others: being idle earns no credit and costs none.
		if _, err := tx.Exec(
			"UPDATE farm_projects SET pass = COALESCE((SELECT MIN(b.pass) FROM farm_projects b JOIN farm_lines l ON l.project "+
				"= b.id AND l.waiting > 0), pass) "+
				"WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM farm_lines l WHERE l.project = $1 AND l.waiting > 0) AND pass < "+
				"(SELECT MIN(b.pass) FROM farm_projects b JOIN farm_lines l ON l.project = b.id AND l.waiting > 0)",
			project); err != nil {
			return err
		}
		a := adding{tx: tx, run: run, project: project, now: store.Time(q.now()), kinds: map[string]int{},
			texts: map[string]string{}}
		a.rank = a.now - int64(priority)*levelWorth.Microseconds()
		for len(cases) > 0 {
			n := min(len(cases), rowsAtOnce)
			if err := a.rows(cases[:n]); err != nil {
				return err
			}
			cases = cases[n:]
		}
		return a.lines()
	})
}

// turn locks the queue until the transaction ends. It is required to change what waits.
func turn(tx *store.Tx) error {
	var id int
	return tx.Lock("SELECT id FROM farm_pick WHERE id = $1", []any{1}, &id)
}

// adding is one call of Add.
type adding struct {
	tx           *store.Tx
	run, project string
	now, rank    int64
	kinds        map[string]int    // new cases, by kind
	texts        map[string]string // the needs as JSON, by kind
}

func (a *adding) rows(cases []Case) error {
	v := values{}
	run, project := v.text(a.run), v.text(a.project)
	for _, c := range cases {
		kind, text := c.Needs.kind()
		a.texts[kind] = text
		v.row(run, c.N, project, v.text(kind), v.text(string(c.What)), a.rank, a.now, "'waiting'")
	}
	return a.tx.Each("INSERT INTO farm_cases (run, n, project, kind, what, rank, created, state) VALUES "+v.rows.String()+
		" ON CONFLICT (run, n) DO NOTHING RETURNING kind", v.args,
		func(scan func(...any) error) error {
			var kind string
			err := scan(&kind)
			a.kinds[kind]++
			return err
		})
}

func (a *adding) lines() error {
	for kind, n := range a.kinds {
		if err := lengthen(a.tx, a.project, kind, a.texts[kind], n); err != nil {
			return err
		}
	}
	return nil
}

func lengthen(tx *store.Tx, project, kind, needs string, by int) error {
	_, err := tx.Exec(
		"INSERT INTO farm_lines (project, kind, needs, waiting) VALUES ($1, $2, $3, $4) ON CONFLICT (project, kind) DO "+
			"UPDATE SET waiting = farm_lines.waiting + $4", project, kind, needs, by)
	return err
}

// values builds the rows of a VALUES list. Numbers are written into the statement. Each distinct text is one parameter,
// since SQLite is slow with many parameters.
type values struct {
	rows  strings.Builder
	args  []any
	known map[string]string
}

// text returns the SQL expression for a text.
func (v *values) text(s string) string {
	if v.known == nil {
		v.known = map[string]string{}
	}
	name, ok := v.known[s]
	if !ok {
		v.args = append(v.args, s)
		name = fmt.Sprintf("CAST($%d AS TEXT)", len(v.args))
		v.known[s] = name
	}
	return name
}

// row adds a row of numbers and of expressions that text returned.
func (v *values) row(fields ...any) {
	if v.rows.Len() > 0 {
		v.rows.WriteString(", ")
	}
	for i, x := range fields {
		fmt.Fprintf(&v.rows, "%s%v", []string{"(", ", "}[min(i, 1)], x)
	}
	v.rows.WriteByte(')')
}

// Seen records that the client of a run is connected. Forget ends runs without a client.
func (q *Queue) Seen(ctx context.Context, run string) error {
	n, err := q.db.Exec(ctx, "UPDATE farm_runs SET seen = $2 WHERE id = $1 AND ended = 0", run, store.Time(q.now()))
	if err == nil && n == 0 {
		err = ErrNoRun
	}
	return err
}

// Withdraw cancels cases of a run, or all of them when n is nil. Waiting cases are removed from the queue. Running ones
// are marked, so that their hosts end them (see UnderWay).
func (q *Queue) Withdraw(ctx context.Context, run string, n []int) error {
	return q.db.Write(ctx, func(tx *store.Tx) error {
		which, args := casesOf(run, n)
		if err := withdrawWaiting(tx, which, args); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE farm_cases SET cancel = 1 WHERE "+which+" AND state = 'running'", args...)
		return err
	})
}

// WithdrawWaiting removes cases of a run from the queue, and returns the numbers of those that are removed, now or
// earlier. It leaves the others alone: they are running, or have ended.
func (q *Queue) WithdrawWaiting(ctx context.Context, run string, n []int) (removed []int, err error) {
	err = q.db.Write(ctx, func(tx *store.Tx) error {
		removed = nil
		which, args := casesOf(run, append([]int{}, n...))
		if err := withdrawWaiting(tx, which, args); err != nil {
			return err
		}
		return tx.Each("SELECT n FROM farm_cases WHERE "+which+" AND state = 'withdrawn'", args,
			func(scan func(...any) error) error {
				var n int
				err := scan(&n)
				removed = append(removed, n)
				return err
			})
	})
	return removed, err
}

// casesOf is the condition for cases of a run, all of them when n is nil.
func casesOf(run string, n []int) (which string, args []any) {
	which, args = "run = $1", []any{run}
	if n != nil {
		which += " AND n IN (" + list(&args, n) + ")"
	}
	return which, args
}

// withdrawWaiting removes waiting cases from the queue.
func withdrawWaiting(tx *store.Tx, which string, args []any) error {
	if err := turn(tx); err != nil {
		return err
	}
	gone := map[[2]string]int{}
	err := tx.Each("UPDATE farm_cases SET state = 'withdrawn' WHERE "+which+
		" AND state = 'waiting' RETURNING project, kind", args, func(scan func(...any) error) error {
		var at [2]string
		err := scan(&at[0], &at[1])
		gone[at]++
		return err
	})
	if err != nil {
		return err
	}
	for at, n := range gone {
		if err := lengthen(tx, at[0], at[1], "", -n); err != nil {
			return err
		}
	}
	return nil
}

func list(args *[]any, n []int) string {
	var b strings.Builder
	for i, x := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		*args = append(*args, x)
		fmt.Fprintf(&b, "$%d", len(*args))
	}
	if len(n) == 0 {
		return "-1"
	}
	return b.String()
}

// End ends a run: its cases are withdrawn, and its rows are removed when no case is running.
func (q *Queue) End(ctx context.Context, run string) error {
	if err := q.Withdraw(ctx, run, nil); err != nil {
		return err
	}
	now := store.Time(q.now())
	if _, err := q.db.Exec(ctx, "UPDATE farm_runs SET ended = $2 WHERE id = $1 AND ended = 0", run, now); err != nil {
		return err
	}
	if _, err := q.db.Exec(ctx,
		"UPDATE farm_archives SET used = $2 WHERE EXISTS (SELECT 1 FROM farm_runs r WHERE r.id = $1 AND r.project = "+
			"farm_archives.project AND r.archive = farm_archives.sum)", run, now); err != nil {
		return err
	}
	return q.sweep(ctx)
}

// Forget ends the runs with clients that were not seen for the given time, and returns their ids. It measures the time
// with the clock of this process only, over consecutive calls. The clocks of other machines do not matter. A time
// without calls, or without the database, does not count, because no client could be seen then.
func (q *Queue) Forget(ctx context.Context, after time.Duration) (runs []string, err error) {
	q.forgetting.Lock()
	defer q.forgetting.Unlock()
	now := q.now()
	if now.Sub(q.looked) > after/2 {
		clear(q.seen)
	}
	there := map[string]lastSeen{}
	err = q.db.Each(ctx, "SELECT id, seen FROM farm_runs WHERE ended = 0", nil, func(scan func(...any) error) error {
		var id string
		s := lastSeen{since: now}
		err := scan(&id, &s.seen)
		if before, ok := q.seen[id]; ok && before.seen == s.seen {
			s = before
		}
		if there[id] = s; now.Sub(s.since) > after {
			runs = append(runs, id)
		}
		return err
	})
	if err != nil {
		clear(q.seen)
		return nil, err
	}
	q.seen, q.looked = there, now
	for _, run := range runs {
		err = errors.Join(err, q.End(ctx, run))
	}
	return runs, err
}

// sweep removes the rows of runs that have ended and have no running case.
func (q *Queue) sweep(ctx context.Context) error {
	if _, err := q.db.Exec(ctx,
		"DELETE FROM farm_runs WHERE ended > 0 AND NOT EXISTS (SELECT 1 FROM farm_cases WHERE farm_cases.run = "+
			"farm_runs.id AND state = 'running')"); err != nil {
		return err
	}
	return nil
}
