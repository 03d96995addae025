package chaos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/remote/order"
)

// TestReportComesTwice checks that a report that two hubs receive, for example because the first was suspended, is
// accepted once, and that the pack stays.
func TestReportComesTwice(t *testing.T) {
	h, err := startHub(t.TempDir(), storetest.SQLite(t), "127.0.0.1:0", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, h.stop()) }()
	q := queue.New(h.db, nil)
	must(t, q.StartRun(t.Context(), queue.Run{ID: "run_1", Project: "project"}))
	must(t, q.Add(t.Context(), "run_1",
		[]queue.Case{{N: 0, Needs: queue.Needs{Platform: dsl.Android}, What: json.RawMessage("{}")}}))
	phone := queue.Device{Host: "twice", ID: "phone", Platform: dsl.Android}
	picked, err := q.Pick(t.Context(), []queue.Device{phone}, []queue.Device{phone})
	must(t, err)
	if len(picked) != 1 {
		t.Fatalf("%+v", picked)
	}
	login, err := h.login("twice")
	must(t, err)
	nc, err := broker.Connect(login)
	must(t, err)
	defer nc.Close()
	await(t, "the host is connected", nc.IsConnected)
	body := []byte("a pack")
	sum := sha256.Sum256(body)
	report := order.Report{Attempt: order.Attempt{Run: "run_1", Attempt: 1}, Size: int64(len(body)),
		SHA256: hex.EncodeToString(sum[:]), Pack: body}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var v order.ReportReply
			if err := wire.Ask(ctx, nc, wire.ToHub("twice", order.ReportSubject), report, &v); err != nil || !v.Accepted {
				t.Errorf("%+v %v", v, err)
			}
		})
	}
	all.Wait()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/api/farm/runs/run_1/packs/0-1", nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer project")
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	must(t, answer.Body.Close())
	if answer.StatusCode != http.StatusOK {
		t.Errorf("the pack that was accepted: %s", answer.Status)
	}
}

// TestHostBeginsAgain checks that a case that was running when its host ended starts again as soon as the host is back,
// and not only after JetStream has forgotten the message id.
func TestHostBeginsAgain(t *testing.T) {
	h, err := startHub(t.TempDir(), storetest.SQLite(t), "127.0.0.1:0", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, h.stop()) }()
	login, err := h.login("again")
	must(t, err)
	dir := t.TempDir()
	_, stop, err := startHost(t.Context(), login, dir, &phones{host: "again", n: 1, cost: time.Hour})
	must(t, err)
	r, farm, cases := client(t, suite(t, 1), h.url, nil)
	cases = slices.DeleteFunc(cases, func(c plan.Case) bool { return c.Pack != "pass-000" })
	starts := make(chan struct{}, 100)
	r.Observe = func(_ event.Case, e event.Event) {
		if e.Kind == event.StepStarted {
			starts <- struct{}{}
		}
	}
	var second sync.WaitGroup
	second.Go(func() {
		<-starts
		if err := stop(); err != nil {
			t.Error(err)
		}
		if _, stop, err = startHost(t.Context(), login, dir, &phones{host: "again", n: 1}); err != nil {
			t.Error(err)
		}
	})
	outcomes := r.All(t.Context(), cases)
	second.Wait()
	if len(outcomes) != 1 || outcomes[0].Result() != event.Pass {
		t.Errorf("%+v", outcomes)
	}
	must(t, farm.Close())
	must(t, r.End())
	must(t, stop())
}
