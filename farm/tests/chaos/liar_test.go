package chaos

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/remote/order"
)

// TestHostThatLies checks that a host gets neither settings nor tests of cases that were not assigned to it, that its
// results for them are ignored, and that each attempt is logged.
func TestHostThatLies(t *testing.T) {
	h, err := startHub(t.TempDir(), storetest.SQLite(t), "127.0.0.1:0", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, h.stop()) }()
	login, err := h.login("honest")
	must(t, err)
	lied := make(chan struct{})
	_, stop, err := startHost(t.Context(), login, t.TempDir(), &phones{host: "honest", n: 1, until: lied})
	must(t, err)
	defer func() { must(t, stop()) }()
	login, err = h.login("liar")
	must(t, err)
	liar, err := broker.Connect(login)
	must(t, err)
	defer liar.Close()
	await(t, "the liar is connected", liar.IsConnected)

	r, farm, cases := client(t, suite(t, 1), h.url, nil)
	cases = slices.DeleteFunc(cases, func(c plan.Case) bool { return c.Pack != "pass-000" })
	await(t, "the phone", func() bool { n, err := farm.Usable(t.Context(), dsl.Android); return err == nil && n == 1 })
	events := map[string]bool{}
	r.Observe = func(c event.Case, e event.Event) {
		events[e.Message] = true
		if e.Kind != event.CaseStarted || c.Pack != "pass-000" {
			return
		}
		defer close(lied)
		var a order.Attempt
		var archive string
		must(t, h.db.One(t.Context(),
			"SELECT run, n, attempt, archive FROM farm_cases JOIN farm_runs ON id = run WHERE state = 'running' AND what LIKE "+
				"'%pass-000%'", nil, &a.Run, &a.N, &a.Attempt, &archive))
		ask := func(what string, question, into any) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			return wire.Ask(ctx, liar, wire.ToHub("liar", what), question, into)
		}
		var start order.Start
		if err := ask(order.StartSubject, a, &start); err != nil || start.Go || len(start.Settings.Env) > 0 {
			t.Errorf("the settings of another host's case: %+v %v", start, err)
		}
		var b order.Bytes
		if err := ask(order.PartSubject, order.Part{Archive: archive}, &b); err == nil || len(b.Bytes) > 0 {
			t.Errorf("the tests of another host's case: %d bytes", len(b.Bytes))
		}
		for _, report := range []order.Report{{Attempt: a, Error: "made up"}, {Attempt: a, Returned: true, Error: "made up"},
			{Attempt: a, Size: 3, Pack: []byte("tar"), SHA256: strings.Repeat("0", 64)}} {
			var v order.ReportReply
			if err := ask(order.ReportSubject, report, &v); err != nil || v.Accepted {
				t.Errorf("a foreign result: %+v %v", v, err)
			}
		}
		must(t, wire.Publish(liar, wire.ToHub("liar", order.EventsSubject),
			order.Events{Attempt: a, From: 1, Events: []event.Event{
				{Time: time.Now(), Kind: event.Logged, Message: "made up"}}}))
	}
	outcomes := r.All(t.Context(), cases)
	<-lied
	for _, o := range outcomes {
		if o.Case.Pack == "pass-000" && (o.Result() != event.Pass || o.CaseResult.Case.Device != "honest-0") {
			t.Errorf("%s on %s", o.Result(), o.CaseResult.Case.Device)
		}
	}
	if events["made up"] {
		t.Error("a foreign event was forwarded")
	}
	if _, err := liar.Request(wire.ToHub("honest", order.StartSubject), nil, 300*time.Millisecond); err == nil {
		t.Error("a host publishes to a subject of another one")
	}
	await(t, "all refusals are logged", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		want := map[string]int{"host liar farm.start": 1, "host liar farm.tests": 1, "host liar farm.result": 3,
			"host liar farm.events": 1, "host liar farm.nats": 1}
		return maps.Equal(h.refused, want)
	})
	must(t, farm.Close())
	must(t, r.End())
}
