package system

import (
	"image"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// Screen is the window manager: the stack of activities, the focus and the keyboard. The phone's lock guards it.
type Screen struct {
	*display
	*tasks
	*textInput
	Guard *keyguard
	Opts  spec.Options

	mu       *sync.Mutex
	draw     *ui.Painter
	Pictured bool // a screenshot is being taken
	Shade    bool // the notifications are pulled down
	overlays []*ui.Window
	Toast    ui.Toast
	barKeys  []string // buttons of the navigation bar that were touched
	keys     [][]int
	timers   []*time.Timer
}

// textInput is what has the keys: a field, or a page that draws its fields itself.
type textInput struct {
	Focus     *ui.Field
	Web       ui.RemoteView // the page that has the focus instead of a field
	Keyboard  bool
	Clipboard string
}

// unfocus takes the keys from what has them, and hides the keyboard.
func (t *textInput) unfocus() { t.Focus, t.Web, t.Keyboard = nil, nil, false }

func newScreen(p *System) *Screen {
	input := &textInput{}
	return &Screen{Opts: p.Opts, mu: &p.Mu, draw: ui.NewPainter(), textInput: input,
		display: &display{opts: p.Opts, settings: p.Settings}, Guard: &keyguard{opts: p.Opts},
		tasks: &tasks{Kernel: p.Kernel, opts: p.Opts, prof: p.Prof, settings: p.Settings, Packages: p.Packages, input: input,
			Apps: map[string]*running{}, nextTask: 1, token: 0x48b4735}}
}

func (s *Screen) boot() {
	s.Open(spec.LauncherPackage, spec.LauncherPackage+".uioverrides.QuickstepLauncher", nil)
	s.changed = time.Time{}
	s.Guard.Locked = s.Opts.Lock != spec.Unlocked
	if s.Opts.Asleep {
		s.Sleep(false)
	}
}

func (s *Screen) stopTimers() {
	for _, t := range s.timers {
		t.Stop()
	}
}

// Later runs f with the lock held, unless the phone is closed before.
func (s *Screen) Later(d time.Duration, f func()) {
	s.timers = append(s.timers, time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.Ctx.Err() == nil {
			f()
		}
	}))
}

// Open puts a new activity of a known class on top; a nil data string means a plain start.
func (s *Screen) Open(pkg, class string, data *string) *Activity {
	r, _ := s.process(pkg)
	a := s.activity(pkg, class)
	if make := s.Packages[pkg].Pages; make != nil {
		a.Page = make(Opening{Screen: s, Process: r, Act: a, Data: data})
	} else {
		a.Page = &plain{title: s.Packages[pkg].Label}
	}
	s.push(a)
	return a
}

func (s *Screen) Back() {
	switch a := s.Top(); {
	case s.Shade:
		s.Shade = false
	case s.Keyboard:
		s.Keyboard = false
	case s.anr != "":
		s.anr = ""
	case a.Page.Back():
	default:
		s.Finish(a)
	}
}

// Frame builds the screen at an instant.
func (s *Screen) Frame(now time.Time) *ui.Frame {
	m := s.Metrics(now)
	f := &ui.Frame{At: now, Size: s.Size(), Rotation: s.Rotation(), Keyboard: s.Keyboard}
	if s.Guard.Off {
		return f
	}
	if s.Guard.Locked {
		f.Windows = []*ui.Window{s.Guard.window(m, f.Size), ui.StatusBar(m, f.Size)}
		s.unfocus()
		f.Keyboard = false
		return f
	}
	f.Windows = s.appWindows(m, f.Size)
	if s.Shade {
		f.Active().Focused = false
		f.Windows = append(f.Windows, ui.NotificationShade(m, f.Size))
	}
	focusable := false
	f.Active().Root.Walk(func(v *ui.View) {
		if v.Web != nil {
			v.Focused = v.Web == s.Web
		} else if !v.Virtual {
			v.Focused = v.Field != nil && v.Field == s.Focus || v.SharesFocus && s.Focus != nil
		}
		focusable = focusable || v.Focused && !v.Virtual && !v.SharesFocus
	})
	if !focusable { // the field went away with its page
		s.unfocus()
		f.Keyboard = false
	}
	if p, ok := s.Top().Page.(abovePage); ok {
		f.Windows = append(f.Windows, p.Above(m)...)
	}
	if s.Keyboard {
		f.Windows = append(f.Windows, ui.KeyboardWindow(m, f.Size))
	}
	if s.anr != "" {
		f.Active().Focused = false
		f.Windows = append(f.Windows, s.askAboutApp(m))
	}
	f.Windows = append(f.Windows, s.overlayWindows(m)...)
	if s.Opts.ButtonBar {
		f.Windows = append(f.Windows, s.navigationBar(m, f.Size))
	}
	f.Windows = append(f.Windows, ui.StatusBar(m, f.Size))
	return f
}

// Accessible is the screen as automation services receive it: some phones report the windows of a display that has gone
// off.
func (s *Screen) Accessible(now time.Time) *ui.Frame {
	if !s.Guard.Off || !s.Opts.TellsWhenOff {
		return s.Frame(now)
	}
	s.Guard.Off = false
	defer func() { s.Guard.Off = true }()
	return s.Frame(now)
}

// Picture draws the screen at an instant.
func (s *Screen) Picture(now time.Time) *image.RGBA { return s.draw.Frame(s.Frame(now)) }

// Launch opens an activity, or brings its task to the front when it is the root of one.
func (s *Screen) Launch(pkg, class string, in Launch) (warning, state string) {
	_, cold := s.process(pkg)
	if in.ClearTask {
		for i := len(s.Stack) - 1; i >= 0; i-- {
			if s.Stack[i].Pkg == pkg {
				s.Finish(s.Stack[i])
			}
		}
	}
	top := s.Top()
	if in.Data == "" {
		switch {
		case top.Pkg == pkg && top.Class == class:
			return "Warning: Activity not started, intent has been delivered to currently running top-most instance.", ""
		case s.has(pkg, class) || pkg == spec.LauncherPackage:
			s.bring(pkg)
			return "Warning: Activity not started, its current task has been brought to the front", "HOT"
		}
	}
	var data *string
	if in.Data != "" {
		data = &in.Data
	}
	s.bring(pkg)
	s.Open(pkg, class, data)
	s.Packages[pkg].extras = in.Extras
	if cold {
		return "", "COLD"
	}
	return "", "WARM"
}

// Start is a tap on an icon: what runs already comes back as it was.
func (s *Screen) Start(pkg string) {
	if !s.bring(pkg) {
		s.Open(pkg, s.Packages[pkg].Launch, nil)
	}
}
