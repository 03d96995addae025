package android

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
)

var _ drivers.AnimationControl = (*Device)(nil)

// calmSetting is a setting that a phone has while it is tested.
type calmSetting struct {
	space, key, value string
	fits              func(now float64) bool // what the phone has will do
}

// calmSettings leave animations out, and keep the display on while a test waits and nobody touches it: it goes off after half a minute on
// many phones, and then there is nothing to see.
func calmSettings() []calmSetting {
	const awake = 30 * 60 * 1000 // milliseconds; some phones take no more
	still := func(scale float64) bool { return scale == 0 }
	return []calmSetting{
		{"global", "window_animation_scale", "0", still},
		{"global", "transition_animation_scale", "0", still},
		{"global", "animator_duration_scale", "0", still},
		{"system", "screen_off_timeout", strconv.Itoa(awake), func(ms float64) bool { return ms >= awake }},
	}
}

// Calm changes the settings that need it. What they were is noted on disk first, and given back by Close or by the next Open.
func (d *Device) Calm(ctx context.Context) error {
	var ask, put []string
	for _, s := range calmSettings() {
		ask = append(ask, "settings get "+s.space+" "+s.key)
	}
	o, err := d.run(ctx, command{name: "settings get", asks: true, line: strings.Join(ask, "; ")})
	if err != nil {
		return err
	}
	values := strings.Fields(string(o.out))
	if len(values) != len(ask) {
		return fmt.Errorf("device %s: read its animation scales: %s", d.link.serial, o.reason())
	}
	for i, s := range calmSettings() {
		if now, err := strconv.ParseFloat(values[i], 64); err == nil && s.fits(now) {
			continue
		}
		if err := d.noteRestore(func(debts *restoreState) { debts.setting(newSetting(s.space, s.key, values[i])) }); err != nil {
			return err
		}
		put = append(put, "settings put "+s.space+" "+s.key+" "+s.value)
	}
	if len(put) == 0 {
		return nil
	}
	return d.change(ctx, "switch its animations off", strings.Join(put, " && "))
}
