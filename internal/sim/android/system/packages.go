package system

import (
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// Package is a package.
type Package struct {
	Name       string
	Label      string
	UID        int
	System     bool
	Version    string
	Code       int               // versionCode
	Splits     []string          // the names of its parts in addition to the base
	Signed     string            // by which certificate
	Launch     string            // class of the launcher's activity; empty: none
	Launchers  []string          // classes of further ones, as of LeakCanary
	Activities map[string]string // class → URI scheme that it views, "" for none; a "-" is not exported
	Granted    map[string]bool
	Declared   []string // runtime permissions
	Data       map[string]string
	Locales    string
	extras     map[string]Extra     // of the activity that was opened last
	Pages      func(o Opening) Page // makes the page of an activity; nil: a plain one
	Cleared    func()               // is called when pm clear takes its data; may be nil
}

// NewPackage is an app that a test installs, with one activity, .MainActivity.
func NewPackage(pkg, label string, pages func(o Opening) Page) *Package {
	return &Package{
		Name: pkg, Label: label, Launch: pkg + ".MainActivity", Version: "1.0", Pages: pages,
		Activities: map[string]string{pkg + ".MainActivity": ""}, Granted: map[string]bool{}, Data: map[string]string{},
	}
}

// plain is the page of an app that was installed by a test.
type plain struct{ title string }

func (p *plain) View(m ui.Metrics) *ui.View {
	return m.Page(0xfefbff).Add(m.Title(p.title), m.Label("Hello from "+p.title, m.Rect(16, 80, m.Width()-32, 40)))
}

func (p *plain) Dialog(ui.Metrics) *ui.View { return nil }

func (p *plain) Back() bool { return false }

// NotExported marks an activity that only its own app may start.
const NotExported = "-"

// Path is where the package's base file is.
func (p *Package) Path() string {
	if p.System {
		return "/system/app/" + p.Label + "/" + p.Label + ".apk"
	}
	return "/data/app/~~Zk3hY1w==/" + p.Name + "-8Qd0Pq==/base.apk"
}

// Page is the state machine behind one activity. Its methods run with the phone's lock held.
type Page interface {
	// View builds what is shown at m.now; it is called for every dump and screenshot.
	View(m ui.Metrics) *ui.View
	// Dialog builds a window over the page, or returns nil.
	Dialog(m ui.Metrics) *ui.View
	// Back takes the back key; false finishes the activity.
	Back() bool
}

// Activity is an opened screen of an app.
type Activity struct {
	Pkg, Class string // class with the package: com.example.login.MainActivity
	Task       int
	Token      uint32
	Started    time.Time
	Page       Page
}

// Shorten is pkg/.Class, as dumpsys writes components.
func Shorten(pkg, class string) string {
	if len(class) > len(pkg) && class[:len(pkg)+1] == pkg+"." {
		class = class[len(pkg):]
	}
	return pkg + "/" + class
}

// running is the process of an app.
type running struct {
	PID     int
	started time.Time
	App     any
	Web     interface{ End() } // of its WebView; nil: it has none
}

// Opening is what a page is made of when its activity is opened.
type Opening struct {
	Screen  *Screen
	Process *running
	Act     *Activity
	Data    *string // nil: a plain start
}

// Launch is how an activity is to be started.
type Launch struct {
	Data      string // "": a plain start
	ClearTask bool
	Extras    map[string]Extra
}

// Component is pkg/.Class, shortened as dumpsys does.
func (a *Activity) Component() string { return Shorten(a.Pkg, a.Class) }

// Record is the activity's name in dumpsys.
func (a *Activity) Record() string {
	return fmt.Sprintf("ActivityRecord{%x u0 %s t%d}", a.Token+0x11, a.Component(), a.Task)
}
