package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/hub"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// TestReservationTakenBack: a reservation with a lost ID, of the server's own device and of a host's, can be canceled
// by the key or person that made it and by admins of the project, who see its public ID; by no other caller. The public
// ID does not give access to the device. Before, such a reservation could not be canceled until it started.
func TestReservationTakenBack(t *testing.T) {
	t.Parallel()
	s, withAccounts := withService(t, storetest.SQLite(t))
	b, err := broker.Open(broker.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	h, err := hub.Open(t.Context(), hub.Options{DB: s.DB(), Broker: b, Version: "1", Every: hubEvery})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	f := &farmLab{db: s.DB(), broker: b, hub: h}
	f.lab = newLab(t, 1, withAccounts, func(o *server.Options) { o.Farm = h })
	owner, token := newAccount(t, s, "owner@example.com")
	project, err := owner.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{"owner": token}
	for _, role := range []service.Role{service.RoleAdmin, service.RoleMember} {
		p, token := newAccount(t, s, string(role)+"@example.com")
		_, invitation, err := project.Invite(t.Context(), p.Account.Email, role)
		if err == nil {
			_, err = p.Accept(t.Context(), invitation)
		}
		if err != nil {
			t.Fatal(err)
		}
		tokens[string(role)] = token
	}
	for _, name := range []string{"key", "other key"} {
		made, err := project.CreateKey(t.Context(), service.NewKey{Name: name, Scopes: []string{"*"}})
		if err != nil {
			t.Fatal(err)
		}
		tokens[name] = made.Secret
	}
	as := func(who, method, path string, body any, more ...string) answer {
		return f.ask(method, path, body, append(more, "Authorization", "Bearer "+tokens[who], "X-Project", project.ID)...)
	}
	f.join("one", androidsim.Tiny, androidsim.Tiny)
	for _, device := range []string{"SIM1", "SIM2"} {
		id := func(who string) string {
			var list []server.Device
			if err := json.Unmarshal(as(who, "GET", "/devices", nil).body, &list); err != nil {
				t.Fatal(err)
			}
			if at := slices.IndexFunc(list, func(d server.Device) bool { return d.ID == device }); at >= 0 &&
				len(list[at].Reservations) > 0 {
				return list[at].Reservations[0].ID
			}
			return ""
		}
		lease := "/devices/" + device + "/lease"
		reserve := func(who string, in time.Duration) (secret string) {
			var a answer
			eventually(t, who+" reserves "+device, func() bool {
				a = as(who, "POST", lease, map[string]any{"holder": "night", "from": time.Now().Add(in),
					"until": time.Now().Add(time.Hour + in)})
				return a.status == 200
			})
			return a.json(t)["lease"].(string)
		}
		secret := reserve("key", time.Hour)
		eventually(t, "who made it is told its id", func() bool { return id("key") != "" })
		known := id("key")
		if id("owner") != known || id("admin") != known || id("member") != "" || id("other key") != "" ||
			strings.Contains(known, secret) {
			t.Errorf("%s: %q %q %q %q", known, id("owner"), id("admin"), id("member"), id("other key"))
		}
		for _, who := range []string{"member", "other key"} {
			if a := as(who, "DELETE", lease, nil, "X-Lease", known); a.status != 404 {
				t.Errorf("%s takes it back: %s", who, a)
			}
		}
		if a := as("key", "DELETE", lease, nil, "X-Lease", known); a.status != 204 {
			t.Error(a)
		}
		eventually(t, "it is gone", func() bool { return id("admin") == "" })
		reserve("member", time.Hour)
		eventually(t, "admins are told the id of a person's", func() bool { return id("admin") != "" && id("key") == "" })
		if a := as("admin", "DELETE", lease, nil, "X-Lease", id("admin")); a.status != 204 {
			t.Error(a)
		}
		eventually(t, "it is gone, too", func() bool { return id("admin") == "" })
		secret = reserve("key", 400*time.Millisecond)
		tap := `{"point": "50%,50%"}`
		eventually(t, "it begins", func() bool {
			return as("other key", "POST", "/devices/"+device+"/tap",
				tap).status == 409
		})
		eventually(t, "admins are told its id", func() bool { return id("admin") != "" })
		if a := as("admin", "POST", "/devices/"+device+"/tap", tap, "X-Lease", id("admin")); a.status != 409 {
			t.Errorf("it is used by the id that takes it back: %s", a)
		}
		if a := as("key", "POST", "/devices/"+device+"/tap", tap, "X-Lease", secret); a.status != 200 {
			t.Error(a)
		}
		if a := as("admin", "DELETE", lease, nil, "X-Lease", id("admin")); a.status != 204 {
			t.Error(a)
		}
		if a := as("other key", "POST", "/devices/"+device+"/tap", tap); a.status != 200 {
			t.Errorf("after it was taken back: %s", a)
		}
	}
}

// TestAfterUse: with a policy, the app that was started during a lease or a case is stopped at its end; without one,
// and after calls without a lease, nothing is stopped.
func TestAfterUse(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2, func(o *server.Options) { o.Config.AfterUse = action.StopAfterUse })
	plain := newLab(t, 1)
	const app = "com.example.login"
	runs := func(front string) bool { return strings.HasPrefix(front, app) }
	launch := func(l *lab, device string, headers ...string) {
		t.Helper()
		if a := l.ask("POST", "/devices/"+device+"/launch", map[string]any{"package": app}, headers...); a.status != 200 {
			t.Error(a)
		}
	}
	held := func(l *lab, device string, during func(headers ...string)) {
		t.Helper()
		a := l.ask("POST", "/devices/"+device+"/lease", `{}`)
		if a.status != 200 {
			t.Fatal(a)
		}
		id := a.json(t)["lease"].(string)
		during("X-Lease", id)
		if a := l.ask("DELETE", "/devices/"+device+"/lease", nil, "X-Lease", id); a.status != 204 {
			t.Error(a)
		}
	}
	launch(l, "SIM1")
	held(l, "SIM1", func(...string) {})
	if front := l.phones[0].Foreground(); !runs(front) {
		t.Errorf("what was started before the lease is gone: %s is in front", front)
	}
	held(l, "SIM1", func(headers ...string) {
		launch(l, "SIM1", headers...)
		if front := l.phones[0].Foreground(); !runs(front) {
			t.Errorf("%s is in front", front)
		}
	})
	if front := l.phones[0].Foreground(); runs(front) {
		t.Error("the app of the lease still runs")
	}
	a := l.ask("POST", "/runs", map[string]any{"yaml": "id: a\nplatform: android\nsteps:\n  - launch: {package: " + app +
		", force: true}\n"})
	if a.status != 202 {
		t.Fatal(a)
	}
	l.ended(a.json(t)["id"].(string))
	for i, p := range l.phones {
		if front := p.Foreground(); runs(front) {
			t.Errorf("the app of the case still runs on phone %d", i+1)
		}
	}
	held(plain, "SIM1", func(headers ...string) { launch(plain, "SIM1", headers...) })
	if front := plain.phones[0].Foreground(); !runs(front) {
		t.Errorf("without a policy, %s is in front", front)
	}
}
