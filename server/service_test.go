package server_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/service"
	"github.com/taproot-dev/taproot/server/service/store/storetest"
)

const (
	memberSecret   = "a secret of the tests, with more than 32 characters"
	memberPassword = "four words make this good"
)

// withService gives the server accounts on a database.
func withService(t *testing.T, address string) (*service.Service, func(*server.Options)) {
	t.Helper()
	s, err := service.Open(t.Context(), service.Options{Database: address, Secret: memberSecret, PublicURL: "https://taproot.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, func(o *server.Options) { o.Service, o.Projects = s, filepath.Join(t.TempDir(), "projects") }
}

// somebody makes an account with a large plan and gives its access token, in a session that the API did not count.
func somebody(t *testing.T, s *service.Service, email string) (*service.Person, string) {
	t.Helper()
	op := s.Operator()
	if _, err := op.CreateAccount(t.Context(), email, memberPassword, false); err != nil {
		t.Fatal(err)
	}
	if err := op.SetPlan(t.Context(), service.PlanChange{Account: email, Plan: service.PlanEnterprise}); err != nil {
		t.Fatal(err)
	}
	p, err := s.LogIn(t.Context(), service.LogIn{Email: email, Password: memberPassword})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := s.NewTokens(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return p, tokens.Access
}

const shortRun = "id: quick\nplatform: android\nsteps:\n  - sleep: 10ms\n"

// TestRoutesAndRoles walks routes as everybody: what another project has is not there for others.
func TestRoutesAndRoles(t *testing.T) {
	s, with := withService(t, storetest.SQLite(t))
	l := newLab(t, 1, with)
	owner, ownerToken := somebody(t, s, "owner@example.com")
	mine, err := owner.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{"owner": ownerToken, "nobody": "", "forged": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."}
	for _, role := range []service.Role{service.RoleAdmin, service.RoleMember, service.RoleViewer} {
		p, token := somebody(t, s, string(role)+"@example.com")
		_, invitation, err := mine.Invite(t.Context(), p.Account.Email, role)
		if err == nil {
			_, err = p.Accept(t.Context(), invitation)
		}
		if err != nil {
			t.Fatal(err)
		}
		tokens[string(role)] = token
	}
	_, tokens["stranger"] = somebody(t, s, "stranger@example.com")
	made, err := mine.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	reads, err := mine.CreateKey(t.Context(), service.NewKey{Name: "looks", Scopes: []string{"runs:read"}})
	if err != nil {
		t.Fatal(err)
	}
	tokens["key"], tokens["reading key"] = made.Secret, reads.Secret
	as := func(who, method, path string, body any) answer {
		h := []string{"X-Project", mine.ID}
		if tokens[who] != "" {
			h = append(h, "Authorization", "Bearer "+tokens[who])
		}
		return l.ask(method, path, body, h...)
	}
	started := as("key", "POST", "/runs", map[string]any{"yaml": shortRun})
	if started.status != 202 {
		t.Fatal(started)
	}
	run := started.json(t)["id"].(string)
	everybody := []string{"owner", "admin", "member", "viewer", "key", "reading key", "stranger", "nobody", "forged"}
	for _, c := range []struct {
		method, path string
		body         any
		can          string
		status       int
	}{
		{"GET", "/devices", nil, "owner admin member viewer key", 200},
		{"GET", "/runs", nil, "owner admin member viewer key reading", 200},
		{"GET", "/runs/" + run, nil, "owner admin member viewer key reading", 200},
		{"GET", "/reports", nil, "owner admin member viewer key", 200},
		{"GET", "/usage", nil, "owner admin member viewer key", 200},
		{"POST", "/devices/none/tap", map[string]any{"label": "x"}, "owner admin member key", 404},
		{"POST", "/runs", map[string]any{"tests": []string{"none"}}, "owner admin member key", 400},
		{"GET", "/account", nil, "owner admin member viewer", 200},
		{"GET", "/projects/" + mine.ID, nil, "owner admin member viewer", 200},
		{"GET", "/projects/" + mine.ID + "/members", nil, "owner admin member viewer", 200},
		{"GET", "/projects/" + mine.ID + "/log", nil, "owner admin", 200},
		{"POST", "/projects/" + mine.ID, map[string]any{"name": "renamed"}, "owner admin", 200},
		{"GET", "/keys", nil, "owner admin member viewer", 200},
		{"POST", "/keys", map[string]any{"name": "k", "scopes": []string{"*"}}, "owner admin member", 201},
		{"POST", "/keys/" + made.ID + "/rotate", map[string]any{"grace": "7d"}, "owner admin", 200},
		{"POST", "/projects/" + mine.ID + "/members", map[string]any{"email": "x@example.com", "role": "viewer"}, "owner admin", 201},
		{"POST", "/projects/" + mine.ID + "/transfer", map[string]any{"account": "acc_none"}, "", 0},
		{"GET", "/metrics", nil, "", 0},
	} {
		for _, who := range everybody {
			a := as(who, c.method, c.path, c.body)
			can := false
			for _, one := range strings.Fields(c.can) {
				can = can || one == who || one == "reading" && who == "reading key"
			}
			switch {
			case can && a.status != c.status, !can && a.status != 401 && a.status != 403 && a.status != 404, (who == "nobody" || who == "forged") && a.status != 401:
				t.Errorf("%s %s as %s: %s", c.method, c.path, who, a)
			}
		}
	}
	// The same without X-Project, from a project of one's own: the ids of another one's lead nowhere.
	for _, c := range [][2]string{{"GET", "/runs/" + run}, {"DELETE", "/runs/" + run}, {"GET", "/runs/" + run + "/events"}, {"GET", "/reports/" + run + "/quick"}, {"GET", "/reports/" + run + "/quick/summary.json"},
		{"GET", "/reports/" + run + "/quick.tar.gz"}, {"DELETE", "/keys/" + made.ID}, {"GET", "/projects/" + mine.ID}, {"DELETE", "/projects/" + mine.ID}} {
		if a := l.ask(c[0], c[1], nil, "Authorization", "Bearer "+tokens["stranger"]); a.status != 404 {
			t.Errorf("%v as a stranger: %s", c, a)
		}
	}
	if a := l.ask("GET", "/runs", nil, "Authorization", "Bearer "+tokens["stranger"]); a.status != 200 || strings.TrimSpace(string(a.body)) != "[]" {
		t.Errorf("a stranger sees runs: %s", a)
	}
	if a := as("owner", "DELETE", "/keys/"+made.ID, nil); a.status != 204 {
		t.Error(a)
	}
	if a := as("key", "GET", "/runs", nil); a.status != 401 {
		t.Errorf("a revoked key: %s", a)
	}
}

// TestWayIn: register, be confirmed, log in, make a key, use it; the plan's rate and the fixed one of /auth/*.
func TestWayIn(t *testing.T) {
	for name, address := range map[string]func(*testing.T) string{"sqlite": func(t *testing.T) string { return storetest.SQLite(t) },
		"postgres": func(t *testing.T) string { return storetest.NewServer(t).Database(t) }} {
		t.Run(name, func(t *testing.T) { wayIn(t, address(t)) })
	}
}

func wayIn(t *testing.T, address string) {
	s, with := withService(t, address)
	l := newLab(t, 0, with)
	who := map[string]any{"email": "ada@example.com", "password": memberPassword}
	if a := l.ask("POST", "/api/auth/register", who); a.status != 202 {
		t.Fatal(a)
	}
	if a := l.ask("POST", "/api/auth/login", who); a.status != 401 {
		t.Fatal(a)
	}
	if err := s.Operator().Confirm(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	a := l.ask("POST", "/api/auth/login", who)
	if a.status != 200 {
		t.Fatal(a)
	}
	token := a.json(t)["accessToken"].(string)
	a = l.ask("POST", "/api/keys", map[string]any{"name": "CI", "scopes": []string{"devices:read"}}, "Authorization", "Bearer "+token)
	if a.status != 201 {
		t.Fatal(a)
	}
	key := a.json(t)["key"].(string)
	good := 1 // the making of the key counts, too
	for range 70 {
		a = l.ask("GET", "/api/reports", nil, "X-API-Key", key)
		if a.status == http.StatusForbidden {
			good++
		}
	}
	if good != 60 || a.status != 429 || a.header.Get("Retry-After") == "" {
		t.Errorf("%d requests went through; the last: %s %v", good, a, a.header)
	}
	guesses := 0
	for i := range 12 {
		a = l.ask("POST", "/auth/login", map[string]any{"email": fmt.Sprintf("x%d@example.com", i), "password": "wrong"})
		if a.status == 401 {
			guesses++
		}
	}
	if guesses != 7 || a.status != 429 || a.header.Get("Retry-After") == "" { // three requests were sent before
		t.Errorf("%d guesses; the last: %s %v", guesses, a, a.header)
	}
}
