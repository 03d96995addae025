package dsl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/internal/suggest"
)

// Press is the argument of press.
type Press struct {
	Keys []string `json:"keys" required:"true" scalar:"true" minLength:"1" format:"keys"`
}

// Chord is a key with those that are held down while it is pressed.
type Chord struct {
	Modifiers []string // control, alt, shift, meta
	Key       string   // a name of KeyNames, or one character
}

// Modifiers returns the names of the keys that can be held.
func Modifiers() []string { return []string{"control", "alt", "shift", "meta"} }

// KeyNames returns the names of the keys that every platform has.
func KeyNames() []string {
	return []string{"enter", "tab", "escape", "backspace", "delete", "space", "up", "down", "left", "right",
		"pageUp", "pageDown", "home", "end", "insert", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10",
		"f11", "f12"}
}

// PhoneKeys returns the names of the keys that only phones have; back works in a browser, too, and goes back in its
// history. On phones "home" is the home screen.
func PhoneKeys() []string {
	return []string{"back", "recents", "search", "menu", "volumeUp", "volumeDown", "power", "lock", "select", "playPause",
		"mediaStop", "mediaNext",
		"mediaPrevious", "rewind", "fastForward", "navigateUp", "navigateDown", "buttonA", "buttonB", "tvInput", "hdmi1",
		"hdmi2", "hdmi3"}
}

// Chords reads the keys; they have been checked.
func (p Press) Chords() []Chord {
	chords := make([]Chord, len(p.Keys))
	for i, text := range p.Keys {
		chords[i], _ = chord(text)
	}
	return chords
}

// chord reads "control+a"; bad is the part that is not a key.
func chord(text string) (c Chord, bad string) {
	parts := strings.Split(text, "+")
	if text == "+" {
		parts = []string{"+"}
	} else if held, plus := strings.CutSuffix(text, "++"); plus { // the plus key itself
		parts = append(strings.Split(held, "+"), "+")
	}
	for _, m := range parts[:len(parts)-1] {
		name := KeyName(m)
		if !slices.Contains(Modifiers(), name) {
			return c, m
		}
		c.Modifiers = append(c.Modifiers, name)
	}
	last := parts[len(parts)-1]
	c.Key = KeyName(last)
	if utf8.RuneCountInString(c.Key) != 1 && !slices.Contains(KeyNames(), c.Key) && !slices.Contains(PhoneKeys(), c.Key) {
		return c, last
	}
	return c, ""
}

// otherNames are what other tools, and keyboards, call keys.
func otherNames() map[string]string {
	return map[string]string{"ctrl": "control", "cmd": "meta", "command": "meta", "option": "alt", "return": "enter",
		"esc": "escape", "del": "delete",
		"arrowUp": "up", "arrowDown": "down", "arrowLeft": "left", "arrowRight": "right"}
}

// KeyName returns the name of a key that may be written with a capital, or as other tools call it: Enter, ArrowDown,
// ctrl. A text that names no key comes back as it is, as a single character does.
func KeyName(text string) string {
	if utf8.RuneCountInString(text) == 1 {
		return text
	}
	name := strings.ToLower(text[:min(1, len(text))]) + text[min(1, len(text)):]
	if other := otherNames()[name]; other != "" {
		return other
	}
	if slices.Contains(KeyNames(), name) || slices.Contains(PhoneKeys(), name) || slices.Contains(Modifiers(), name) {
		return name
	}
	return text
}

// modifier wants the name of a key that can be held.
func (d *decoding) modifier(v source.Value, text string) {
	if !slices.Contains(Modifiers(), KeyName(text)) {
		d.wrong(v, fmt.Sprintf("%q is not a key that can be held%s", shorten.Runes(text, 60), origin(v)),
			"write Control, Shift, Alt or Meta")
	}
}

func (d *decoding) key(item source.Value, text string) {
	c, bad := chord(text)
	switch {
	case bad == "" && c.Key == "":
		d.wrong(item, fmt.Sprintf("a key is missing in %q%s", shorten.Runes(item.Text, 60), origin(item)),
			`for example: control+a; the plus key with one held is "control++"`)
	case bad != "":
		hint := "one character, or one of " + strings.Join(append(KeyNames()[:15], PhoneKeys()...), ", ") +
			"; held keys go first: control+a"
		if near := suggest.Nearest(bad, slices.Concat(KeyNames(), PhoneKeys(), Modifiers(),
			slices.Sorted(maps.Keys(otherNames())))); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		d.wrong(item, fmt.Sprintf("%q is not a key%s", shorten.Runes(bad, 60), origin(item)), hint)
	case d.platform == Web && c.Key != "back" && slices.Contains(PhoneKeys(), c.Key):
		d.wrong(item, fmt.Sprintf("the key %q works on phones only%s", c.Key, origin(item)), "a browser has no such key")
	}
}
