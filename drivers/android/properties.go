package android

import (
	"context"
	"image"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// properties are what a phone says about itself.
type properties struct {
	props   map[string]string
	size    image.Point // in its natural orientation
	density int
}

// describe asks a ready device, everything at once.
func describe(ctx context.Context, l *link) (properties, error) {
	var p properties
	if _, err := l.has(ctx, "shell_v2"); err != nil { // once, before three commands want to know it
		return p, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		o, err := l.run(ctx, command{name: "getprop", line: "getprop"})
		p.props = parseProps(string(o.out))
		return err
	})
	group.Go(func() error {
		o, err := l.run(ctx, command{name: "wm size", line: "wm size"})
		p.size = parseSize(string(o.out))
		return err
	})
	group.Go(func() error {
		o, err := l.run(ctx, command{name: "wm density", line: "wm density"})
		p.density = parseDensity(string(o.out))
		return err
	})
	return p, group.Wait()
}

func (p properties) api() int {
	n, _ := strconv.Atoi(p.props["ro.build.version.sdk"])
	return n
}

func (p properties) info(a attachment) drivers.Info {
	info := drivers.Info{
		ID: a.serial, Platform: dsl.Android, State: drivers.Ready,
		Model:        p.first("ro.product.model", "ro.product.system.model", "ro.product.vendor.model"),
		Manufacturer: p.first("ro.product.manufacturer", "ro.product.system.manufacturer", "ro.product.vendor.manufacturer"),
		OSVersion:    p.props["ro.build.version.release"],
		APILevel:     p.api(),
		ABI:          p.first("ro.product.cpu.abi", "ro.product.cpu.abilist"),
		Width:        p.size.X,
		Height:       p.size.Y,
		Density:      p.density,
		Emulator:     isEmulator(a.serial, p.props),
	}
	if info.Model == "" {
		info.Model = a.model
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

// parseProps reads `getprop`: lines of "[name]: [value]", where a value may go on over several lines.
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
	sizeLine    = regexp.MustCompile(`(?m)^\s*(Physical|Override) size:\s*(\d+)x(\d+)`)
	densityLine = regexp.MustCompile(`(?m)^\s*(Physical|Override) density:\s*(\d+)`)
)

// parseSize reads `wm size`; an override is what apps, screenshots and taps go by.
func parseSize(text string) image.Point {
	var size image.Point
	for _, m := range sizeLine.FindAllStringSubmatch(text, -1) {
		w, _ := strconv.Atoi(m[2])
		h, _ := strconv.Atoi(m[3])
		if size == (image.Point{}) || m[1] == "Override" {
			size = image.Pt(w, h)
		}
	}
	return size
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
