package androidsim

import (
	"fmt"
	"image"
	"strconv"
	"time"
)

// settings are the rows of Android's settings by namespace: system, secure, global.
type settings map[string]map[string]string

// display is the glass: its size, density and rotation, after what settings override.
type display struct {
	opts     Options
	settings settings
}

// size is the size in pixels after wm size and the rotation.
func (d *display) size() image.Point {
	w, h := d.displaySize()
	if d.rotation()%2 == 1 {
		w, h = h, w
	}
	return image.Pt(w, h)
}

func (d *display) rotation() int {
	sys := d.settings["system"]
	if sys["accelerometer_rotation"] == "1" {
		return 0
	}
	switch sys["user_rotation"] {
	case "1":
		return 1
	case "2":
		return 2
	case "3":
		return 3
	}
	return 0
}

func (d *display) metrics(now time.Time) metrics {
	size := d.size()
	scale := float64(d.displayDensity()) / 160
	m := metrics{scale: scale, now: now}
	m.area = image.Rect(0, m.dp(statusBarDP), size.X, size.Y-m.dp(navBarDP))
	return m
}

// displaySize is the physical size or the override of wm size. Phone.mu is held.
func (d *display) displaySize() (w, h int) {
	if _, err := fmt.Sscanf(d.settings["global"]["display_size_forced"], "%d,%d", &w, &h); err == nil {
		return w, h
	}
	return d.opts.Width, d.opts.Height
}

func (d *display) displayDensity() int {
	if d, err := strconv.Atoi(d.settings["secure"]["display_density_forced"]); err == nil && d > 0 {
		return d
	}
	return d.opts.Density
}
