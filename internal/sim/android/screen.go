package androidsim

import (
	"fmt"
	"image"
	"time"
)

// page is the state machine behind one activity. Its methods run with the phone's lock held.
type page interface {
	// view builds what is shown at m.now; it is called for every dump and screenshot.
	view(m metrics) *view
	// dialog builds a window over the page, or returns nil.
	dialog(m metrics) *view
	// back takes the back key; false finishes the activity.
	back() bool
}

// activity is an opened screen of an app.
type activity struct {
	pkg, class string // class with the package: com.example.login.MainActivity
	task       int
	token      uint32
	started    time.Time
	page       page
}

// component is pkg/.Class, shortened as dumpsys does.
func (a *activity) component() string { return shorten(a.pkg, a.class) }

func shorten(pkg, class string) string {
	if len(class) > len(pkg) && class[:len(pkg)+1] == pkg+"." {
		class = class[len(pkg):]
	}
	return pkg + "/" + class
}

// screen is the window manager: the stack of activities, the focus and the keyboard. Phone.mu guards it.
type screen struct {
	pictured  bool // a screenshot is being taken
	phone     *Phone
	stack     []*activity
	apps      map[string]*running
	nextTask  int
	token     uint32
	changed   time.Time // when another activity came to the front
	focus     *field
	web       *webTab // the page that has the focus instead of a field
	keyboard  bool
	guard     keyguard
	shade     bool // the notifications are pulled down
	overlays  []*window
	toast     toast
	anr       string // the app that the system's dialog is about
	lastTap   firstTap
	finger    *touchPoint
	barKeys   []string // buttons of the navigation bar that were touched
	clipboard string
	timers    []*time.Timer
	complaint string // the window's title of the system's dialog about an app
}

// running is the process of an app.
type running struct {
	pid     int
	started time.Time
	app     any
	web     *webProcess // nil: it has no WebView
}

func newScreen(p *Phone) *screen {
	return &screen{phone: p, apps: map[string]*running{}, nextTask: 1, token: 0x48b4735}
}

func (s *screen) boot() {
	s.open(launcherPackage, launcherPackage+".uioverrides.QuickstepLauncher", nil)
	s.changed = time.Time{}
	s.guard.locked = s.phone.opts.Lock != Unlocked
	if s.phone.opts.Asleep {
		s.sleep(false)
	}
}

func (s *screen) stopTimers() {
	for _, t := range s.timers {
		t.Stop()
	}
}

// later runs f with the lock held, unless the phone is closed before.
func (s *screen) later(d time.Duration, f func()) {
	p := s.phone
	s.timers = append(s.timers, time.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.ctx.Err() == nil {
			f()
		}
	}))
}

func (s *screen) top() *activity { return s.stack[len(s.stack)-1] }

// process starts the app's process unless it lives.
func (s *screen) process(pkg string) (r *running, cold bool) {
	if r := s.apps[pkg]; r != nil {
		return r, false
	}
	p := s.phone
	r = &running{pid: p.procs.pid(), started: time.Now()}
	s.apps[pkg] = r
	p.procs.add(&process{pid: r.pid, ppid: 512, user: "u0_a" + fmt.Sprint(p.packages[pkg].uid-10000), name: pkg,
		args: pkg})
	p.log.write(logLine{
		pid: 1033, tid: 1060, pri: 'I', tag: "ActivityManager",
		text: fmt.Sprintf("Start proc %d:%s/u0a%d for next-top-activity", r.pid, pkg, p.packages[pkg].uid-10000),
	})
	return r, true
}

// open puts a new activity of a known class on top; a nil data string means a plain start.
func (s *screen) open(pkg, class string, data *string) *activity {
	r, _ := s.process(pkg)
	s.token += 0x1f35
	a := &activity{pkg: pkg, class: class, token: s.token, started: time.Now()}
	if top := len(s.stack); top > 0 && s.stack[top-1].pkg == pkg {
		a.task = s.stack[top-1].task
	} else {
		s.nextTask++
		a.task = s.nextTask
	}
	a.page = newPage(s, r, a, data)
	s.stack = append(s.stack, a)
	s.moved()
	return a
}

// moved is called when another activity came to the front.
func (s *screen) moved() {
	s.changed = time.Now()
	s.focus, s.web = nil, nil
	s.keyboard = false
	a := s.top()
	s.phone.log.write(logLine{pid: 1033, tid: 1061, pri: 'I', tag: "ActivityTaskManager", text: "Displayed " +
		a.component()})
}

// bring puts a package's activities on top, in their order; false when it has none.
func (s *screen) bring(pkg string) bool {
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

func (s *screen) home() { s.bring(launcherPackage) }

// finish closes an activity; the launcher stays.
func (s *screen) finish(a *activity) {
	for i, b := range s.stack {
		if b == a && a.pkg != launcherPackage {
			s.stack = append(s.stack[:i:i], s.stack[i+1:]...)
			if page, ok := a.page.(*webPage); ok {
				page.tab.cancel()
			}
			s.moved()
			return
		}
	}
}

// stop kills an app and closes its activities.
func (s *screen) stop(pkg string) {
	s.phone.stopAgent(pkg)
	if s.apps[pkg] == nil || pkg == launcherPackage {
		return
	}
	s.phone.log.write(logLine{
		pid: 1033, tid: 1060, pri: 'I', tag: "ActivityManager",
		text: fmt.Sprintf("Force stopping %s appid=%d user=0", pkg, s.phone.packages[pkg].uid),
	})
	s.remove(pkg)
}

// remove ends a process and its activities.
func (s *screen) remove(pkg string) {
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
	s.phone.procs.remove(r.pid)
	if r.web != nil {
		r.web.cancel()
	}
	if s.anr == pkg {
		s.anr, s.complaint = "", ""
	}
	if s.top() != was {
		s.moved()
	}
}

func (s *screen) back() {
	switch a := s.top(); {
	case s.shade:
		s.shade = false
	case s.keyboard:
		s.keyboard = false
	case s.anr != "":
		s.anr = ""
	case a.page.back():
	default:
		s.finish(a)
	}
}

// size is the size in pixels after wm size and the rotation.
func (s *screen) size() image.Point {
	w, h := s.phone.displaySize()
	if s.rotation()%2 == 1 {
		w, h = h, w
	}
	return image.Pt(w, h)
}

func (s *screen) rotation() int {
	sys := s.phone.settings["system"]
	if sys["accelerometer_rotation"] == "1" {
		return 0
	}
	switch sys["user_rotation"] {
	case "1":
		return 1
	case "2":
		return 2
	case "3":
		return 3
	}
	return 0
}

const (
	statusBarDP = 28
	navBarDP    = 24
	buttonBarDP = 48
)

func (s *screen) metrics(now time.Time) metrics {
	size := s.size()
	scale := float64(s.phone.displayDensity()) / 160
	m := metrics{scale: scale, now: now}
	m.area = image.Rect(0, m.dp(statusBarDP), size.X, size.Y-m.dp(navBarDP))
	return m
}

// settled reports whether the transition to the topmost activity has ended.
func (s *screen) settled(now time.Time) bool {
	wait := s.phone.opts.Transition
	if s.phone.settings["global"]["transition_animation_scale"] == "0" {
		wait = 0
	}
	return !now.Before(s.changed.Add(wait))
}

// frame builds the screen at an instant.
func (s *screen) frame(now time.Time) *frame {
	m := s.metrics(now)
	f := &frame{at: now, size: s.size(), rotation: s.rotation(), keyboard: s.keyboard}
	if s.guard.off {
		return f
	}
	if s.guard.locked {
		f.windows = []*window{s.keyguardWindow(m, f.size), statusBar(m, f.size)}
		s.focus, s.web, s.keyboard, f.keyboard = nil, nil, false, false
		return f
	}
	f.windows = s.appWindows(m, f.size)
	if s.shade {
		f.active().focused = false
		f.windows = append(f.windows, notificationShade(m, f.size))
	}
	focusable := false
	f.active().root.walk(func(v *view) {
		if v.web != nil {
			v.focused = v.web == s.web
		} else if !v.virtual {
			v.focused = v.field != nil && v.field == s.focus || v.sharesFocus && s.focus != nil
		}
		focusable = focusable || v.focused && !v.virtual && !v.sharesFocus
	})
	if !focusable { // the field went away with its page
		s.focus, s.web, s.keyboard, f.keyboard = nil, nil, false, false
	}
	if p, ok := s.top().page.(*scenePage); ok {
		f.windows = append(f.windows, p.above(m)...)
	}
	if s.keyboard {
		f.windows = append(f.windows, keyboardWindow(m, f.size))
	}
	if s.anr != "" {
		f.active().focused = false
		f.windows = append(f.windows, s.askAboutApp(m))
	}
	f.windows = append(f.windows, s.overlayWindows(m)...)
	if s.phone.opts.ButtonBar {
		f.windows = append(f.windows, s.navigationBar(m, f.size))
	}
	f.windows = append(f.windows, statusBar(m, f.size))
	return f
}

// accessible is the screen as automation services receive it: some phones report the windows of a display that has gone
// off.
func (s *screen) accessible(now time.Time) *frame {
	if !s.guard.off || !s.phone.opts.TellsWhenOff {
		return s.frame(now)
	}
	s.guard.off = false
	defer func() { s.guard.off = true }()
	return s.frame(now)
}

func (s *screen) picture(now time.Time) *image.RGBA { return s.phone.draw.frame(s.frame(now)) }
