package hub

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// listener returns a hub with one host, and a function that sends beats of that host.
func listener(t *testing.T) (*Hub, func(wire.Beat) error) {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.SQLite(t))
	if err == nil {
		_, _, err = db.Migrate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	b, err := broker.Open(broker.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	h, err := Open(t.Context(), Options{DB: db, Broker: b, Version: "1", Dead: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	_, key, err := broker.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	token, err := NewToken(t.Context(), db, HostPlacement{Pool: "lab", Labels: map[string]string{"room": "3"}})
	if err == nil {
		_, err = h.Join(t.Context(), wire.Join{Token: token, Key: key, Protocol: wire.Version, Name: "a"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return h, func(b wire.Beat) error {
		body, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.receive(wire.ToHub("a", wire.BeatSubject), body)
		return err
	}
}

// forCases counts the devices for cases.
func (h *Hub) forCases(hoped bool) (all, now int) {
	h.ForCases(hoped, func(d Device, free bool) {
		if all++; free && d.Host == "a" && d.Pool == "lab" && phrase.Pairs(d.Labels)[0] == "room=3" {
			now++
		}
	})
	return all, now
}

func (h *Hub) diedBy(now time.Time) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.died(now))
}

func beatOf(boot string) wire.Beat {
	free := wire.Device{Cases: wire.CasesFree}
	free.ID = "x"
	page := wire.Device{Cases: wire.CasesLeased}
	page.ID = "web-1"
	none := wire.Device{}
	none.ID = "unauthorized"
	return wire.Beat{Protocol: wire.Version, Boot: boot, State: 1, Devices: []wire.Device{free, none},
		Browsers: []wire.Device{page}, Working: []string{"run:0:1"}}
}

// TestBlockedDevices checks that the devices on which no case can run are listed with the reason, and no others.
func TestBlockedDevices(t *testing.T) {
	h, beat := listener(t)
	b := beatOf("1")
	b.Devices[1].Problem, b.Devices[1].State = "allow debugging on the phone", "unauthorized"
	page := wire.Device{Only: "a-project"}
	page.ID, page.State = "web-7", "lost"
	b.Devices = append(b.Devices, page)
	if err := beat(b); err != nil {
		t.Fatal(err)
	}
	var got []string
	h.ForBlocked(func(d Device) { got = append(got, d.ID+": "+d.Why) })
	if len(got) != 1 || got[0] != "unauthorized: allow debugging on the phone" {
		t.Errorf("%q", got)
	}
}

// TestDeadHost checks that a host is dead only when it was silent for too long at two consecutive calls, since its beat
// may be waiting while the hub is slow, and that a hub that was away calls no host dead. The devices of a dead host
// count as expected for a while.
func TestDeadHost(t *testing.T) {
	h, beat := listener(t)
	if err := beat(beatOf("1")); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	late := now.Add(2 * time.Minute)
	if h.anySilent(now) || h.diedBy(now) > 0 {
		t.Error("dead although it has just sent a beat")
	}
	if !h.anySilent(late) || h.diedBy(late) > 0 {
		t.Error("dead at the first call: the hub itself may have been slow")
	}
	if err := beat(wire.Beat{Protocol: wire.Version, Boot: "1", State: 1, Same: true}); err != nil || h.diedBy(now) > 0 ||
		h.diedBy(late) > 0 {
		t.Errorf("the silence before the last beat counts: %v", err)
	}
	h.mu.Lock()
	h.restartListening(late)
	h.mu.Unlock()
	if h.anySilent(late.Add(30*time.Second)) || h.diedBy(late.Add(2*time.Minute)) > 0 {
		t.Error("dead although the hub was away")
	}
	if _, dead := h.Works("a", "run:0:1"); dead || h.diedBy(late.Add(3*time.Minute)) != 1 ||
		h.diedBy(late.Add(3*time.Minute)) != 0 {
		t.Error("not dead, or returned more than once")
	}
	all, _ := h.forCases(false)
	hoped, free := h.forCases(true)
	if works, dead := h.Works("a", "run:0:1"); !works || !dead || all != 0 || hoped != 2 || free != 1 ||
		len(h.Boots()) != 0 {
		t.Errorf("the devices of a dead host: %d, %d, %d free", all, hoped, free)
	}
	if err := beat(beatOf("1")); err != nil {
		t.Fatal(err)
	}
	if all, free := h.forCases(false); all != 2 || free != 1 || h.Boots()["a"] != "1" {
		t.Errorf("the devices of a host that came back: %d, %d free", all, free)
	}
}

// TestSpokenAgain checks that OnFreed is called when there may be more devices, and that a host that is silent for a
// while or shuts down gets no new cases.
func TestSpokenAgain(t *testing.T) {
	h, beat := listener(t)
	calls := 0
	h.OnFreed(func() { calls++ })
	short := wire.Beat{Protocol: wire.Version, Boot: "1", State: 1, Same: true}
	for i, c := range []struct {
		what string
		beat wire.Beat
		want int
	}{{"short, before the first", short, 0}, {"the first", beatOf("1"), 1}, {"the next", short, 1},
		{"the same in full", beatOf("1"), 1}, {"of another process", beatOf("2"), 2}} {
		if err := beat(c.beat); err != nil || calls != c.want {
			t.Errorf("%d, %s: %d calls, %v", i, c.what, calls, err)
		}
	}
	if boots := h.Boots(); boots["a"] != "2" {
		t.Errorf("%+v", boots)
	}
	h.mu.Lock()
	h.hosts["a"].lastBeat = time.Now().Add(-wire.HostGone - time.Second)
	h.mu.Unlock()
	if all, free := h.forCases(false); all != 2 || free != 0 {
		t.Errorf("a silent host: %d devices, %d free", all, free)
	}
	short.Boot = "2"
	if err := beat(short); err != nil || calls != 3 {
		t.Errorf("a beat after silence: %d calls, %v", calls, err)
	}
	if err := beat(wire.Beat{Protocol: wire.Version, Boot: "2", Ending: true}); err != nil {
		t.Error(err)
	}
	if all, free := h.forCases(false); all != 2 || free != 0 || h.Devices("")[0].Use != Blocked {
		t.Errorf("after its last beat: %d devices, %d free", all, free)
	}
	if len(h.Devices("")) != 2 || h.Hosts("", false)[0].Devices != 2 {
		t.Errorf("clients see browsers: %+v", h.Devices(""))
	}
}

// TestOlderProtocol checks that the error of a different protocol version names the side to update.
func TestOlderProtocol(t *testing.T) {
	_, beat := listener(t)
	var version *wire.VersionError
	for protocol, side := range map[int]string{wire.Version - 1: "on the host", wire.Version + 1: "on the hub"} {
		if err := beat(wire.Beat{Protocol: protocol, Boot: "1"}); !errors.As(err, &version) ||
			!strings.Contains(err.Error(), side) {
			t.Errorf("%d: %v", protocol, err)
		}
	}
}
