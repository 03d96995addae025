package iossim

import (
	"fmt"
	"slices"
	"strings"
)

// keys types whatever has the focus: without one the events go nowhere, without an error.
func (d *Device) keys(r request) (any, error) {
	var args struct{ Value []string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	d.typeText(strings.Join(args.Value, ""))
	return nil, nil
}

func (d *Device) typeText(text string) {
	for _, c := range text {
		if d.focus == nil {
			return
		}
		d.focus.typed(c, d)
	}
}

// typed puts one character in.
func (f *field) typed(c rune, d *Device) {
	if f.keyed != nil {
		f.keyed(c)
		return
	}
	if f.all { // everything is selected
		f.all = false
		f.set("")
		if c == '\b' || c == 0x7f {
			return
		}
	}
	switch c {
	case '\b':
		if f.caret > 0 {
			f.text = slices.Delete(f.text, f.caret-1, f.caret)
			f.caret--
		}
	case 0x7f:
		if f.caret < len(f.text) {
			f.text = slices.Delete(f.text, f.caret, f.caret+1)
		}
	case '\n', '\r':
		if d.focus == f {
			d.focus = nil
		}
		if f.onReturn != nil {
			f.onReturn()
		}
	default:
		if !strings.ContainsRune(f.eats, c) {
			f.text = slices.Insert(f.text, f.caret, c)
			f.caret++
		}
	}
}

// keyboardInput is FBCustomCommands.handleKeyboardInput: names are known where they are alone, characters in
// dictionaries.
func (d *Device) keyboardInput(r request) (any, error) {
	if d.opts.NoHardKeys {
		return nil, &wdError{"unsupported operation", "typeKey API is only supported since Xcode15 and iPadOS 17"}
	}
	var args struct{ Keys []any }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	for _, key := range args.Keys {
		switch k := key.(type) {
		case string:
			d.hardKey(strings.TrimPrefix(k, "XCUIKeyboardKey"))
		case map[string]any:
			flags, _ := k["modifierFlags"].(float64)
			d.chord(fmt.Sprint(k["key"]), int(flags))
		}
	}
	return nil, nil
}

func (d *Device) hardKey(name string) {
	f := d.focus
	if f == nil {
		return
	}
	switch name {
	case "LeftArrow":
		f.caret = max(f.caret-1, 0)
	case "RightArrow":
		f.caret = min(f.caret+1, len(f.text))
	case "Home", "UpArrow":
		f.caret = 0
	case "End", "DownArrow":
		f.caret = len(f.text)
	case "ForwardDelete":
		f.typed(0x7f, d)
	case "Delete":
		f.typed('\b', d)
	case "Return", "Enter":
		f.typed('\n', d)
	case "Tab":
		d.nextField()
	case "Escape":
	default:
		d.typeText(name) // an unknown name is text
	}
}

// chord: the third bit is control, the fifth command.
func (d *Device) chord(key string, flags int) {
	if d.focus == nil {
		return
	}
	switch {
	case key == "a" && flags == 1<<4:
		d.focus.all = len(d.focus.text) > 0
	case key == "\uf701" && flags == 1<<4:
		d.focus.caret = len(d.focus.text)
	case key == "a" && flags == 1<<2:
		d.focus.caret = 0
	case key == "\t":
		d.nextField()
	}
}

func (d *Device) nextField() {
	_, windows := d.screen()
	var fields []*field
	for _, w := range windows {
		for v := range w.all2() {
			if v.field != nil {
				fields = append(fields, v.field)
			}
		}
	}
	if i := slices.Index(fields, d.focus); i >= 0 {
		d.focus = fields[(i+1)%len(fields)]
	}
}

// dismissKeyboard is FBKeyboard's: it presses what on the keyboard has one of the names; an iPhone's has no key for
// that.
func (d *Device) dismissKeyboard(r request) (any, error) {
	var args struct{ KeyNames []string }
	if len(r.body) > 0 {
		if err := r.args(&args); err != nil {
			return nil, err
		}
	}
	if d.focus == nil {
		return nil, nil
	}
	for v := range d.keyboard(d.metrics()).all2() {
		if v.kind != "Keyboard" && slices.Contains(args.KeyNames, v.label) {
			d.pressed(v.key)
			return nil, nil
		}
	}
	return nil, &wdError{"invalid element state",
		"Error Domain=com.facebook.WebDriverAgent Code=1 \"Did not know how to dismiss the keyboard. Try to dismiss it in " +
			"the way supported by your application under test.\""}
}

// pressed is a key of the keyboard on the screen.
func (d *Device) pressed(key string) {
	switch {
	case key == "Hide keyboard":
		d.focus = nil
	case len(key) == 1:
		d.typeText(key)
	default:
		d.typeText(map[string]string{"space": " ", "delete": "\b", "Return": "\n", "Done": "\n"}[key])
	}
}
