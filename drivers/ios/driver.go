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
	tools   tools
	getenv  func(string) string
	home    string
	notes   string
	urls    addresses // of WebDriverAgents
	streams addresses // of their MJPEG servers
	http    *http.Client
	fresh   *http.Client // opens a connection for each call
	log     *slog.Logger

	boot    string
	keep    bool
	booting sync.Mutex
	booted  string // the simulator that Boot started

	watchAsk time.Duration

	mu     sync.Mutex
	found  map[string]found // what was listed last
	agents map[string]*agent
	closed bool
	open   drivers.OpenDevices
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
	t := tools{environ: environ, log: log}
	host := toolchain.NewHost(getenv, environ)
	t.xcrun, _ = host.LookPath("xcrun") // "" where there is none
	t.goios, _ = host.LookPath("ios")
	t.webkit, _ = host.LookPath("ios_webkit_debug_proxy")
	return &Driver{tools: t, getenv: getenv, home: getenv("HOME"), notes: opts.NotesDir, log: log, boot: opts.Boot,
		keep: opts.KeepBooted, watchAsk: watchAsk,
		urls: readAddresses(getenv("TAPROOT_WDA_URL")), streams: readAddresses(getenv("TAPROOT_WDA_MJPEG_URL")),
		http:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second}},
		fresh: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		found: map[string]found{}, agents: map[string]*agent{}}
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
	if !d.open.Add(dev, dev.life) {
		return nil, errors.Join(fmt.Errorf("open device %s: the driver is closed", id), dev.Close())
	}
	return dev, nil
}

func (d *Driver) isClosed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

func (d *Driver) prepare(ctx context.Context, id string) (*Device, error) {
	f, err := d.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if f.info.State != drivers.Ready {
		return nil, fmt.Errorf("%w: device %s is %s: %s", drivers.ErrDeviceLost, id, f.info.State, f.info.Problem)
	}
	for again := true; ; again = false { // one that we started may have died just after it had answered
		a, err := d.agent(ctx, f)
		if err != nil {
			return nil, err
		}
		dev, err := d.connect(ctx, f, a)
		if err == nil || !again || f.url != "" || !errors.Is(err, drivers.ErrDeviceLost) || ctx.Err() != nil {
			return dev, err
		}
	}
}

// connect opens a session of a WebDriverAgent that responds.
func (d *Driver) connect(ctx context.Context, f found, a *agent) (*Device, error) {
	w := &wda{id: f.info.ID, base: a.url, http: d.http, fresh: d.fresh}
	if f.url == "" {
		w.gone = a.ended
	}
	if err := w.open(ctx); err != nil {
		return nil, err
	}
	return d.newDevice(ctx, f, w, d.streamAddress(f.info.ID, a.film))
}

// streamAddress returns the address of a device's video stream: the one that the environment names, else the usual one.
func (d *Driver) streamAddress(id, usual string) string {
	for _, key := range []string{id, ""} {
		if url, ok := d.streams.by[key]; ok {
			return url
		}
	}
	return usual
}

// simulator finds one that runs without a question to the programs that know iPhones, which take seconds. False leaves
// it to the whole list: where the environment names an address without a device, and where an error or a state has to
// be reported.
func (d *Driver) simulator(ctx context.Context, id string) (found, bool) {
	if _, unnamed := d.urls.by[""]; unnamed || d.urls.err != nil || d.streams.err != nil || d.boot != "" ||
		len(id) != len("00000000-0000-0000-0000-000000000000") {
		return found{}, false
	}
	list, err := d.tools.simulators(ctx)
	i := slices.IndexFunc(list, func(f found) bool { return f.info.ID == id && f.info.State == drivers.Ready })
	if err != nil || i < 0 {
		return found{}, false
	}
	f := list[i]
	f.url, f.listed = d.urls.by[id], time.Now()
	d.check(ctx, &f)
	if f.info.State != drivers.Ready {
		return found{}, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found[id] = f
	return f, true
}

// find returns a device of the last list, or of a new one.
func (d *Driver) find(ctx context.Context, id string) (found, error) {
	d.mu.Lock()
	f, ok := d.found[id]
	d.mu.Unlock()
	if ok && time.Since(f.listed) < listGood && f.info.State == drivers.Ready {
		return f, nil
	}
	if f, ok := d.simulator(ctx, id); ok {
		return f, nil
	}
	if _, err := d.Devices(ctx); err != nil {
		return found{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.found[id]; ok {
		return f, nil
	}
	return found{}, fmt.Errorf("%w: no iOS device %s is attached", drivers.ErrDeviceLost, id)
}

// Close closes the devices that are still open, ends the WebDriverAgents that this driver started and shuts down the
// simulator that it started.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true
	agents := d.agents
	d.agents = map[string]*agent{}
	d.mu.Unlock()
	err := d.open.Close()
	var ending sync.WaitGroup
	for _, a := range agents {
		ending.Go(a.stop)
	}
	ending.Wait()
	d.http.CloseIdleConnections()
	return errors.Join(err, d.shutdown())
}
