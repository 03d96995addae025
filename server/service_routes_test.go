package server_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// visitor is a caller with a credential in some state.
type visitor struct {
	header string // the credential's
	reads  string // scopes, one after the other, that it covers
	writes string
	person bool
	good   bool // the credential is
}

// TestEveryRouteRoleAndCredential walks every operation of the document as every role, with credentials in every state:
// an invalid credential is 401 everywhere, a missing scope or role 403, and a caller with permission gets neither.
func TestEveryRouteRoleAndCredential(t *testing.T) {
	t.Parallel()
	s, with := withService(t, storetest.SQLite(t))
	l := newLab(t, 1, with)
	project, visitors := visitorsOf(t, s)
	asked := 0
	for i, o := range l.operations() {
		shared := strings.HasPrefix(o.path, "/devices/{id}/") || strings.HasPrefix(o.path, "/web/") // actions are one handler
		if o.scope == "" || o.path == "/account/logout" || testing.Short() && shared && i%10 != 0 {
			continue
		}
		var body any
		if o.body {
			body = "{}"
		}
		for name, v := range visitors {
			h := []string{"X-Project", project}
			if v.header != "" {
				h = append(h, "Authorization", "Bearer "+v.header)
			}
			if o.upload {
				h = append(h, "Content-Type", "multipart/form-data; boundary=x")
			}
			asked++
			if a := l.ask(o.method, o.at("NOBODY"), body, h...); !v.fits(o, name, a.status) {
				t.Errorf("%s %s (%s) as %s: %s", o.method, o.path, o.scope, name, a)
			}
		}
	}
	if n := len(l.phones[0].Taps()); n > 0 {
		t.Errorf("%d taps were made", n)
	}
	t.Logf("%d requests", asked)
}

// fits reports whether a visitor may get this status.
func (v visitor) fits(o operation, name string, status int) bool {
	what, how, _ := strings.Cut(o.scope, ":")
	scopes := v.reads
	if how == "write" {
		scopes = v.writes
	}
	switch {
	case !v.good:
		return status == 401
	case name == "stranger":
		return status != 401 && status != 200 && status != 201 && status != 202 && status != 204 || o.scope == "person"
	case o.scope == "person":
		return (status == 403) == !v.person || v.person && status != 401 // a role may be missing within
	case o.scope == "server:read":
		return status == 403
	}
	may := scopes == "*" || slices.Contains(strings.Fields(scopes), what)
	return status != 401 && (status == 403) == !may
}

// visitorsOf creates a project with members and keys, and callers that must have no access to it.
func visitorsOf(t *testing.T, s *service.Service) (project string, all map[string]visitor) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	owner, token := newAccount(t, s, "owner@example.com")
	must(s.Operator().SetPlan(t.Context(), service.PlanChange{Account: owner.Account.ID, Plan: service.PlanEnterprise,
		PerMinute: 1_000_000}))
	mine, err := owner.Project(t.Context(), "")
	must(err)
	all = map[string]visitor{"owner": {token, "*", "*", true, true}, "nobody": {}, "no key": {header: "tap_live_x"},
		"an unsigned token":              {header: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."},
		"a token with another signature": {header: token[:len(token)-6] + "AAAAAA"}}
	var removed *service.Person
	for _, role := range []service.Role{service.RoleAdmin, service.RoleMember, service.RoleViewer, "removed"} {
		p, token := newAccount(t, s, string(role)+"@example.com")
		as := role
		if role == "removed" {
			removed, as = p, service.RoleMember
		}
		_, invitation, err := mine.Invite(t.Context(), p.Account.Email, as)
		must(err)
		_, err = p.Accept(t.Context(), invitation)
		must(err)
		v := visitor{token, "*", "*", true, true}
		if role == service.RoleViewer {
			v.writes = ""
		}
		if role != "removed" {
			all[string(role)] = v
		}
	}
	_, stranger := newAccount(t, s, "stranger@example.com")
	all["stranger"] = visitor{header: stranger, person: true, good: true}
	key := func(p *service.Project, scopes []string, expires time.Time) service.MadeKey {
		made, err := p.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: scopes, Expires: expires})
		must(err)
		return made
	}
	good, reads, uploads := key(mine, []string{"*"}, time.Time{}), key(mine, []string{"runs:read"}, time.Time{}),
		key(mine, []string{"reports:write", "usage:read"}, time.Now().Add(time.Hour))
	all["key"] = visitor{good.Secret, "*", "*", false, true}
	all["reading key"] = visitor{reads.Secret, "runs", "", false, true}
	all["uploading key"] = visitor{uploads.Secret, "usage", "reports", false, true}
	all["key with a wrong sum"] = visitor{header: good.Secret[:len(good.Secret)-1] + "!"}
	revoked, rotated := key(mine, []string{"*"}, time.Time{}), key(mine, []string{"*"}, time.Time{})
	must(mine.RevokeKey(t.Context(), revoked.ID))
	next, err := mine.RotateKey(t.Context(), rotated.ID, "now")
	must(err)
	all["revoked key"], all["key before its rotation"], all["key after its rotation"] = visitor{header: revoked.Secret},
		visitor{header: rotated.Secret}, visitor{next.Secret, "*", "*", false, true}
	grace, err := mine.RotateKey(t.Context(), key(mine, []string{"*"}, time.Time{}).ID, "1h")
	must(err)
	all["key after a rotation with grace"] = visitor{grace.Secret, "*", "*", false, true}
	theirs, err := removed.Project(t.Context(), mine.ID)
	must(err)
	left := key(theirs, []string{"*"}, time.Time{})
	must(mine.RemoveMember(t.Context(), removed.Account.ID))
	all["key of who left"] = visitor{header: left.Secret}
	return mine.ID, all
}

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

// TestFigureKey: a key of the operator reads GET /metrics and nothing else, until it is revoked; before, that needed an
// admin's token of 15 minutes. Keys of projects cannot read it, and rejected keys get the usual errors.
func TestFigureKey(t *testing.T) {
	t.Parallel()
	s, withAccounts := withService(t, storetest.SQLite(t))
	l := newLab(t, 0, withAccounts)
	ada, _ := newAccount(t, s, "ada@example.com")
	project, err := ada.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	made, err := project.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	op := s.Operator()
	key, err := op.CreateMetricsKey(t.Context(), "Prometheus")
	if err != nil {
		t.Fatal(err)
	}
	other, err := op.CreateMetricsKey(t.Context(), "another")
	if err != nil {
		t.Fatal(err)
	}
	mixed := key[:strings.LastIndex(key, "_")] + other[strings.LastIndex(other, "_"):]
	check := func(what, method, path string, want int, headers ...string) {
		t.Helper()
		if a := l.ask(method, path, nil, headers...); a.status != want || want == 200 &&
			!strings.Contains(string(a.body), "taproot_http_requests_in_flight") {
			t.Errorf("%s: %s", what, a)
		}
	}
	check("as a bearer", "GET", "/metrics", 200, "Authorization", "Bearer "+key)
	check("below /api", "GET", "/api/metrics", 200, "Authorization", "bearer "+key)
	check("as a key", "GET", "/metrics", 200, "X-API-Key", key)
	for _, path := range []string{"/devices", "/runs", "/usage", "/account", "/readyz", "/keys"} {
		check("elsewhere: "+path, "GET", path, 401, "Authorization", "Bearer "+key)
	}
	check("to change something", "POST", "/runs", 401, "Authorization", "Bearer "+key)
	check("nothing", "GET", "/metrics", 401)
	check("another one's secret", "GET", "/metrics", 401, "Authorization", "Bearer "+mixed)
	check("a project's key", "GET", "/metrics", 403, "Authorization", "Bearer "+made.Secret)
	list, err := op.MetricsKeys(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for _, k := range list {
		if k.Used.IsZero() != (k.Name == "another") {
			t.Errorf("%+v", k)
		}
		if k.Name == "Prometheus" {
			if err := op.RevokeMetricsKey(t.Context(), k.ID); err != nil {
				t.Error(err)
			}
			if err := op.RevokeMetricsKey(t.Context(), k.ID); err == nil {
				t.Error("it is revoked twice")
			}
		}
	}
	check("one that is revoked", "GET", "/metrics", 401, "Authorization", "Bearer "+key)
	check("the other one", "GET", "/metrics", 200, "Authorization", "Bearer "+other)
}
