package shell

import (
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/dsl"
)

// calls spells what is no word of the vocabulary alone, as it is typed.
var calls = map[string]string{
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

// speak spells a call as it is typed.
func speak(call string) string {
	if own := calls[call]; own != "" {
		return own
	}
	if name, given := strings.CutPrefix(call, "exposeEnv "); given {
		return "a saved value, or of the environment: begin the session with --expose-env " + name
	}
	if _, known := dsl.Lookup(call); known {
		return "taproot " + Kebab(call)
	}
	return ""
}

// Kebab spells a word of the vocabulary, or a key of its arguments, as commands and flags do.
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
