package browser

import (
	"path/filepath"
	"strconv"
	"syscall"
)

const (
	// PlainPriority is the priority that a process has unless it is changed, as the system's call returns it: 20
	// less what nice says.
	PlainPriority = 20
	// Urgent is the priority that Chromium sets for the threads that draw its pages, where it may.
	Urgent = -8
)

// hasten sets for Playwright's process the priority that Chromium sets for threads of its own, where this process may
// do so and has the plain one itself: every call to every page goes through it, so that on a busy machine all pages
// would wait for it. What it starts has the same from then on.
func (p *process) hasten() {
	if own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil && own == PlainPriority {
		p.prioritise(Urgent)
	}
}

// slacken sets the plain priority again, so that a browser which it starts does not get more than other programs.
func (p *process) slacken() {
	if now, err := syscall.Getpriority(syscall.PRIO_PROCESS, p.pw.Pid()); err == nil && now == PlainPriority-Urgent {
		p.prioritise(0)
	}
}

func (p *process) prioritise(nice int) {
	threads, _ := filepath.Glob("/proc/" + strconv.Itoa(p.pw.Pid()) + "/task/*") // the pattern is right
	for _, thread := range threads {
		if id, err := strconv.Atoi(filepath.Base(thread)); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, nice) // who may not keeps what it has
		}
	}
}
