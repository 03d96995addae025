package maestro

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// typed reads the text of a command that takes any scalar, or a map in which it must be a text.
func (r *reader) typed(f source.RawField, c *Command, key string, optional bool) string {
	switch f.Value.Kind {
	case source.String:
		return yamlText(f.Value)
	case source.Map:
	default:
		r.isMap(f)
		return ""
	}
	if optional {
		r.keys(f.Value, f.Key, words(key+" label optional"), false)
		c.Optional = r.flag(f.Value, "optional", false)
		r.label(f, c)
	} else {
		r.loose(f, c, key)
	}
	x, given := f.Value.Get(key)
	if !given {
		return ""
	}
	text, is := scalar(x.Value).(string)
	if x.Value.Kind != source.String || !is {
		r.fail(x.Value.Pos, x.Value.Width, fmt.Sprintf("%q must be a text: %q is none without quotes", key,
			short(x.Value.Text)), fmt.Sprintf(`write %s: "%s"`, key, short(x.Value.Text)))
		return ""
	}
	return text
}

func inputText(r *reader, f source.RawField, c *Command) Do {
	return Input{r.typed(f, c, "text", false)}
}

func random(kind string) parser {
	return func(r *reader, f source.RawField, c *Command) Do {
		do := Random{Kind: kind, Length: 8}
		if !r.isMap(f) {
			return do
		}
		own := ""
		if kind == "text" || kind == "number" {
			own = "length"
		}
		r.options(f, c, own)
		if n := r.number(f.Value, "length"); n != nil && *n > 0 {
			do.Length = *n
		}
		return do
	}
}

func pressKey(r *reader, f source.RawField, c *Command) Do {
	text, given := r.text(f, c, "key", "")
	name := strings.ToLower(text)
	if given && !slices.Contains(keyNames, name) {
		hint := near(name, keyNames)
		if hint == "" {
			hint = "there are " + strings.Join(keyNames, ", ")
		}
		pos, width := f.Value.Pos, f.Value.Width
		if x, inMap := f.Value.Get("key"); inMap {
			pos, width = x.Value.Pos, x.Value.Width
		}
		r.fail(pos, width, fmt.Sprintf("unknown key %q", short(text)), hint)
	}
	return Press{Key: name}
}

func eraseText(r *reader, f source.RawField, c *Command) Do {
	do := Erase{50}
	var n *int
	if f.Value.Kind == source.String {
		n = r.whole(f)
	} else if r.isMap(f) {
		r.options(f, c, "charactersToErase")
		n = r.number(f.Value, "charactersToErase")
	}
	if n != nil {
		do.Count = *n
	}
	return do
}

// action is the old form of five commands.
func action(r *reader, f source.RawField, _ *Command) Do {
	text := ""
	if r.isScalar(f) {
		text = f.Value.Text
	}
	switch text {
	case "back":
		return Press{Key: "back", Back: true}
	case "hideKeyboard":
		return HideKeyboard{}
	case "scroll":
		return Scroll{}
	case "clearKeychain":
		return ClearKeychain{}
	case "pasteText":
		return Paste{}
	}
	r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("unknown action %q", short(text)),
		"there are back, hideKeyboard, scroll, clearKeychain and pasteText")
	return nil
}

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
