package androidsim

import (
	"fmt"
	"image"
	"sync"
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
	*display
	*tasks
	*textInput
	guard *keyguard
	opts  Options

	mu       *sync.Mutex
	draw     *painter
	pictured bool // a screenshot is being taken
	shade    bool // the notifications are pulled down
	overlays []*window
	toast    toast
	barKeys  []string // buttons of the navigation bar that were touched
	keys     [][]int
	timers   []*time.Timer
}

// textInput is what has the keys: a field, or a page that draws its fields itself.
type textInput struct {
	focus     *field
	web       remoteView // the page that has the focus instead of a field
	keyboard  bool
	clipboard string
}

// unfocus takes the keys from what has them, and hides the keyboard.
func (t *textInput) unfocus() { t.focus, t.web, t.keyboard = nil, nil, false }

// running is the process of an app.
type running struct {
	pid     int
	started time.Time
	app     any
	web     interface{ end() } // of its WebView; nil: it has none
}

func newScreen(p *system) *screen {
	input := &textInput{}
	return &screen{opts: p.opts, mu: &p.mu, draw: newPainter(), textInput: input,
		display: &display{opts: p.opts, settings: p.settings}, guard: &keyguard{opts: p.opts},
		tasks: &tasks{kernel: p.kernel, opts: p.opts, prof: p.prof, settings: p.settings, packages: p.packages, input: input,
			apps: map[string]*running{}, nextTask: 1, token: 0x48b4735}}
}

func (s *screen) boot() {
	s.open(launcherPackage, launcherPackage+".uioverrides.QuickstepLauncher", nil)
	s.changed = time.Time{}
	s.guard.locked = s.opts.Lock != Unlocked
	if s.opts.Asleep {
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
	s.timers = append(s.timers, time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.ctx.Err() == nil {
			f()
		}
	}))
}

// open puts a new activity of a known class on top; a nil data string means a plain start.
func (s *screen) open(pkg, class string, data *string) *activity {
	r, _ := s.process(pkg)
	a := s.activity(pkg, class)
	if make := s.packages[pkg].pages; make != nil {
		a.page = make(opening{screen: s, process: r, act: a, data: data})
	} else {
		a.page = &plain{title: s.packages[pkg].label}
	}
	s.push(a)
	return a
}

// opening is what a page is made of when its activity is opened.
type opening struct {
	screen  *screen
	process *running
	act     *activity
	data    *string // nil: a plain start
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

const (
	statusBarDP = 28
	navBarDP    = 24
	buttonBarDP = 48
)

// frame builds the screen at an instant.
func (s *screen) frame(now time.Time) *frame {
	m := s.metrics(now)
	f := &frame{at: now, size: s.size(), rotation: s.rotation(), keyboard: s.keyboard}
	if s.guard.off {
		return f
	}
	if s.guard.locked {
		f.windows = []*window{s.guard.window(m, f.size), statusBar(m, f.size)}
		s.unfocus()
		f.keyboard = false
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
		s.unfocus()
		f.keyboard = false
	}
	if p, ok := s.top().page.(abovePage); ok {
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
	if s.opts.ButtonBar {
		f.windows = append(f.windows, s.navigationBar(m, f.size))
	}
	f.windows = append(f.windows, statusBar(m, f.size))
	return f
}

// accessible is the screen as automation services receive it: some phones report the windows of a display that has gone
// off.
func (s *screen) accessible(now time.Time) *frame {
	if !s.guard.off || !s.opts.TellsWhenOff {
		return s.frame(now)
	}
	s.guard.off = false
	defer func() { s.guard.off = true }()
	return s.frame(now)
}

func (s *screen) picture(now time.Time) *image.RGBA { return s.draw.frame(s.frame(now)) }

func (a *activity) record() string {
	return fmt.Sprintf("ActivityRecord{%x u0 %s t%d}", a.token+0x11, a.component(), a.task)
}

// launch is how an activity is to be started.
type launch struct {
	data      string // "": a plain start
	clearTask bool
	extras    map[string]Extra
}

// launch opens an activity, or brings its task to the front when it is the root of one.
func (s *screen) launch(pkg, class string, in launch) (warning, state string) {
	_, cold := s.process(pkg)
	if in.clearTask {
		for i := len(s.stack) - 1; i >= 0; i-- {
			if s.stack[i].pkg == pkg {
				s.finish(s.stack[i])
			}
		}
	}
	top := s.top()
	if in.data == "" {
		switch {
		case top.pkg == pkg && top.class == class:
			return "Warning: Activity not started, intent has been delivered to currently running top-most instance.", ""
		case s.has(pkg, class) || pkg == launcherPackage:
			s.bring(pkg)
			return "Warning: Activity not started, its current task has been brought to the front", "HOT"
		}
	}
	var data *string
	if in.data != "" {
		data = &in.data
	}
	s.bring(pkg)
	s.open(pkg, class, data)
	s.packages[pkg].extras = in.extras
	if cold {
		return "", "COLD"
	}
	return "", "WARM"
}

// start is a tap on an icon: what runs already comes back as it was.
func (s *screen) start(pkg string) {
	if !s.bring(pkg) {
		s.open(pkg, s.packages[pkg].launch, nil)
	}
}
