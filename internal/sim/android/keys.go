package androidsim

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// keyNames are the key codes that do something on this phone, and those that tests send.
func keyNames() map[string]int {
	return map[string]int{
		"HOME": 3, "BACK": 4, "CALL": 5, "ENDCALL": 6, "DPAD_UP": 19, "DPAD_DOWN": 20, "DPAD_LEFT": 21, "DPAD_RIGHT": 22,
		"VOLUME_UP": 24, "VOLUME_DOWN": 25, "POWER": 26, "TAB": 61, "SPACE": 62, "ENTER": 66, "DEL": 67, "MENU": 82,
		"ESCAPE": 111, "FORWARD_DEL": 112, "CTRL_LEFT": 113, "MOVE_HOME": 122, "MOVE_END": 123, "NUMPAD_ENTER": 160,
		"SHIFT_LEFT": 59, "APP_SWITCH": 187, "SLEEP": 223, "WAKEUP": 224, "PASTE": 279, "A": 29,
	}
}

// keyCode reads 4, BACK or KEYCODE_BACK; an unknown name is key 0, which does nothing.
func keyCode(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	name := strings.TrimPrefix(strings.ToUpper(s), "KEYCODE_")
	if len(name) == 1 {
		switch r := name[0]; {
		case r >= 'A' && r <= 'Z':
			return 29 + int(r-'A')
		case r >= '0' && r <= '9':
			return 7 + int(r-'0')
		}
	}
	return keyNames()[name]
}

func inputKeys(c *call, args []string) int {
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		switch args[0] {
		case "--longpress", "--doubletap", "--async":
		case "--delay":
			if len(args) < 2 {
				return c.inputError("Error: Invalid arguments for command: keyevent")
			}
			args = args[1:]
		default:
			return c.inputError("Error: Invalid arguments for command: keyevent")
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return c.inputError("Error: Invalid arguments for command: keyevent")
	}
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	for _, arg := range args {
		c.sys.ui.pressed([]int{keyCode(arg)})
		c.sys.ui.key(keyCode(arg))
	}
	return 0
}

func inputCombination(c *call, args []string) int {
	if len(args) > 1 && args[0] == "-t" {
		args = args[2:]
	}
	var keys []int
	for _, a := range args {
		keys = append(keys, keyCode(a))
	}
	if len(keys) < 2 {
		return c.inputError("Error: Invalid arguments for command: keycombination")
	}
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	c.sys.ui.pressed(keys)
	c.sys.ui.combination(keys)
	return 0
}

// combination holds all keys but the last. Phone.mu is held.
func (s *screen) combination(keys []int) {
	if s.web != nil {
		s.web.together(keys)
		return
	}
	f, last := s.focus, keys[len(keys)-1]
	letter := last >= 29 && last <= 54
	switch {
	case f == nil || len(keys) != 2:
	case keys[0] == 59 && letter: // shift
		s.typeText(string(rune('A' + last - 29)))
	case keys[0] != 113 && keys[0] != 114: // not control
	case last == 29: // A
		f.selected = f.text != ""
	case last == 31 && f.selected: // C
		s.clipboard = f.text
	case last == 52 && f.selected: // X
		s.clipboard = f.text
		f.erase()
	case last == 50: // V
		s.typeText(s.clipboard)
	case last == 122:
		f.behind = len([]rune(f.text))
	case last == 123:
		f.behind = 0
	}
}

// key presses one key. Phone.mu is held.
func (s *screen) key(code int) {
	if s.lockKey(code) || s.web != nil && s.web.key(code) {
		return
	}
	f := s.focus
	switch code {
	case 3:
		s.home()
	case 4:
		s.back()
	case 61:
		s.nextField()
	case 111:
		switch o := s.opts; {
		case o.EscapeGoesBack:
			s.keyboard = false
			s.back()
		case !s.keyboard || !o.DeafToEscape:
			s.back() // which hides the keyboard if there is one
		}
	case 19, 20, 21, 22, 122, 123, 112:
		if f != nil {
			f.move(code)
		}
	case 66, 160:
		s.enter(f)
	case 67:
		if f != nil {
			f.erase()
		}
	case 62:
		s.typeText(" ")
	case 279:
		s.typeText(s.clipboard)
	default:
		switch {
		case code >= 29 && code <= 54:
			s.typeText(string(rune('a' + code - 29)))
		case code >= 7 && code <= 16:
			s.typeText(string(rune('0' + code - 7)))
		}
	}
}

func (s *screen) enter(f *field) {
	switch {
	case f == nil:
	case f.onEnter != nil:
		f.onEnter()
	default:
		s.nextField()
	}
}

func (f *field) erase() {
	if f.selected {
		f.text, f.selected, f.behind = "", false, 0
		return
	}
	before, after := f.split()
	if len(before) > 0 {
		f.text = string(before[:len(before)-1]) + string(after)
	}
}

// move takes the keys that move the caret, and the one that deletes behind it.
func (f *field) move(code int) {
	before, after := f.split()
	if code == 112 && f.selected {
		f.erase()
		return
	}
	f.selected = false
	switch code {
	case 21:
		f.behind = min(f.behind+1, len(before)+len(after))
	case 22:
		f.behind = max(f.behind-1, 0)
	case 19, 122:
		f.behind = len(before) + len(after)
	case 20, 123:
		f.behind = 0
	case 112:
		if len(after) > 0 {
			f.text = string(before) + string(after[1:])
			f.behind--
		}
	}
}

// nextField moves the focus to the next text field of the active window.
func (s *screen) nextField() {
	var fields []*field
	if w := s.frame(time.Now()).active(); w != nil {
		w.root.walk(func(v *view) {
			if v.field != nil {
				fields = append(fields, v.field)
			}
		})
	}
	i := slices.Index(fields, s.focus)
	if i+1 < len(fields) {
		s.focus, s.keyboard = fields[i+1], true
	}
}

func (s *screen) typeText(text string) {
	f := s.focus
	switch {
	case s.web != nil:
		s.web.typed(text)
		return
	case f == nil:
		return // keys without a focused element are lost
	}
	if f.selected {
		f.text, f.selected, f.behind = "", false, 0
	}
	for _, r := range text {
		if r == '\n' {
			s.enter(f)
			continue
		}
		before, after := f.split()
		f.text = string(before) + string(r) + string(after)
		f = f.changed()
		s.focus = f
	}
}

// inputText types ASCII; %s is a space. One character that has no key makes the whole command fail before it types.
func inputText(c *call, args []string) int {
	if len(args) != 1 {
		return c.inputError("Error: Invalid arguments for command: text")
	}
	text := []rune(unescapeInput(args[0]))
	if slices.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || r < ' ' && r != '\n' && r != '\t' }) {
		const npe = "java.lang.NullPointerException: Attempt to get length of null array"
		if c.sys.prof.api < 30 {
			return c.fail(137, "%s\n\tat com.android.commands.input.Input.sendText(Input.java:159)\nKilled", npe)
		}
		return c.exception(npe, "input", "text")
	}
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	c.sys.ui.typeText(string(text))
	return 0
}

// unescapeInput replaces %s the way the phone does: a percent sign makes only the very next character special.
func unescapeInput(s string) string {
	var out []rune
	escaped := false
	for _, r := range s {
		if escaped {
			escaped = false
			if r == 's' {
				out[len(out)-1] = ' '
				continue
			}
		} else if r == '%' {
			escaped = true
		}
		out = append(out, r)
	}
	return string(out)
}

// pressed notes keys. The phone's lock is held.
func (s *screen) pressed(keys []int) { s.keys = append(s.keys, keys) }
