package iossim

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options describe a lab; the zero value is a Mac with one booted simulator.
type Options struct {
	Devices []DeviceOptions
	// NoXcode takes simctl and devicectl away: xcrun is there, as with the command line tools alone.
	NoXcode bool
	// OldXcode takes devicectl away, as before Xcode 15.
	OldXcode bool
	// NoMux makes go-ios fail as without usbmuxd.
	NoMux bool
}

// Lab is a machine with devices attached. Close ends it.
type Lab struct {
	opts     Options
	home     string
	socket   string
	listener net.Listener
	ctx      context.Context
	end      context.CancelFunc
	work     sync.WaitGroup
	phones   []*Device

	mu      sync.Mutex
	notes   []string
	running []string
	faults  []*Fault
}

// New makes a lab with its files in dir.
func New(dir string, opts Options) (*Lab, error) {
	if len(opts.Devices) == 0 {
		opts.Devices = []DeviceOptions{{}}
	}
	sockets, err := os.MkdirTemp("", "ios") // a socket's name must be short
	if err != nil {
		return nil, err
	}
	l := &Lab{opts: opts, home: dir, socket: filepath.Join(sockets, "lab")}
	l.ctx, l.end = context.WithCancel(context.Background())
	if l.listener, err = net.Listen("unix", l.socket); err != nil {
		return nil, err
	}
	for i, o := range opts.Devices {
		l.phones = append(l.phones, newDevice(l, i, o))
	}
	l.work.Go(l.serve)
	return l, nil
}

// Close ends everything that the lab runs.
func (l *Lab) Close() {
	l.end()
	l.listener.Close()
	for _, d := range l.phones {
		d.stopAgent()
		d.inspector.close()
	}
	l.work.Wait()
	os.RemoveAll(filepath.Dir(l.socket))
}

// Device returns a device by its place in Options.
func (l *Lab) Device(i int) *Device { return l.phones[i] }

// Home is the home folder of the lab's user.
func (l *Lab) Home() string { return l.home }

// Environ is an environment in which the programs in bin are on the PATH and find the lab.
func (l *Lab) Environ(bin string, more ...string) []string {
	return append([]string{"PATH=" + bin, "HOME=" + l.home, socketVariable + "=" + l.socket}, more...)
}

// Notes is what happened, in order: every program that ran, every call of a WebDriverAgent, everything that the apps
// noticed.
func (l *Lab) Notes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.notes...)
}

// Noted counts the notes that hold a text.
func (l *Lab) Noted(text string) int {
	n := 0
	for _, note := range l.Notes() {
		if strings.Contains(note, text) {
			n++
		}
	}
	return n
}

func (l *Lab) note(format string, args ...any) { l.noteOf(nil, fmt.Sprintf(format, args...)) }

// noteOf notes what happened on one device, or to the one that is named.
func (l *Lab) noteOf(d *Device, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, text)
	for _, phone := range l.phones {
		if phone == d || d == nil && strings.Contains(text, phone.opts.UDID) {
			phone.notes = append(phone.notes, text)
		}
	}
}

// entered notes that a program runs, until the returned function is called.
func (l *Lab) entered(line string) (left func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = append(l.running, line)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		i := slices.Index(l.running, line)
		l.running = slices.Delete(l.running, i, i+1)
	}
}

// Running are the command lines of the programs that run.
func (l *Lab) Running() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.running)
}

// rest waits, unless the context ends.
func (l *Lab) rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Kind is what goes wrong.
type Kind int

// The kinds of faults.
const (
	Hang Kind = iota // nothing comes until the caller stops
	Slow             // it takes For longer
	// Refuse: a program prints Text and exits with Code; a WebDriverAgent responds with the error Word with Text
	Refuse
	Garbage // something that is not a response
	Cut     // the answer ends in the middle
	Drop    // the connection breaks (WebDriverAgent)
	Die     // WebDriverAgent ends
	Forget  // WebDriverAgent loses its session, as when another client makes one
)

// Fault is something that goes wrong.
type Fault struct {
	Device string // UDID; "" is any
	Match  string // a part of the program's command line, or of "POST /wda/tap"
	Nth    int    // of the matching calls; 0: all
	Kind   Kind
	For    time.Duration
	Text   string
	Word   string // "stale element reference"
	Code   int

	seen   int
	healed chan struct{} // closed when it is disarmed
}

// Fail arms a fault.
func (l *Lab) Fail(f Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.healed = make(chan struct{})
	l.faults = append(l.faults, &f)
}

// Heal disarms all faults.
func (l *Lab) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.faults {
		close(f.healed)
	}
	l.faults = nil
}

// HealDevice disarms the faults of one device.
func (l *Lab) HealDevice(udid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = slices.DeleteFunc(l.faults, func(f *Fault) bool {
		if f.Device == udid {
			close(f.healed)
		}
		return f.Device == udid
	})
}

func (l *Lab) fault(call string) (Fault, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.faults {
		if !strings.Contains(call, f.Match) || !strings.Contains(call, f.Device) {
			continue
		}
		if f.seen++; f.Nth == 0 || f.Nth == f.seen {
			return *f, true
		}
	}
	return Fault{}, false
}

// find returns a device by UDID.
func (l *Lab) find(udid string) *Device {
	for _, d := range l.phones {
		if d.opts.UDID == udid {
			return d
		}
	}
	return nil
}

// DeviceOptions describe a device; the zero value is a booted simulator of an iPhone 16 with iOS 18.1.
type DeviceOptions struct {
	UDID    string
	Name    string
	Version string
	// Phone makes an iPhone of it, which Xcode and go-ios know; Simulator false alone is a simulator.
	Phone bool
	// State is that of simctl: Booted, Shutdown, Booting, Shutting Down.
	State string
	// Untrusted, NoDeveloperMode, NoTunnel and Away are what can be wrong with an iPhone.
	Untrusted, NoDeveloperMode, NoTunnel, Away bool
	// Width and Height are in points, Scale is pixels of a point: default: 390x844 and 2.
	Width, Height, Scale int
	// Part is the part of the screen, in points, of the foreground app where two share it, on an upright iPad; the
	// zero value is all of it.
	Part image.Rectangle
	// LoginLoading is how long com.example.login shows its loading screen; LoginSpinner how long signing in takes.
	LoginLoading, LoginSpinner time.Duration
	// OldAgent is a WebDriverAgent without traits, placeholders, and responses that describe an element, with the paths
	// that it had before version 6, no WebDriver actions, the id of a new session next to the value, and a status that
	// does not say "ready".
	OldAgent bool
	// NoStatusBar is a screen without a status bar, as an app can have it.
	NoStatusBar bool
	// NoPlaces is a WebDriverAgent that refuses predicates about the places of elements.
	NoPlaces bool
	// PortraitPictures makes screenshots that do not turn with the app.
	PortraitPictures bool
	// FilmPort is where an iPhone's WebDriverAgent sends its images, on all of this machine's addresses; "" is any.
	FilmPort string
	// OwnPort makes a simulator's WebDriverAgent take a port of its own choice, which it reports, as it does when it gets
	// no environment.
	OwnPort bool
	// AlertsApart: an alert of the system does not take the place of the app in what a session returns that is bound to
	// none.
	AlertsApart bool
	// SystemBehind: the home screen's app does not count as in the foreground while an alert of it is over an app.
	SystemBehind bool
	// DevModeUnknown: go-ios cannot ask the iPhone for its developer mode; it says false and ends with 0. NoImage: nor can
	// it download the developer image, and ends with 0, too.
	DevModeUnknown, NoImage bool
	// AlertsSlide is how long an alert slides in, during which touches of it are lost.
	AlertsSlide time.Duration
	// TurnsLate is how long after the call the screen turns, which WebDriverAgent calls a failure meanwhile.
	TurnsLate time.Duration
	// RunnerInstalled is a simulator on which WebDriverAgent's runner is an app.
	RunnerInstalled bool
	// Passcode keeps a locked screen locked.
	Passcode bool
	// HideKey: the keyboard has a key that hides it, as on an iPad.
	HideKey bool
	// PortTaken: something else on the iPhone listens on port 8100 already.
	PortTaken bool
	// Automatic: the appearance of an iPhone goes by the time of day.
	Automatic bool
	// NoHardKeys is an iOS before 17: no keys of a plugged-in keyboard.
	NoHardKeys bool
}

func (o DeviceOptions) withDefaults(i int) DeviceOptions {
	if o.Phone {
		o.UDID = cmp.Or(o.UDID, fmt.Sprintf("00008110-00%04dC2D1C801E", i))
		o.Name = cmp.Or(o.Name, "iPhone 15")
	}
	o.UDID = cmp.Or(o.UDID, fmt.Sprintf("5A1F3D0E-6B1C-4C7E-9A39-0000000000%02d", i))
	o.Name = cmp.Or(o.Name, "iPhone 16")
	o.Version = cmp.Or(o.Version, "18.1")
	o.State = cmp.Or(o.State, "Booted")
	o.FilmPort = cmp.Or(o.FilmPort, "0")
	o.Width, o.Height, o.Scale = cmp.Or(o.Width, 390), cmp.Or(o.Height, 844), cmp.Or(o.Scale, 2)
	o.LoginLoading = cmp.Or(o.LoginLoading, 300*time.Millisecond)
	o.LoginSpinner = cmp.Or(o.LoginSpinner, 300*time.Millisecond)
	return o
}
