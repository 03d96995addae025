package vocabulary

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Press is the argument of press.
type Press struct {
	Keys  []string `json:"keys" required:"true" scalar:"true" minLength:"1" format:"keys"`
	Times int      `json:"times,omitempty" minimum:"1" maximum:"100" default:"1" tool:"-"`
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
		chords[i], _ = ParseChord(text)
	}
	return chords
}

// ParseChord reads "Ctrl+A"; bad is the part that is not a key. With a key held, a letter is the key itself: Ctrl+A and
// ctrl+a are the same.
func ParseChord(text string) (c Chord, bad string) {
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
	if len(c.Modifiers) > 0 && !slices.Contains(c.Modifiers, "shift") && utf8.RuneCountInString(c.Key) == 1 {
		c.Key = strings.ToLower(c.Key)
	}
	if utf8.RuneCountInString(c.Key) != 1 && !slices.Contains(KeyNames(), c.Key) && !slices.Contains(PhoneKeys(), c.Key) {
		return c, last
	}
	return c, ""
}

// OtherNames are what other tools, and keyboards, call keys.
func OtherNames() map[string]string {
	return map[string]string{"ctrl": "control", "cmd": "meta", "command": "meta", "option": "alt", "return": "enter",
		"esc": "escape", "del": "delete",
		"arrowUp": "up", "arrowDown": "down", "arrowLeft": "left", "arrowRight": "right"}
}

// KeyName returns the name of a key that may be written in any case, or as other tools call it: Enter, ArrowDown, Ctrl.
// A text that names no key comes back as it is, as a single character does.
func KeyName(text string) string {
	if utf8.RuneCountInString(text) == 1 {
		return text
	}
	if name := keysByFold()[strings.ToLower(text)]; name != "" {
		return name
	}
	return text
}

// keysByFold are the names of keys by all that they are called, in lower case.
var keysByFold = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, name := range slices.Concat(KeyNames(), PhoneKeys(), Modifiers()) {
		all[strings.ToLower(name)] = name
	}
	for other, name := range OtherNames() {
		all[strings.ToLower(other)] = name
	}
	return all
})

// keyActions returns every action that concerns keys.
func keyActions() []Def {
	return []Def{
		{
			Name: "press", Appium: "pressKey", Tier: Core, Args: Press{},
			Doc:       "Presses keys.",
			Example:   "press: enter",
			Platforms: everywhere, Interfaces: AllInterfaces, Effect: Acts,
		},
		{
			Name: "hideKeyboard", Appium: "isKeyboardShown", Args: HideKeyboard{},
			Doc:       "Closes the keyboard on the screen; does nothing when there is none.",
			Example:   "hideKeyboard:",
			Platforms: phones, Interfaces: YAML | REST, Effect: Sets,
		},
	}
}
