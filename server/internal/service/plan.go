package service

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// The names of the plans.
const (
	PlanFree       = "free"
	PlanPro        = "pro"
	PlanEnterprise = "enterprise"
)

// Plan is the limits of an account.
type Plan struct {
	Name      string `json:"name" enum:"free,pro,enterprise"`
	PerMinute int    `json:"requestsPerMinute"`
	PerMonth  int    `json:"requestsPerMonth" doc:"0: as many as there are."`
	Projects  int    `json:"projects" doc:"That the account may own."`
	Members   int    `json:"members" doc:"Of each of its projects."`
}

// Plans lists the plans. The rates of enterprise are agreed with each customer; these are the default.
func Plans() []Plan {
	return []Plan{{PlanFree, 60, 10_000, 3, 3}, {PlanPro, 600, 200_000, 25, 25}, {PlanEnterprise, 6000, 0, 1000, 1000}}
}

// PlanOf returns the plan of an account, with its agreed rates.
func PlanOf(a Account) Plan {
	plan := Plans()[0]
	if i := slices.IndexFunc(Plans(), func(p Plan) bool { return p.Name == a.Plan }); i >= 0 {
		plan = Plans()[i]
	}
	if a.perMinute > 0 {
		plan.PerMinute = a.perMinute
	}
	if a.perMonth > 0 {
		plan.PerMonth = a.perMonth
	}
	return plan
}

// Plan returns the person's plan.
func (p *Person) Plan() Plan { return PlanOf(p.Account) }

// lockedPlan reads the plan of an account and locks it until the transaction ends.
func (s *Accounts) lockedPlan(t *store.Tx, account string) (Plan, error) {
	a, err := scanAccount(func(into ...any) error {
		return t.Lock("SELECT "+accountColumns+" FROM accounts WHERE id = $1", []any{account}, into...)
	})
	if errors.Is(err, store.ErrNoRow) {
		err = ErrNotFound
	}
	return PlanOf(a), err
}

// Plan returns the plan of the project's owner. Its limits apply to the project.
func (p *Project) Plan(ctx context.Context) (Plan, error) {
	a, err := p.s.account(ctx, "id", p.Owner)
	return PlanOf(a), err
}

// Webhook is the request of a billing product after a change of a plan: a PlanChange as JSON, signed with the shared
// secret.
type Webhook struct {
	Signature string // t=<seconds>,v1=<hex of HMAC-SHA-256 over "<seconds>.<body>">
	Key       string // chosen by the sender: a repeated request with the same key changes nothing
	Body      []byte
	From      From
}

// Webhooks processes the requests of a billing product.
type Webhooks struct{ *Accounts }

const (
	webhookSlack  = 5 * time.Minute     // how much the clocks may differ, and how late a request may be
	webhookMemory = 30 * 24 * time.Hour // how long a key is remembered
	maxWebhookKey = 200
)

// ErrSignature means that a webhook is not signed with the secret, or is too old.
var ErrSignature = &Error{Status: http.StatusUnauthorized, Code: "invalid_signature",
	Message: "the signature is wrong, or older than five minutes: Taproot-Signature: t=<seconds>,v1=<hex of " +
		"HMAC-SHA-256 over \"<seconds>.<body>\">"}

// TakesWebhooks reports whether there is a secret for webhooks.
func (s *Webhooks) TakesWebhooks() bool { return s.o.WebhookSecret != "" }

// ChangePlan processes a webhook. known means that it is a repetition, which changed nothing.
func (s *Webhooks) ChangePlan(ctx context.Context, w Webhook) (known bool, err error) {
	if !s.TakesWebhooks() {
		return false, ErrNotFound
	}
	if err := s.signed(w); err != nil {
		return false, err
	}
	if w.Key == "" || len(w.Key) > maxWebhookKey {
		return false, invalid("Idempotency-Key: send one of 1 to %d characters", maxWebhookKey)
	}
	var c PlanChange
	in := json.NewDecoder(bytes.NewReader(w.Body))
	in.DisallowUnknownFields()
	if err := in.Decode(&c); err != nil || !errors.Is(in.Decode(&struct{}{}), io.EOF) {
		return false, invalid("body: send {account, plan, requestsPerMinute?, requestsPerMonth?} and nothing else")
	}
	if err := c.check(); err != nil {
		return false, err
	}
	op := &Operator{actor: "webhook", from: w.From, s: s.Accounts}
	id, err := op.find(ctx, c.Account)
	if err != nil {
		return false, err
	}
	err = s.db.Write(ctx, func(t *store.Tx) error {
		if known, err = s.cameBefore(t, w); err != nil || known {
			return err
		}
		if _, err := t.Exec("UPDATE accounts SET plan = $1, per_minute = $2, per_month = $3 WHERE id = $4", c.Plan,
			c.PerMinute, c.PerMonth, id); err != nil {
			return err
		}
		return op.note(t, "account.plan", id)
	})
	return known, err
}

// signed checks the signature and the time.
func (s *Webhooks) signed(w Webhook) error {
	moment, sum, ok := strings.Cut(strings.TrimSpace(w.Signature), ",v1=")
	moment, stamped := strings.CutPrefix(moment, "t=")
	seconds, err := strconv.ParseInt(moment, 10, 64)
	if !ok || !stamped || err != nil {
		return ErrSignature
	}
	given, err := hex.DecodeString(sum)
	if err != nil {
		return ErrSignature
	}
	mac := hmac.New(sha256.New, []byte(s.o.WebhookSecret))
	mac.Write([]byte(moment + "."))
	mac.Write(w.Body)
	if age := s.now().Sub(time.Unix(seconds, 0)); !hmac.Equal(given, mac.Sum(nil)) || age > webhookSlack ||
		age < -webhookSlack {
		return ErrSignature
	}
	return nil
}

// cameBefore stores the key of a webhook in the transaction of its change, and reports whether it was known. The same
// key with another body is a mistake of the sender.
func (s *Webhooks) cameBefore(t *store.Tx, w Webhook) (bool, error) {
	now := s.now()
	if _, err := t.Exec("DELETE FROM webhooks WHERE created < $1", store.Time(now.Add(-webhookMemory))); err != nil {
		return false, err
	}
	id, sum := digest("webhook "+w.Key), digest(string(w.Body))
	n, err := t.Exec("INSERT INTO webhooks (id, digest, created) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING", id, sum,
		store.Time(now))
	if err != nil || n == 1 {
		return false, err
	}
	var before string
	if err := t.One("SELECT digest FROM webhooks WHERE id = $1", []any{id}, &before); err != nil {
		return false, err
	}
	if before != sum {
		return false, conflict("this Idempotency-Key was used with another body before")
	}
	return true, nil
}
