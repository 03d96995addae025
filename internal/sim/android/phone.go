package androidsim

import (
	"context"
	"fmt"
	"image"
	"time"
)

// Phone is a simulated Android device in memory: it holds the parts that a phone has. All methods may be called from
// any goroutine; Close ends everything that it started.
type Phone struct {
	*cable
	*faultList
	*witness
	*user
	*userland
	*agents
	*views

	kernel *kernel
	system *system
	daemon *daemon
}

// NewPhone returns a phone that has booted and shows its launcher. Call Close when done.
func NewPhone(o Options) *Phone {
	o = o.withDefaults()
	k := newKernel()
	s := newSystem(o, k)
	p := &Phone{kernel: k, system: s, cable: newCable(StateDevice), faultList: &faultList{}, witness: &witness{sys: s},
		user: &user{sys: s}, views: &views{sys: s}}
	if o.Unauthorized {
		p.cable = newCable(StateUnauthorized)
	}
	for _, one := range defaultPackages(o) {
		s.packages[one.name] = one
	}
	p.agents = &agents{sys: s, reboot: p.Reboot}
	p.userland = newUserland(s, userlandParts{cable: p.cable, faults: p.faultList, agents: p.agents, views: p.views})
	p.daemon = &daemon{sys: s, cable: p.cable, faults: p.faultList, land: p.userland, agents: p.agents, views: p.views}
	s.boot()
	return p
}

// Close unplugs the phone: its connections drop, its processes end, its goroutines have ended when it returns.
func (p *Phone) Close() {
	p.SetState(StateAbsent)
	p.kernel.cancel()
	p.kernel.procs.killAll()
	p.system.stopTimers()
	p.kernel.work.end()
}

// ListenADBD makes the phone reachable for `adb connect` on a loopback address until the context ends or the phone is
// closed; "127.0.0.1:0" takes a free port outside 5555-5586. It returns the address that was bound.
func (p *Phone) ListenADBD(ctx context.Context, addr string) (string, error) {
	return p.daemon.listen(ctx, addr)
}

// Serial is the serial number that Server and getprop ro.serialno show.
func (p *Phone) Serial() string { return p.daemon.serial() }

// Model is ro.product.model.
func (p *Phone) Model() string { return p.system.prof.model }

// Features are those that the phone offers to adb.
func (p *Phone) Features() []string { return append([]string(nil), p.system.prof.features...) }

// Reboot restarts the phone, which is not there for a while. Everything that ran on it has ended, and its files and
// settings are as before.
func (p *Phone) Reboot(takes time.Duration) {
	p.KillAgent()
	p.Disconnect()
	p.system.restart(takes, p.Reconnect)
}

// Screen returns the image that the phone shows now.
func (p *Phone) Screen() *image.RGBA { return p.system.shown() }

// Tree is the tree that the phone shows now, as uiautomator would write it if it did not wait for anything.
func (p *Phone) Tree() string { return p.system.tree() }

// Log writes a line to the phone's log, as an app would.
func (p *Phone) Log(priority byte, tag, format string, args ...any) {
	p.kernel.logf(priority, tag, format, args...)
}

// LogText is all that the phone's log has, as logcat shows it.
func (p *Phone) LogText() string { return p.kernel.log.text() }

// Busy is how long the phone has worked on anything that a host requested. A log or a recording that continues counts
// as well.
func (p *Phone) Busy() time.Duration { return p.kernel.busy.sum() }

// FillStorage fills the phone's storage up, or frees it: then every write fails, and files that are made stay empty.
func (p *Phone) FillStorage(full bool) { p.kernel.files.fill(full) }

// WriteFile stores a file on the phone.
func (p *Phone) WriteFile(name string, data []byte) error {
	name = resolve("/", name)
	if err := p.kernel.files.write(name, data, 0o660); err != nil {
		return fmt.Errorf("write %s on %s: %w", name, p.Serial(), err)
	}
	return nil
}

// ReadFile returns a copy of a file on the phone.
func (p *Phone) ReadFile(name string) ([]byte, error) {
	name = resolve("/", name)
	data, err := p.kernel.files.read(name)
	if err != nil {
		return nil, fmt.Errorf("read %s on %s: %w", name, p.Serial(), err)
	}
	return append([]byte(nil), data...), nil
}

// InstallScene installs an app with one activity, .MainActivity, that shows the scene.
func (p *Phone) InstallScene(pkg, label string, s Scene) {
	p.system.install(newPackage(pkg, label, scenePages(s)))
}

// EntryText is what is in an entry.
func (p *Phone) EntryText(e *Entry) (text string) {
	p.Change(func() { text = e.Text() })
	return text
}
