package ios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

func TestWatchReportsDevicesThatComeAndGo(t *testing.T) {
	t.Parallel()
	b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{{}, {State: "Shutdown"}}})
	d := b.driver(t)
	d.watchAsk = 10 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	second := b.lab.Device(1)
	var seen [][]drivers.State
	must(t, d.Watch(ctx, func(infos []drivers.Info) {
		var states []drivers.State
		for _, info := range infos {
			states = append(states, info.State)
		}
		switch seen = append(seen, states); len(seen) {
		case 1:
			second.SetState("Booting")
		case 2:
			// a list that cannot be read is not a change
			b.lab.Fail(iossim.Fault{Match: "simctl list", Kind: iossim.Cut, Nth: 1})
			second.SetState("Booted")
		case 3:
			second.SetState("Shutdown")
		default:
			cancel()
		}
	}))
	want := [][]drivers.State{
		{drivers.Ready},
		{drivers.Ready, host.Starting},
		{drivers.Ready, drivers.Ready},
		{drivers.Ready},
	}
	if len(seen) != len(want) {
		t.Fatalf("%v", seen)
	}
	for i := range want {
		if len(seen[i]) != len(want[i]) || seen[i][len(seen[i])-1] != want[i][len(want[i])-1] {
			t.Errorf("list %d is %v, not %v", i, seen[i], want[i])
		}
	}
}

func TestWatchWhereNothingReachesIOS(t *testing.T) {
	t.Parallel()
	d := newBench(t, iossim.Options{}).only(t).driver(t)
	if err := d.Watch(t.Context(), func([]drivers.Info) { t.Error("it saw something") }); !errors.As(err,
		new(*drivers.Unavailable)) {
		t.Error(err)
	}
}
