package system

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
)

// animationSetting is a setting that a phone has while it is tested.
type animationSetting struct {
	Space, Key, value string
	fits              func(now float64) bool // what the phone has will do
}

// AnimationSettings leave animations out, and keep the display on while a test waits without touching it: it goes off
// after half a minute on many phones, and then there is nothing to see.
func AnimationSettings() []animationSetting {
	const awake = 30 * 60 * 1000 // milliseconds; some phones take no more
	still := func(scale float64) bool { return scale == 0 }
	return []animationSetting{
		{"global", "window_animation_scale", "0", still},
		{"global", "transition_animation_scale", "0", still},
		{"global", "animator_duration_scale", "0", still},
		{"system", "screen_off_timeout", strconv.Itoa(awake), func(ms float64) bool { return ms >= awake }},
	}
}

// StopAnimations changes the settings that need it. What they were is noted on disk first, and restored by Close or by
// the next Open. What the phone does not let be changed is a warning.
func (y *System) StopAnimations(ctx context.Context) error {
	values, o, err := y.settings(ctx, AnimationSettings(), "")
	if err != nil {
		return err
	}
	if len(values) != len(AnimationSettings()) {
		return fmt.Errorf("device %s: read its animation scales: %s", y.Phone.Link.Serial, y.Phone.Why(o))
	}
	var needed []animationSetting
	for i, s := range AnimationSettings() {
		if s.does(values[i]) {
			continue
		}
		if err := y.Debts.Note(func(debts *restore.State) {
			debts.Setting(restore.NewSetting(s.Space, s.Key, values[i]))
		}); err != nil {
			return err
		}
		needed = append(needed, s)
	}
	if len(needed) == 0 {
		return nil
	}
	return y.putAnimations(ctx, needed)
}

// putAnimations changes settings one by one and reads them again: some phones refuse in words, others in silence.
func (y *System) putAnimations(ctx context.Context, needed []animationSetting) error {
	var put strings.Builder
	for _, s := range needed {
		put.WriteString("settings put " + s.Space + " " + s.Key + " " + s.value + "; ")
	}
	now, o, err := y.settings(ctx, needed, put.String()+"echo "+settingsMark+"; ")
	if err != nil {
		return err
	}
	if len(now) != len(needed) {
		return fmt.Errorf("device %s: switch its animations off: %s", y.Phone.Link.Serial, y.Phone.Why(o))
	}
	var kept []string
	for i, s := range needed {
		if s.does(now[i]) {
			continue
		}
		kept = append(kept, s.Key)
		if err := y.Debts.Note(func(debts *restore.State) { debts.Drop(s.Space, s.Key, now[i]) }); err != nil {
			return err
		}
	}
	if len(kept) == 0 {
		return nil
	}
	why := y.Phone.Refusal(o)
	if why == "" {
		why = "the phone does not say why: " + phone.MakersSwitch(y.Phone.Info.Manufacturer)
	}
	y.Phone.Warn("animations stay on, or the display goes off while a test waits: %s cannot be set: %s",
		strings.Join(kept, ", "), why)
	return nil
}

// settingsMark parts what `settings put` says from the values.
const settingsMark = "taproot-settings:"

// settings runs a line and then reads settings, each a word.
func (y *System) settings(ctx context.Context, list []animationSetting, before string) ([]string, adb.Output, error) {
	var ask []string
	for _, s := range list {
		ask = append(ask, "settings get "+s.Space+" "+s.Key)
	}
	cmd := adb.Command{Name: "settings get", ReadOnly: before == "", Line: before + strings.Join(ask, "; ")}
	if before != "" {
		cmd.Name = "settings put"
	}
	o, err := y.Phone.Run(ctx, cmd)
	said := string(o.Out)
	if _, after, marked := strings.Cut(said, settingsMark); marked {
		said = after
	}
	return strings.Fields(said), o, err
}

// does reports whether a value that the phone has will do.
func (s animationSetting) does(value string) bool {
	now, err := strconv.ParseFloat(value, 64)
	return err == nil && s.fits(now)
}
