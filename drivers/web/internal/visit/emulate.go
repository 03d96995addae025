package visit

import (
	"context"
	"fmt"
	"image"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/dsl"
)

// maxSide caps a viewport.
const maxSide = 8192

// emulate works out a context's options.
func (o *Opener) emulate(ctx context.Context, br browser.Brand, address string, opts drivers.PageOptions) (
	*pages.Emulation, error) {
	e := &pages.Emulation{Size: image.Pt(o.info.Width, o.info.Height)}
	// CSS pixels are pixels of the screenshot.
	e.Options.DeviceScaleFactor = playwright.Float(1)
	if opts.DeviceName != "" {
		list, err := o.launcher.Descriptors(ctx)
		if err != nil {
			return nil, err
		}
		if err := e.Pretend(list, opts.DeviceName); err != nil {
			return nil, err
		}
		if (e.Touch || e.Mobile) && !br.Devtools {
			return nil, fmt.Errorf(
				"%w: the device %s has a touch screen, which %s does not imitate: use Chromium, or viewport "+
					"alone", drivers.ErrUnsupported,
				screen.Quote(opts.DeviceName), dsl.BrowserTitle(br.Name))
		}
	}
	if r := o.launcher.Options().Remote; r != nil && r.OnPhone() {
		if opts.Viewport != (image.Point{}) {
			return nil, fmt.Errorf("%w: a page in the browser of a phone is as large as its screen: leave viewport out",
				drivers.ErrUnsupported)
		}
		e.Mobile = true
	}
	if opts.Viewport != (image.Point{}) {
		e.Size = opts.Viewport
	}
	if e.Size.X < 1 || e.Size.Y < 1 || e.Size.X > maxSide || e.Size.Y > maxSide {
		return nil, fmt.Errorf("%w: a viewport of %dx%d cannot be shown", drivers.ErrPage, e.Size.X, e.Size.Y)
	}
	e.Options.Viewport = &playwright.Size{Width: e.Size.X, Height: e.Size.Y}
	if opts.Locale != "" {
		e.Options.Locale = &opts.Locale
	}
	if opts.Timezone != "" {
		e.Options.TimezoneId = &opts.Timezone
	}
	schemes := map[string]*playwright.ColorScheme{
		"": nil, "light": playwright.ColorSchemeLight, "dark": playwright.ColorSchemeDark,
		"no-preference": playwright.ColorSchemeNoPreference,
	}
	scheme, ok := schemes[opts.ColorScheme]
	if !ok {
		return nil, fmt.Errorf("%w: there is no colour scheme %s: light, dark and no-preference there are", drivers.ErrPage,
			screen.Quote(opts.ColorScheme))
	}
	if !br.LaunchScheme {
		e.Options.ColorScheme = scheme
	}
	e.Asked(address, opts)
	if opts.Storage != "" {
		state, err := readState(opts.Storage)
		if err != nil {
			return nil, err
		}
		e.Options.StorageState = optional(state)
	}
	return e, nil
}
