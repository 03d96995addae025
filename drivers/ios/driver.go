package ios

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/fleet"
	"github.com/taproot-dev/taproot/drivers/ios/internal/agent"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// Options say where the driver finds things. The zero value is what a program wants.
type Options struct {
	// Getenv reads the environment: PATH, on which xcrun and ios (go-ios) are looked for, and TAPROOT_WDA_URL,
	// TAPROOT_WDA_MJPEG_URL, TAPROOT_WDA_XCTESTRUN, TAPROOT_WDA_BUNDLE, TAPROOT_DEVICE and HOME. Nil means os.Getenv.
	Getenv func(string) string
	// Environ is what programs get. Nil means os.Environ().
	Environ []string
	// NotesDir is where notes lie on what a device has to get back, should this process be killed. Empty means
	// taproot/restore in the user's cache directory.
	NotesDir string
	// Boot is the name or the UDID of a simulator that is started when the devices are listed first, and shut down by
	// Close. Empty: none.
	Boot string
	// KeepBooted leaves that simulator running after Close.
	KeepBooted bool
	// Logger gets what is worth knowing when something is slow or wrong. Nil means none.
	Logger *slog.Logger
}

// Driver finds and opens simulators and iPhones. A WebDriverAgent that it had to start runs on until Close.
type Driver struct {
	tools   host.Tools
	getenv  func(string) string
	home    string
	notes   string
	urls    agent.Addresses // of WebDriverAgents
	streams agent.Addresses // of their MJPEG servers
	http    *http.Client
	fresh   *http.Client // opens a connection for each call
	log     *slog.Logger

	boot *host.Boot // of the simulator that Options.Boot names

	watchAsk time.Duration

	mu     sync.Mutex
	found  map[string]host.Found // what was listed last
	agents *agent.Agents
	open   fleet.Open
}

var _ drivers.Driver = (*Driver)(nil)

// New returns a driver. Nothing is contacted before the first call.
func New(opts Options) *Driver {
	getenv, environ, log := opts.Getenv, opts.Environ, opts.Logger
	if getenv == nil {
		getenv = os.Getenv
	}
	if environ == nil {
		environ = os.Environ()
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	t := host.Tools{Environ: environ, Log: log}
	machine := toolchain.NewHost(getenv, environ)
	t.Xcrun, _ = machine.LookPath("xcrun") // "" where there is none
	t.GoIOS, _ = machine.LookPath("ios")
	t.Webkit, _ = machine.LookPath("ios_webkit_debug_proxy")
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second}}
	return &Driver{tools: t, getenv: getenv, home: getenv("HOME"), notes: opts.NotesDir, log: log,
		boot: host.NewBoot(t, opts.Boot, opts.KeepBooted), watchAsk: watchAsk,
		urls: agent.ReadAddresses(getenv("TAPROOT_WDA_URL")), streams: agent.ReadAddresses(getenv("TAPROOT_WDA_MJPEG_URL")),
		http:  client,
		fresh: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		found: map[string]host.Found{}, agents: agent.New(t, getenv, client)}
}

// Platform is iOS.
func (d *Driver) Platform() dsl.Platform { return dsl.IOS }

// unavailable is the answer where nothing reaches an iOS device.
func unavailable() error {
	mend := "install go-ios for iPhones (npm install -g go-ios), or let TAPROOT_WDA_URL name a WebDriverAgent that " +
		"runs; simulators need a Mac with Xcode"
	if runtime.GOOS == "darwin" {
		mend = "install Xcode and run `sudo xcode-select -s /Applications/Xcode.app`, or let TAPROOT_WDA_URL name a " +
			"WebDriverAgent that runs"
	}
	return &drivers.Unavailable{What: "no program that reaches iOS devices is installed (xcrun, ios)", Fix: mend,
		Expected: runtime.GOOS != "darwin"}
}

// Open prepares a device: a WebDriverAgent must answer for it, and is started where it does not and can be. What an
// earlier session that was killed changed on the device is restored.
func (d *Driver) Open(ctx context.Context, id string) (drivers.Device, error) {
	dev, err := d.prepare(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if !d.open.Add(dev, dev.link.Life) {
		return nil, errors.Join(fmt.Errorf("open device %s: the driver is closed", id), dev.Close())
	}
	return dev, nil
}

func (d *Driver) prepare(ctx context.Context, id string) (*device, error) {
	f, err := d.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if f.Info.State != drivers.Ready {
		return nil, fmt.Errorf("%w: device %s is %s: %s", drivers.ErrDeviceLost, id, f.Info.State, f.Info.Problem)
	}
	for again := true; ; again = false { // one that we started may have died just after it had answered
		a, err := d.agents.Of(ctx, f)
		if err != nil {
			return nil, err
		}
		dev, err := d.connect(ctx, f, a)
		if err == nil || !again || f.URL != "" || !errors.Is(err, drivers.ErrDeviceLost) || ctx.Err() != nil {
			return dev, err
		}
	}
}

// connect opens a session of a WebDriverAgent that responds.
func (d *Driver) connect(ctx context.Context, f host.Found, a *agent.Agent) (*device, error) {
	w := &wda.Client{ID: f.Info.ID, Base: a.URL, HTTP: d.http, Fresh: d.fresh}
	if f.URL == "" {
		w.Gone = a.Ended
	}
	if err := w.Open(ctx); err != nil {
		return nil, err
	}
	return d.newDevice(ctx, f, w, d.streamAddress(f.Info.ID, a.Film))
}

// streamAddress returns the address of a device's video stream: the one that the environment names, else the usual one.
func (d *Driver) streamAddress(id, usual string) string {
	for _, key := range []string{id, ""} {
		if url, ok := d.streams.By[key]; ok {
			return url
		}
	}
	return usual
}

// simulator finds one that runs without a question to the programs that know iPhones, which take seconds. False leaves
// it to the whole list: where the environment names an address without a device, and where an error or a state has to
// be reported.
func (d *Driver) simulator(ctx context.Context, id string) (host.Found, bool) {
	if _, unnamed := d.urls.By[""]; unnamed || d.urls.Err != nil || d.streams.Err != nil || d.boot.Waits() ||
		len(id) != len("00000000-0000-0000-0000-000000000000") {
		return host.Found{}, false
	}
	list, err := d.tools.Simulators(ctx)
	i := slices.IndexFunc(list, func(f host.Found) bool { return f.Info.ID == id && f.Info.State == drivers.Ready })
	if err != nil || i < 0 {
		return host.Found{}, false
	}
	f := list[i]
	f.URL, f.Listed = d.urls.By[id], time.Now()
	d.check(ctx, &f)
	if f.Info.State != drivers.Ready {
		return host.Found{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found[id] = f
	return f, true
}

// find returns a device of the last list, or of a new one.
func (d *Driver) find(ctx context.Context, id string) (host.Found, error) {
	d.mu.Lock()
	f, ok := d.found[id]
	d.mu.Unlock()
	if ok && time.Since(f.Listed) < listGood && f.Info.State == drivers.Ready {
		return f, nil
	}
	if f, ok := d.simulator(ctx, id); ok {
		return f, nil
	}
	if _, err := d.Devices(ctx); err != nil {
		return host.Found{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.found[id]; ok {
		return f, nil
	}
	return host.Found{}, fmt.Errorf("%w: no iOS device %s is attached", drivers.ErrDeviceLost, id)
}

// Close closes the devices that are still open, ends the WebDriverAgents that this driver started and shuts down the
// simulator that it started.
func (d *Driver) Close() error {
	d.agents.Refuse()
	err := d.open.Close()
	d.agents.Close()
	d.http.CloseIdleConnections()
	return errors.Join(err, d.boot.Shutdown())
}
