package web

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// Options are how browsers are driven. The zero value is good.
type Options struct {
	// Slots is how many pages may be open at once; 1 if it is 0.
	Slots int
	// Width and Height are the viewport's; 1280 × 720 if they are 0.
	Width, Height int
	// Browser is the one in which pages are opened that name none; Chromium if it is "".
	Browser string
	// Policy says which addresses browsers may reach; nil: all that this machine reaches.
	Policy *guard.Policy
	// FilesBelow is the only folder of which files may be opened as pages; "": any file of this machine. NoFiles: none.
	FilesBelow string
	NoFiles    bool
	// Host is the machine on which Chromium and Node are looked for; the real one if it is nil.
	Host *toolchain.Host
}

// Driver opens pages of one browser, Chromium by default, which is started when the first is opened.
// Its slots belong to this process alone.
type Driver struct {
	opts Options
	host toolchain.Host

	// lock guards what follows; it is a channel so that waiting for it ends with a context.
	lock     chan struct{}
	setup    *toolchain.PlaywrightSetup
	version  string
	process  *process
	browsers map[browserKind]*browser
	guard    *guarded // nil: nothing is guarded
	closed   bool
	work     sync.WaitGroup // starts that outlive the context that asked for them
}

var (
	_ drivers.Driver     = (*Driver)(nil)
	_ drivers.SlotDriver = (*Driver)(nil)
)

// New makes a driver. Nothing is started or looked for yet.
func New(opts Options) *Driver {
	opts.Slots = max(opts.Slots, 1)
	if opts.Width <= 0 || opts.Height <= 0 {
		opts.Width, opts.Height = 1280, 720
	}
	d := &Driver{opts: opts, lock: make(chan struct{}, 1), browsers: map[browserKind]*browser{}}
	if opts.Host != nil {
		d.host = *opts.Host
	} else {
		d.host = toolchain.System()
	}
	return d
}

// Platform is web.
func (d *Driver) Platform() dsl.Platform { return dsl.Web }

// Slots is how many pages may be open at once.
func (d *Driver) Slots() int { return d.opts.Slots }

// Devices lists web-1 to web-N. It starts no browser; when one cannot be started on this machine, the error is a
// *drivers.Unavailable.
func (d *Driver) Devices(ctx context.Context) ([]drivers.Info, error) {
	if err := d.acquire(ctx); err != nil {
		return nil, err
	}
	defer d.release()
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	list := make([]drivers.Info, d.opts.Slots)
	for i := range list {
		list[i] = d.info(fmt.Sprintf("web-%d", i+1))
	}
	slices.SortFunc(list, func(a, b drivers.Info) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

func (d *Driver) info(id string) drivers.Info {
	return drivers.Info{
		ID: id, Platform: dsl.Web, State: drivers.Ready, Model: modelOf(d.opts.Browser, d.version),
		OSVersion: d.version, Width: d.opts.Width, Height: d.opts.Height,
	}
}

// Open prepares a page device and starts the browser if none runs; one that crashed is replaced. The page itself comes
// with OpenPage.
func (d *Driver) Open(ctx context.Context, id string) (drivers.Device, error) {
	if !d.has(id) {
		return nil, fmt.Errorf("open device %s: there are web-1 to web-%d", id, d.opts.Slots)
	}
	if _, err := d.browserFor(ctx, drivers.PageOptions{}); err != nil {
		return nil, err
	}
	if err := d.acquire(ctx); err != nil {
		return nil, err
	}
	defer d.release()
	return newDevice(d, d.info(id)), nil
}

func (d *Driver) has(id string) bool {
	for i := range d.opts.Slots {
		if id == fmt.Sprintf("web-%d", i+1) {
			return true
		}
	}
	return false
}

func (d *Driver) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Driver) release() { <-d.lock }

// prepare finds the external programs once; as long as one is missing it looks again. The caller holds the lock.
func (d *Driver) prepare(ctx context.Context) error {
	if d.closed {
		return errClosed
	}
	if d.setup != nil {
		return nil
	}
	setup, err := toolchain.Playwright(ctx, d.host)
	var missing *toolchain.MissingError
	switch {
	case errors.As(err, &missing):
		return unavailable(missing)
	case err != nil:
		return fmt.Errorf("look for a browser: %w", err)
	}
	for name, value := range setup.Env {
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("prepare the Playwright driver: %w", err)
		}
	}
	d.setup, d.version = setup, setup.Version
	if d.opts.Browser == dsl.Firefox {
		found, err := toolchain.Find(ctx, d.host, toolchain.Firefox)
		if err != nil {
			return fmt.Errorf("look for Firefox: %w", err)
		}
		d.version = found.Version
	}
	return nil
}

func unavailable(missing *toolchain.MissingError) error {
	var what, brief, mend []string
	for _, f := range missing.Findings {
		problem := f.Tool.Name + " " + f.Problem
		brief = append(brief, problem)
		if f.Path != "" {
			problem = fmt.Sprintf("%s (%s) %s", f.Tool.Name, f.Path, f.Problem)
		}
		what = append(what, problem)
		if !slices.Contains(mend, f.Advice) {
			mend = append(mend, f.Advice)
		}
	}
	const none = "no browser can be driven, "
	return &drivers.Unavailable{What: none + strings.Join(what, ", "), Brief: none + strings.Join(brief, ", "),
		Fix: strings.Join(mend, "; ")}
}

// Close ends the browsers and Playwright's process. It returns once they are gone.
func (d *Driver) Close() error {
	d.lock <- struct{}{}
	d.closed = true
	d.stop()
	d.release()
	d.work.Wait()
	return nil
}

// stop ends all that runs. The caller holds the lock.
func (d *Driver) stop() {
	for _, b := range d.browsers {
		b.close()
	}
	clear(d.browsers)
	if d.process != nil {
		d.process.stop()
		d.process = nil
	}
	d.guard.close()
	d.guard = nil
}
