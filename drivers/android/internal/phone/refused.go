package phone

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/shellerr"
)

// The switches in the developer options of phones that withhold from adb's shell what Android allows it.
const (
	switchColorOS = "turn on \"Disable permission monitoring\" in its developer options"
	switchMIUI    = "turn on \"USB debugging (Security settings)\" in its developer options (Xiaomi requires a SIM card " +
		"and a Mi " +
		"account), then plug it in again"
	switchAny = "turn on \"USB debugging (Security settings)\" (Xiaomi) or \"Disable permission monitoring\" (OPPO, " +
		"realme, " +
		"OnePlus) in its developer options"
)

// MakersSwitch says what to switch on at a phone of this maker so that adb may change more.
func MakersSwitch(maker string) string {
	switch strings.ToLower(maker) {
	case "oppo", "realme", "oneplus":
		return switchColorOS
	case "xiaomi", "redmi", "poco":
		return switchMIUI
	}
	return switchAny
}

// Refusal returns what the phone reported and the switch that allows it, where it kept a command from adb's shell;
// otherwise "".
func (p *Phone) Refusal(o adb.Output) string {
	if !o.Failed() || !shellerr.Refused(o.Text()) {
		return ""
	}
	return fmt.Sprintf("the phone forbids it over USB (%s): %s", strings.TrimSuffix(o.Reason(), "."),
		MakersSwitch(p.Info.Manufacturer))
}

// Why is the refusal, or the line that says why a command failed.
func (p *Phone) Why(o adb.Output) string {
	if refusal := p.Refusal(o); refusal != "" {
		return refusal
	}
	return o.Reason()
}

// Warn keeps something that a reader of the report must know although the call continues.
func (p *Phone) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.Log.Warn(text)
	p.warnings.Add(text)
}

// WarnOnce warns about something once in a test.
func (p *Phone) WarnOnce(text string) {
	if p.warnings.AddOnce(text) {
		p.Log.Warn(text)
	}
}

// TakeWarnings returns what the phone refused since the last call.
func (p *Phone) TakeWarnings() []string { return p.warnings.Take() }
