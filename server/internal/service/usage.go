package service

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Quota is the state of a limit after a request.
type Quota struct {
	Allowed    bool
	Limit      int // requests in any minute
	Remaining  int
	Reset      time.Duration // until one more request is possible
	RetryAfter time.Duration // when not Allowed
}

// Limits counts the requests of callers and addresses.
type Limits struct{ *tables }

// window is the period of all rates.
const window = time.Minute

// forgetful is how many expired requests are removed at once.
const forgetful = 100

// take counts one request of a name, of which n are allowed in any minute. The requests of the last minute are stored
// with consecutive numbers, so that the cost of a request does not grow with n. Replicas with one database count
// together.
func (s *Limits) take(t *store.Tx, name string, n int) (q Quota, err error) {
	now := s.now()
	q = Quota{Limit: n}
	var taken, oldest int64 // read by a write, so that concurrent requests of this name wait
	if err := t.One(
		"INSERT INTO limits (name, taken, used) VALUES ($1, 0, $2) ON CONFLICT (name) DO UPDATE SET used = $2 RETURNING "+
			"taken, oldest", []any{name, store.Time(now)}, &taken, &oldest); err != nil {
		return q, err
	}
	first, since := taken+1, now // the first request that counts: this one
	var at int64
	err = t.One("SELECT seq, at FROM limit_requests WHERE name = $1 AND seq >= $2 AND at > $3 ORDER BY seq LIMIT 1",
		[]any{name, oldest, store.Time(now.Add(-window))}, &first, &at)
	if err != nil && !errors.Is(err, store.ErrNoRow) {
		return q, err
	}
	if err == nil {
		since = store.Moment(at)
	}
	if busy := taken - first + 1; busy >= int64(n) { // can be more than n after a change to a smaller plan
		if err := t.One("SELECT at FROM limit_requests WHERE name = $1 AND seq = $2", []any{name, taken - int64(n) + 1},
			&at); err != nil {
			return q, err
		}
		q.RetryAfter = store.Moment(at).Add(window).Sub(now)
		q.Reset = q.RetryAfter
		return q, nil
	}
	if first-oldest >= forgetful {
		if _, err := t.Exec("DELETE FROM limit_requests WHERE name = $1 AND seq < $2", name, first); err != nil {
			return q, err
		}
		oldest = first
	}
	if _, err := t.Exec("INSERT INTO limit_requests (name, seq, at) VALUES ($1, $2, $3)", name, taken+1,
		store.Time(now)); err != nil {
		return q, err
	}
	if _, err := t.Exec("UPDATE limits SET taken = $1, oldest = $2 WHERE name = $3", taken+1, oldest, name); err != nil {
		return q, err
	}
	q.Allowed, q.Remaining, q.Reset = true, n-int(taken-first)-2, since.Add(window).Sub(now)
	return q, nil
}

// errLimited rolls back a transaction in which a name had no request left.
var errLimited = errors.New("no request is left")

// authRate is how many requests to /auth/* an address and an account have in a minute, with every plan.
const authRate = 10

// TakeAuth counts a request to /auth/* for the IP address of the client, and for the account that it names; either may
// be empty. A refused request counts for neither.
func (s *Limits) TakeAuth(ctx context.Context, address, account string) (q Quota, err error) {
	var names []string
	if address != "" {
		names = append(names, "auth from "+address)
	}
	if account != "" {
		names = append(names, "auth of "+digest(account)[:32])
	}
	err = s.db.Write(ctx, func(t *store.Tx) error {
		for i, name := range names {
			one, err := s.take(t, name, authRate)
			if err != nil {
				return err
			}
			if i == 0 || !one.Allowed || one.Remaining < q.Remaining {
				q = one
			}
			if !one.Allowed {
				return errLimited
			}
		}
		return nil
	})
	if errors.Is(err, errLimited) {
		err = nil
	}
	return q, err
}

// Month returns the key of a month's counts. Months start on the first, in UTC.
func Month(t time.Time) string { return t.UTC().Format("2006-01") }

// Take counts a request of a caller against the plan of its project's owner. It returns ErrPayment when the month's
// requests are used up. Neither those requests nor ones that come too early are counted.
func (s *Limits) Take(ctx context.Context, c *Caller, endpoint string) (q Quota, err error) {
	if c.Project == nil {
		return Quota{Allowed: true}, nil
	}
	now := s.now()
	who := c.Key
	if who == "" {
		who = c.Person.Account.ID
	}
	err = s.db.Write(ctx, func(t *store.Tx) error {
		a, err := scanAccount(func(into ...any) error {
			return t.One("SELECT "+accountColumns+" FROM accounts WHERE id = $1", []any{c.Project.Owner}, into...)
		})
		if errors.Is(err, store.ErrNoRow) {
			return ErrInvalid
		}
		if err != nil {
			return err
		}
		// The row of the key is locked before that of the account, for which all keys wait.
		_, err = t.Exec(
			"INSERT INTO usage_days (project, day, who, endpoint, n) VALUES ($1, $2, $3, $4, 1) ON CONFLICT (project, day, "+
				"who, endpoint) DO UPDATE SET n = usage_days.n + 1",
			c.Project.ID, now.Format(time.DateOnly), who, cut(endpoint, 200))
		if err != nil {
			return err
		}
		plan := PlanOf(a)
		if q, err = s.take(t, "plan of "+a.ID, plan.PerMinute); err != nil {
			return err
		}
		if !q.Allowed {
			return errLimited
		}
		return s.countMonth(t, a.ID, Month(now), plan.PerMonth)
	})
	if errors.Is(err, errLimited) {
		err = nil
	}
	return q, err
}

func (s *Limits) countMonth(t *store.Tx, account, month string, most int) error {
	if most == 0 {
		most = 1 << 62
	}
	var n int
	err := t.One(
		"INSERT INTO usage_months (account, month, n) VALUES ($1, $2, 1) ON CONFLICT (account, month) DO UPDATE SET n = "+
			"usage_months.n + 1 WHERE usage_months.n < $3 RETURNING n", []any{account, month, most}, &n)
	if errors.Is(err, store.ErrNoRow) {
		return ErrPayment
	}
	return err
}

// Usage is the number of requests.
type Usage struct {
	Plan      Plan       `json:"plan"`
	Month     string     `json:"month" example:"2026-03" doc:"In UTC, from the first on."`
	Used      int        `json:"used" doc:"Requests of this month, of all projects of the owner."`
	Remaining int        `json:"remaining" doc:"-1: as many as there are."`
	Renews    time.Time  `json:"renews"`
	Days      []UsageDay `json:"days" nullable:"false" doc:"Of this project."`
}

// UsageDay is how often a key or person called an endpoint on a day.
type UsageDay struct {
	Day      string `json:"day" example:"2026-03-04"`
	Who      string `json:"who" doc:"The id of a key or an account."`
	Endpoint string `json:"endpoint" example:"GET /devices"`
	Requests int    `json:"requests"`
}

// maxUsage limits the rows of a response.
const maxUsage = 10_000

// Usage returns this month's count and the days since a date such as 2026-03-01; empty: since the first of the month.
func (p *Project) Usage(ctx context.Context, since string) (u Usage, err error) {
	if err := p.need(RoleViewer); err != nil {
		return u, err
	}
	now := p.s.now()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	if since == "" {
		since = first.Format(time.DateOnly)
	}
	if _, err := time.Parse(time.DateOnly, since); err != nil {
		return u, invalid("query.since: a day such as 2026-03-01")
	}
	if u.Plan, err = p.Plan(ctx); err != nil {
		return u, err
	}
	u.Month, u.Renews, u.Days, u.Remaining = Month(now), first.AddDate(0, 1, 0), []UsageDay{}, -1
	err = p.s.db.One(ctx, "SELECT n FROM usage_months WHERE account = $1 AND month = $2", []any{p.Owner, u.Month}, &u.Used)
	if err != nil && !errors.Is(err, store.ErrNoRow) {
		return u, err
	}
	if u.Plan.PerMonth > 0 {
		u.Remaining = max(u.Plan.PerMonth-u.Used, 0)
	}
	err = p.s.db.Each(ctx,
		"SELECT day, who, endpoint, n FROM usage_days WHERE project = $1 AND day >= $2 ORDER BY day DESC, n DESC, who, "+
			"endpoint LIMIT $3", []any{p.ID, since, maxUsage}, func(scan func(...any) error) error {
			var d UsageDay
			err := scan(&d.Day, &d.Who, &d.Endpoint, &d.Requests)
			u.Days = append(u.Days, d)
			return err
		})
	return u, err
}
