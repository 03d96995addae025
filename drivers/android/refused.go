package android

import (
	"fmt"
	"strings"

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

// makersSwitch says what to switch on at a phone of this maker so that adb may change more.
func makersSwitch(maker string) string {
	switch strings.ToLower(maker) {
	case "oppo", "realme", "oneplus":
		return switchColorOS
	case "xiaomi", "redmi", "poco":
		return switchMIUI
	}
	return switchAny
}

// failed reports whether a command did not do what it was for. Old tools end with code 0 whatever happens.
func (o output) failed() bool {
	if o.code != 0 {
		return true
	}
	said := o.text()
	for _, word := range []string{"Exception", "Security exception", "Error: ", "Can't find service",
		"Operation not allowed"} {
		if strings.Contains(said, word) {
			return true
		}
	}
	return false
}

// refusal returns what the phone reported and the switch that allows it, where it kept a command from adb's shell;
// otherwise "".
func (p *phone) refusal(o output) string {
	if !o.failed() || !shellerr.Refused(o.text()) {
		return ""
	}
	return fmt.Sprintf("the phone forbids it over USB (%s): %s", strings.TrimSuffix(o.reason(), "."),
		makersSwitch(p.info.Manufacturer))
}

// why is the refusal, or the line that says why a command failed.
func (p *phone) why(o output) string {
	if refusal := p.refusal(o); refusal != "" {
		return refusal
	}
	return o.reason()
}

// warn keeps something that a reader of the report must know although the call continues.
func (p *phone) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.log.Warn(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.warnings = append(p.warnings, text)
}

// takeWarnings returns what the phone refused since the last call.
func (p *phone) takeWarnings() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.warnings
	p.warnings = nil
	return list
}
