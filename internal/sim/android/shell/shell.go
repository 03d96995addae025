// Package shell has the programs of a simulated phone's shell, which respond as those of Android do.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
)

// Names that stand for $$ and $! inside a script: the interpreter would give those of this program.
const (
	selfPID  = "__TAPSIM_SELF"
	childPID = "__TAPSIM_CHILD"
)

// notBuiltin marks a command that the interpreter has and the phone's shell has not; replaced marks what exec runs.
const (
	notBuiltin = "\x00ext:"
	replaced   = "\x00exec:"
	forked     = "\x00fork" // PID: a background job starts
	reaped     = "\x00reap" // PID: it has ended
)

// call is one command that runs on the phone.
type call struct {
	ctx  context.Context
	sys  *system.System
	land *Userland
	args []string
	pid  int
	dir  string
	in   io.Reader
	out  io.Writer
	err  io.Writer
	// exec is true for the service exec:, in which /dev/tty leads back to the host.
	exec  bool
	shell *shell
	due   time.Time // of the event that an input command makes
}

func (c *call) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

func (c *call) errorf(format string, args ...any) { fmt.Fprintf(c.err, format, args...) }

// pass lets time go by; it says whether the wait was whole.
func (c *call) pass(d time.Duration) bool {
	if !kernel.Pause(c.ctx, d) {
		return false
	}
	c.shell.passed.Add(int64(d))
	return true
}

// fail writes one line to stderr and returns the exit code.
func (c *call) fail(code int, format string, args ...any) int {
	c.errorf(format+"\n", args...)
	return code
}

func (c *call) path(name string) string { return kernel.Resolve(c.dir, name) }

// shell is one /system/bin/sh with its standard streams.
type shell struct {
	sys  *system.System
	land *Userland
	pid  int
	dir  string
	in   *os.File
	out  io.Writer
	err  io.Writer
	exec bool

	began  time.Time
	passed atomic.Int64 // nanoseconds of its script's own waits
}

// now is the time as its script has it: a machine that stalls lets none pass between two taps.
func (s *shell) now() time.Time { return s.began.Add(time.Duration(s.passed.Load())) }

// run interprets a script; the context's cause says by which signal it was ended.
func (s *shell) run(ctx context.Context, script string, params ...string) int {
	ctx, cancel, ended := s.context(ctx)
	s.began = time.Now()
	jobs := false
	defer func() { ended(jobs) }()
	s.sys.Procs.Add(&kernel.Process{
		PID: s.pid, PPID: 1420, User: "shell", Name: "sh", Args: "sh -c " + script,
		Kill: func(sig int) { cancel(kernel.Killed(sig)) },
	})
	defer s.sys.Procs.Remove(s.pid)
	file, err := syntax.NewParser(syntax.Variant(syntax.LangMirBSDKorn)).Parse(strings.NewReader(script), "")
	if err != nil {
		fmt.Fprintf(s.err, "/system/bin/sh: %s\n", syntaxError(err))
		return 1
	}
	jobs = s.rewrite(file)
	runner, err := interp.New(
		interp.Env(expand.ListEnviron(
			"PATH=/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/odm/bin:/vendor/bin",
			"HOME=/", "USER=shell", "LOGNAME=shell", "SHELL=/bin/sh", "TMPDIR=/data/local/tmp", "UID=2000", "EUID=2000",
			"GID=2000", "EXTERNAL_STORAGE=/sdcard", "ANDROID_ROOT=/system", "ANDROID_DATA=/data", "TERM=dumb",
			selfPID+"="+strconv.Itoa(s.pid))),
		interp.Dir("/"),
		interp.StdIO(s.in, s.out, s.err),
		interp.CallHandler(s.rename),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.execute }),
		interp.OpenHandler(s.openFile),
		interp.StatHandler(s.statFile),
		interp.AccessHandler(s.access),
		interp.ReadDirHandler2(s.readDir),
		interp.Params(append([]string{"--"}, params...)...),
	)
	if err != nil {
		fmt.Fprintf(s.err, "/system/bin/sh: %v\n", err)
		return 1
	}
	err = runner.Run(ctx, file)
	if ctx.Err() != nil {
		return 128 + kernel.SignalOf(ctx)
	}
	if status, ok := errors.AsType[interp.ExitStatus](err); ok {
		return int(status)
	}
	if err != nil {
		fmt.Fprintf(s.err, "/system/bin/sh: %v\n", err)
		return 1
	}
	return 0
}

// context ends with the host's stream while the shell runs. Background jobs outlive the shell, until the phone is
// closed.
func (s *shell) context(parent context.Context) (_ context.Context, cancel context.CancelCauseFunc,
	ended func(jobs bool)) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		if cause, ok := context.Cause(parent).(kernel.Killed); ok {
			cancel(cause)
			return
		}
		cancel(kernel.Killed(kernel.SigHUP))
	})
	stopPhone := context.AfterFunc(s.sys.Ctx, func() { cancel(kernel.Killed(kernel.SigKILL)) })
	return ctx, cancel, func(jobs bool) {
		stop()
		if !jobs {
			stopPhone()
			cancel(nil)
		}
	}
}

func syntaxError(err error) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "without closing quote"):
		return "no closing quote"
	case strings.Contains(text, "reached EOF"):
		return "syntax error: unexpected EOF"
	}
	_, text, _ = strings.Cut(text, ": ")
	return "syntax error: " + text
}

// rewrite replaces $$ and $! and assigns to every background job a process id of the phone.
func (s *shell) rewrite(file *syntax.File) (background bool) {
	var jobs []*syntax.Stmt
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			switch {
			case n.Param != nil && n.Param.Value == "$":
				n.Param.Value = selfPID
			case n.Param != nil && n.Param.Value == "!":
				n.Param.Value = childPID
			}
		case *syntax.Stmt:
			if n.Background {
				jobs = append(jobs, n)
			}
		}
		return true
	})
	for _, job := range jobs {
		s.background(job)
	}
	return len(jobs) > 0
}

// background turns `X &` into `{ child=N; ( self=N; exec X ) & }`, as the phone's shell forks once for a simple
// command.
func (s *shell) background(st *syntax.Stmt) {
	pid := strconv.Itoa(s.sys.Procs.PID())
	if cmd, ok := st.Cmd.(*syntax.CallExpr); ok && len(cmd.Args) > 0 {
		if first := cmd.Args[0].Lit(); first != "" && !interp.IsBuiltin(first) {
			exec := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "exec"}}}
			cmd.Args = append([]*syntax.Word{exec}, cmd.Args...)
		}
	}
	inner := &syntax.Stmt{Cmd: st.Cmd, Redirs: st.Redirs, Negated: st.Negated}
	job := &syntax.Stmt{Background: true, Cmd: &syntax.Subshell{
		Stmts: []*syntax.Stmt{assign(selfPID, pid), inner, plainCall(reaped, pid)}}}
	st.Background, st.Negated, st.Redirs = false, false, nil
	st.Cmd = &syntax.Block{Stmts: []*syntax.Stmt{assign(childPID, pid), plainCall(forked, pid), job}}
}

func plainCall(name, arg string) *syntax.Stmt {
	word := func(s string) *syntax.Word { return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}} }
	return &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{word(name), word(arg)}}}
}

func assign(name, value string) *syntax.Stmt {
	return &syntax.Stmt{Cmd: &syntax.CallExpr{Assigns: []*syntax.Assign{{
		Name:  &syntax.Lit{Value: name},
		Value: &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: value}}},
	}}}}
}

// rename sends commands to the phone's own programs where the interpreter has a builtin that the phone lacks or that
// behaves in another way there.
func (s *shell) rename(_ context.Context, args []string) ([]string, error) {
	switch args[0] {
	case "echo":
		// mksh expands backslashes unless it is switched off.
		if len(args) > 1 && args[1] == "-E" {
			return args, nil
		}
		return append([]string{"echo", "-e"}, args[1:]...), nil
	case "exec":
		if len(args) > 1 {
			return append([]string{"exec", replaced + args[1]}, args[2:]...), nil
		}
		return args, nil
	case ":", "true", "false", "test", "[", "cd", "pwd", "printf", "exit", "return", "set", "shift", "unset", "export",
		"eval", ".", "trap", "wait", "read", "break", "continue", "command", "type", "alias", "unalias", "getopts",
		"umask", "times", "local", "readonly":
		return args, nil
	}
	if interp.IsBuiltin(args[0]) {
		return append([]string{notBuiltin + args[0]}, args[1:]...), nil
	}
	return args, nil
}

// execute runs one of the phone's programs as a process of its own.
func (s *shell) execute(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	switch args[0] {
	case forked:
		s.sys.Procs.Fork(args[1], s.pid)
		return nil
	case reaped:
		pid, _ := strconv.Atoi(args[1])
		s.sys.Procs.Remove(pid)
		return exitStatus(hc.LastExitStatus)
	}
	if !s.sys.Work.Enter() {
		return exitStatus(128 + kernel.SigKILL)
	}
	defer s.sys.Work.Done()
	name, isExec := strings.CutPrefix(strings.TrimPrefix(args[0], notBuiltin), replaced)
	args = append([]string{name}, args[1:]...)
	pid := s.sys.Procs.PID()
	if isExec {
		pid, _ = strconv.Atoi(hc.Env.Get(selfPID).String())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &call{
		ctx:   ctx,
		sys:   s.sys,
		land:  s.land,
		args:  args,
		pid:   pid,
		dir:   hc.Dir,
		in:    hc.Stdin,
		out:   hc.Stdout,
		err:   hc.Stderr,
		exec:  s.exec,
		shell: s,
	}
	if c.in == nil {
		c.in = strings.NewReader("")
	}
	base := strings.TrimPrefix(name, "/system/bin/")
	run, ok := s.land.command(base)
	if !ok {
		return interp.ExitStatus(c.unknown(name))
	}
	s.land.count(base)
	if f, ok := s.land.Faults.Match(strings.Join(args, " "), true); ok {
		c.errorf("%s", f.Output)
		return exitStatus(f.Code)
	}
	s.sys.Procs.Add(&kernel.Process{
		PID: pid, PPID: s.pid, User: "shell", Name: base, Args: strings.Join(args, " "),
		Kill: func(sig int) { cancel(kernel.Killed(sig)) },
	})
	defer s.sys.Procs.Remove(pid)
	code := run(c)
	if ctx.Err() != nil && code == 0 {
		code = 128 + kernel.SignalOf(ctx)
	}
	return exitStatus(code)
}

func exitStatus(code int) error {
	if code == 0 {
		return nil
	}
	return interp.ExitStatus(uint8(code))
}

func (c *call) unknown(name string) int {
	if strings.Contains(name, "/") {
		info, err := c.sys.Files.Stat(c.path(name))
		switch {
		case err == nil && info.IsDir():
			return c.fail(126, "/system/bin/sh: %s: can't execute: Is a directory", name)
		case err == nil:
			return c.fail(126, "/system/bin/sh: %s: can't execute: Permission denied", name)
		}
	}
	return c.fail(127, "/system/bin/sh: %s: %s", name, c.sys.Prof.NotFound)
}

func (u *Userland) count(name string) {
	u.sys.Mu.Lock()
	defer u.sys.Mu.Unlock()
	u.counts[name]++
}

func (c *call) inputError(text string) int {
	if text != "" {
		c.errorf("%s\n", text)
	}
	c.errorf("%s", inputUsage)
	if c.sys.Prof.API >= 31 {
		return 255
	}
	return 1
}

// exception is an uncaught Java exception: worded by the shell command's framework, or the death of a process of its
// own.
func (c *call) exception(what, class, verb string) int {
	if c.sys.Prof.API >= 30 {
		c.errorf("\nException occurred while executing '%s':\n%s\n\tat "+
			"com.android.server.%s.ShellCommand.onCommand(ShellCommand.java:255)\n", verb, what, class)
		return 255
	}
	c.errorf("%s\n\tat com.android.commands.%s.Main.run(Main.java:82)\n", what, class)
	return 1
}

func (c *call) numbers(verb string, args []string, counts ...int) ([]int, int) {
	if !slices.Contains(counts, len(args)) {
		return nil, c.inputError("Error: Invalid arguments for command: " + verb)
	}
	var out []int
	for _, a := range args {
		f, err := strconv.ParseFloat(a, 64)
		if err != nil {
			return nil, c.exception(fmt.Sprintf("java.lang.NumberFormatException: For input string: \"%s\"", a), "input", verb)
		}
		out = append(out, int(f))
	}
	return out, 0
}
