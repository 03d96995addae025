package androidsim

import (
	"context"
	"fmt"
	"image"
	"maps"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// State is what adb says of a device.
type State string

// The states that a phone can be in.
const (
	StateDevice       State = "device"
	StateOffline      State = "offline"
	StateUnauthorized State = "unauthorized"
	StateRecovery     State = "recovery"
	StateAbsent       State = "absent" // not plugged in: not listed, no connection accepted
)

// Phone is a simulated Android device in memory. All methods may be called from any goroutine; Close ends everything
// that it started.
type Phone struct {
	opts Options
	prof profile
	boot time.Time

	ctx    context.Context
	cancel context.CancelFunc
	work   workers

	files  *fileSystem
	log    *logRing
	faults *faultList
	procs  *processTable
	draw   *painter
	busy   busyTime
	filmed atomic.Int64
	air    air

	agentFaults agentFaults

	mu           sync.Mutex // guards everything below
	dumping      bool       // a uiautomator is running, or an agent
	agent        *agentRun  // nil: none runs
	hung         map[string]bool
	ui           *screen
	settings     map[string]map[string]string
	props        map[string]string
	packages     map[string]*installed
	sessions     map[int]*installSession // installations that have started
	sessionsMade int                     // since the phone started
	taps         []Tap
	keys         [][]int
	shells       int
	counts       map[string]int
	night        string

	location     mockLocation
	media        map[string]int // the index of media: path to id
	panel        multiTouch
	motion       motion
	fingerprints []int    // fingers that have touched the fingerprint sensor
	inputDevices []string // the names of those that uinput made

	link struct {
		sync.Mutex
		state    State
		conns    map[*connection]bool
		watchers map[chan struct{}]bool
	}
}

// NewPhone returns a phone that has booted and shows its launcher. Call Close when done.
func NewPhone(o Options) *Phone {
	o = o.withDefaults()
	p := &Phone{opts: o, prof: o.profile(), boot: time.Now(), counts: map[string]int{}, night: "no",
		media:    map[string]int{},
		location: mockLocation{providers: map[string]bool{}, places: map[string][2]float64{}},
		motion:   motion{acceleration: [3]float64{0, 9.77622, 0.813417}}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.files = newFileSystem()
	p.log = newLogRing(p.boot)
	p.faults = &faultList{}
	p.procs = newProcessTable()
	p.draw = newPainter()
	p.settings = defaultSettings()
	p.props = defaultProps(p)
	p.packages = defaultPackages(o)
	p.link.state = StateDevice
	if o.Unauthorized {
		p.link.state = StateUnauthorized
	}
	p.link.conns = map[*connection]bool{}
	p.link.watchers = map[chan struct{}]bool{}
	p.ui = newScreen(p)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.boot()
	return p
}

// Close unplugs the phone: its connections drop, its processes end, its goroutines have ended when it returns.
func (p *Phone) Close() {
	p.SetState(StateAbsent)
	p.cancel()
	p.procs.killAll()
	p.mu.Lock()
	p.ui.stopTimers()
	p.mu.Unlock()
	p.work.end()
}

// workers counts goroutines and commands; after end nothing new starts.
type workers struct {
	mu    sync.Mutex
	ended bool
	group sync.WaitGroup
}

// enter reports whether one more may run; if so, done must be called after it.
func (w *workers) enter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return false
	}
	w.group.Add(1)
	return true
}

func (w *workers) done() { w.group.Done() }

// run reports whether it has started.
func (w *workers) run(f func()) bool {
	if !w.enter() {
		return false
	}
	go func() {
		defer w.done()
		f()
	}()
	return true
}

func (w *workers) end() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.group.Wait()
}

// Serial is the serial number that Server and getprop ro.serialno show.
func (p *Phone) Serial() string { return p.opts.Serial }

// Model is ro.product.model.
func (p *Phone) Model() string { return p.prof.model }

// Features are those that the phone offers to adb.
func (p *Phone) Features() []string { return append([]string(nil), p.prof.features...) }

// State is the state of the link to adb.
func (p *Phone) State() State {
	p.link.Lock()
	defer p.link.Unlock()
	return p.link.state
}

// SetState changes what adb sees. Every open connection drops, since a phone cannot change its state on a live one.
func (p *Phone) SetState(s State) {
	p.link.Lock()
	p.link.state = s
	for c := range p.link.conns {
		c.drop()
	}
	for w := range p.link.watchers {
		select {
		case w <- struct{}{}:
		default: // one notice is pending already
		}
	}
	p.link.Unlock()
}

// Disconnect pulls the cable until Reconnect.
func (p *Phone) Disconnect() { p.SetState(StateAbsent) }

// Reconnect plugs the cable in again.
func (p *Phone) Reconnect() { p.SetState(StateDevice) }

// Reboot restarts the phone, which is not there for a while. Everything that ran on it has ended, and its files and
// settings are as before.
func (p *Phone) Reboot(takes time.Duration) {
	p.KillAgent()
	p.Disconnect()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pr := range p.procs.list() {
		if pr.kill != nil {
			pr.kill(sigKILL)
		}
	}
	for pkg := range p.ui.apps {
		if pkg != launcherPackage {
			p.ui.remove(pkg)
		}
	}
	p.ui.home()
	p.ui.guard.locked = p.opts.Lock != Unlocked
	p.ui.later(takes, p.Reconnect)
}

func (p *Phone) watch() (changed chan struct{}, stop func()) {
	w := make(chan struct{}, 1)
	p.link.Lock()
	p.link.watchers[w] = true
	p.link.Unlock()
	return w, func() {
		p.link.Lock()
		delete(p.link.watchers, w)
		p.link.Unlock()
	}
}

// connection is a transport that can be dropped as a whole.
type connection struct {
	conn net.Conn
}

func (c *connection) drop() { c.conn.Close() }

// attach registers a transport; it fails when the phone is not plugged in.
func (p *Phone) attach(conn net.Conn) (*connection, State, func()) {
	c := &connection{conn: conn}
	p.link.Lock()
	defer p.link.Unlock()
	p.link.conns[c] = true
	return c, p.link.state, func() {
		p.link.Lock()
		delete(p.link.conns, c)
		p.link.Unlock()
	}
}

// dropAll cuts every transport at once, as a broken cable does, and leaves the state alone.
func (p *Phone) dropAll() {
	p.link.Lock()
	defer p.link.Unlock()
	for c := range p.link.conns {
		c.drop()
	}
}

// Tap is one gesture and the element that took it.
type Tap struct {
	At      time.Time
	Kind    string // tap, long, swipe, drag
	Point   image.Point
	Package string
	Label   string // text, or content description, or the first label inside the element; empty when nothing took it
	ID      string
	Class   string
}

// Taps are the gestures since the phone was made.
func (p *Phone) Taps() []Tap {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Tap(nil), p.taps...)
}

// Count says how often a command of the phone's shell ran, named by its first word ("uiautomator"), or by two words
// behind cmd ("cmd input"). Builtins of the shell are not counted.
func (p *Phone) Count(command string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[command]
}

// Counts is Count for all commands that ran.
func (p *Phone) Counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

// Foreground is the component that has the focus, such as com.example.login/.MainActivity.
func (p *Phone) Foreground() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ui.top().component()
}

// EncodedFrames returns how many frames the encoders of screenrecord have taken; one that shows nothing new is not
// passed to them.
func (p *Phone) EncodedFrames() int { return int(p.filmed.Load()) }

// Screen returns the image that the phone shows now.
func (p *Phone) Screen() *image.RGBA {
	p.renewImage()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ui.picture(time.Now())
}

// Tree is the tree that the phone shows now, as uiautomator would write it if it did not wait for anything.
func (p *Phone) Tree() string {
	p.hearPage()
	p.mu.Lock()
	defer p.mu.Unlock()
	return dumpActive(p.ui.frame(time.Now()), p.dumper(false))
}

// Log writes a line to the phone's log, as an app would.
func (p *Phone) Log(priority byte, tag, format string, args ...any) {
	p.log.write(logLine{pid: 1000, tid: 1000, pri: priority, tag: tag, text: fmt.Sprintf(format, args...)})
}

// WriteFile stores a file on the phone.
func (p *Phone) WriteFile(name string, data []byte) error {
	name = resolve("/", name)
	if err := p.files.write(name, data, 0o660); err != nil {
		return fmt.Errorf("write %s on %s: %w", name, p.opts.Serial, err)
	}
	return nil
}

// ReadFile returns a copy of a file on the phone.
func (p *Phone) ReadFile(name string) ([]byte, error) {
	name = resolve("/", name)
	data, err := p.files.read(name)
	if err != nil {
		return nil, fmt.Errorf("read %s on %s: %w", name, p.opts.Serial, err)
	}
	return append([]byte(nil), data...), nil
}

// pause waits unless the time is zero; it says whether the wait was whole.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
