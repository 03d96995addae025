package server_test

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/service"
)

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
