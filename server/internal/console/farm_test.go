package console_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// TestHostsOfAFarm: admins see the hosts and all their devices, members the devices.
func TestHostsOfAFarm(t *testing.T) {
	t.Parallel()
	b, err := broker.Open(broker.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	var h *hub.Hub // its host reports once, and must not expire before the last page was read
	l := newLabWith(t, 0, func(o *server.Options, _ string) {
		if h, err = hub.Open(t.Context(), hub.Options{DB: o.Service.DB(), Broker: b, Version: "1",
			Every: time.Minute}); err != nil {
			t.Fatal(err)
		}
		o.Farm = h
		o.FarmQueue = func(context.Context, string) ([]server.FarmLine, server.FarmShare, error) {
			return []server.FarmLine{
					{Needs: "android, model Pixel *", Waiting: 1234, Why: "all 2 devices that suit it are in use"}},
				server.FarmShare{Weight: 1}, nil
		}
		o.FarmRunning = func(context.Context, string) ([]server.FarmCase, error) {
			return []server.FarmCase{{Run: "run_1", Test: "login <b>", Attempt: 2, Device: "P8", Host: "desk",
				Since: time.Now()}}, nil
		}
	})
	t.Cleanup(func() { _ = h.Close() })
	admin := l.cookie(l.person("operator@example.com", true))
	if a := l.ask(admin, "GET", "/console/admin/hosts", nil); a.status != 200 ||
		!strings.Contains(a.body, "No host has joined yet") {
		t.Error(a)
	}
	token, err := hub.NewToken(t.Context(), l.service.DB(), hub.HostPlacement{Pool: "pixels", Labels: map[string]string{
		"room": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := broker.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Join(t.Context(), wire.Join{Token: token, Key: key, Protocol: wire.Version, Name: "desk"}); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	beat, err := json.Marshal(map[string]any{"protocol": wire.Version, "version": "1.2.3", "devices": []wire.Device{
		{Info: drivers.Info{ID: "P8", Platform: "android", Model: "Pixel <8>", State: drivers.Ready, Battery: 3}},
		{Info: drivers.Info{ID: "P9", Platform: "android", Model: "Pixel 9", State: drivers.Ready}, Reserved: []wire.Lease{
			{Project: "another", Holder: "eve", Why: "secret", Since: later, Until: later.Add(time.Hour)}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := b.Conn().RequestWithContext(t.Context(), "hub.desk.beat", beat); err != nil ||
		strings.Contains(string(reply.Data), "error") {
		t.Fatal(reply, err)
	}
	a := l.ask(admin, "GET", "/console/admin/hosts", nil)
	for _, want := range []string{"desk", "room=3", "pixels", "online", "1.2.3", "Pixel &lt;8&gt;", "P8",
		"battery is low"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the page of hosts lacks %q: %.3000s", want, a.body)
		}
	}
	ada := l.person("ada@example.com", false)
	project, err := ada.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	a = l.ask(l.cookie(ada), "GET", "/console/p/"+project.ID+"/devices", nil)
	for _, want := range []string{"P8", "on desk", "battery is low", "/devices/P8/studio"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the page of devices lacks %q: %.3000s", want, a.body)
		}
	}
	a = l.ask(l.cookie(ada), "GET", "/console/p/"+project.ID+"/farm", nil)
	for _, want := range []string{"desk", "room=3", "P8", "battery is low", "P9", "reserved from", "1,234",
		"all 2 devices that suit it are in use", "login &lt;b&gt;", "started 2 times"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the page of the farm lacks %q: %.6000s", want, a.body)
		}
	}
	if strings.Contains(a.body, "eve") || strings.Contains(a.body, "secret") {
		t.Error("it tells of another project's reservation")
	}
	runs := "/console/p/" + project.ID + "/runs"
	if a := l.ask(l.cookie(ada), "GET", runs, nil); !strings.Contains(a.body, `<a href="/console/p/`+project.ID+
		`/farm">Farm</a>`) {
		t.Errorf("the page of runs does not say where those of clients are: %.3000s", a.body)
	}
	for want, fields := range map[string]url.Values{
		`value="room=3,desk=west"`:   {"pool": {"pixels"}, "on": {"room=3, desk=west"}, "priority": {"4"}},
		"Write labels as NAME=VALUE": {"on": {"room"}}, "a whole number from -10 to 10": {"priority": {"11"}}} {
		if a := l.ask(l.cookie(ada), "POST", runs, fields); a.status < 400 || !strings.Contains(a.body, want) {
			t.Errorf("%v: %d, want %q: %.6000s", fields, a.status, want, a.body)
		}
	}
	look(t, l, ada, map[string]string{"farm": "/console/p/" + project.ID + "/farm", "farm-runs": runs,
		"farm-hosts": "/console/admin/hosts"})
}

// look checks pages of a farm as TestTour checks all others.
func look(t *testing.T, l *lab, who *service.Person, pages map[string]string) {
	t.Helper()
	for name, s := range map[string]screen{"1280": {width: 1280, height: 900}, "390-dark": {width: 390, height: 844,
		dark: true}, "1280-dark": {width: 1280, height: 900, dark: true}, "390": {width: 390, height: 844}} {
		if testing.Short() && name != "390-dark" {
			continue
		}
		tab := l.open(s)
		tab.must(tab.Context().AddCookies([]playwright.OptionalCookie{
			{Name: "taproot_session", Value: l.cookie(who), URL: playwright.String(l.http.URL)}}))
		for page, path := range pages {
			if strings.Contains(path, "/admin/") && !who.Account.Admin {
				continue
			}
			tab.goTo(path)
			if testing.Short() && page != "farm" {
				tab.fits(page)
				continue
			}
			tab.accessible(page)
			tab.shot(page + "-" + name)
		}
	}
}
