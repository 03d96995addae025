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
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/server/service/store"
)

// Webhook is what a billing product sends when somebody's plan changes: a PlanChange as JSON, signed with the secret
// that both know.
type Webhook struct {
	Signature string // t=<seconds>,v1=<hex of HMAC-SHA-256 over "<seconds>.<body>">
	Key       string // of the sender's choice: what comes again with it changes nothing again
	Body      []byte
	From      From
}

const (
	webhookSlack  = 5 * time.Minute     // how much the clocks may differ, and how late it may come
	webhookMemory = 30 * 24 * time.Hour // how long a key is remembered
	maxWebhookKey = 200
)

// ErrSignature means that a webhook is not signed with the secret, or that it is old.
var ErrSignature = &Error{Status: http.StatusUnauthorized, Code: "invalid_signature",
	Message: "the signature is wrong, or older than five minutes: Taproot-Signature: t=<seconds>,v1=<hex of " +
		"HMAC-SHA-256 over \"<seconds>.<body>\">"}

// TakesWebhooks tells whether there is a secret for webhooks.
func (s *Service) TakesWebhooks() bool { return s.o.WebhookSecret != "" }

// ChangePlan takes a webhook. Known tells that it came before, and that nothing was changed this time.
func (s *Service) ChangePlan(ctx context.Context, w Webhook) (known bool, err error) {
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
	op := &Operator{actor: "webhook", from: w.From, s: s}
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

// signed checks the signature, and that it is of now.
func (s *Service) signed(w Webhook) error {
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

// cameBefore notes the key of a webhook in the transaction of its change; one that came with another body is a mistake
// of the sender.
func (s *Service) cameBefore(t *store.Tx, w Webhook) (bool, error) {
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
		return false, conflict("this Idempotency-Key came with another body before")
	}
	return true, nil
}
