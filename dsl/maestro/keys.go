package maestro

import (
	"slices"

	"github.com/taproot-dev/taproot/dsl"
)

// keyNames are the names that pressKey takes, in lower case.
var keyNames = []string{"enter", "backspace", "back", "home", "lock", "volume up", "volume down", "remote dpad up",
	"remote dpad down",
	"remote dpad left", "remote dpad right", "remote dpad center", "remote media play pause", "remote media stop",
	"remote media next",
	"remote media previous", "remote media rewind", "remote media fast forward", "escape", "power", "tab",
	"remote system navigation up",
	"remote system navigation down", "remote button a", "remote button b", "remote menu", "tv input", "tv input hdmi 1",
	"tv input hdmi 2",
	"tv input hdmi 3"}

// Keys names the keys of pressKey, in lower case.
func Keys() []string { return slices.Clone(keyNames) }

// ownKeys are the names that steps have for keys, where they differ.
var ownKeys = map[string]string{"volume up": "volumeUp", "volume down": "volumeDown", "remote dpad up": "up",
	"remote dpad down": "down",
	"remote dpad left": "left", "remote dpad right": "right", "remote dpad center": "select",
	"remote media play pause": "playPause",
	"remote media stop":       "mediaStop", "remote media next": "mediaNext", "remote media previous": "mediaPrevious",
	"remote media rewind":       "rewind",
	"remote media fast forward": "fastForward", "remote system navigation up": "navigateUp",
	"remote system navigation down": "navigateDown",
	"remote button a":               "buttonA", "remote button b": "buttonB", "remote menu": "menu", "tv input": "tvInput",
	"tv input hdmi 1": "hdmi1",
	"tv input hdmi 2": "hdmi2", "tv input hdmi 3": "hdmi3"}

// KeyOf returns the name that steps have for a key of pressKey. Tab is Space on Android, as it is in Maestro.
func KeyOf(name string, p dsl.Platform) string {
	if p == dsl.Android && name == "tab" {
		return "space"
	}
	if own, differs := ownKeys[name]; differs {
		return own
	}
	return name
}
