package kernel

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
)

// The signals that a device process may get.
const (
	SigHUP  = 1
	sigINT  = 2
	SigKILL = 9
	SigTERM = 15
)

// Killed is why a process's context ended.
type Killed int

func (k Killed) Error() string { return fmt.Sprintf("killed by signal %d", int(k)) }

// SignalOf is the signal that ended a context; a phone that is gone counts as SIGKILL.
func SignalOf(ctx context.Context) int {
	if k, ok := context.Cause(ctx).(Killed); ok {
		return int(k)
	}
	return SigKILL
}

// Process is an entry of the process table.
type Process struct {
	PID, PPID int
	User      string
	Name      string // what pidof and pkill compare
	Args      string // what ps -o ARGS and pkill -f compare
	started   time.Time
	Kill      func(sig int)
}

type processTable struct {
	mu   sync.Mutex
	next int
	all  map[int]*Process
	// pending are signals for background jobs with a program that has not started yet.
	pending map[int]int
}

func newProcessTable() *processTable {
	t := &processTable{next: 4200, all: map[int]*Process{}, pending: map[int]int{}}
	for pid, name := range map[int]string{1: "init", 512: "surfaceflinger", 1033: "system_server", 1420: "adbd"} {
		user := "system"
		if pid == 1 {
			user = "root"
		}
		t.all[pid] = &Process{PID: pid, PPID: min(pid-1, 1), User: user, Name: name, Args: name, started: time.Now()}
	}
	t.all[1420].User = "shell"
	return t
}

// PID returns a number that no process has had.
func (t *processTable) PID() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	return t.next
}

// Add lists a process that has started; it gets a signal that was sent before.
func (t *processTable) Add(p *Process) {
	t.mu.Lock()
	p.started = time.Now()
	t.all[p.PID] = p
	sig := t.pending[p.PID]
	delete(t.pending, p.PID)
	t.mu.Unlock()
	if sig != 0 && p.Kill != nil {
		p.Kill(sig)
	}
}

// Fork lists a background job at once, so that a script may signal it before its program runs.
func (t *processTable) Fork(arg string, parent int) {
	pid, err := strconv.Atoi(arg)
	if err != nil {
		return
	}
	t.Add(&Process{PID: pid, PPID: parent, User: "shell", Name: "sh", Args: "sh", Kill: func(sig int) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.pending[pid] = sig
	}})
}

// Remove takes a process off the list.
func (t *processTable) Remove(pid int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, pid)
	delete(t.pending, pid)
}

// List returns all processes by their numbers.
func (t *processTable) List() []Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Process
	for _, pid := range slices.Sorted(maps.Keys(t.all)) {
		out = append(out, *t.all[pid])
	}
	return out
}

// Get returns the process with a number.
func (t *processTable) Get(pid int) (Process, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.all[pid]
	if !ok {
		return Process{}, false
	}
	return *p, true
}

// KillAll sends SIGKILL to all processes that take signals.
func (t *processTable) KillAll() {
	for _, p := range t.List() {
		if p.Kill != nil {
			p.Kill(SigKILL)
		}
	}
}

// Column is the value of one of ps's columns.
func (p Process) Column(name string) string {
	switch name {
	case "USER", "UID":
		return p.User
	case "PID":
		return strconv.Itoa(p.PID)
	case "PPID":
		return strconv.Itoa(p.PPID)
	case "VSZ":
		return "10761844"
	case "RSS":
		return "3412"
	case "S":
		return "S"
	case "ARGS", "CMDLINE":
		return p.Args
	case "NAME", "CMD", "COMM":
		return p.Name
	default:
		return "0"
	}
}
