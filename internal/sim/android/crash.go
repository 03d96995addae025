package androidsim

import (
	"fmt"
	"strings"
)

// crash ends an app by an exception that was not caught.
func (s *screen) crash(pkg, exception string) {
	r := s.apps[pkg]
	if r == nil || pkg == launcherPackage {
		return
	}
	front := s.top().pkg == pkg
	s.phone.log.write(logLine{
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
func (s *screen) bury(r *running, pkg, state string) {
	s.remove(pkg)
	s.phone.log.write(logLine{
		pid: 1033, tid: 1060, pri: 'I', tag: "ActivityManager", text: fmt.Sprintf("Process %s (pid %d) has died: %s", pkg,
			r.pid, state),
	})
}

// die ends an app that the system kills without a word, for want of memory.
func (s *screen) die(pkg string) {
	r := s.apps[pkg]
	if r == nil || pkg == launcherPackage {
		return
	}
	s.bury(r, pkg, "fg  TOP ")
}

// crashProcess is the death of a process that an app has in addition to its own.
func (s *screen) crashProcess(process, exception string) {
	pkg, _, _ := strings.Cut(process, ":")
	pid := s.phone.procs.pid()
	system := func(format string, args ...any) {
		s.phone.log.write(logLine{pid: 1033, tid: 1060, pri: 'I', tag: "ActivityManager", text: fmt.Sprintf(format, args...)})
	}
	if p := s.phone.packages[pkg]; p != nil {
		system("Start proc %d:%s/u0a%d for service {%s/%s.SyncService}", pid, process, p.uid-10000, pkg, pkg)
	}
	s.phone.log.write(logLine{
		pid: pid, pri: 'E', tag: "AndroidRuntime", buffer: "crash",
		text: fmt.Sprintf(
			"FATAL EXCEPTION: main\nProcess: %s, PID: %d\n%s\n\tat "+
				"%s.SyncService.onStartCommand(SyncService.java:17)", process, pid, exception, pkg),
	})
	system("Process %s (pid %d) has died: prcp FGS ", process, pid)
}

// crashNative ends an app by a signal, which leaves a tombstone and no exception.
func (s *screen) crashNative(pkg string) {
	r := s.apps[pkg]
	if r == nil || pkg == launcherPackage {
		return
	}
	comm := pkg[max(0, len(pkg)-15):]
	s.phone.log.write(logLine{
		pid: r.pid, pri: 'F', tag: "libc", buffer: "crash",
		text: fmt.Sprintf("Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid %d (%s), pid %d (%s)",
			r.pid, comm, r.pid, comm),
	})
	s.phone.log.write(logLine{
		pid: s.phone.procs.pid(), pri: 'F', tag: "DEBUG", buffer: "crash",
		text: fmt.Sprintf(
			"*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\nBuild fingerprint: '%s'\nABI: 'arm64'\nCmdline: "+
				"%s\n"+
				"pid: %d, tid: %d, name: %s  >>> %s <<<\nsignal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr "+
				"0x0000000000000000\n"+
				"backtrace:\n      #00 pc 000000000001d4c8  /data/app/%s/lib/arm64/libdecoder.so (decode+72)",
			s.phone.prof.fingerprint(), pkg, r.pid, r.pid, comm, pkg, pkg),
	})
	s.bury(r, pkg, "fg  TOP ")
}

// freeze is an app that does not respond: the log says so, and a dialog offers what to do.
func (s *screen) freeze(pkg string) {
	r := s.apps[pkg]
	if r == nil {
		return
	}
	s.phone.log.write(logLine{
		pid: 1033, tid: 1061, pri: 'E', tag: "ActivityManager",
		text: fmt.Sprintf(
			"ANR in %s (%s)\nPID: %d\nReason: Input dispatching timed out (%s is not responding. Waited 5003ms for "+
				"MotionEvent)\nLoad: 1.2 / 1.1 / 0.9",
			pkg, s.top().component(), r.pid, s.top().component()),
	})
	s.anr, s.complaint = pkg, "Application Not Responding: "+pkg
}
