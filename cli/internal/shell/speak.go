package shell

import (
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/dsl"
)

// callSpellings maps spellings to commands that are not an action with its arguments.
var callSpellings = map[string]string{
	"press enter":     "taproot press enter",
	"press escape":    "taproot press escape",
	"input text":      "taproot input TEXT",
	"tap point":       "taproot tap --point X,Y",
	"waitFor enabled": "taproot wait-for --enabled LABEL",
	"snapshot":        "taproot snapshot",
	"screenshot":      "taproot screenshot",
	"openBrowser":     "taproot open URL",
	"launch":          "taproot open APP",
	"listDevices":     "taproot devices",
	"deviceInfo":      "taproot devices",
	"listApps":        "adb shell pm list packages",
	"setDevice":       "taproot open --device ID",
	"ocr":             "taproot assert --selector '{ocr: TEXT}'",
	"logs":            "taproot assert-log",
	"reference":       "taproot docs",
	"do":              "taproot do -",
	"input fields":    "taproot input TEXT --into FIELD",
	"relation":        "taproot do '{tap: {label: Remove, rightOf: Ann}}'",
}

// spellCall returns the command for a call.
func spellCall(call string) string {
	if own := callSpellings[call]; own != "" {
		return own
	}
	if name, given := strings.CutPrefix(call, "exposeEnv "); given {
		return "a saved value, or an environment variable: start the session with --expose-env " + name
	}
	if _, known := dsl.Lookup(call); known {
		return "taproot " + Kebab(call)
	}
	return ""
}

// Kebab returns the name of an action, or a key of its arguments, in the spelling of commands and flags.
func Kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) {
			if i > 0 {
				b.WriteByte('-')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
