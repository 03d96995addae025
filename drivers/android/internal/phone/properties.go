package phone

import (
	"context"
	"image"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// properties are what a phone says about itself.
type properties struct {
	props map[string]string
	display
	density int
	turns   int // of the screen, in quarters
	battery battery
}

// display is the display in its natural orientation.
type display struct {
	size  image.Point // what apps, trees and taps go by: an override, where there is one
	panel image.Point // of the glass
}

// battery is what a phone says of its power.
type battery struct {
	percent  int
	charging bool
	celsius  int
}

// Describe queries a ready device for everything at once. Without its properties it cannot be driven; the rest may be
// missing.
func Describe(ctx context.Context, l *adb.Link) (properties, error) {
	var p properties
	if _, err := l.Has(ctx, "shell_v2"); err != nil { // once, before all commands want to know it
		return p, err
	}
	var asked sync.WaitGroup
	asked.Go(func() {
		p.display = parseScreen(l.QueryOptional(ctx, adb.Command{Name: "wm size", Line: "wm size"}))
	})
	asked.Go(func() {
		p.density = parseDensity(l.QueryOptional(ctx, adb.Command{Name: "wm density", Line: "wm density"}))
	})
	asked.Go(func() { p.moment(ctx, l) })
	o, err := l.Run(ctx, adb.Command{Name: "getprop", ReadOnly: true, Line: "getprop"})
	p.props = parseProps(string(o.Out))
	asked.Wait()
	return p, err
}

// moment queries what changes from minute to minute.
func (p *properties) moment(ctx context.Context, l *adb.Link) {
	said := l.QueryOptional(ctx, adb.Command{Name: "dumpsys battery", Line: "dumpsys battery; " + rotationQuestion})
	p.battery = parseBattery(said)
	p.turns, _ = ParseRotation(said)
}

// rotationQuestion has the phone itself pick the lines: all that its window manager says is much.
const rotationQuestion = "dumpsys window displays | grep -E 'm(Current)?Rotation='; dumpsys input | grep " +
	"SurfaceOrientation"

var batteryLine = lazyregexp.New(`(?m)^\s*(level|scale|status|temperature|(?:AC|USB|Wireless|Dock) powered): (\S+)\s*$`)

// parseBattery reads `dumpsys battery`. Emulators and televisions have none: then the level is 0.
func parseBattery(text string) battery {
	var b battery
	level, scale := 0, 100
	for _, m := range batteryLine.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[2])
		switch m[1] {
		case "level":
			level = n
		case "scale":
			scale = max(n, 1)
		case "temperature": // in tenths
			b.celsius = n / 10
		case "status":
			b.charging = b.charging || n == 2 || n == 5 // charging, full
		default:
			b.charging = b.charging || m[2] == "true"
		}
	}
	b.percent = min(max(level*100/scale, 0), 100)
	return b
}

// orientation returns the orientation of the screen.
func (p properties) orientation() string {
	if p.size == (image.Point{}) {
		return ""
	}
	if (p.size.X > p.size.Y) != (p.turns%2 == 1) {
		return "landscape"
	}
	return "portrait"
}

func (p properties) api() int {
	n, _ := strconv.Atoi(p.props["ro.build.version.sdk"])
	return n
}

func (p properties) Info(a adb.Attachment) drivers.Info {
	info := drivers.Info{
		ID: a.ID, Platform: dsl.Android, State: drivers.Ready,
		Model:        p.first("ro.product.model", "ro.product.system.model", "ro.product.vendor.model"),
		Manufacturer: p.first("ro.product.manufacturer", "ro.product.system.manufacturer", "ro.product.vendor.manufacturer"),
		OSVersion:    p.props["ro.build.version.release"],
		APILevel:     p.api(),
		ABI:          p.first("ro.product.cpu.abi", "ro.product.cpu.abilist"),
		Width:        p.size.X,
		Height:       p.size.Y,
		Density:      p.density,
		Orientation:  p.orientation(),
		Battery:      p.battery.percent,
		Charging:     p.battery.charging,
		Temperature:  p.battery.celsius,
		Emulator:     adb.IsEmulator(a.Serial, p.props),
	}
	if info.Model == "" {
		info.Model = a.Model
	}
	if info.Density == 0 {
		info.Density, _ = strconv.Atoi(p.first("qemu.sf.lcd_density", "ro.sf.lcd_density"))
	}
	return info
}

func (p properties) first(names ...string) string {
	for _, n := range names {
		if v := p.props[n]; v != "" {
			return v
		}
	}
	return ""
}

// parseProps reads `getprop`: lines of "[name]: [value]", where a value may extend over several lines.
func parseProps(text string) map[string]string {
	props := map[string]string{}
	name, value := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if name == "" {
			key, rest, ok := strings.Cut(line, "]: [")
			if !ok || !strings.HasPrefix(key, "[") {
				continue
			}
			name, value = key[1:], rest
		} else {
			value += "\n" + line
		}
		if whole, ok := strings.CutSuffix(value, "]"); ok {
			props[name] = whole
			name = ""
		}
	}
	return props
}

var (
	sizeLine    = lazyregexp.New(`(?m)^\s*(Physical|Override) size:\s*(\d+)x(\d+)`)
	densityLine = lazyregexp.New(`(?m)^\s*(Physical|Override) density:\s*(\d+)`)
)

// parseScreen reads `wm size`.
func parseScreen(text string) display {
	var s display
	for _, m := range sizeLine.FindAllStringSubmatch(text, -1) {
		w, _ := strconv.Atoi(m[2])
		h, _ := strconv.Atoi(m[3])
		if m[1] == "Physical" {
			s.panel = image.Pt(w, h)
		}
		if s.size == (image.Point{}) || m[1] == "Override" {
			s.size = image.Pt(w, h)
		}
	}
	return s
}

// parseDensity reads `wm density` in the same way.
func parseDensity(text string) int {
	density := 0
	for _, m := range densityLine.FindAllStringSubmatch(text, -1) {
		if n, _ := strconv.Atoi(m[2]); density == 0 || m[1] == "Override" {
			density = n
		}
	}
	return density
}
