package capture

import (
	"context"
	"errors"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Windows is the command of the phone that lists its windows for ParseProtected.
const Windows = "dumpsys window windows"

// flagSecure is FLAG_SECURE of WindowManager.LayoutParams.
const flagSecure = 0x2000

var (
	windowHead = lazyregexp.New(`(?m)^\s*Window #\d+ Window\{(\w+) (?:u\d+ )?([^}]*)\}:`)
	// windowFlags are a number up to Android 8.1, and names since; its own line starts with them there.
	windowFlags = lazyregexp.New(`(?:^|[\s{])fl=(?:#([0-9a-f]+)|([A-Z_ ]+))`)
	unseen      = lazyregexp.New(`\b(?:mHasSurface=false|isReadyForDisplay\(\)=false|isOnScreen=false|isVisible=false)`)
	onDisplay   = lazyregexp.New(`\bmDisplayId=(\d+)`)
)

// Protected queries the window manager for the windows on the screen that forbid screenshots.
func (c *Camera) Protected(ctx context.Context) ([]drivers.Protected, error) {
	o, err := c.Phone.Run(ctx, adb.Command{Name: Windows, ReadOnly: true, Line: Windows})
	if err != nil {
		return nil, err
	}
	return ParseProtected(string(o.Out)), nil
}

// ParseProtected reads what the window manager says of its windows.
func ParseProtected(dumpsys string) []drivers.Protected {
	var list []drivers.Protected
	heads := windowHead.FindAllStringSubmatchIndex(dumpsys, -1)
	for i, h := range heads {
		end := len(dumpsys)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		name, about := dumpsys[h[4]:h[5]], dumpsys[h[1]:end]
		m := windowFlags.FindStringSubmatch(about)
		if m == nil || !forbids(m[1], m[2]) || unseen.MatchString(about) {
			continue
		}
		if at := onDisplay.FindStringSubmatch(about); at != nil && at[1] != "0" {
			continue
		}
		p := drivers.Protected{Window: name}
		if frame := phone.WindowFrame.FindStringSubmatch(about); frame != nil {
			p.Bounds = phone.Rectangle(frame[1:])
		}
		list = append(list, p)
	}
	return list
}

// forbids reads flags, which are a number or names.
func forbids(number, names string) bool {
	if number != "" {
		flags, err := strconv.ParseUint(number, 16, 64)
		return err == nil && flags&flagSecure != 0
	}
	return slices.Contains(strings.Fields(names), "SECURE")
}

// whyNoScreenshot distinguishes a screenshot that an app forbids from one that could not be taken.
func (c *Camera) whyNoScreenshot(ctx context.Context, err error) error {
	if !errors.Is(err, drivers.ErrNotReady) || ctx.Err() != nil {
		return err
	}
	parts, asking := c.Protected(ctx)
	if asking != nil || len(parts) == 0 {
		return err
	}
	for i := range parts { // there is no screenshot at all
		parts[i].Bounds = image.Rectangle{}
	}
	return &drivers.ProtectedError{Device: c.Phone.Link.Serial, Parts: parts}
}
