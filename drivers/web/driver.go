package web

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/dsl"
)

// Options are how browsers are driven. The zero value is good.
type Options = browser.Options

// Driver opens pages of one browser, Chromium by default, which is started when the first is opened.
// Its slots belong to this process alone.
type Driver struct{ launcher *browser.Launcher }

var (
	_ drivers.Driver     = (*Driver)(nil)
	_ drivers.SlotDriver = (*Driver)(nil)
)

// New makes a driver. Nothing is started or looked for yet.
func New(opts Options) *Driver { return &Driver{launcher: browser.NewLauncher(opts)} }

// Platform is web.
func (d *Driver) Platform() dsl.Platform { return dsl.Web }

// Slots is how many pages may be open at once.
func (d *Driver) Slots() int { return d.launcher.Options().Slots }

// Devices lists web-1 to web-N. It starts no browser; when one cannot be started on this machine, the error is a
// *drivers.Unavailable.
func (d *Driver) Devices(ctx context.Context) ([]drivers.Info, error) {
	if err := d.launcher.Find(ctx); err != nil {
		return nil, err
	}
	list := make([]drivers.Info, d.launcher.Options().Slots)
	for i := range list {
		list[i] = d.info(fmt.Sprintf("web-%d", i+1))
	}
	slices.SortFunc(list, func(a, b drivers.Info) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

func (d *Driver) info(id string) drivers.Info {
	opts, version := d.launcher.Options(), d.launcher.Version()
	return drivers.Info{
		ID: id, Platform: dsl.Web, State: drivers.Ready, Model: browser.ModelOf(opts.Browser, version),
		OSVersion: version, Width: opts.Width, Height: opts.Height,
	}
}

// Open prepares a page device and starts the browser if none runs; one that crashed is replaced. The page itself comes
// with OpenPage.
func (d *Driver) Open(ctx context.Context, id string) (drivers.Device, error) {
	if !d.has(id) {
		return nil, fmt.Errorf("open device %s: there are web-1 to web-%d", id, d.launcher.Options().Slots)
	}
	if _, err := d.launcher.For(ctx, drivers.PageOptions{}); err != nil {
		return nil, err
	}
	return newDevice(d.launcher, d.info(id)), nil
}

func (d *Driver) has(id string) bool {
	for i := range d.launcher.Options().Slots {
		if id == fmt.Sprintf("web-%d", i+1) {
			return true
		}
	}
	return false
}

// Close ends the browsers and Playwright's process. It returns once they are gone.
func (d *Driver) Close() error { return d.launcher.Close() }
