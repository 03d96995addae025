package live_test

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/live"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// choosers is a driver of devices that note in which browser they open pages. WebKit is not installed.
type choosers struct {
	*phones
	mu   sync.Mutex
	uses map[string]string
}

func (c *choosers) Open(ctx context.Context, id string) (drivers.Device, error) {
	dev, err := c.phones.Open(ctx, id)
	return &chooser{dev.(*phone), c}, err
}

type chooser struct {
	*phone
	c *choosers
}

func (d *chooser) UseBrowser(_ context.Context, name string) error {
	if name == dsl.WebKit {
		return &drivers.Unavailable{What: "WebKit is not installed", Fix: "install it"}
	}
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	d.c.uses[d.id] = name
	return nil
}

func (d *chooser) PageBrowser() (name, version string) { return d.c.uses[d.id], "" }

// TestBrowsersOfSeveralDevices: the pages of devices that stay open are those of the browsers that the test names now.
func TestBrowsersOfSeveralDevices(t *testing.T) {
	p := &choosers{phones: newPhones("A", "B"), uses: map[string]string{}}
	d := devices(t, p, t.TempDir(), live.Options{})
	run := func(alice, bob string) error {
		one := plan.Case{Devices: []dsl.Entry{{Name: "alice", Platform: dsl.Web, Browser: alice},
			{Name: "bob", Platform: dsl.Web, Browser: bob}}}
		tests, err := dsl.Parse("a.yaml", []byte("id: a\ndevices: {alice: {platform: web}, bob: {platform: web}}\n"+
			"steps: [{set: {x: y}}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Steps(t.Context(), live.StepsRequest{Device: "A", Devices: map[string]string{"alice": "A", "bob": "B"},
			Who: "anna", Test: tests[0], Case: &one, Ended: func(live.StepEnd) {}})
		return err
	}
	for _, names := range [][2]string{{dsl.Firefox, ""}, {"", dsl.Chromium}, {"", ""}} {
		err := run(names[0], names[1])
		if want := map[string]string{"A": names[0], "B": names[1]}; err != nil || !maps.Equal(p.uses, want) {
			t.Errorf("browsers %v, want %v: %v", p.uses, want, err)
		}
	}
	if err := run("", dsl.WebKit); err == nil || !strings.Contains(err.Error(), "bob: WebKit is not installed") {
		t.Errorf("a browser that is not installed: %v", err)
	}
}
