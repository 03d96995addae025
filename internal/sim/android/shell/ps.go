package shell

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

// parseSignal reads 2, INT or SIGINT.
func parseSignal(s string) (int, bool) {
	s = strings.TrimPrefix(strings.ToUpper(s), "SIG")
	names := map[string]int{"HUP": 1, "INT": 2, "QUIT": 3, "KILL": 9, "USR1": 10, "TERM": 15, "CONT": 18, "STOP": 19}
	if n, ok := names[s]; ok {
		return n, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n < 65
}

func cmdKill(c *call) int {
	sig, args := kernel.SigTERM, c.args[1:]
	if len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--" {
		name := args[0][1:]
		args = args[1:]
		if name == "s" && len(args) > 0 {
			name, args = args[0], args[1:]
		}
		n, ok := parseSignal(name)
		if !ok {
			return c.fail(1, "/system/bin/sh: kill: %s: bad signal", name)
		}
		sig = n
	}
	if len(args) == 0 {
		return c.fail(1, "/system/bin/sh: kill: usage: kill [-s signame | -signum | -signame] { job | pid | pgrp } ...")
	}
	code := 0
	for _, arg := range args {
		pid, err := strconv.Atoi(arg)
		if err != nil {
			code = c.fail(1, "/system/bin/sh: kill: %s: arguments must be jobs or process IDs", arg)
			continue
		}
		pr, ok := c.sys.Procs.Get(pid)
		switch {
		case !ok:
			code = c.fail(1, "/system/bin/sh: kill: %d: No such process", pid)
		case pr.User != "shell" || pr.Kill == nil:
			code = c.fail(1, "/system/bin/sh: kill: %d: Operation not permitted", pid)
		case sig != 0:
			pr.Kill(sig)
		}
	}
	return code
}

func cmdPkill(c *call) int { return matchProcesses(c, true) }

func cmdPgrep(c *call) int { return matchProcesses(c, false) }

func matchProcesses(c *call, kill bool) int {
	sig, full, exact, long := kernel.SigTERM, false, false, false
	args := c.args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		opt := args[0]
		args = args[1:]
		switch {
		case opt == "-l" && kill && len(args) > 0:
			opt, args = "-"+args[0], args[1:]
			fallthrough
		case kill && opt != "-f" && opt != "-x":
			n, ok := parseSignal(opt[1:])
			if !ok {
				return c.fail(1, "%s: bad -l '%s'", c.args[0], opt[1:])
			}
			sig = n
		case opt == "-f":
			full = true
		case opt == "-x":
			exact = true
		case opt == "-l":
			long = true
		default:
			return c.fail(1, "%s: Unknown option '%s' (see \"%s --help\")", c.args[0], opt[1:], c.args[0])
		}
	}
	if len(args) != 1 {
		return c.fail(1, "%s: Needs 1 argument (see \"%s --help\")", c.args[0], c.args[0])
	}
	pattern, err := regexp.Compile(args[0])
	if err != nil {
		return c.fail(1, "%s: bad pattern '%s'", c.args[0], args[0])
	}
	code := 1
	for _, pr := range c.sys.Procs.List() {
		name := pr.Name
		if full {
			name = pr.Args
		}
		if pr.PID == c.pid || exact && name != args[0] || !pattern.MatchString(name) {
			continue
		}
		switch {
		case !kill && long:
			c.printf("%d %s\n", pr.PID, pr.Name)
		case !kill:
			c.printf("%d\n", pr.PID)
		case pr.User != "shell" || pr.Kill == nil:
			c.errorf("pkill: bad pid '%d': Operation not permitted\n", pr.PID)
			continue
		default:
			pr.Kill(sig)
		}
		code = 0
	}
	return code
}

func cmdPidof(c *call) int {
	args := c.args[1:]
	single := false
	for len(args) > 0 && args[0] == "-s" {
		single, args = true, args[1:]
	}
	var pids []string
	for _, name := range args {
		for _, pr := range c.sys.Procs.List() {
			if pr.Name == name {
				pids = append(pids, strconv.Itoa(pr.PID))
			}
		}
	}
	if len(pids) == 0 {
		return 1
	}
	slices.Reverse(pids)
	if single {
		pids = pids[:1]
	}
	c.printf("%s\n", strings.Join(pids, " "))
	return 0
}

// psHelp is the beginning of what toybox prints for ps --help. Programs search it for the options that ps has.
const psHelp = `usage: ps [-AadefLlnwZ] [-gG GROUP,] [-k FIELD,] [-o FIELD,] [-p PID,] [-t TTY,] [-uU USER,]

List processes.

Which processes to show (-gGuUpPt selections may be comma separated lists):

-A	All
-a	Has terminal not session leader
-d	All but session leaders
-e	Synonym for -A
`

func cmdPs(c *call) int {
	all, columns := false, ""
	args := c.args[1:]
	if len(args) == 1 && args[0] == "--help" {
		c.printf("%s", psHelp)
		return 0
	}
	for len(args) > 0 {
		switch {
		case args[0] == "-A" || args[0] == "-e" || args[0] == "-ef":
			all = true
		case args[0] == "-o" && len(args) > 1:
			columns, args = args[1], args[1:]
		case args[0] == "-p" && len(args) > 1:
			args = args[1:]
		case strings.HasPrefix(args[0], "-"):
			return c.fail(1, "ps: Unknown option '%s' (see \"ps --help\")", args[0][1:])
		}
		args = args[1:]
	}
	columns = strings.ToUpper(cmp.Or(columns, "USER,PID,PPID,VSZ,RSS,WCHAN,ADDR,S,NAME"))
	fields := strings.Split(columns, ",")
	row := func(value func(string) string) {
		var cells []string
		for i, f := range fields {
			width := map[string]int{"USER": -12, "PID": 5, "PPID": 5, "VSZ": 10, "RSS": 6, "WCHAN": -10, "ADDR": 8, "S": 1}[f]
			if i == len(fields)-1 {
				width = 0
			}
			cells = append(cells, fmt.Sprintf("%*s", width, value(f)))
		}
		c.printf("%s\n", strings.Join(cells, " "))
	}
	row(func(f string) string { return f })
	for _, pr := range c.sys.Procs.List() {
		if !all && pr.User != "shell" {
			continue
		}
		row(func(f string) string { return pr.Column(f) })
	}
	return 0
}
