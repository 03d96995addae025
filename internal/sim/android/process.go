package androidsim

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The signals that a device process may get.
const (
	sigHUP  = 1
	sigINT  = 2
	sigKILL = 9
	sigTERM = 15
)

// killed is why a process's context ended.
type killed int

func (k killed) Error() string { return fmt.Sprintf("killed by signal %d", int(k)) }

// signalOf is the signal that ended a context; a phone that is gone counts as SIGKILL.
func signalOf(ctx context.Context) int {
	if k, ok := context.Cause(ctx).(killed); ok {
		return int(k)
	}
	return sigKILL
}

type process struct {
	pid, ppid int
	user      string
	name      string // what pidof and pkill compare
	args      string // what ps -o ARGS and pkill -f compare
	started   time.Time
	kill      func(sig int)
}

type processTable struct {
	mu   sync.Mutex
	next int
	all  map[int]*process
	// pending are signals for background jobs with a program that has not started yet.
	pending map[int]int
}

func newProcessTable() *processTable {
	t := &processTable{next: 4200, all: map[int]*process{}, pending: map[int]int{}}
	for pid, name := range map[int]string{1: "init", 512: "surfaceflinger", 1033: "system_server", 1420: "adbd"} {
		user := "system"
		if pid == 1 {
			user = "root"
		}
		t.all[pid] = &process{pid: pid, ppid: min(pid-1, 1), user: user, name: name, args: name, started: time.Now()}
	}
	t.all[1420].user = "shell"
	return t
}

func (t *processTable) pid() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	return t.next
}

func (t *processTable) add(p *process) {
	t.mu.Lock()
	p.started = time.Now()
	t.all[p.pid] = p
	sig := t.pending[p.pid]
	delete(t.pending, p.pid)
	t.mu.Unlock()
	if sig != 0 && p.kill != nil {
		p.kill(sig)
	}
}

// fork lists a background job at once, so that a script may signal it before its program runs.
func (t *processTable) fork(arg string, parent int) {
	pid, err := strconv.Atoi(arg)
	if err != nil {
		return
	}
	t.add(&process{pid: pid, ppid: parent, user: "shell", name: "sh", args: "sh", kill: func(sig int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.pending[pid] = sig
	}})
}

func (t *processTable) remove(pid int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, pid)
	delete(t.pending, pid)
}

func (t *processTable) list() []process {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []process
	for _, pid := range slices.Sorted(maps.Keys(t.all)) {
		out = append(out, *t.all[pid])
	}
	return out
}

func (t *processTable) get(pid int) (process, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.all[pid]
	if !ok {
		return process{}, false
	}
	return *p, true
}

func (t *processTable) killAll() {
	for _, p := range t.list() {
		if p.kill != nil {
			p.kill(sigKILL)
		}
	}
}

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
	sig, args := sigTERM, c.args[1:]
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
		pr, ok := c.sys.procs.get(pid)
		switch {
		case !ok:
			code = c.fail(1, "/system/bin/sh: kill: %d: No such process", pid)
		case pr.user != "shell" || pr.kill == nil:
			code = c.fail(1, "/system/bin/sh: kill: %d: Operation not permitted", pid)
		case sig != 0:
			pr.kill(sig)
		}
	}
	return code
}

func cmdPkill(c *call) int { return matchProcesses(c, true) }

func cmdPgrep(c *call) int { return matchProcesses(c, false) }

func matchProcesses(c *call, kill bool) int {
	sig, full, exact, long := sigTERM, false, false, false
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
	for _, pr := range c.sys.procs.list() {
		name := pr.name
		if full {
			name = pr.args
		}
		if pr.pid == c.pid || exact && name != args[0] || !pattern.MatchString(name) {
			continue
		}
		switch {
		case !kill && long:
			c.printf("%d %s\n", pr.pid, pr.name)
		case !kill:
			c.printf("%d\n", pr.pid)
		case pr.user != "shell" || pr.kill == nil:
			c.errorf("pkill: bad pid '%d': Operation not permitted\n", pr.pid)
			continue
		default:
			pr.kill(sig)
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
		for _, pr := range c.sys.procs.list() {
			if pr.name == name {
				pids = append(pids, strconv.Itoa(pr.pid))
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

func cmdPs(c *call) int {
	all, columns := false, ""
	args := c.args[1:]
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
	for _, pr := range c.sys.procs.list() {
		if !all && pr.user != "shell" {
			continue
		}
		row(func(f string) string { return pr.column(f) })
	}
	return 0
}

func (p process) column(name string) string {
	switch name {
	case "USER", "UID":
		return p.user
	case "PID":
		return strconv.Itoa(p.pid)
	case "PPID":
		return strconv.Itoa(p.ppid)
	case "VSZ":
		return "10761844"
	case "RSS":
		return "3412"
	case "S":
		return "S"
	case "ARGS", "CMDLINE":
		return p.args
	case "NAME", "CMD", "COMM":
		return p.name
	default:
		return "0"
	}
}
