package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/wire"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// TestFarmOfProjects: projects share the devices of hosts and see no more of each other than on one machine. Only the
// project of a host can use it, and the log of the service lists rejected requests.
func TestFarmOfProjects(t *testing.T) {
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
	f.lab = newLab(t, 0, withAccounts, func(o *server.Options) { o.Farm = h })
	ada, adas := newAccount(t, s, "ada@example.com")
	_, bobs := newAccount(t, s, "bob@example.com")
	own, err := ada.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	as := func(token, method, path string, body any) answer {
		return f.ask(method, path, body, "Authorization", "Bearer "+token)
	}
	list := func(token string) (devices []server.Device) {
		if err := json.Unmarshal(as(token, "GET", "/devices", nil).body, &devices); err != nil {
			t.Fatal(err)
		}
		return devices
	}
	mine := f.joinFor(own.ID, "private", androidsim.Tiny)
	f.join("shared", androidsim.Tiny, androidsim.Tiny)
	eventually(t, "each sees what is its own", func() bool { return len(list(adas)) == 3 && len(list(bobs)) == 2 })
	for _, path := range []string{"/devices/SIM1@private", "/devices/SIM1@private/tap", "/devices/SIM1@private/lease"} {
		method, body := "POST", any(`{"point": "50%,50%"}`)
		if strings.HasSuffix(path, "lease") {
			body = `{"ttlSeconds": 10}`
		}
		if strings.HasSuffix(path, "private") {
			method, body = "GET", nil
		}
		if a := as(bobs, method, path, body); a.status != 404 {
			t.Errorf("%s of another project: %s", path, a)
		}
	}
	if n := len(mine.phones[0].Taps()); n > 0 {
		t.Errorf("%d taps", n)
	}
	eventually(t, "what was refused stands in the log of the service, once", func() bool {
		entries, err := s.Operator().Log(t.Context(), service.Page{})
		of := slices.DeleteFunc(entries, func(e service.Entry) bool { return e.Action != "device.use" })
		return err == nil && len(of) == 1 && of[0].Result == "refused" && strings.Contains(of[0].Target, "SIM1@private") &&
			strings.Contains(of[0].Actor, "project ") && of[0].Project == ""
	})
	// this project sees only one device of this name
	if a := as(bobs, "POST", "/devices/SIM1/tap", `{"point": "50%,50%"}`); a.status != 200 {
		t.Error(a)
	}
	if a := as(adas, "POST", "/devices/SIM2/lease", `{"ttlSeconds": 100, "holder": "night shift"}`); a.status != 200 {
		t.Error(a)
	}
	eventually(t, "it is seen that it is held, and by whom within the project alone", func() bool {
		seen := func(token string) server.Device {
			all := list(token)
			return all[slices.IndexFunc(all, func(d server.Device) bool { return strings.HasPrefix(d.ID, "SIM2") })]
		}
		a, b := seen(adas), seen(bobs)
		return a.Use == hub.Leased && strings.HasPrefix(a.Holder, "night shift") && b.Use == hub.Leased && b.Holder == "" &&
			b.Lease == nil
	})
	if a := as(bobs, "POST", "/devices/SIM2/tap", `{"point": "50%,50%"}`); a.status != 409 {
		t.Error(a)
	}
	later := map[string]any{"from": time.Now().Add(time.Hour), "until": time.Now().Add(2 * time.Hour),
		"holder": "night shift", "why": "the demo"}
	if a := as(adas, "POST", "/devices/SIM2/lease", later); a.status != 200 {
		t.Error(a)
	}
	eventually(t, "it is seen that it is reserved, and by whom within the project alone", func() bool {
		seen := func(token string) server.ReservationInfo {
			all := list(token)
			d := all[slices.IndexFunc(all, func(d server.Device) bool { return strings.HasPrefix(d.ID, "SIM2") })]
			return append(d.Reservations, server.ReservationInfo{})[0]
		}
		a, b := seen(adas), seen(bobs)
		return strings.HasPrefix(a.Holder, "night shift") && a.Why == "the demo" && !b.From.IsZero() && b.Holder == "" &&
			b.Why == ""
	})
	if a := as(bobs, "POST", "/devices/SIM2/lease", later); a.status != 409 ||
		strings.Contains(string(a.body), "night shift") || strings.Contains(string(a.body), "demo") {
		t.Errorf("what overlaps another project's: %s", a)
	}
	_, key, err := broker.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	used := f.refusedTokens(key)
	if a := f.ask("POST", "/farm/join", wire.Join{Token: "taph_guess", Key: key, Protocol: 99,
		Name: "old"}); a.status != 409 || a.code() != "version_mismatch" {
		t.Error(a)
	}
	if a := f.ask("POST", "/farm/rejoin", wire.Rejoin{Host: "shared", Key: key, At: time.Now(), Signature: []byte("guess"),
		Protocol: wire.Version}); a.status != 401 {
		t.Error(a)
	}
	why := map[string]string{"host stranger": "no such token", "host late": "the token expired on 20",
		"host second": "was used by another host (first, on 20", "host garbled": "incomplete"}
	for _, want := range []string{"farm.join host stranger refused", "farm.join host late refused",
		"farm.join host second refused", "farm.join host garbled refused", "farm.join host old refused",
		"farm.join host private done", "farm.join host shared done", "farm.rejoin host shared refused"} {
		eventually(t, "the log of the service says "+want, func() bool {
			entries, err := s.Operator().Log(t.Context(), service.Page{})
			return err == nil && slices.ContainsFunc(entries, func(e service.Entry) bool {
				return e.Action+" "+e.Actor+" "+e.Result == want && (why[e.Actor] == "" || strings.Contains(e.Target, why[e.Actor]))
			})
		})
	}
	if entries, err := s.Operator().Log(t.Context(), service.Page{}); err != nil || strings.Contains(fmt.Sprint(entries),
		used) {
		t.Errorf("a token is in the log: %+v, %v", entries, err)
	}
	if a := f.ask("GET", "/farm", nil); a.status != 401 {
		t.Error(a)
	}
	var state server.FarmState
	if err := json.Unmarshal(as(bobs, "GET", "/farm", nil).body, &state); err != nil || len(state.Hosts) != 2 ||
		state.Hosts[1].ID != "shared" || len(state.Devices) != 2 {
		t.Errorf("%+v, %v", state, err)
	}
}

// refusedTokens sends join requests with invalid tokens, each under its own name, and returns one that was used.
func (f *farmLab) refusedTokens(key string) (used string) {
	f.t.Helper()
	token := func() string {
		text, err := hub.NewToken(f.t.Context(), f.db, hub.HostPlacement{})
		if err != nil {
			f.t.Fatal(err)
		}
		return text
	}
	join := func(name, token, key string, want int) {
		if a := f.ask("POST", "/farm/join", wire.Join{Token: token, Key: key, Protocol: wire.Version,
			Name: name}); a.status != want {
			f.t.Errorf("%s: %s", name, a)
		}
	}
	_, first, err := broker.NewKey()
	if err != nil {
		f.t.Fatal(err)
	}
	used = token()
	join("first", used, first, 200)
	join("second", used, key, 401)
	late := token()
	if _, err := f.db.Exec(f.t.Context(), "UPDATE farm_tokens SET expires = $1 WHERE used = 0",
		store.Time(time.Now().Add(-time.Second))); err != nil {
		f.t.Fatal(err)
	}
	join("late", late, key, 401)
	join("stranger", "taph_"+strings.Repeat("a", 26), key, 401)
	join("garbled", "taph_guess", key, 401)
	return used
}
