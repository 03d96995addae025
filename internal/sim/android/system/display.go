package system

import (
	"fmt"
	"image"
	"strconv"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// settings are the rows of Android's settings by namespace: system, secure, global.
type settings map[string]map[string]string

// display is the glass: its size, density and rotation, after what settings override.
type display struct {
	opts     spec.Options
	settings settings
}

// Size is the size in pixels after wm size and the rotation.
func (d *display) Size() image.Point {
	w, h := d.DisplaySize()
	if d.Rotation()%2 == 1 {
		w, h = h, w
	}
	return image.Pt(w, h)
}

// Rotation is the number of quarter turns to the left.
func (d *display) Rotation() int {
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

// Metrics are what apps lay themselves out in.
func (d *display) Metrics(now time.Time) ui.Metrics {
	size := d.Size()
	scale := float64(d.displayDensity()) / 160
	m := ui.Metrics{Scale: scale, Now: now}
	m.Area = image.Rect(0, m.Dp(ui.StatusBarDP), size.X, size.Y-m.Dp(ui.NavBarDP))
	return m
}

// DisplaySize is the physical size or the override of wm size. The phone's lock is held.
func (d *display) DisplaySize() (w, h int) {
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

const (
	DisplayID = "4619827259835644672"
	OutsideID = "4619827259835644673"
)

func defaultSettings() settings {
	ime := spec.IMEPackage + "/com.android.inputmethod.latin.LatinIME"
	return settings{
		"system": {"accelerometer_rotation": "1", "user_rotation": "0", "screen_off_timeout": "60000"},
		"secure": {"default_input_method": ime, "enabled_input_methods": ime, "android_id": "9f1c2d3e4a5b6c7d"},
		"global": {
			"window_animation_scale": "1.0", "transition_animation_scale": "1.0", "animator_duration_scale": "1.0",
			"airplane_mode_on": "0", "adb_enabled": "1",
		},
	}
}

func defaultProps(o spec.Options, prof spec.Profile) map[string]string {
	return map[string]string{
		"ro.product.model": prof.Model, "ro.product.name": prof.Product, "ro.product.device": prof.Product,
		"ro.product.brand": "google", "ro.product.manufacturer": o.Maker, "ro.serialno": o.Serial,
		"ro.build.version.sdk": strconv.Itoa(prof.API), "ro.build.version.release": prof.Release,
		"ro.build.fingerprint": prof.Fingerprint(), "ro.build.type": "user", "ro.product.cpu.abi": "arm64-v8a",
		"ro.product.cpu.abilist": "arm64-v8a,armeabi-v7a,armeabi",
		"ro.sf.lcd_density":      strconv.Itoa(o.Density), "sys.boot_completed": "1", "init.svc.bootanim": "stopped",
		"persist.sys.locale": "en-US", "ro.debuggable": "0", "ro.secure": "1",
	}
}
