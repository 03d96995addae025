package server_test

import (
	"encoding/json"
	"testing"
	"time"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/server"
)

// TestHostsClock: reservations of a host's device start and end by the hub's clock, also when the host's clock is an
// hour slow or fast. Before, they started an hour late, or were rejected as past.
func TestHostsClock(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"slow": time.Hour, "fast": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFarmAhead(t, ahead, 0)
			f.join("one", androidsim.Tiny)
			var from, until time.Time
			var a answer
			eventually(t, "it is made before it begins", func() bool {
				from = time.Now().Add(ahead + 500*time.Millisecond).UTC()
				until = from.Add(time.Hour)
				a = f.ask("POST", "/devices/SIM1/lease", map[string]any{"from": from, "until": until})
				return a.status == 200
			})
			var grant server.LeaseGrant
			if err := json.Unmarshal(a.body, &grant); err != nil || !grant.Since.Equal(from) || !grant.Until.Equal(until) {
				t.Errorf("%+v, %v", grant, err)
			}
			tap := `{"point": "50%,50%"}`
			eventually(t, "it has begun, for all others",
				func() bool { return f.ask("POST", "/devices/SIM1/tap", tap).status == 409 })
			if a := f.ask("POST", "/devices/SIM1/tap", tap, "X-Lease", grant.Lease); a.status != 200 {
				t.Errorf("for who has it: %s", a)
			}
			var state server.LeaseState
			if err := json.Unmarshal(f.ask("GET", "/devices/SIM1/lease", nil).body, &state); err != nil || state.Until == nil ||
				state.Until.Sub(until).Abs() > time.Minute {
				t.Errorf("%+v, %v", state, err)
			}
			eventually(t, "it is seen", func() bool {
				var list []server.Device
				err := json.Unmarshal(f.ask("GET", "/devices", nil).body, &list)
				return err == nil && len(list) == 1 && list[0].Use == "leased" && list[0].Since != nil &&
					list[0].Since.Sub(from).Abs() < time.Minute
			})
			lease := f.ask("DELETE", "/devices/SIM1/lease", nil, "X-Lease", grant.Lease)
			if lease.status != 204 {
				t.Error(lease)
			}
		})
	}
}
