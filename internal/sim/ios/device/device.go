// Package device is a simulated iPhone or simulator: its apps, alerts, screen, keys and touches.
package device

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/host"
	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// Device is what an iPhone or a simulator is without the programs that reach it: its apps, alerts and screen. Its lock
// guards all of it.
type Device struct {
	Host *host.Host
	Opts Options
	make map[string]func(a *App) Page // of the apps that are known, by bundle

	Mu          sync.Mutex
	State       string
	Apps        map[string]*App
	Front       string // bundle id; "" is the home screen
	Focus       *ui.Field
	Question    *Question       // an alert of the system
	Banner      string          // a notification
	Secrets     int             // in the keychain: one for each start of an app
	scene       Scene           // of com.example.scene
	Pictured    bool            // a screenshot is being taken
	Approved    map[string]bool // schemes of links that open without a question
	Wide        bool
	Dark        bool
	Where       string // a made-up location
	Screenshots []string
	Locked      bool
	Image       bool   // the developer image is mounted
	Address     string // of an iPhone in CoreDevice's tunnel, once Xcode has raised it
	logs        map[chan logLine]struct{}
	pid         int
}

// App is an installed app.
type App struct {
	bundle, Name string
	PID          int // 0: it does not run
	Started      time.Time
	Args         []string
	Page         Page
	Data         string // folder
	Folder       func() // makes it, once
	Permissions  map[string]bool
	Device       *Device
	Make         func(a *App) Page // what it shows; nil: a plain page
}

// Page is what an app shows.
type Page interface {
	View(m ui.Metrics) *ui.View
	Alert() *Question // of the app's own
}

// Question is an alert.
type Question struct {
	Title   string
	Buttons []string
	Sheet   bool
	Field   *ui.Field
	Answer  func(button string)
	Opened  time.Time
}

// The apps that every device has.
const (
	LoginBundle = "com.example.login"
	ListBundle  = "com.example.list"
	TrapsBundle = "com.example.traps" // after InstallTraps
	Springboard = "com.apple.springboard"
	AgentBundle = "com.facebook.WebDriverAgentRunner.xctrunner"
)

// New is a device with its apps.
func New(h *host.Host, i int, o Options, pages map[string]func(a *App) Page) *Device {
	o = o.withDefaults(i)
	d := &Device{Host: h, Opts: o, make: pages, State: o.State, Apps: map[string]*App{},
		logs: map[chan logLine]struct{}{}, pid: 4000 + 100*i, Approved: map[string]bool{}}
	for _, name := range []string{"Login", "List"} {
		d.Put("com.example."+strings.ToLower(name), name)
	}
	if o.RunnerInstalled {
		d.Put(AgentBundle, "WebDriverAgentRunner-Runner")
	}
	return d
}

// Put installs an app. It needs no lock: the lab calls it before anything runs.
func (d *Device) Put(bundle, name string) *App {
	a := &App{bundle: bundle, Name: name, Device: d, Make: d.make[bundle], Permissions: map[string]bool{}}
	a.Data = filepath.Join(d.Host.Dir, "Library/Developer/CoreSimulator/Devices", d.Opts.UDID,
		"data/Containers/Data/Application",
		fmt.Sprintf("7C1D5A2E-0000-4000-8000-%012X", len(d.Apps)+1))
	a.Folder = sync.OnceFunc(func() {
		_ = os.MkdirAll(filepath.Join(a.Data, "Documents"), 0o755)
		_ = os.WriteFile(filepath.Join(a.Data, ".com.apple.mobile_container_manager.metadata.plist"), nil, 0o644)
	})
	d.Apps[bundle] = a
	return a
}

// Note notes what happened here.
func (d *Device) Note(format string, args ...any) {
	d.Host.NoteOf(d.Opts.UDID, fmt.Sprintf(format, args...))
}

// Crash is Crash with the lock held. The report has the form of macOS 14's .ips files.
func (d *Device) Crash(why string) {
	a := d.Apps[d.Front]
	if a == nil {
		return
	}
	pid := a.PID
	a.Close()
	a.PID, a.Page, d.Front, d.Focus = 0, nil, "", nil
	d.WriteLog(a.Name, pid, "%s", why)
	dir, at := filepath.Join(d.Host.Dir, "Library/Logs/DiagnosticReports"), "2026-01-02 03:04:05.00 +0000"
	if d.Opts.Phone { // it keeps its reports to itself
		dir, at = filepath.Join(d.Host.Dir, "reports", d.Opts.UDID), time.Now().Format("2006-01-02 15:04:05.00 -0700")
	}
	_ = os.MkdirAll(dir, 0o755)
	head := fmt.Sprintf(`{"app_name":%q,"timestamp":%q,"app_version":"1.0","bundleID":%q,"bug_type":"309","name":%q}`,
		a.Name, at, a.bundle, a.Name)
	body := fmt.Sprintf(
		`{"pid":%d,"procName":%q,`+
			`"procPath":"\/Users\/USER\/Library\/Developer\/CoreSimulator\/Devices\/%s\/data\/Containers\/Bundle\/App.app\/App","exception":{"codes":"0x0000000000000001","type":"EXC_BREAKPOINT","signal":"SIGTRAP"},`+
			`"termination":{"flags":0,"code":5,"namespace":"SIGNAL","indicator":"Trace/BPT trap: `+
			`5"},"asi":{"libswiftCore.dylib":[%q]},"threads":[]}`, pid, a.Name, d.Opts.UDID, why)
	_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-2026-01-02-030405-%d.ips", a.Name, pid)),
		[]byte(head+"\n"+body), 0o644)
}

// Launch starts an app or brings it to the front; the lock is held.
func (d *Device) Launch(a *App, fresh bool, args []string) {
	if fresh {
		d.Terminate(a)
	}
	if a.PID == 0 {
		d.pid++
		a.PID, a.Started, a.Args = d.pid, time.Now(), args
		d.Secrets++
		a.Page = a.open()
		d.Note("%s started with %q", a.bundle, args)
	}
	d.Front, d.Focus = a.bundle, nil
}

// Terminate ends an app; it reports whether there was anything to end. The lock is held.
func (d *Device) Terminate(a *App) bool {
	ran := a.PID != 0
	a.Close()
	a.PID, a.Page = 0, nil
	if d.Front == a.bundle {
		d.Front, d.Focus = "", nil
	}
	return ran
}

// Close ends what an app does in addition to its screen; the lock is held.
func (a *App) Close() {
	if p, ok := a.Page.(interface{ Close() }); ok {
		p.Close()
	}
}

// Answer closes an alert; the lock is held.
func (d *Device) Answer(q *Question, button string) {
	if time.Since(q.Opened) < d.Opts.AlertsSlide {
		d.Note("alert %q: a touch of %q was lost", q.Title, button)
		return
	}
	if d.Question == q {
		d.Question = nil
	}
	d.Note("alert %q answered with %q", q.Title, button)
	if strings.HasPrefix(button, "Precise: ") && d.Question == nil { // a switch in the question, which stays open
		d.Question = q
		other := map[string]string{"Precise: On": "Precise: Off", "Precise: Off": "Precise: On"}
		for i, b := range q.Buttons {
			if b == button {
				q.Buttons[i] = other[b]
			}
		}
		return
	}
	if a := d.Apps[d.Front]; a != nil {
		if p, ok := a.Page.(interface{ Answered(q *Question) }); ok {
			p.Answered(q)
		}
	}
	q.Answer(button)
}

// Alert returns the topmost alert; the lock is held.
func (d *Device) Alert() *Question {
	if d.Question != nil {
		return d.Question
	}
	if a := d.Apps[d.Front]; a != nil {
		return a.Page.Alert()
	}
	return nil
}

// WriteLog writes a line to the system's log; the lock is held.
func (d *Device) WriteLog(process string, pid int, format string, args ...any) {
	line := logLine{at: time.Now(), process: process, pid: pid, text: fmt.Sprintf(format, args...)}
	for c := range d.logs {
		select {
		case c <- line:
		default: // a reader that does not read
		}
	}
}

// logLine is a line of the system's log.
type logLine struct {
	at            time.Time
	process, text string
	pid           int
}

// In returns the line in a style of `log stream`: only compact has the type, here that of print and NSLog, and only the
// others the time zone.
func (l logLine) In(style string) string {
	if style == "compact" {
		return fmt.Sprintf("%s Df %s[%d:%x] %s\n", l.at.Format("2006-01-02 15:04:05.000"), l.process, l.pid, 0x1a2b, l.text)
	}
	return fmt.Sprintf("%s  localhost %s[%d]: (%s) %s\n", l.at.Format("2006-01-02 15:04:05.000000-0700"), l.process, l.pid,
		l.process, l.text)
}

// Follow returns the log from now on.
func (d *Device) Follow() (lines chan logLine, stop func()) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	lines = make(chan logLine, 256)
	d.logs[lines] = struct{}{}
	return lines, func() {
		d.Mu.Lock()
		defer d.Mu.Unlock()
		delete(d.logs, lines)
	}
}

// open makes what the app shows.
func (a *App) open() Page {
	switch {
	case a.Make != nil:
		return a.Make(a)
	case a.bundle == SceneBundle:
		return &scenePage{a}
	}
	return &plain{a}
}

// plain is an app that a test installed.
type plain struct{ app *App }

func (p *plain) View(m ui.Metrics) *ui.View {
	return m.Page().Add(m.Title(p.app.Name), m.Text("Hello from "+p.app.Name, m.Rect(20, 120, m.Size.X-40, 30)))
}

func (p *plain) Alert() *Question { return nil }

// PIDOf is the number of an app's process, SpringBoard's where there is none.
func (d *Device) PIDOf(bundle string) int {
	if a := d.Apps[bundle]; a != nil {
		return a.PID
	}
	return 61 // SpringBoard's
}

// NameOf is the name of an app.
func (d *Device) NameOf(bundle string) string {
	if a := d.Apps[bundle]; a != nil {
		return a.Name
	}
	return " "
}

// RectOf is where a view is on the screen, in WebDriverAgent's form.
func (d *Device) RectOf(v *ui.View) map[string]any {
	return map[string]any{"x": v.B.Min.X + d.Opts.Part.Min.X, "y": v.B.Min.Y + d.Opts.Part.Min.Y, "width": v.B.Dx(),
		"height": v.B.Dy()}
}

// Opens opens a link with the app of its scheme, or the one that is named.
func (d *Device) Opens(link, bundle string) bool {
	if bundle == "" {
		scheme, _, _ := strings.Cut(link, ":")
		bundle = AppOf(scheme)
	}
	a := d.Apps[bundle]
	if a == nil {
		return false
	}
	open := func() {
		d.Launch(a, false, nil)
		d.Note("%s opened %s", bundle, link)
	}
	scheme, _, _ := strings.Cut(link, ":")
	if strings.HasPrefix(scheme, "http") || d.Approved[scheme] {
		open()
		return true
	}
	d.Question = &Question{Title: fmt.Sprintf("Open in \u201c%s\u201d?", a.Name), Buttons: []string{"Cancel", "Open"},
		Answer: func(b string) {
			if b == "Open" {
				d.Approved[scheme] = true
				open()
			}
		}}
	return true
}

// AppOf is the app of its scheme.
func AppOf(scheme string) string {
	return map[string]string{"login": LoginBundle, "catalogue": ListBundle}[scheme]
}

// Appearance is dark, light or automatic; the lock is held.
func (d *Device) Appearance() string {
	if d.Opts.Automatic {
		return "automatic"
	}
	return map[bool]string{true: "dark", false: "light"}[d.Dark]
}

// Argument is the value of a user default that was given at the start.
func (a *App) Argument(name string) string {
	for i, arg := range a.Args {
		if arg == name && i+1 < len(a.Args) {
			return a.Args[i+1]
		}
	}
	return ""
}
