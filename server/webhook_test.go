package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/service"
)

const webhookSecret = "another secret that billing knows, too"

// sign returns the signature header of a body, as described in docs/service.md.
func sign(secret, body string, at time.Time) string {
	moment := fmt.Sprint(at.Unix())
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(moment + "." + body))
	return "t=" + moment + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// TestPlanWebhook: a plan changes once per idempotency key, and only for callers that know the secret.
func TestPlanWebhook(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, address string) {
		s, err := service.Open(t.Context(), service.Options{Database: address, Secret: memberSecret,
			WebhookSecret: webhookSecret, CheapHashes: testing.Short()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		l := newLab(t, 0, func(o *server.Options) { o.Service, o.Projects = s, t.TempDir() })
		if _, err := s.Operator().CreateAccount(t.Context(), "ada@example.com", memberPassword, false); err != nil {
			t.Fatal(err)
		}
		send := func(body, signature, key string) answer {
			return l.ask("POST", "/api/plans/webhook", body, "Taproot-Signature", signature, "Idempotency-Key", key)
		}
		plan := func() string {
			list, err := s.Operator().Accounts(t.Context(), "ada@", "", 1)
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			return list[0].Plan
		}
		now := time.Now()
		pro, free := `{"account":"ada@example.com","plan":"pro"}`, `{"account":"ada@example.com","plan":"free"}`
		good := sign(webhookSecret, pro, now)
		for name, c := range map[string]struct {
			body, signature, key string
			status               int
		}{
			"no signature": {pro, "", "a", 401}, "another secret": {pro, sign("x", pro, now), "a", 401},
			"another body": {free, good, "a", 401}, "of an hour ago": {pro, sign(webhookSecret, pro, now.Add(-time.Hour)),
				"a", 401},
			"of the future":  {pro, sign(webhookSecret, pro, now.Add(time.Hour)), "a", 401},
			"another moment": {pro, strings.Replace(good, "t=", "t=1", 1), "a", 401}, "nonsense": {pro, "t=,v1=zz", "a", 401},
			"no key": {pro, good, "", 400}, "a field too many": {`{"account":"ada@example.com","plan":"pro","admin":true}`,
				sign(webhookSecret, `{"account":"ada@example.com","plan":"pro","admin":true}`, now), "b", 400},
			"no plan": {`{"account":"ada@example.com","plan":"gold"}`,
				sign(webhookSecret, `{"account":"ada@example.com","plan":"gold"}`, now), "c", 400},
			"nobody": {`{"account":"x@example.com","plan":"pro"}`,
				sign(webhookSecret, `{"account":"x@example.com","plan":"pro"}`, now), "d", 404},
		} {
			if a := send(c.body, c.signature, c.key); a.status != c.status || plan() != "free" {
				t.Errorf("%s: %s, and the plan is %s", name, a, plan())
			}
		}
		if a := send(pro, good, "k1"); a.status != 200 || a.json(t)["changed"] != true || plan() != "pro" {
			t.Error(a)
		}
		if a := send(free, sign(webhookSecret, free, now), "k2"); a.status != 200 || plan() != "free" {
			t.Error(a)
		}
		if a := send(pro, sign(webhookSecret, pro, now.Add(time.Second)), "k1"); a.status != 200 ||
			a.json(t)["changed"] != false || plan() != "free" {
			t.Errorf("the same key again: %s, and the plan is %s", a, plan())
		}
		if a := send(free, sign(webhookSecret, free, now), "k1"); a.status != 409 {
			t.Errorf("the same key with another body: %s", a)
		}
	}
	t.Run("sqlite", func(t *testing.T) { test(t, storetest.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, storetest.Postgres(t)) })
	s, with := withService(t, storetest.SQLite(t))
	l := newLab(t, 0, with)
	if a := l.ask("POST", "/api/plans/webhook", `{"account":"ada@example.com","plan":"pro"}`, "Taproot-Signature",
		sign("", "x", time.Now())); a.status != 404 || s.TakesWebhooks() {
		t.Errorf("without a secret: %s", a)
	}
}
