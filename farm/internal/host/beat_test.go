package host

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// TestShortBeats checks that a host sends a complete beat after a change, and short ones otherwise, and that a hub that
// has no complete one requests it.
func TestShortBeats(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	var mu sync.Mutex
	var beats []wire.Beat
	stop, err := wire.Serve(l.broker.Conn(), wire.ToHub("a", "beat"), "", func(_ string, body []byte) (any, error) {
		var b wire.Beat
		err := json.Unmarshal(body, &b)
		mu.Lock()
		defer mu.Unlock()
		beats = append(beats, b)
		return nil, err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	long := func() (n int) {
		mu.Lock()
		defer mu.Unlock()
		for _, b := range beats {
			if !b.Same {
				n++
			}
		}
		return n
	}
	// on a busy machine the hub may have requested it twice, so the number of earlier beats proves nothing
	onlyShort := func() bool {
		mu.Lock()
		defer mu.Unlock()
		last := beats[max(len(beats)-3, 0):]
		return len(last) == 3 && !slices.ContainsFunc(last, func(b wire.Beat) bool { return !b.Same })
	}
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, phone("A"))
	await(t, "short beats only", onlyShort)
	before := long()
	if before < 1 || l.uses("") != "A free" {
		t.Errorf("%d long beats, %s", before, l.uses(""))
	}
	second, err := hub.Open(t.Context(), hub.Options{DB: l.db, Broker: l.broker, Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	await(t, "a hub that came later has the device", func() bool { return len(second.Devices("")) == 1 })
	await(t, "the first hub receives that complete beat, too", func() bool { return long() > before })
	await(t, "short beats only, again", onlyShort)
	r.set(phone("A"), phone("B"))
	await(t, "both hubs have the change", func() bool {
		return l.uses("") == "A free, B free" &&
			len(second.Devices("")) == 2
	})
}
