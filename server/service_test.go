package server_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"context"
	"errors"
	"io"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/service"
)

const (
	memberSecret   = "a secret of the tests, with more than 32 characters"
	memberPassword = "four words make this good"
)

// withService starts a server with accounts in a database; change adapts the options.
func withService(t *testing.T, address string, change ...func(*service.Options)) (*service.Service,
	func(*server.Options)) {
	t.Helper()
	o := service.Options{Database: address, Secret: memberSecret, PublicURL: "https://taproot.example.com",
		CheapHashes: testing.Short()}
	for _, c := range change {
		c(&o)
	}
	s, err := service.Open(t.Context(), o)
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

// newAccount creates an account with a large plan and returns its access token. The session was created without the
// API, so no request was counted.
func newAccount(t *testing.T, s *service.Service, email string) (*service.Person, string) {
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

// TestRoutesAndRoles calls routes with every role: the content of another project does not exist for others.
func TestRoutesAndRoles(t *testing.T) {
	t.Parallel()
	s, with := withService(t, storetest.SQLite(t))
	l := newLab(t, 1, with)
	owner, ownerToken := newAccount(t, s, "owner@example.com")
	mine, err := owner.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{"owner": ownerToken, "nobody": "", "forged": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."}
	for _, role := range []service.Role{service.RoleAdmin, service.RoleMember, service.RoleViewer} {
		p, token := newAccount(t, s, string(role)+"@example.com")
		_, invitation, err := mine.Invite(t.Context(), p.Account.Email, role)
		if err == nil {
			_, err = p.Accept(t.Context(), invitation)
		}
		if err != nil {
			t.Fatal(err)
		}
		tokens[string(role)] = token
	}
	_, tokens["stranger"] = newAccount(t, s, "stranger@example.com")
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
		{"POST", "/projects/" + mine.ID + "/members", map[string]any{"email": "x@example.com", "role": "viewer"},
			"owner admin", 201},
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
			case can && a.status != c.status, !can && a.status != 401 && a.status != 403 && a.status != 404,
				(who == "nobody" || who == "forged") && a.status != 401:
				t.Errorf("%s %s as %s: %s", c.method, c.path, who, a)
			}
		}
	}
	// The same without X-Project, from the caller's own project: IDs of another project do not exist.
	for _, c := range [][2]string{{"GET", "/runs/" + run}, {"DELETE", "/runs/" + run}, {"GET", "/runs/" + run + "/events"},
		{"GET", "/reports/" + run + "/quick"}, {"GET", "/reports/" + run + "/quick/summary.json"},
		{"GET", "/reports/" + run + "/quick.tar.gz"}, {"DELETE", "/keys/" + made.ID}, {"GET", "/projects/" + mine.ID},
		{"DELETE", "/projects/" + mine.ID}} {
		if a := l.ask(c[0], c[1], nil, "Authorization", "Bearer "+tokens["stranger"]); a.status != 404 {
			t.Errorf("%v as a stranger: %s", c, a)
		}
	}
	if a := l.ask("GET", "/runs", nil, "Authorization", "Bearer "+tokens["stranger"]); a.status != 200 ||
		strings.TrimSpace(string(a.body)) != "[]" {
		t.Errorf("a stranger sees runs: %s", a)
	}
	if a := as("owner", "DELETE", "/keys/"+made.ID, nil); a.status != 204 {
		t.Error(a)
	}
	if a := as("key", "GET", "/runs", nil); a.status != 401 {
		t.Errorf("a revoked key: %s", a)
	}
}

// TestWayIn: register, confirm, log in, create a key, use it; the plan's rate limit and the fixed one of /auth/*.
func TestWayIn(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]func(*testing.T) string{"sqlite": func(t *testing.T) string {
		return storetest.SQLite(t)
	},
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) }} {
		t.Run(name, func(t *testing.T) { wayIn(t, address(t)) })
	}
}

func wayIn(t *testing.T, address string) {
	began := time.Now() // the rate limit must not recover because a minute has passed on a busy machine
	s, with := withService(t, address, func(o *service.Options) { o.Now = func() time.Time { return began } })
	l := newLab(t, 0, with)
	led, err := l.client.Do(l.request("GET", "/studio", nil)) // a page, no part of the API
	if err != nil {
		t.Fatal(err)
	}
	_ = led.Body.Close()
	if led.StatusCode != http.StatusSeeOther || led.Header.Get("Location") != "/console/" {
		t.Errorf("who looks for Studio: %s %v", led.Status, led.Header)
	}
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
	a = l.ask("POST", "/api/keys", map[string]any{"name": "CI", "scopes": []string{"devices:read"}}, "Authorization",
		"Bearer "+token)
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
		path, body := "/auth/login", any(map[string]any{"email": fmt.Sprintf("x%d@example.com", i), "password": "wrong"})
		switch i % 3 { // malformed requests count, too
		case 1:
			path, body = "/api/auth/nothing", nil
		case 2:
			body = "{"
		}
		a = l.ask("POST", path, body)
		if a.status != 429 {
			guesses++
		}
	}
	// three requests were sent before
	if guesses != 7 || a.status != 429 || a.header.Get("Retry-After") == "" || a.header.Get("RateLimit-Limit") != "10" {
		t.Errorf("%d guesses; the last: %s %v", guesses, a, a.header)
	}
}

// TestDatabaseOutage: while the database is down, every request that needs it gets 503 with Retry-After; afterwards all
// work again.
func TestDatabaseOutage(t *testing.T) {
	t.Parallel()
	database := storetest.NewServer(t)
	s, with := withService(t, database.Database(t))
	l := newLab(t, 0, with)
	p, token := newAccount(t, s, "ada@example.com")
	project, err := p.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	made, err := project.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	asks := map[string]func() answer{
		"a key":    func() answer { return l.ask("GET", "/runs", nil, "X-API-Key", made.Secret) },
		"a person": func() answer { return l.ask("GET", "/account", nil, "Authorization", "Bearer "+token) },
		"a log-in": func() answer {
			return l.ask("POST", "/auth/login", map[string]any{"email": "ada@example.com", "password": memberPassword})
		},
	}
	var outage time.Duration // each is asked once
	if !testing.Short() {
		outage = 30 * time.Second
	}
	database.Kill()
	for end, first := time.Now().Add(outage), true; first || time.Now().Before(end); first = false {
		for what, ask := range asks {
			if a := ask(); a.status != 503 || a.code() != "unavailable" || a.header.Get("Retry-After") == "" {
				t.Fatalf("%s: %s %v", what, a, a.header)
			}
		}
		if a := l.ask("GET", "/healthz", nil); a.status != 200 {
			t.Error(a)
		}
	}
	database.Start()
	for what, ask := range asks {
		eventually(t, what+" is let in again", func() bool { return ask().status == 200 })
	}
}

// TestQueuedRunsOfProjects: a queued run of a project when the server ends starts when it serves again, before the
// first request.
func TestQueuedRunsOfProjects(t *testing.T) {
	t.Parallel()
	s, with := withService(t, storetest.SQLite(t))
	var again server.Options
	l := newLab(t, 1, with, func(o *server.Options) {
		o.Running = 1
		again = *o
	})
	_, token := newAccount(t, s, "ada@example.com")
	ask := func(method, path string, body any) answer {
		return l.ask(method, path, body, "Authorization", "Bearer "+token)
	}
	start := func(yaml string) string {
		a := ask("POST", "/runs", map[string]any{"yaml": yaml, "vars": map[string]string{"NAME": "Login"}})
		if a.status != 202 {
			t.Fatal(a)
		}
		return a.json(t)["id"].(string)
	}
	long := start("id: long\nplatform: android\nsteps:\n  - sleep: 10m\n")
	eventually(t, "the first run is under way",
		func() bool { return ask("GET", "/runs/"+long, nil).json(t)["state"] == "running" })
	waits := start("id: waits\nplatform: android\nsteps:\n  - assert: ${NAME}\n")
	if err := l.server.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if l.server, err = server.New(again); err != nil {
		t.Fatal(err)
	}
	l.http.Config.Handler = l.server.Handler()
	eventually(t, "the run that waited has passed",
		func() bool { return ask("GET", "/runs/"+waits, nil).json(t)["result"] == "pass" })
	if rec := ask("GET", "/runs/"+long, nil).json(t); rec["result"] != "interrupted" {
		t.Errorf("%v", rec)
	}
}

// TestStreamsEndWithTheirCredential: a streaming response ends when the key is revoked or the person removed; those of
// others continue.
func TestStreamsEndWithTheirCredential(t *testing.T) {
	t.Parallel()
	s, with := withService(t, storetest.SQLite(t))
	l := newLab(t, 2, with)
	owner, token := newAccount(t, s, "owner@example.com")
	mine, err := owner.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	bob, bobs := newAccount(t, s, "bob@example.com")
	_, invitation, err := mine.Invite(t.Context(), bob.Account.Email, service.RoleMember)
	if err == nil {
		_, err = bob.Accept(t.Context(), invitation)
	}
	if err != nil {
		t.Fatal(err)
	}
	made, err := mine.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	run := l.ask("POST", "/runs", map[string]any{"yaml": "id: slow\nplatform: android\nsteps:\n  - sleep: 30m\n",
		"device": "SIM2"}, "X-API-Key", made.Secret).json(t)["id"].(string)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	follow := func(path, credential string) (ended chan struct{}) {
		t.Helper()
		res, err := l.client.Do(l.request("GET", path, nil, "Authorization", "Bearer "+credential, "X-Project",
			mine.ID).WithContext(ctx))
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v %v", path, res, err)
		}
		ended = make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, res.Body) // until it is cut off
			_ = res.Body.Close()
			close(ended)
		}()
		return ended
	}
	isOver := func(ended chan struct{}) bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}
	paths := []string{"/runs/" + run + "/events", "/devices/SIM1/live", "/devices/SIM1/logs"}
	streams := map[string]map[string]chan struct{}{made.Secret: {}, bobs: {}, token: {}}
	for credential := range streams {
		for _, path := range paths {
			streams[credential][path] = follow(path, credential)
		}
	}
	conn, _, err := l.dial("SIM1", "X-API-Key", made.Secret)
	if err != nil {
		t.Fatal(err)
	}
	socket := make(chan struct{})
	go func() {
		defer close(socket)
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				if why := err.Error(); !strings.Contains(why, "your credential may not do this any more") {
					t.Errorf("the client is not told why: %s", why)
				}
				return
			}
		}
	}()
	if err := errors.Join(mine.RevokeKey(t.Context(), made.ID),
		mine.RemoveMember(t.Context(), bob.Account.ID)); err != nil {
		t.Fatal(err)
	}
	streams[made.Secret]["/devices/SIM1/input"] = socket
	for who, credential := range map[string]string{"the revoked key": made.Secret, "who was removed": bobs} {
		for path, ended := range streams[credential] {
			eventually(t, path+" of "+who+" ends", func() bool { return isOver(ended) })
		}
	}
	eventually(t, "the device is free", func() bool {
		return l.ask("GET", "/devices/SIM1/lease", nil, "Authorization", "Bearer "+token).json(t)["leased"] == false
	})
	for path, ended := range streams[token] {
		if isOver(ended) {
			t.Errorf("%s of the owner has ended, too", path)
		}
	}
	if a := l.ask("DELETE", "/runs/"+run, nil, "Authorization", "Bearer "+token); a.status != 200 {
		t.Error(a)
	}
}
