package androidsim

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

func cmdAm(c *call) int {
	if len(c.args) < 2 {
		c.errorf("Activity manager (activity) commands:\n  help\n      Print this help text.\n  start-activity [-D] [-N] " +
			"[-W] " +
			"[-P <FILE>] [--start-profiler <FILE>]\n          <INTENT>\n")
		return 255
	}
	switch verb := c.args[1]; verb {
	case "start", "start-activity":
		return amStart(c, c.args[2:])
	case "force-stop", "kill":
		args := dropUser(c.args[2:])
		if len(args) == 0 {
			return c.exception("java.lang.IllegalArgumentException: Argument expected after \""+verb+"\"", "am", verb)
		}
		c.sys.mu.Lock()
		defer c.sys.mu.Unlock()
		if c.sys.packages[args[0]] != nil && (verb == "force-stop" || c.sys.ui.top().pkg != args[0]) {
			c.sys.ui.stop(args[0])
		}
		return 0
	case "broadcast":
		return amBroadcast(c, c.args[2:])
	case "get-current-user":
		c.printf("0\n")
		return 0
	case "instrument":
		return amInstrument(c, c.args[2:])
	case "kill-all":
		return 0
	default:
		c.errorf("Unknown command: %s\n", verb)
		return 255
	}
}

func dropUser(args []string) []string {
	if len(args) > 1 && args[0] == "--user" {
		return args[2:]
	}
	return args
}

func amStart(c *call, args []string) int {
	in, err := parseIntent(args)
	if err != nil {
		if strings.HasPrefix(err.Error(), "Error:") {
			return c.fail(1, "%v", err)
		}
		return c.exception(err.Error(), "am", "start")
	}
	if in.action == "" && in.component == "" && in.data == "" && in.pkg == "" {
		return c.exception("java.lang.IllegalArgumentException: No intent supplied", "am", "start")
	}
	if c.sys.opts.WorkProfile && in.user != "0" && in.user != "current" && in.user != "cur" {
		return c.exception("java.lang.SecurityException: Shell does not have permission to access user 10", "am", "start")
	}
	if in.stop {
		c.sys.mu.Lock()
		if pkg, _ := in.target(c.sys.packages); pkg != "" {
			c.sys.ui.stop(pkg)
			c.printf("Stopping: %s\n", pkg)
		}
		c.sys.mu.Unlock()
	}
	if in.data != "" || in.component == "" {
		in.flags = orElse(in.flags, "0x10000000")
	}
	shown := in
	if shown.component != "" {
		pkg, class, _ := strings.Cut(shown.component, "/")
		if strings.HasPrefix(class, ".") {
			class = pkg + class
		}
		shown.component = shorten(pkg, class)
	}
	if in.component != "" && in.flags == "0x10000000" {
		shown.flags = ""
	}
	c.printf("Starting: %s\n", shown)
	if !pause(c.ctx, c.sys.opts.Latency.Start) {
		return 128 + signalOf(c.ctx)
	}
	return c.startIntent(in, shown)
}

func (c *call) startIntent(in, shown intent) int {
	p := c.sys
	p.mu.Lock()
	defer p.mu.Unlock()
	failed := 1
	if p.prof.api < 34 {
		failed = 0
	}
	if in.wait { // with -W everything goes to stdout
		c.err = c.out
	}
	pkg, class := in.target(p.packages)
	switch {
	case class == "" && in.component != "":
		full := in.component
		if a, b, ok := strings.Cut(full, "/"); ok && strings.HasPrefix(b, ".") {
			full = a + "/" + a + b
		}
		return c.fail(failed, "Error type 3\nError: Activity class {%s} does not exist.", full)
	case class == "":
		return c.fail(failed, "Error: Activity not started, unable to resolve %s", shown)
	case p.packages[pkg].activities[class] == notExported:
		return c.exception(
			fmt.Sprintf("java.lang.SecurityException: Permission Denial: starting %s from null (pid=%d, uid=2000) not "+
				"exported from uid %d",
				shown, c.pid, p.packages[pkg].uid), "am", "start")
	}
	began := time.Now()
	warning, state := p.ui.launch(pkg, class, in.request())
	if warning != "" {
		c.errorf("%s\n", warning)
	}
	if in.wait {
		took := time.Since(began).Milliseconds() + map[string]int64{"COLD": 357, "WARM": 121, "HOT": 48}[state]
		c.printf("Status: ok\n")
		if p.prof.api >= 29 {
			c.printf("LaunchState: %s\n", orElse(state, "UNKNOWN (0)"))
		}
		c.printf("Activity: %s\n", p.ui.top().component())
		if p.prof.api < 29 {
			c.printf("ThisTime: %d\n", took)
		}
		c.printf("TotalTime: %d\nWaitTime: %d\nComplete\n", took, took+20)
	}
	return 0
}

func amBroadcast(c *call, args []string) int {
	in, err := parseIntent(args)
	if err != nil {
		return c.exception(err.Error(), "am", "broadcast")
	}
	in.flags = orElse(in.flags, "0x400000")
	c.printf("Broadcasting: %s\n", in)
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	if in.action == "android.intent.action.MEDIA_SCANNER_SCAN_FILE" {
		c.sys.scan(in.data)
	}
	s := c.sys.ui
	if c.sys.packages[adbKeyboard] != nil && c.sys.settings["secure"]["default_input_method"] == adbKeyboardIME {
		switch in.action {
		case "ADB_INPUT_TEXT":
			s.typeText(in.extras["msg"])
		case "ADB_INPUT_B64":
			if text, err := base64.StdEncoding.DecodeString(in.extras["msg"]); err == nil {
				s.typeText(string(text))
			}
		case "ADB_CLEAR_TEXT":
			if s.focus != nil {
				s.focus.text = ""
			}
		}
	}
	c.printf("Broadcast completed: result=0\n")
	return 0
}
