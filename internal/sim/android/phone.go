package androidsim

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/adbd"
	"github.com/taproot-dev/taproot/internal/sim/android/agent"
	"github.com/taproot-dev/taproot/internal/sim/android/apps"
	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/shell"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/webview"
)

// Phone is a simulated Android device in memory: it holds the parts that a phone has. All methods may be called from
// any goroutine; Close ends everything that it started.
type Phone struct {
	*kernel.Cable
	*spec.Faults
	*system.Witness
	*system.User
	*shell.Userland
	*agent.Agent
	*webview.Views

	kernel *kernel.Kernel
	system *system.System
	daemon *adbd.Daemon
}

// NewPhone returns a phone that has booted and shows its launcher. Call Close when done.
func NewPhone(o Options) *Phone {
	o = o.WithDefaults()
	k := kernel.New()
	s := system.New(o, k)
	p := &Phone{
		kernel:  k,
		system:  s,
		Cable:   kernel.NewCable(StateDevice),
		Faults:  &spec.Faults{},
		Witness: &system.Witness{Sys: s},
		User:    &system.User{Sys: s},
		Views:   &webview.Views{Sys: s},
	}
	if o.Unauthorized {
		p.Cable = kernel.NewCable(StateUnauthorized)
	}
	for _, one := range apps.Default(o) {
		s.Packages[one.Name] = one
	}
	p.Agent = &agent.Agent{Sys: s, Reboot: p.Reboot}
	p.Userland = shell.New(s, shell.Parts{Cable: p.Cable, Faults: p.Faults, Agents: p.Agent, Views: p.Views})
	p.daemon = &adbd.Daemon{Sys: s, Cable: p.Cable, Faults: p.Faults, Land: p.Userland, Agents: p.Agent, Views: p.Views}
	s.Boot()
	return p
}

// Close unplugs the phone: its connections drop, its processes end, its goroutines have ended when it returns.
func (p *Phone) Close() {
	p.SetState(StateAbsent)
	p.kernel.Cancel()
	p.kernel.Procs.KillAll()
	p.system.StopTimers()
	p.kernel.Work.End()
}

// ListenADBD makes the phone reachable for `adb connect` on a loopback address until the context ends or the phone is
// closed; "127.0.0.1:0" takes a free port outside 5555-5586. It returns the address that was bound.
func (p *Phone) ListenADBD(ctx context.Context, addr string) (string, error) {
	return p.daemon.Listen(ctx, addr)
}

// Serial is the serial number that Server and getprop ro.serialno show.
func (p *Phone) Serial() string { return p.daemon.Serial() }

// Model is ro.product.model.
func (p *Phone) Model() string { return p.system.Prof.Model }

// Features are those that the phone offers to adb.
func (p *Phone) Features() []string { return append([]string(nil), p.system.Prof.Features...) }

// Reboot restarts the phone, which is not there for a while. Everything that ran on it has ended, and its files and
// settings are as before.
func (p *Phone) Reboot(takes time.Duration) {
	p.KillAgent()
	p.Disconnect()
	p.system.Restart(takes, p.Reconnect)
}

// Screen returns the image that the phone shows now.
func (p *Phone) Screen() *image.RGBA { return p.system.Shown() }

// Tree is the tree that the phone shows now, as uiautomator would write it if it did not wait for anything.
func (p *Phone) Tree() string { return p.system.Tree() }

// Log writes a line to the phone's log, as an app would.
func (p *Phone) Log(priority byte, tag, format string, args ...any) {
	p.kernel.Logf(priority, tag, format, args...)
}

// LogText is all that the phone's log has, as logcat shows it.
func (p *Phone) LogText() string { return p.kernel.Log.Text() }

// Busy is how long the phone has worked on anything that a host requested. A log or a recording that continues counts
// as well.
func (p *Phone) Busy() time.Duration { return p.kernel.Busy.Sum() }

// FillStorage fills the phone's storage up, or frees it: then every write fails, and files that are made stay empty.
func (p *Phone) FillStorage(full bool) { p.kernel.Files.Fill(full) }

// WriteFile stores a file on the phone.
func (p *Phone) WriteFile(name string, data []byte) error {
	name = kernel.Resolve("/", name)
	if err := p.kernel.Files.Write(name, data, 0o660); err != nil {
		return fmt.Errorf("write %s on %s: %w", name, p.Serial(), err)
	}
	return nil
}

// ReadFile returns a copy of a file on the phone.
func (p *Phone) ReadFile(name string) ([]byte, error) {
	name = kernel.Resolve("/", name)
	data, err := p.kernel.Files.Read(name)
	if err != nil {
		return nil, fmt.Errorf("read %s on %s: %w", name, p.Serial(), err)
	}
	return append([]byte(nil), data...), nil
}

// InstallScene installs an app with one activity, .MainActivity, that shows the scene.
func (p *Phone) InstallScene(pkg, label string, s Scene) {
	p.system.Install(system.NewPackage(pkg, label, apps.ScenePages(s)))
}

// EntryText is what is in an entry.
func (p *Phone) EntryText(e *Entry) (text string) {
	p.Change(func() { text = e.Text() })
	return text
}
