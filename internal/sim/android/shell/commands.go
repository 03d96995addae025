package shell

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/taproot-dev/taproot/internal/sim/android/agent"
	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/webview"
)

// Userland is the phone's shell: its programs, and how often each has run.
type Userland struct {
	sys *system.System
	Parts

	encoded atomic.Int64 // frames that screenrecord took

	// the lock of sys guards what follows
	shells       int
	counts       map[string]int
	sessions     map[int]*installSession // installations that have started
	sessionsMade int                     // since the phone started
}

// Parts are those that programs use in addition to Android.
type Parts struct {
	Cable  *kernel.Cable
	Faults *spec.Faults
	Agents *agent.Agent
	Views  *webview.Views
}

// New returns the programs of a phone.
func New(s *system.System, parts Parts) *Userland {
	return &Userland{sys: s, Parts: parts, counts: map[string]int{}, sessions: map[int]*installSession{}}
}

// EncodedFrames returns how many frames the encoders of screenrecord have taken; one that shows nothing new is not
// passed to them.
func (u *Userland) EncodedFrames() int { return int(u.encoded.Load()) }

// Count is how often a command of the phone's shell ran, named by its first word ("uiautomator"), or by two words
// behind cmd ("cmd input"). Builtins of the shell are not counted.
func (u *Userland) Count(command string) int {
	u.sys.Mu.Lock()
	defer u.sys.Mu.Unlock()
	return u.counts[command]
}

// Counts is Count for all commands that ran.
func (u *Userland) Counts() map[string]int {
	u.sys.Mu.Lock()
	defer u.sys.Mu.Unlock()
	return maps.Clone(u.counts)
}

// Shells is how many command lines the host has sent to the phone's shell.
func (u *Userland) Shells() int {
	u.sys.Mu.Lock()
	defer u.sys.Mu.Unlock()
	return u.shells
}

// command finds a program of the phone by its name.
func (u *Userland) command(name string) (func(*call) int, bool) {
	all := map[string]func(*call) int{
		"am": cmdAm, "pm": cmdPm, "monkey": cmdMonkey, "cmd": cmdCmd, "input": cmdInput, "uiautomator": cmdUiautomator,
		"screencap": cmdScreencap, "screenrecord": cmdScreenrecord, "dumpsys": cmdDumpsys, "wm": cmdWm,
		"settings": cmdSettings, "getprop": cmdGetprop, "setprop": cmdSetprop, "ime": cmdIme, "logcat": cmdLogcat,
		"log":  cmdLog,
		"kill": cmdKill, "pkill": cmdPkill, "pgrep": cmdPgrep, "pidof": cmdPidof, "ps": cmdPs,
		"cat": cmdCat, "rm": cmdRm, "mkdir": cmdMkdir, "ls": cmdLs, "stat": cmdStat, "sleep": cmdSleep, "id": cmdID,
		"date": cmdDate, "df": cmdDf, "sh": cmdSh, "head": cmdHeadTail, "tail": cmdHeadTail, "grep": cmdGrep, "wc": cmdWc,
		"content": cmdContent, "getevent": cmdGetevent, "sendevent": cmdSendevent, "uinput": cmdUinput, "rmdir": cmdRmdir,
		"mv": cmdMv, "cp": cmdMv, "appops": cmdAppops, "whoami": cmdWhoami, "uptime": cmdUptime, "toybox": cmdToybox,
	}
	if name == "uinput" && (u.sys.Prof.API < 30 || u.sys.Opts.NoUinput) {
		return nil, false
	}
	run, ok := all[name]
	if ok && u.Cable.State() == kernel.StateRecovery && !slices.Contains(recoveryPrograms(), name) {
		return nil, false
	}
	return run, ok
}

// recoveryPrograms are those that a phone has in recovery: none of Android's framework runs there.
func recoveryPrograms() []string {
	return []string{"getprop", "setprop", "cat", "rm", "mkdir", "rmdir", "ls", "stat", "sleep", "id", "date", "df", "sh",
		"head", "tail", "grep", "wc",
		"mv", "cp", "kill", "pkill", "pgrep", "pidof", "ps", "whoami", "uptime", "toybox", "logcat", "log"}
}

// cmdCmd is the front door to system services: cmd SERVICE ARG…
func cmdCmd(c *call) int {
	if len(c.args) < 2 {
		return c.fail(20,
			"cmd: No service specified; use -l to list all running services. Use -w to start and wait for a service.")
	}
	if c.args[1] == "-l" {
		c.printf("Currently running services:\n  activity\n  package\n  settings\n  window\n")
		return 0
	}
	if c.args[1] == "-w" && len(c.args) > 2 {
		c.args = append(c.args[:1], c.args[2:]...)
	}
	services := map[string]func(*call) int{
		"package": cmdPm, "activity": cmdAm, "settings": cmdSettings, "window": cmdWm, "statusbar": cmdStatusbar,
	}
	if c.sys.Prof.API >= 29 {
		services["uimode"] = cmdUimode
	}
	if c.sys.Prof.API >= 31 {
		services["input"] = cmdInput
		services["display"] = cmdDisplay
		services["location"] = cmdLocation
	}
	if c.sys.Prof.API >= 30 {
		services["connectivity"] = cmdConnectivity
	}
	if c.sys.Prof.API >= 33 {
		services["locale"] = cmdLocale
	}
	if c.sys.Prof.API >= 26 {
		services["input_method"] = cmdIme
	}
	name := c.args[1]
	run, ok := services[name]
	if !ok {
		return c.fail(20, "cmd: Can't find service: %s", name)
	}
	c.land.count("cmd " + name)
	c.args = c.args[1:]
	return run(c)
}

func cmdStatusbar(c *call) int {
	verb := ""
	if len(c.args) > 1 {
		verb = c.args[1]
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	switch verb {
	case "expand-notifications":
		c.sys.UI.Shade = true
	case "collapse":
		c.sys.UI.Shade = false
	default:
		return c.fail(255,
			"Status bar commands:\n  help\n    Print this help text.\n\n  expand-notifications\n    Open the notifications "+
				"panel.")
	}
	return 0
}

func cmdUimode(c *call) int {
	if len(c.args) < 2 || c.args[1] != "night" {
		return c.fail(255,
			"UiModeManager service (uimode) commands:\n  help\n    Print this help text.\n  night "+
				"[yes|no|auto|custom_schedule|custom_bedtime]")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	if len(c.args) > 2 {
		if !strings.Contains(" yes no auto ", " "+c.args[2]+" ") {
			return c.fail(255, "Error: mode must be 'yes', 'no', or 'auto', or 'custom_schedule', or 'custom_bedtime'")
		}
		kept, code := c.guarded("uimode", "night", "uid 2000 does not have android.permission.MODIFY_DAY_NIGHT_MODE.")
		if kept && code != 0 {
			return code
		}
		if !kept {
			c.sys.Night = c.args[2]
		}
	}
	c.printf("Night mode: %s\n", c.sys.Night)
	return 0
}

func cmdConnectivity(c *call) int {
	if len(c.args) < 2 || c.args[1] != "airplane-mode" {
		return c.fail(255,
			"Connectivity service commands:\n  help\n    Print this help text.\n  airplane-mode [enable|disable]")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	global := c.sys.Settings["global"]
	if len(c.args) > 2 {
		if kept, code := c.guarded("connectivity", "airplane-mode",
			"uid 2000 does not have android.permission.NETWORK_SETTINGS."); kept {
			return code
		}
	}
	switch {
	case len(c.args) == 2:
		c.printf("%s\n", map[bool]string{true: "enabled", false: "disabled"}[global["airplane_mode_on"] == "1"])
	case c.args[2] == "enable":
		global["airplane_mode_on"] = "1"
	case c.args[2] == "disable":
		global["airplane_mode_on"] = "0"
	default:
		return c.fail(255, "Unknown argument: %s", c.args[2])
	}
	return 0
}

func cmdLocale(c *call) int {
	if len(c.args) < 3 || c.args[1] != "set-app-locales" && c.args[1] != "get-app-locales" {
		return c.fail(255, "Locale manager (locale) shell commands:\n  help\n      Print this help text.")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	p := c.sys.Packages[c.args[2]]
	if p == nil {
		return c.fail(255, "Unknown package %s for userId 0", c.args[2])
	}
	if c.args[1] == "get-app-locales" {
		c.printf("Locales for %s for user 0 are [%s]\n", p.Name, p.Locales)
		return 0
	}
	if kept, code := c.guarded("locale", c.args[1], "setApplicationLocales: uid 2000 does not have "+
		"android.permission.CHANGE_CONFIGURATION."); kept {
		return code
	}
	p.Locales = ""
	for i, a := range c.args {
		if a == "--locales" && i+1 < len(c.args) {
			p.Locales = c.args[i+1]
		}
	}
	return 0
}

func cmdDisplay(c *call) int {
	if len(c.args) < 2 || c.args[1] != "get-displays" {
		return c.fail(255,
			"Display manager commands:\n  help\n    Print this help text.\n  get-displays [-c|--category CATEGORY]")
	}
	c.sys.Mu.Lock()
	size := c.sys.UI.Size()
	c.sys.Mu.Unlock()
	c.printf("Displays:\nDisplay id 0: DisplayInfo{\"Built-in Screen\", displayId 0, state ON, real %d x %d, uniqueId "+
		"\"local:%s\"}, isValid=true\n", size.X, size.Y, c.sys.MainDisplay())
	for i := 1; i < c.sys.Opts.Displays; i++ {
		c.printf("Display id %d: DisplayInfo{\"HDMI Screen\", displayId %d, state ON, real 1280 x 720, uniqueId "+
			"\"local:461982725983564467%d\"}, isValid=true\n", i, i, 2+i)
	}
	return 0
}

func cmdAppops(c *call) int {
	if len(c.args) < 4 || c.args[1] != "set" && c.args[1] != "get" {
		return c.fail(255, "AppOps service (appops) commands:\n  help\n    Print this help text.")
	}
	args := c.args[2:]
	if args[0] == "--uid" {
		args = args[1:]
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	if c.args[1] == "set" {
		if kept, code := c.guarded("appops", "set", "uid 2000 does not have android.permission.MANAGE_APP_OPS_MODES."); kept {
			return code
		}
	}
	if c.args[1] == "set" && len(args) == 3 && args[0] == "com.android.shell" && args[1] == "android:mock_location" {
		c.sys.Location.Allowed = args[2] == "allow"
		return 0
	}
	if c.sys.Packages[args[0]] == nil {
		return c.fail(255, "Error: No UID for %s in user 0", args[0])
	}
	return 0
}

func cmdWhoami(c *call) int {
	c.printf("shell\n")
	return 0
}

func cmdUptime(c *call) int {
	c.printf(" 10:00:00 up 10 min,  0 users,  load average: 1.20, 1.10, 0.90\n")
	return 0
}

func cmdToybox(c *call) int {
	if len(c.args) < 2 {
		c.printf("cat cp date df grep head id kill ls mkdir mv pgrep pidof pkill ps rm sleep stat tail uptime wc whoami\n")
		return 0
	}
	run, ok := c.land.command(c.args[1])
	if !ok {
		return c.fail(127, "toybox: Unknown command %s", c.args[1])
	}
	c.args = c.args[1:]
	return run(c)
}
