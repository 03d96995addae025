package shell

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
)

func cmdGetprop(c *call) int {
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	switch len(c.args) {
	case 1:
		for _, k := range slices.Sorted(maps.Keys(c.sys.Props)) {
			c.printf("[%s]: [%s]\n", k, c.sys.Props[k])
		}
	case 2, 3:
		v, ok := c.sys.Props[c.args[1]]
		if !ok && len(c.args) == 3 {
			v = c.args[2]
		}
		c.printf("%s\n", v)
	default:
		return c.fail(1, "getprop: Max 2 arguments (see \"getprop --help\")")
	}
	return 0
}

func cmdSetprop(c *call) int {
	if len(c.args) != 3 {
		return c.fail(1, "setprop: Need 2 arguments (see \"setprop --help\")")
	}
	name := c.args[1]
	if strings.HasPrefix(name, "ro.") || strings.HasPrefix(name, "persist.") {
		return c.fail(1, "setprop: failed to set property '%s' to '%s'", name, c.args[2])
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	c.sys.Props[name] = c.args[2]
	return 0
}

func cmdSettings(c *call) int {
	args := c.args[1:]
	if len(args) > 1 && args[0] == "--user" {
		args = args[2:]
	}
	usage := "Settings provider (settings) commands:\n  help\n      Print this help text.\n" +
		"  get [--user <USER_ID> | current] NAMESPACE KEY\n      Retrieve the current value of KEY.\n"
	if len(args) < 2 {
		c.errorf("Invalid command\n%s", usage)
		return 255
	}
	verb, space := args[0], args[1]
	if space == "--user" && len(args) > 3 {
		space, args = args[3], append([]string{verb}, args[3:]...)
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	table, ok := c.sys.Settings[space]
	if !ok {
		return c.fail(255, "Invalid namespace '%s'", space)
	}
	rest := args[2:]
	switch {
	case verb == "get" && len(rest) == 1:
		v, ok := table[rest[0]]
		if !ok {
			v = "null"
		}
		c.printf("%s\n", v)
	case verb == "put" && len(rest) >= 2:
		if kept, code := c.guarded("settings", verb, "Permission denial: writing to settings requires:"+
			"android.permission.WRITE_SECURE_SETTINGS"); kept {
			return code
		}
		table[rest[0]] = rest[1]
	case verb == "delete" && len(rest) == 1:
		_, ok := table[rest[0]]
		delete(table, rest[0])
		n := 0
		if ok {
			n = 1
		}
		c.printf("Deleted %d rows\n", n)
	case verb == "list":
		for _, k := range slices.Sorted(maps.Keys(table)) {
			c.printf("%s=%s\n", k, table[k])
		}
	default:
		c.errorf("Bad arguments\n%s", usage)
		return 255
	}
	return 0
}

// guarded does what the phone's maker does instead of a command that it keeps from adb's shell.
func (c *call) guarded(service, verb, what string) (kept bool, code int) {
	switch c.sys.Opts.Guard {
	case spec.GuardRefuses:
		return true, c.exception("java.lang.SecurityException: "+what, service, verb)
	case spec.GuardIsSilent:
		return true, 0
	}
	return false, 0
}

func cmdIme(c *call) int {
	if len(c.args) < 2 {
		return c.fail(255,
			"ime <command>:\n  list [-a] [-s]\n  enable [--user <USER_ID>] <ID>\n  disable [--user <USER_ID>] <ID>\n  set "+
				"[--user "+
				"<USER_ID>] <ID>\n  reset [--user <USER_ID>]")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	secure := c.sys.Settings["secure"]
	known := []string{spec.IMEPackage + "/com.android.inputmethod.latin.LatinIME"}
	if c.sys.Packages[spec.ADBKeyboardPackage] != nil {
		known = append(known, adbKeyboardIME)
	}
	verb, args := c.args[1], dropUser(c.args[2:])
	if verb == "list" {
		enabled := known
		if !slices.Contains(args, "-a") {
			enabled = strings.Split(secure["enabled_input_methods"], ":")
		}
		for _, id := range enabled {
			c.printf("%s\n", id)
		}
		return 0
	}
	if verb == "reset" {
		secure["default_input_method"], secure["enabled_input_methods"] = known[0], known[0]
		c.printf("Reset current and enabled IMEs for user #0\n")
		return 0
	}
	if len(args) != 1 {
		return c.fail(255, "Error: no input method ID specified")
	}
	id := args[0]
	if !slices.Contains(known, id) {
		c.errorf("Unknown input method %s cannot be selected for user #0\n", id)
		if c.sys.Prof.API >= 30 {
			return 255
		}
		return 0
	}
	return c.setIME(secure, verb, id)
}

func (c *call) setIME(secure map[string]string, verb, id string) int {
	enabled := strings.Split(secure["enabled_input_methods"], ":")
	at := slices.Index(enabled, id)
	switch {
	case verb == "enable" && at < 0:
		secure["enabled_input_methods"] = strings.Join(append(enabled, id), ":")
		c.printf("Input method %s: now enabled for user #0\n", id)
	case verb == "enable":
		c.printf("Input method %s: already enabled for user #0\n", id)
	case verb == "disable" && at >= 0:
		secure["enabled_input_methods"] = strings.Join(slices.Delete(enabled, at, at+1), ":")
		c.printf("Input method %s: now disabled for user #0\n", id)
	case verb == "disable":
		c.printf("Input method %s: already disabled for user #0\n", id)
	case verb == "set" && at < 0:
		return c.fail(255, "Unknown input method %s cannot be selected for user #0", id)
	case verb == "set":
		secure["default_input_method"] = id
		c.printf("Input method %s selected for user #0\n", id)
	default:
		return c.fail(255, "Unknown command: %s", verb)
	}
	return 0
}

func cmdWm(c *call) int {
	const usage = "Window manager (window) commands:\n  help\n      Print this help text.\n  size [reset|WxH|WdpxHdp] " +
		"[-d " +
		"DISPLAY_ID]\n" +
		"    Return or override display size.\n  density [reset|DENSITY] [-d DISPLAY_ID] [-u UNIQUE_ID]\n    Return or " +
		"override display density.\n"
	if len(c.args) < 2 {
		c.errorf("%s", usage)
		return 255
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	arg := ""
	if len(c.args) > 2 {
		arg = c.args[2]
	}
	switch c.args[1] {
	case "size":
		return wmSize(c, arg)
	case "density":
		return wmDensity(c, arg)
	case "user-rotation", "set-user-rotation":
		return wmRotation(c, arg)
	case "dismiss-keyguard":
		c.sys.UI.Guard.Dismiss()
		return 0
	default:
		c.errorf("Unknown command: %s\n", c.args[1])
		return 255
	}
}

func wmSize(c *call, arg string) int {
	global := c.sys.Settings["global"]
	switch {
	case arg == "":
		c.printf("Physical size: %dx%d\n", c.sys.Opts.Width, c.sys.Opts.Height)
		if w, h := c.sys.UI.DisplaySize(); global["display_size_forced"] != "" {
			c.printf("Override size: %dx%d\n", w, h)
		}
	case arg == "reset":
		delete(global, "display_size_forced")
	default:
		var w, h int
		if n, _ := fmt.Sscanf(arg, "%dx%d", &w, &h); n != 2 {
			return c.fail(255, "Error: bad size %s", arg)
		}
		if w < 200 || h < 200 || w > 8192 || h > 8192 {
			return c.fail(255, "Error: size must be between 200 and 8192: %s", arg)
		}
		global["display_size_forced"] = fmt.Sprintf("%d,%d", w, h)
	}
	return 0
}

func wmDensity(c *call, arg string) int {
	secure := c.sys.Settings["secure"]
	switch {
	case arg == "":
		c.printf("Physical density: %d\n", c.sys.Opts.Density)
		if v := secure["display_density_forced"]; v != "" {
			c.printf("Override density: %s\n", v)
		}
	case arg == "reset":
		delete(secure, "display_density_forced")
	default:
		d, err := strconv.Atoi(arg)
		if err != nil {
			return c.fail(255, "Error: bad number %s", arg)
		}
		if d < 72 || d > 1000 {
			return c.fail(255, "Error: density must be >= 72")
		}
		secure["display_density_forced"] = arg
	}
	return 0
}

func wmRotation(c *call, arg string) int {
	sys := c.sys.Settings["system"]
	switch arg {
	case "lock":
		sys["accelerometer_rotation"] = "0"
		if len(c.args) > 3 {
			sys["user_rotation"] = c.args[3]
		}
	case "free":
		sys["accelerometer_rotation"] = "1"
	case "":
		mode := "free"
		if sys["accelerometer_rotation"] == "0" {
			mode = "lock " + sys["user_rotation"]
		}
		c.printf("%s\n", mode)
	default:
		return c.fail(255, "Error: argument needs to be either -d, free or lock.")
	}
	return 0
}
