package androidsim

import (
	"fmt"
	"strings"
)

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
		case a == "--no-hidden-api-checks" && c.sys.prof.api < 28, strings.HasPrefix(a, "--no-") && c.sys.opts.PlainAm:
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
	c.sys.mu.Lock()
	server, test := c.sys.packages[AgentPackage], c.sys.packages[AgentTestPackage]
	c.sys.mu.Unlock()
	switch {
	case name != agentRunner || test == nil || server == nil:
		return failed(fmt.Sprintf("Unable to find instrumentation info for: ComponentInfo{%s/%s}", pkg, class))
	case server.signed != test.signed:
		return failed("Permission Denial: starting instrumentation ComponentInfo{" + name +
			"} from pid=0, uid=0 not allowed because package " +
			AgentTestPackage + " does not have a signature matching the target " + AgentPackage)
	case !wait:
		return c.fail(1, "only am instrument -w is simulated")
	}
	a := c.land.agents.start(c.ctx, server, extras["DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES"] != "true")
	if a == nil {
		c.printf("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n")
		return 0
	}
	select {
	case <-a.ended:
	case <-c.ctx.Done():
		a.lostShell()
		return 128 + signalOf(c.ctx)
	}
	if a.calmly {
		c.printf("\nTime: 12.3\n\nOK (1 test)\n\n\nINSTRUMENTATION_CODE: -1\n")
	} else {
		c.printf("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n")
	}
	return 0
}

// pmInstrumentation lists what am instrument could run.
func pmInstrumentation(c *call) int {
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	if c.sys.packages[AgentTestPackage] != nil {
		c.printf("instrumentation:%s (target=%s)\n", agentRunner, AgentPackage)
	}
	return 0
}
