package shell

import (
	"slices"
	"strconv"
	"strings"
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
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	for _, arg := range args {
		c.sys.UI.Pressed([]int{keyCode(arg)})
		c.sys.UI.Key(keyCode(arg))
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
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	c.sys.UI.Pressed(keys)
	c.sys.UI.Combination(keys)
	return 0
}

// inputText types ASCII; %s is a space. One character that has no key makes the whole command fail before it types.
func inputText(c *call, args []string) int {
	if len(args) != 1 {
		return c.inputError("Error: Invalid arguments for command: text")
	}
	text := []rune(unescapeInput(args[0]))
	if slices.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || r < ' ' && r != '\n' && r != '\t' }) {
		const npe = "java.lang.NullPointerException: Attempt to get length of null array"
		if c.sys.Prof.API < 30 {
			return c.fail(137, "%s\n\tat com.android.commands.input.Input.sendText(Input.java:159)\nKilled", npe)
		}
		return c.exception(npe, "input", "text")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	c.sys.UI.TypeText(string(text))
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
