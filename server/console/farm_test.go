package console_test

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/server"
)

// TestHostsOfAFarm: admins see the hosts and all their devices, members the devices.
func TestHostsOfAFarm(t *testing.T) {
	t.Parallel()
	b, err := broker.Open(broker.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	var h *hub.Hub
	l := newLabWith(t, 0, func(o *server.Options, _ string) {
		if h, err = hub.Open(t.Context(), hub.Options{DB: o.Service.DB(), Broker: b, Version: "1"}); err != nil {
			t.Fatal(err)
		}
		o.Farm = h
	})
	t.Cleanup(func() { _ = h.Close() })
	admin := l.cookie(l.person("operator@example.com", true))
	if a := l.ask(admin, "GET", "/console/admin/hosts", nil); a.status != 200 || !strings.Contains(a.body, "No host has joined yet") {
		t.Error(a)
	}
	token, err := hub.NewToken(t.Context(), l.service.DB(), hub.Place{Pool: "pixels", Labels: map[string]string{"room": "3"}})
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
	beat := wire.Beat{Protocol: wire.Version, Version: "1.2.3", Devices: []wire.Device{{Info: drivers.Info{ID: "P8", Platform: "android", Model: "Pixel <8>", State: drivers.Ready, Battery: 3}}}}
	if err := wire.Ask(t.Context(), b.Conn(), wire.ToHub("desk", "beat"), beat, nil); err != nil {
		t.Fatal(err)
	}
	a := l.ask(admin, "GET", "/console/admin/hosts", nil)
	for _, want := range []string{"desk", "room=3", "pixels", "online", "1.2.3", "Pixel &lt;8&gt;", "P8", "battery is low"} {
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
}
