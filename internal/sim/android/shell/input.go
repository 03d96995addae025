package shell

import (
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
)

const inputUsage = `Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The sources are: 
      touchnavigation
      touchscreen
      joystick
      stylus
      touchpad
      gamepad
      dpad
      mouse
      keyboard
      trackball
      rotaryencoder

-d: specify the display ID.
      (Default: -1 for key event, 0 for motion event if not specified.)
The commands and default sources are:
      text <string> (Default: touchscreen)
      keyevent [--longpress|--doubletap|--async|--delay <duration between keycodes in ms>] <key code number or name> ` +
	`... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
`

func inputSources() []string {
	return []string{
		"touchnavigation", "touchscreen", "joystick", "stylus", "touchpad", "gamepad", "dpad", "mouse", "keyboard",
		"trackball", "rotaryencoder",
	}
}

// cmdInput is input and cmd input; args[0] is the command's own name.
func cmdInput(c *call) int {
	args := c.args[1:]
	if len(args) > 0 && slices.Contains(inputSources(), args[0]) {
		args = args[1:]
	}
	if len(args) > 1 && args[0] == "-d" {
		if _, err := strconv.Atoi(args[1]); err != nil {
			return c.inputError("Error: Invalid arguments for display ID.")
		}
		args = args[2:]
	}
	if len(args) == 0 {
		return c.inputError("")
	}
	c.due = c.shell.now().Add(c.sys.Opts.Latency.Input)
	if !c.pass(c.sys.Opts.Latency.Input) {
		return 128 + kernel.SignalOf(c.ctx)
	}
	verb, args := args[0], args[1:]
	known := map[string]func(*call, []string) int{
		"text": inputText, "keyevent": inputKeys, "tap": inputTap, "swipe": inputSwipe, "draganddrop": inputDrag,
		"motionevent": inputMotion, "press": inputNothing, "roll": inputNothing,
	}
	if c.sys.Prof.API >= 31 {
		known["keycombination"] = inputCombination
	}
	run, ok := known[verb]
	if !ok {
		return c.inputError("Error: Unknown command: " + verb)
	}
	if c.sys.Opts.InputForbidden {
		return c.exception("java.lang.SecurityException: Injecting input events requires the caller (or the source of the "+
			"instrumentation, if any) to have the INJECT_EVENTS permission.", "input", verb)
	}
	return run(c, args)
}

func inputNothing(*call, []string) int { return 0 }

func inputTap(c *call, args []string) int {
	n, code := c.numbers("tap", args, 2)
	if n != nil {
		c.sys.Panel.Touch(c.due, image.Pt(n[0], n[1]), 0)
	}
	return code
}

func inputSwipe(c *call, args []string) int {
	n, code := c.numbers("swipe", args, 4, 5)
	if n == nil {
		return code
	}
	from, to, length := image.Pt(n[0], n[1]), image.Pt(n[2], n[3]), 300*time.Millisecond
	if len(n) == 5 && n[4] >= 0 {
		length = time.Duration(n[4]) * time.Millisecond
	}
	if !c.pass(length) {
		return 128 + kernel.SignalOf(c.ctx)
	}
	if d := to.Sub(from); max(d.X, -d.X, d.Y, -d.Y) < 24 { // less than the touch slop: a press
		c.sys.Panel.Touch(c.due.Add(length), from, length)
		return 0
	}
	c.sys.Panel.Swipe("swipe", from, to)
	return 0
}

func inputDrag(c *call, args []string) int {
	n, code := c.numbers("draganddrop", args, 4, 5)
	if n == nil {
		return code
	}
	length := 300 * time.Millisecond
	if len(n) == 5 && n[4] >= 0 {
		length = time.Duration(n[4]) * time.Millisecond
	}
	if !kernel.Pause(c.ctx, system.LongPress+length) {
		return 128 + kernel.SignalOf(c.ctx)
	}
	c.sys.Panel.Swipe("drag", image.Pt(n[0], n[1]), image.Pt(n[2], n[3]))
	return 0
}

// inputMotion puts single events together: DOWN … UP is a tap, a long press or a swipe.
func inputMotion(c *call, args []string) int {
	if len(args) != 3 || c.sys.Prof.API < 29 {
		return c.inputError("Error: Invalid arguments for command: motionevent")
	}
	n, code := c.numbers("motionevent", args[1:], 2)
	if n == nil {
		return code
	}
	at := image.Pt(n[0], n[1])
	switch strings.ToUpper(args[0]) {
	case "DOWN":
		c.sys.Panel.Finger(&system.TouchPoint{At: at, Since: time.Now()})
	case "MOVE":
		c.sys.Panel.Moved()
	case "CANCEL":
		c.sys.Panel.Finger(nil)
	case "UP":
		if down := c.sys.Panel.Finger(nil); down == nil {
			break
		} else if d := at.Sub(down.At); max(d.X, -d.X, d.Y, -d.Y) < 24 {
			c.sys.Panel.Touch(c.due, down.At, time.Since(down.Since))
		} else if down.Held {
			c.sys.Panel.Swipe("drag", down.At, at)
		} else {
			c.sys.Panel.Swipe("swipe", down.At, at)
		}
	default:
		return c.exception("java.lang.IllegalArgumentException: Unknown action: "+args[0], "input", "motionevent")
	}
	return 0
}
