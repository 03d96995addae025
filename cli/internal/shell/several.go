package shell

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/client"
)

// chooseAll finds the devices of a test with several: new pages and free phones for one that runs from its start, else
// those of the last test of the session.
func (r *replay) chooseAll(ctx context.Context, fresh bool) error {
	if r.Device != "" {
		return &client.Refusal{What: fmt.Sprintf("--device: the test %s names its devices itself", r.one.Test.ID),
			Try: "leave --device out"}
	}
	devices := r.session.names
	if fresh {
		var err error
		if devices, err = r.freeDevices(ctx); err != nil {
			return err
		}
	}
	for _, e := range r.one.Devices {
		if devices[e.Name] == "" || !fresh && !r.IsOpen(devices[e.Name]) {
			return &client.Refusal{What: fmt.Sprintf("the device %s of the test is not open in this session", e.Name),
				Try: "run the test from its start: taproot run --keep"}
		}
	}
	r.devices, r.session.names = devices, devices
	r.device = devices[r.one.Devices[0].Name]
	return nil
}

// freeDevices leases a phone, or opens a page, for each device of the test.
func (r *replay) freeDevices(ctx context.Context) (map[string]string, error) {
	entries := r.one.Devices
	pages := func(e dsl.Entry) bool { return e.Platform == dsl.Web }
	phones, err := r.Pool.Pick(ctx, slices.DeleteFunc(slices.Clone(entries), pages), nil, r.IsOpen)
	if err != nil {
		return nil, &client.Refusal{What: err.Error(), Try: "taproot devices lists them"}
	}
	devices := map[string]string{}
	for _, e := range entries {
		var err error
		if e.Platform == dsl.Web {
			devices[e.Name], err = r.NewPage(ctx)
		} else {
			one := &client.Call{Client: r.Client, Device: phones[0].ID}
			phones = phones[1:]
			devices[e.Name], err = one.Pick(ctx, []dsl.Platform{e.Platform})
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return devices, nil
}

// mean makes the commands that follow a test with several devices use the one that failed, or else the first.
func (r *replay) mean() {
	if len(r.devices) == 0 {
		return
	}
	name := r.one.Devices[0].Name
	if id := r.devices[r.at]; id != "" {
		r.device, name = id, r.at
	}
	r.session.client.Choose(r.device)
	var others []string
	for other := range r.devices {
		if other != name {
			others = append(others, other)
		}
	}
	slices.Sort(others)
	r.lines = append(r.lines, fmt.Sprintf("commands use %s (%s); --device %s is for another one", name, r.device,
		strings.Join(others, ", --device ")))
}
