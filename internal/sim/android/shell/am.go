package shell

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/agent"
	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
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
		c.sys.Mu.Lock()
		defer c.sys.Mu.Unlock()
		if c.sys.Packages[args[0]] != nil && (verb == "force-stop" || c.sys.UI.Top().Pkg != args[0]) {
			c.sys.UI.Stop(args[0])
		}
		return 0
	case "broadcast":
		return amBroadcast(c, c.args[2:])
	case "get-current-user":
		c.printf("0\n")
		return 0
	case "instrument":
		return amInstrument(c, c.args[2:])
	case "kill-all", "set-debug-app", "clear-debug-app":
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
	if c.sys.Opts.WorkProfile && in.user != "0" && in.user != "current" && in.user != "cur" {
		return c.exception("java.lang.SecurityException: Shell does not have permission to access user 10", "am", "start")
	}
	if in.stop {
		c.sys.Mu.Lock()
		if pkg, _ := in.target(c.sys.Packages); pkg != "" {
			c.sys.UI.Stop(pkg)
			c.printf("Stopping: %s\n", pkg)
		}
		c.sys.Mu.Unlock()
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
		shown.component = system.Shorten(pkg, class)
	}
	if in.component != "" && in.flags == "0x10000000" {
		shown.flags = ""
	}
	c.printf("Starting: %s\n", shown)
	if !kernel.Pause(c.ctx, c.sys.Opts.Latency.Start) {
		return 128 + kernel.SignalOf(c.ctx)
	}
	return c.startIntent(in, shown)
}

func (c *call) startIntent(in, shown intent) int {
	p := c.sys
	p.Mu.Lock()
	defer p.Mu.Unlock()
	failed := 1
	if p.Prof.API < 34 {
		failed = 0
	}
	if in.wait { // with -W everything goes to stdout
		c.err = c.out
	}
	pkg, class := in.target(p.Packages)
	switch {
	case class == "" && in.component != "":
		full := in.component
		if a, b, ok := strings.Cut(full, "/"); ok && strings.HasPrefix(b, ".") {
			full = a + "/" + a + b
		}
		return c.fail(failed, "Error type 3\nError: Activity class {%s} does not exist.", full)
	case class == "":
		return c.fail(failed, "Error: Activity not started, unable to resolve %s", shown)
	case p.Packages[pkg].Activities[class] == system.NotExported:
		return c.exception(
			fmt.Sprintf("java.lang.SecurityException: Permission Denial: starting %s from null (pid=%d, uid=2000) not "+
				"exported from uid %d",
				shown, c.pid, p.Packages[pkg].UID), "am", "start")
	}
	began := time.Now()
	warning, state := p.UI.Launch(pkg, class, in.request())
	if warning != "" {
		c.errorf("%s\n", warning)
	}
	if in.wait {
		took := time.Since(began).Milliseconds() + map[string]int64{"COLD": 357, "WARM": 121, "HOT": 48}[state]
		c.printf("Status: ok\n")
		if p.Prof.API >= 29 {
			c.printf("LaunchState: %s\n", orElse(state, "UNKNOWN (0)"))
		}
		c.printf("Activity: %s\n", p.UI.Top().Component())
		if p.Prof.API < 29 {
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
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	if in.action == "android.intent.action.MEDIA_SCANNER_SCAN_FILE" {
		c.sys.Scan(in.data)
	}
	s := c.sys.UI
	keyboard := c.sys.Settings["secure"]["default_input_method"]
	if c.sys.Packages[spec.ADBKeyboardPackage] != nil && keyboard == adbKeyboardIME {
		switch in.action {
		case "ADB_INPUT_TEXT":
			s.TypeText(in.extras["msg"])
		case "ADB_INPUT_B64":
			if text, err := base64.StdEncoding.DecodeString(in.extras["msg"]); err == nil {
				s.TypeText(string(text))
			}
		case "ADB_CLEAR_TEXT":
			if s.Focus != nil {
				s.Focus.Text = ""
			}
		}
	}
	c.printf("Broadcast completed: result=0\n")
	return 0
}

// amInstrument runs the agent until it ends; nothing else can be instrumented here.
func amInstrument(c *call, args []string) int {
	name, extras, wait := "", map[string]string{}, false
	for ; len(args) > 0; args = args[1:] {
		switch a := args[0]; {
		case a == "-e" && len(args) > 2:
			extras[args[1]], args = args[2], args[2:]
		case a == "-w":
			wait = true
		case a == "--user" && len(args) > 1:
			args = args[1:]
		case a == "--no-hidden-api-checks" && c.sys.Prof.API < 28, strings.HasPrefix(a, "--no-") && c.sys.Opts.PlainAm:
			return c.fail(1, "Error: Unknown option: %s", a)
		case strings.Contains(a, "/"):
			name = a
		}
	}
	pkg, class, _ := strings.Cut(name, "/")
	failed := func(why string) int {
		c.printf("INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS: Error=%s\n"+
			"INSTRUMENTATION_STATUS_CODE: -1\n", why)
		return c.fail(1, "android.util.AndroidException: INSTRUMENTATION_FAILED: %s/%s", pkg, class)
	}
	c.sys.Mu.Lock()
	server, test := c.sys.Packages[agent.Package], c.sys.Packages[agent.TestPackage]
	c.sys.Mu.Unlock()
	switch {
	case name != agent.Runner || test == nil || server == nil:
		return failed(fmt.Sprintf("Unable to find instrumentation info for: ComponentInfo{%s/%s}", pkg, class))
	case server.Signed != test.Signed:
		return failed("Permission Denial: starting instrumentation ComponentInfo{" + name +
			"} from pid=0, uid=0 not allowed because package " +
			agent.TestPackage + " does not have a signature matching the target " + agent.Package)
	case !wait:
		return c.fail(1, "only am instrument -w is simulated")
	}
	a := c.land.Agents.Start(c.ctx, server, extras["DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES"] != "true")
	if a == nil {
		c.printf("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n")
		return 0
	}
	select {
	case <-a.Ended:
	case <-c.ctx.Done():
		a.LostShell()
		return 128 + kernel.SignalOf(c.ctx)
	}
	if a.Calmly {
		c.printf("\nTime: 12.3\n\nOK (1 test)\n\n\nINSTRUMENTATION_CODE: -1\n")
	} else {
		c.printf("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n")
	}
	return 0
}

// pmInstrumentation lists what am instrument could run.
func pmInstrumentation(c *call) int {
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	if c.sys.Packages[agent.TestPackage] != nil {
		c.printf("instrumentation:%s (target=%s)\n", agent.Runner, agent.Package)
	}
	return 0
}
