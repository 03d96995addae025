package androidsim

import (
	"fmt"
	"strings"
	"time"
)

// tasks is the activity manager: the stack of activities, and the processes of apps. The phone's lock guards it.
type tasks struct {
	*kernel
	opts     Options
	prof     profile
	settings settings
	packages map[string]*installed
	input    *textInput // which loses the focus when another activity comes to the front

	stack     []*activity
	apps      map[string]*running
	nextTask  int
	token     uint32
	changed   time.Time // when another activity came to the front
	anr       string    // the app that the system's dialog is about
	complaint string    // the window's title of the system's dialog about an app
	automated instrumentation
}

// instrumentation is a process that tests apps, as the agent is: it runs until its package is stopped.
type instrumentation interface {
	// consistsOf reports whether it ends with a package; end ends it. The phone's lock may be held.
	consistsOf(pkg string) bool
	end()
	// works reports whether it has the place for an automation service.
	works() bool
}

// activity makes an activity in the task of its app.
func (s *tasks) activity(pkg, class string) *activity {
	s.token += 0x1f35
	a := &activity{pkg: pkg, class: class, token: s.token, started: time.Now()}
	if top := len(s.stack); top > 0 && s.stack[top-1].pkg == pkg {
		a.task = s.stack[top-1].task
	} else {
		s.nextTask++
		a.task = s.nextTask
	}
	return a
}

// push puts an activity on top.
func (s *tasks) push(a *activity) {
	s.stack = append(s.stack, a)
	s.moved()
}

func (s *tasks) top() *activity { return s.stack[len(s.stack)-1] }

// process starts the app's process unless it lives.
func (s *tasks) process(pkg string) (r *running, cold bool) {
	if r := s.apps[pkg]; r != nil {
		return r, false
	}
	r = &running{pid: s.procs.pid(), started: time.Now()}
	s.apps[pkg] = r
	s.procs.add(&process{pid: r.pid, ppid: 512, user: "u0_a" + fmt.Sprint(s.packages[pkg].uid-10000), name: pkg,
		args: pkg})
	s.log.write(logLine{
		pid: 1033, tid: 1060, pri: 'I', tag: "ActivityManager",
		text: fmt.Sprintf("Start proc %d:%s/u0a%d for next-top-activity", r.pid, pkg, s.packages[pkg].uid-10000),
	})
	return r, true
}

// moved is called when another activity came to the front.
func (s *tasks) moved() {
	s.changed = time.Now()
	s.input.unfocus()
	a := s.top()
	s.log.write(logLine{pid: 1033, tid: 1061, pri: 'I', tag: "ActivityTaskManager", text: "Displayed " +
		a.component()})
}

// bring puts a package's activities on top, in their order; false when it has none.
func (s *tasks) bring(pkg string) bool {
	var rest, mine []*activity
	for _, a := range s.stack {
		if a.pkg == pkg {
			mine = append(mine, a)
		} else {
			rest = append(rest, a)
		}
	}
	if len(mine) == 0 {
		return false
	}
	was := s.top()
	s.stack = append(rest, mine...)
	if s.top() != was {
		s.moved()
	}
	return true
}

func (s *tasks) home() { s.bring(launcherPackage) }

// finish closes an activity; the launcher stays.
func (s *tasks) finish(a *activity) {
	for i, b := range s.stack {
		if b == a && a.pkg != launcherPackage {
			s.stack = append(s.stack[:i:i], s.stack[i+1:]...)
			if page, ok := a.page.(interface{ close() }); ok {
				page.close()
			}
			s.moved()
			return
		}
	}
}

// stop kills an app and closes its activities.
func (s *tasks) stop(pkg string) {
	if s.automated != nil && s.automated.consistsOf(pkg) {
		s.automated.end()
	}
	if s.apps[pkg] == nil || pkg == launcherPackage {
		return
	}
	s.log.write(logLine{
		pid: 1033, tid: 1060, pri: 'I', tag: "ActivityManager",
		text: fmt.Sprintf("Force stopping %s appid=%d user=0", pkg, s.packages[pkg].uid),
	})
	s.remove(pkg)
}

// remove ends a process and its activities.
func (s *tasks) remove(pkg string) {
	r := s.apps[pkg]
	var rest []*activity
	for _, a := range s.stack {
		if a.pkg != pkg {
			rest = append(rest, a)
		}
	}
	was := s.top()
	s.stack = rest
	delete(s.apps, pkg)
	s.procs.remove(r.pid)
	if r.web != nil {
		r.web.end()
	}
	if s.anr == pkg {
		s.anr, s.complaint = "", ""
	}
	if s.top() != was {
		s.moved()
	}
}

// settled reports whether the transition to the topmost activity has ended.
func (s *tasks) settled(now time.Time) bool {
	wait := s.opts.Transition
	if s.settings["global"]["transition_animation_scale"] == "0" {
		wait = 0
	}
	return !now.Before(s.changed.Add(wait))
}

func (s *tasks) has(pkg, class string) bool {
	for _, a := range s.stack {
		if a.pkg == pkg && a.class == class {
			return true
		}
	}
	return false
}

// crash ends an app by an exception that was not caught.
func (s *tasks) crash(pkg, exception string) {
	r := s.apps[pkg]
	if r == nil || pkg == launcherPackage {
		return
	}
	front := s.top().pkg == pkg
	s.log.write(logLine{
		pid: r.pid, pri: 'E', tag: "AndroidRuntime", buffer: "crash",
		text: fmt.Sprintf(
			"FATAL EXCEPTION: main\nProcess: %s, PID: %d\n%s\n\tat %s.MainActivity.onClick(MainActivity.java:42)\n"+
				"\tat android.view.View.performClick(View.java:7506)\n\tat android.os.Looper.loop(Looper.java:294)", pkg, r.pid,
			exception, pkg),
	})
	state := "cch CRE "
	if front {
		state = "fg  TOP "
	}
	s.bury(r, pkg, state)
}

// bury removes an app with a process that has ended, which the system reports.
func (s *tasks) bury(r *running, pkg, state string) {
	s.remove(pkg)
	s.log.write(logLine{
		pid: 1033, tid: 1060, pri: 'I', tag: "ActivityManager", text: fmt.Sprintf("Process %s (pid %d) has died: %s", pkg,
			r.pid, state),
	})
}

// die ends an app that the system kills without a word, for want of memory.
func (s *tasks) die(pkg string) {
	r := s.apps[pkg]
	if r == nil || pkg == launcherPackage {
		return
	}
	s.bury(r, pkg, "fg  TOP ")
}

// crashProcess is the death of a process that an app has in addition to its own.
func (s *tasks) crashProcess(process, exception string) {
	pkg, _, _ := strings.Cut(process, ":")
	pid := s.procs.pid()
	system := func(format string, args ...any) {
		s.log.write(logLine{pid: 1033, tid: 1060, pri: 'I', tag: "ActivityManager", text: fmt.Sprintf(format, args...)})
	}
	if p := s.packages[pkg]; p != nil {
		system("Start proc %d:%s/u0a%d for service {%s/%s.SyncService}", pid, process, p.uid-10000, pkg, pkg)
	}
	s.log.write(logLine{
		pid: pid, pri: 'E', tag: "AndroidRuntime", buffer: "crash",
		text: fmt.Sprintf(
			"FATAL EXCEPTION: main\nProcess: %s, PID: %d\n%s\n\tat "+
				"%s.SyncService.onStartCommand(SyncService.java:17)", process, pid, exception, pkg),
	})
	system("Process %s (pid %d) has died: prcp FGS ", process, pid)
}

// crashNative ends an app by a signal, which leaves a tombstone and no exception.
func (s *tasks) crashNative(pkg string) {
	r := s.apps[pkg]
	if r == nil || pkg == launcherPackage {
		return
	}
	comm := pkg[max(0, len(pkg)-15):]
	s.log.write(logLine{
		pid: r.pid, pri: 'F', tag: "libc", buffer: "crash",
		text: fmt.Sprintf("Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid %d (%s), pid %d (%s)",
			r.pid, comm, r.pid, comm),
	})
	s.log.write(logLine{
		pid: s.procs.pid(), pri: 'F', tag: "DEBUG", buffer: "crash",
		text: fmt.Sprintf(
			"*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\nBuild fingerprint: '%s'\nABI: 'arm64'\nCmdline: "+
				"%s\n"+
				"pid: %d, tid: %d, name: %s  >>> %s <<<\nsignal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr "+
				"0x0000000000000000\n"+
				"backtrace:\n      #00 pc 000000000001d4c8  /data/app/%s/lib/arm64/libdecoder.so (decode+72)",
			s.prof.fingerprint(), pkg, r.pid, r.pid, comm, pkg, pkg),
	})
	s.bury(r, pkg, "fg  TOP ")
}

// freeze is an app that does not respond: the log says so, and a dialog offers what to do.
func (s *tasks) freeze(pkg string) {
	r := s.apps[pkg]
	if r == nil {
		return
	}
	s.log.write(logLine{
		pid: 1033, tid: 1061, pri: 'E', tag: "ActivityManager",
		text: fmt.Sprintf(
			"ANR in %s (%s)\nPID: %d\nReason: Input dispatching timed out (%s is not responding. Waited 5003ms for "+
				"MotionEvent)\nLoad: 1.2 / 1.1 / 0.9",
			pkg, s.top().component(), r.pid, s.top().component()),
	})
	s.anr, s.complaint = pkg, "Application Not Responding: "+pkg
}

// appLog writes to the phone's log as a process of the app.
func (s *tasks) appLog(pkg, tag, format string, args ...any) {
	r := s.apps[pkg]
	if r == nil {
		return
	}
	s.log.write(logLine{pid: r.pid, tid: r.pid, pri: 'I', tag: tag, text: fmt.Sprintf(format, args...)})
}

func (s *tasks) tag(pkg string) string {
	if a := s.packages[pkg]; a != nil {
		return a.label
	}
	return pkg
}
