package iossim

import (
	"fmt"
	"image"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Device is one simulator or iPhone. Everything that happens on it happens under its lock, as all that a WebDriverAgent
// does happens on one thread.
type Device struct {
	lab  *Lab
	opts DeviceOptions

	queue       chan struct{} // of WebDriverAgent's calls, of which one is answered at a time
	mu          sync.Mutex
	state       string
	apps        map[string]*app
	front       string // bundle id; "" is the home screen
	focus       *field
	question    *question       // an alert of the system
	banner      string          // a notification
	secrets     int             // in the keychain: one for each start of an app
	scene       Scene           // of com.example.scene
	pictured    bool            // a screenshot is being taken
	shot        shot            // the last one
	approved    map[string]bool // schemes of links that open without a question
	wide        bool
	dark        bool
	where       string // a made-up location
	screenshots []string
	locked      bool
	image       bool // the developer image is mounted
	session     string
	sessions    int
	bound       binding // of the session
	settings    map[string]any
	elements    map[string]*view
	server      *http.Server
	changing    sync.Mutex   // WebDriverAgent starts, or ends
	calls       net.Listener // of WebDriverAgent, which runs as long as there is a server
	films       net.Listener
	port        string
	address     string        // of an iPhone in CoreDevice's tunnel, once Xcode has raised it
	killed      chan struct{} // closed when WebDriverAgent ends
	logs        map[chan logLine]struct{}
	pid         int
	notes       []string // under the lab's lock

	inspector *inspectorDaemon
}

// app is an installed app.
type app struct {
	bundle, name string
	pid          int // 0: it does not run
	started      time.Time
	args         []string
	page         page
	data         string // folder
	folder       func() // makes it, once
	permissions  map[string]bool
	device       *Device
	web          *webApp // of InstallWebView
}

// page is what an app shows.
type page interface {
	view(m metrics) *view
	alert() *question // of the app's own
}

// question is an alert.
type question struct {
	title   string
	buttons []string
	sheet   bool
	field   *field
	answer  func(button string)
	opened  time.Time
}

// The apps that every device has.
const (
	LoginBundle = "com.example.login"
	ListBundle  = "com.example.list"
	TrapsBundle = "com.example.traps" // after InstallTraps
	springboard = "com.apple.springboard"
	agentBundle = "com.facebook.WebDriverAgentRunner.xctrunner"
)

func newDevice(l *Lab, i int, o DeviceOptions) *Device {
	o = o.withDefaults(i)
	d := &Device{lab: l, opts: o, state: o.State, apps: map[string]*app{}, settings: map[string]any{},
		logs: map[chan logLine]struct{}{},
		pid:  4000 + 100*i, elements: map[string]*view{}, approved: map[string]bool{}, queue: make(chan struct{}, 1)}
	d.inspector = &inspectorDaemon{device: d, conns: map[*inspectorConn]struct{}{}, pages: map[*webPage]struct{}{},
		watched: map[string]*inspected{}}
	for _, name := range []string{"Login", "List"} {
		d.put("com.example."+strings.ToLower(name), name)
	}
	if o.RunnerInstalled {
		d.put(agentBundle, "WebDriverAgentRunner-Runner")
	}
	return d
}

// put installs an app. It needs no lock: the lab calls it before anything runs.
func (d *Device) put(bundle, name string) *app {
	a := &app{bundle: bundle, name: name, device: d, permissions: map[string]bool{}}
	a.data = filepath.Join(d.lab.home, "Library/Developer/CoreSimulator/Devices", d.opts.UDID,
		"data/Containers/Data/Application",
		fmt.Sprintf("7C1D5A2E-0000-4000-8000-%012X", len(d.apps)+1))
	a.folder = sync.OnceFunc(func() {
		_ = os.MkdirAll(filepath.Join(a.data, "Documents"), 0o755)
		_ = os.WriteFile(filepath.Join(a.data, ".com.apple.mobile_container_manager.metadata.plist"), nil, 0o644)
	})
	d.apps[bundle] = a
	return a
}

// note notes what happened here.
func (d *Device) note(format string, args ...any) { d.lab.noteOf(d, fmt.Sprintf(format, args...)) }

// Noted is what happened on this device, in order.
func (d *Device) Noted() []string {
	d.lab.mu.Lock()
	defer d.lab.mu.Unlock()
	return append([]string(nil), d.notes...)
}

// Secrets is how many the keychain holds: each start of an app leaves one.
func (d *Device) Secrets() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.secrets
}

// UDID names the device.
func (d *Device) UDID() string { return d.opts.UDID }

// Show opens an alert of the system.
func (d *Device) Show(title string, buttons ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.question = &question{title: title, buttons: buttons, answer: func(string) {}, opened: time.Now()}
}

// ShowBanner lets a notification hang from the top of the screen, "" takes it away.
func (d *Device) ShowBanner(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.banner = text
}

// ShowSheet opens a sheet of choices.
func (d *Device) ShowSheet(title string, buttons ...string) {
	d.Show(title, buttons...)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.question.sheet = true
}

// Crash ends the foreground app, and writes the report that macOS writes about a simulator's app.
func (d *Device) Crash() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.crash("Fatal error: Index out of range")
}

// crash is Crash with the lock held. The report has the form of macOS 14's .ips files.
func (d *Device) crash(why string) {
	a := d.apps[d.front]
	if a == nil {
		return
	}
	pid := a.pid
	a.close()
	a.pid, a.page, d.front, d.focus = 0, nil, "", nil
	d.writeLog(a.name, pid, "%s", why)
	dir, at := filepath.Join(d.lab.home, "Library/Logs/DiagnosticReports"), "2026-01-02 03:04:05.00 +0000"
	if d.opts.Phone { // it keeps its reports to itself
		dir, at = filepath.Join(d.lab.home, "reports", d.opts.UDID), time.Now().Format("2006-01-02 15:04:05.00 -0700")
	}
	_ = os.MkdirAll(dir, 0o755)
	head := fmt.Sprintf(`{"app_name":%q,"timestamp":%q,"app_version":"1.0","bundleID":%q,"bug_type":"309","name":%q}`,
		a.name, at, a.bundle, a.name)
	body := fmt.Sprintf(
		`{"pid":%d,"procName":%q,`+
			`"procPath":"\/Users\/USER\/Library\/Developer\/CoreSimulator\/Devices\/%s\/data\/Containers\/Bundle\/App.app\/App","exception":{"codes":"0x0000000000000001","type":"EXC_BREAKPOINT","signal":"SIGTRAP"},`+
			`"termination":{"flags":0,"code":5,"namespace":"SIGNAL","indicator":"Trace/BPT trap: `+
			`5"},"asi":{"libswiftCore.dylib":[%q]},"threads":[]}`, pid, a.name, d.opts.UDID, why)
	_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-2026-01-02-030405-%d.ips", a.name, pid)),
		[]byte(head+"\n"+body), 0o644)
}

// launch starts an app or brings it to the front; the lock is held.
func (d *Device) launch(a *app, fresh bool, args []string) {
	if fresh {
		d.terminate(a)
	}
	if a.pid == 0 {
		d.pid++
		a.pid, a.started, a.args = d.pid, time.Now(), args
		d.secrets++
		a.page = newPage(a)
		d.note("%s started with %q", a.bundle, args)
	}
	d.front, d.focus = a.bundle, nil
}

// terminate ends an app; it reports whether there was anything to end. The lock is held.
func (d *Device) terminate(a *app) bool {
	ran := a.pid != 0
	a.close()
	a.pid, a.page = 0, nil
	if d.front == a.bundle {
		d.front, d.focus = "", nil
	}
	return ran
}

// close ends what an app does in addition to its screen; the lock is held.
func (a *app) close() {
	if w, ok := a.page.(*webPage); ok {
		w.cancel()
	}
}

// metricsNow are metrics where the lock is not held.
func (d *Device) metricsNow() metrics {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.metrics()
}

// metrics are the window's; the lock is held.
func (d *Device) metrics() metrics {
	size := d.whole()
	if !d.opts.Part.Empty() {
		size = d.opts.Part.Size()
	}
	return metrics{size: size, now: time.Now(), dark: d.dark}
}

// whole is the size of the screen in points.
func (d *Device) whole() image.Point {
	if d.wide {
		return image.Pt(d.opts.Height, d.opts.Width)
	}
	return image.Pt(d.opts.Width, d.opts.Height)
}

// ownWindows are those of one app, or of the home screen: what is in front of them belongs to another.
func (d *Device) ownWindows(owner string) []*view {
	m := d.metrics()
	a := d.apps[owner]
	if a == nil || a.page == nil {
		windows := []*view{d.home(m)}
		if d.front != "" { // its icons lie under the app
			for v := range windows[0].all2() {
				v.unseen = true
			}
		}
		if d.question != nil {
			windows = append(windows, d.alertView(m, d.question))
		}
		return windows
	}
	windows := []*view{a.page.view(m)}
	if d.focus != nil {
		windows = append(windows, d.keyboard(m))
	}
	if q := a.page.alert(); q != nil {
		windows = append(windows, d.alertView(m, q))
	}
	return windows
}

// screen is all that can be seen: the windows of the foreground app, from back to front, and their owners. The lock is
// held.
func (d *Device) screen() (owner string, windows []*view) {
	m := d.metrics()
	a := d.apps[d.front]
	switch {
	case a == nil:
		owner, windows = springboard, []*view{d.home(m)}
	default:
		p := a.page
		owner, windows = a.bundle, []*view{p.view(m)}
		if a.page == nil { // it died of what it was about to show
			return d.screen()
		}
		if d.focus != nil {
			windows = append(windows, d.keyboard(m))
		}
		if q := p.alert(); q != nil {
			windows = append(windows, d.alertView(m, q))
		}
	}
	if d.question != nil {
		windows = append(windows, d.alertView(m, d.question))
	}
	return owner, windows
}

// home shows an icon for every app.
func (d *Device) home(m metrics) *view {
	root := m.page()
	i := 0
	for _, bundle := range []string{LoginBundle, ListBundle} {
		a := d.apps[bundle]
		if a == nil {
			continue
		}
		b := m.rect(24+i*96, 80, 76, 90)
		root.add(&view{kind: "Icon", id: a.name, label: a.name, b: b, fill: rgb(0xc0c8f0), ink: rgb(0x101010),
			traits: []string{"Button"},
			onTap:  func() { d.launch(a, false, nil) }})
		i++
	}
	return root
}

// keyboard is one with few keys.
func (d *Device) keyboard(m metrics) *view {
	top := m.size.Y - m.size.Y*3/10
	board := &view{kind: "Keyboard", b: image.Rect(0, top, m.size.X, m.size.Y), fill: rgb(0xc8ccd4)}
	keys := []string{"q", "w", "e", "space", "delete", "Return"}
	if d.focus != nil && d.focus.onReturn != nil {
		keys[5] = "Done" // which sends the form
	}
	if d.opts.HideKey {
		keys = append(keys, "Hide keyboard")
	}
	for i, key := range keys {
		w := m.size.X / len(keys)
		v := &view{kind: "Key", id: key, label: key, b: m.rect(i*w, top+8, w-4, 44), fill: rgb(0xffffff), ink: rgb(0x101010),
			traits: []string{"KeyboardKey"}, key: key}
		if key == "Return" || key == "Done" {
			v.kind = "Button"
		}
		board.add(v)
	}
	return board
}

// alertView is an alert in the middle of the screen.
func (d *Device) alertView(m metrics, q *question) *view {
	stacked, high := len(q.buttons) > 2, 180 // as iOS has three and more
	if stacked {
		high = 100 + 52*len(q.buttons)
	}
	b := m.rect(m.size.X/2-135, m.size.Y/2-high/2, 270, high)
	v := &view{kind: map[bool]string{true: "Sheet", false: "Alert"}[q.sheet], id: q.title, label: q.title, b: b,
		fill: rgb(0xf2f2f6)}
	t := m.text(q.title, m.rect(b.Min.X+10, b.Min.Y+12, 250, 40))
	t.ink = rgb(0x101010)
	v.add(t)
	if q.field != nil {
		v.add(m.edit(q.field, "", "", m.rect(b.Min.X+16, b.Min.Y+64, 238, 36)))
	}
	w := 270 / max(len(q.buttons), 1)
	for i, name := range q.buttons {
		at := m.rect(b.Min.X+i*w+4, b.Max.Y-56, w-8, 48)
		if stacked {
			at = m.rect(b.Min.X+4, b.Max.Y-52*(len(q.buttons)-i), 262, 48)
		}
		v.add(m.button(name, "", at, func() { d.answer(q, name) }))
	}
	return v
}

// answer closes an alert; the lock is held.
func (d *Device) answer(q *question, button string) {
	if time.Since(q.opened) < d.opts.AlertsSlide {
		d.note("alert %q: a touch of %q was lost", q.title, button)
		return
	}
	if d.question == q {
		d.question = nil
	}
	d.note("alert %q answered with %q", q.title, button)
	if strings.HasPrefix(button, "Precise: ") && d.question == nil { // a switch in the question, which stays open
		d.question = q
		other := map[string]string{"Precise: On": "Precise: Off", "Precise: Off": "Precise: On"}
		for i, b := range q.buttons {
			if b == button {
				q.buttons[i] = other[b]
			}
		}
		return
	}
	if a := d.apps[d.front]; a != nil {
		if p, ok := a.page.(*traps); ok && p.ask == q {
			p.ask = nil
		}
	}
	q.answer(button)
}

// open returns the topmost alert; the lock is held.
func (d *Device) open() *question {
	if d.question != nil {
		return d.question
	}
	if a := d.apps[d.front]; a != nil {
		return a.page.alert()
	}
	return nil
}

// writeLog writes a line to the system's log; the lock is held.
func (d *Device) writeLog(process string, pid int, format string, args ...any) {
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

// in returns the line in a style of `log stream`: only compact has the type, here that of print and NSLog, and only the
// others the time zone.
func (l logLine) in(style string) string {
	if style == "compact" {
		return fmt.Sprintf("%s Df %s[%d:%x] %s\n", l.at.Format("2006-01-02 15:04:05.000"), l.process, l.pid, 0x1a2b, l.text)
	}
	return fmt.Sprintf("%s  localhost %s[%d]: (%s) %s\n", l.at.Format("2006-01-02 15:04:05.000000-0700"), l.process, l.pid,
		l.process, l.text)
}

// follow returns the log from now on.
func (d *Device) follow() (lines chan logLine, stop func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines = make(chan logLine, 256)
	d.logs[lines] = struct{}{}
	return lines, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.logs, lines)
	}
}
