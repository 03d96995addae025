package system

import (
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
)

// tasks is the activity manager: the stack of activities, and the processes of apps. The phone's lock guards it.
type tasks struct {
	*kernel.Kernel
	opts     spec.Options
	prof     spec.Profile
	settings settings
	Packages map[string]*Package
	input    *textInput // which loses the focus when another activity comes to the front

	Stack     []*Activity
	Apps      map[string]*running
	nextTask  int
	token     uint32
	changed   time.Time // when another activity came to the front
	anr       string    // the app that the system's dialog is about
	Complaint string    // the window's title of the system's dialog about an app
	Automated instrumentation
}

// instrumentation is a process that tests apps, as the agent is: it runs until its package is stopped.
type instrumentation interface {
	// ConsistsOf reports whether it ends with a package; end ends it. The phone's lock may be held.
	ConsistsOf(pkg string) bool
	End()
	// Works reports whether it has the place for an automation service.
	Works() bool
}

// activity makes an activity in the task of its app.
func (t *tasks) activity(pkg, class string) *Activity {
	t.token += 0x1f35
	a := &Activity{Pkg: pkg, Class: class, Token: t.token, Started: time.Now()}
	if top := len(t.Stack); top > 0 && t.Stack[top-1].Pkg == pkg {
		a.Task = t.Stack[top-1].Task
	} else {
		t.nextTask++
		a.Task = t.nextTask
	}
	return a
}

// push puts an activity on top.
func (t *tasks) push(a *Activity) {
	t.Stack = append(t.Stack, a)
	t.moved()
}

// Top is the foreground activity.
func (t *tasks) Top() *Activity { return t.Stack[len(t.Stack)-1] }

// process starts the app's process unless it lives.
func (t *tasks) process(pkg string) (r *running, cold bool) {
	if r := t.Apps[pkg]; r != nil {
		return r, false
	}
	r = &running{PID: t.Procs.PID(), started: time.Now()}
	t.Apps[pkg] = r
	t.Procs.Add(&kernel.Process{PID: r.PID, PPID: 512, User: "u0_a" + fmt.Sprint(t.Packages[pkg].UID-10000), Name: pkg,
		Args: pkg})
	t.Log.Write(kernel.LogLine{
		PID: 1033, Tid: 1060, Pri: 'I', Tag: "ActivityManager",
		Text: fmt.Sprintf("Start proc %d:%s/u0a%d for next-top-activity", r.PID, pkg, t.Packages[pkg].UID-10000),
	})
	return r, true
}

// moved is called when another activity came to the front.
func (t *tasks) moved() {
	t.changed = time.Now()
	t.input.unfocus()
	a := t.Top()
	t.Log.Write(kernel.LogLine{PID: 1033, Tid: 1061, Pri: 'I', Tag: "ActivityTaskManager", Text: "Displayed " +
		a.Component()})
}

// bring puts a package's activities on top, in their order; false when it has none.
func (t *tasks) bring(pkg string) bool {
	var rest, mine []*Activity
	for _, a := range t.Stack {
		if a.Pkg == pkg {
			mine = append(mine, a)
		} else {
			rest = append(rest, a)
		}
	}
	if len(mine) == 0 {
		return false
	}
	was := t.Top()
	t.Stack = append(rest, mine...)
	if t.Top() != was {
		t.moved()
	}
	return true
}

func (t *tasks) home() { t.bring(spec.LauncherPackage) }

// Finish closes an activity; the launcher stays.
func (t *tasks) Finish(a *Activity) {
	for i, b := range t.Stack {
		if b == a && a.Pkg != spec.LauncherPackage {
			t.Stack = append(t.Stack[:i:i], t.Stack[i+1:]...)
			if page, ok := a.Page.(interface{ Close() }); ok {
				page.Close()
			}
			t.moved()
			return
		}
	}
}

// Stop kills an app and closes its activities.
func (t *tasks) Stop(pkg string) {
	if t.Automated != nil && t.Automated.ConsistsOf(pkg) {
		t.Automated.End()
	}
	if t.Apps[pkg] == nil || pkg == spec.LauncherPackage {
		return
	}
	t.Log.Write(kernel.LogLine{
		PID: 1033, Tid: 1060, Pri: 'I', Tag: "ActivityManager",
		Text: fmt.Sprintf("Force stopping %s appid=%d user=0", pkg, t.Packages[pkg].UID),
	})
	t.remove(pkg)
}

// remove ends a process and its activities.
func (t *tasks) remove(pkg string) {
	r := t.Apps[pkg]
	var rest []*Activity
	for _, a := range t.Stack {
		if a.Pkg != pkg {
			rest = append(rest, a)
		}
	}
	was := t.Top()
	t.Stack = rest
	delete(t.Apps, pkg)
	t.Procs.Remove(r.PID)
	if r.Web != nil {
		r.Web.End()
	}
	if t.anr == pkg {
		t.anr, t.Complaint = "", ""
	}
	if t.Top() != was {
		t.moved()
	}
}

// Settled reports whether the transition to the topmost activity has ended.
func (t *tasks) Settled(now time.Time) bool {
	wait := t.opts.Transition
	if t.settings["global"]["transition_animation_scale"] == "0" {
		wait = 0
	}
	return !now.Before(t.changed.Add(wait))
}

func (t *tasks) has(pkg, class string) bool {
	for _, a := range t.Stack {
		if a.Pkg == pkg && a.Class == class {
			return true
		}
	}
	return false
}

// Crash ends an app by an exception that was not caught.
func (t *tasks) Crash(pkg, exception string) {
	r := t.Apps[pkg]
	if r == nil || pkg == spec.LauncherPackage {
		return
	}
	front := t.Top().Pkg == pkg
	t.Log.Write(kernel.LogLine{
		PID: r.PID, Pri: 'E', Tag: "AndroidRuntime", Buffer: "crash",
		Text: fmt.Sprintf(
			"FATAL EXCEPTION: main\nProcess: %s, PID: %d\n%s\n\tat %s.MainActivity.onClick(MainActivity.java:42)\n"+
				"\tat android.view.View.performClick(View.java:7506)\n\tat android.os.Looper.loop(Looper.java:294)", pkg, r.PID,
			exception, pkg),
	})
	state := "cch CRE "
	if front {
		state = "fg  TOP "
	}
	t.bury(r, pkg, state)
}

// bury removes an app with a process that has ended, which the system reports.
func (t *tasks) bury(r *running, pkg, state string) {
	t.remove(pkg)
	t.Log.Write(kernel.LogLine{
		PID: 1033, Tid: 1060, Pri: 'I', Tag: "ActivityManager", Text: fmt.Sprintf("Process %s (pid %d) has died: %s", pkg,
			r.PID, state),
	})
}

// Die ends an app that the system kills without a word, for want of memory.
func (t *tasks) Die(pkg string) {
	r := t.Apps[pkg]
	if r == nil || pkg == spec.LauncherPackage {
		return
	}
	t.bury(r, pkg, "fg  TOP ")
}

// CrashProcess is the death of a process that an app has in addition to its own.
func (t *tasks) CrashProcess(process, exception string) {
	pkg, _, _ := strings.Cut(process, ":")
	pid := t.Procs.PID()
	system := func(format string, args ...any) {
		t.Log.Write(
			kernel.LogLine{PID: 1033, Tid: 1060, Pri: 'I', Tag: "ActivityManager", Text: fmt.Sprintf(format, args...)},
		)
	}
	if p := t.Packages[pkg]; p != nil {
		system("Start proc %d:%s/u0a%d for service {%s/%s.SyncService}", pid, process, p.UID-10000, pkg, pkg)
	}
	t.Log.Write(kernel.LogLine{
		PID: pid, Pri: 'E', Tag: "AndroidRuntime", Buffer: "crash",
		Text: fmt.Sprintf(
			"FATAL EXCEPTION: main\nProcess: %s, PID: %d\n%s\n\tat "+
				"%s.SyncService.onStartCommand(SyncService.java:17)", process, pid, exception, pkg),
	})
	system("Process %s (pid %d) has died: prcp FGS ", process, pid)
}

// CrashNative ends an app by a signal, which leaves a tombstone and no exception.
func (t *tasks) CrashNative(pkg string) {
	r := t.Apps[pkg]
	if r == nil || pkg == spec.LauncherPackage {
		return
	}
	comm := pkg[max(0, len(pkg)-15):]
	t.Log.Write(kernel.LogLine{
		PID: r.PID, Pri: 'F', Tag: "libc", Buffer: "crash",
		Text: fmt.Sprintf("Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid %d (%s), pid %d (%s)",
			r.PID, comm, r.PID, comm),
	})
	t.Log.Write(kernel.LogLine{
		PID: t.Procs.PID(), Pri: 'F', Tag: "DEBUG", Buffer: "crash",
		Text: fmt.Sprintf(
			"*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\nBuild fingerprint: '%s'\nABI: 'arm64'\nCmdline: "+
				"%s\n"+
				"pid: %d, tid: %d, name: %s  >>> %s <<<\nsignal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr "+
				"0x0000000000000000\n"+
				"backtrace:\n      #00 pc 000000000001d4c8  /data/app/%s/lib/arm64/libdecoder.so (decode+72)",
			t.prof.Fingerprint(), pkg, r.PID, r.PID, comm, pkg, pkg),
	})
	t.bury(r, pkg, "fg  TOP ")
}

// Freeze is an app that does not respond: the log says so, and a dialog offers what to do.
func (t *tasks) Freeze(pkg string) {
	r := t.Apps[pkg]
	if r == nil {
		return
	}
	t.Log.Write(kernel.LogLine{
		PID: 1033, Tid: 1061, Pri: 'E', Tag: "ActivityManager",
		Text: fmt.Sprintf(
			"ANR in %s (%s)\nPID: %d\nReason: Input dispatching timed out (%s is not responding. Waited 5003ms for "+
				"MotionEvent)\nLoad: 1.2 / 1.1 / 0.9",
			pkg, t.Top().Component(), r.PID, t.Top().Component()),
	})
	t.anr, t.Complaint = pkg, "Application Not Responding: "+pkg
}

// AppLog writes to the phone's log as a process of the app.
func (t *tasks) AppLog(pkg, tag, format string, args ...any) {
	r := t.Apps[pkg]
	if r == nil {
		return
	}
	t.Log.Write(kernel.LogLine{PID: r.PID, Tid: r.PID, Pri: 'I', Tag: tag, Text: fmt.Sprintf(format, args...)})
}

// Tag is the label of an app, with which it logs.
func (t *tasks) Tag(pkg string) string {
	if a := t.Packages[pkg]; a != nil {
		return a.Label
	}
	return pkg
}
