package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/phrase"
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
	// Remote is where pages are opened; nil: on this machine.
	Remote *Remote
	// Host is the machine on which Chromium and Node are looked for; the real one if it is nil.
	Host *toolchain.Host
}

// Launcher starts browsers, and Playwright's process, which starts and ends them.
type Launcher struct {
	opts Options
	host toolchain.Host

	// lock guards what follows; it is a channel so that waiting for it ends with a context.
	lock     chan struct{}
	Setup    *toolchain.PlaywrightSetup
	found    string // the version of the browser that pages are opened in
	process  *process
	browsers map[browserKind]*Browser
	guard    *guarded // nil: nothing is guarded
	closed   bool
	work     sync.WaitGroup // starts that outlive the context that asked for them
}

// NewLauncher makes a launcher. Nothing is started or looked for yet.
func NewLauncher(opts Options) *Launcher {
	opts.Slots = max(opts.Slots, 1)
	if opts.Width <= 0 || opts.Height <= 0 {
		opts.Width, opts.Height = 1280, 720
	}
	l := &Launcher{opts: opts, lock: make(chan struct{}, 1), browsers: map[browserKind]*Browser{}}
	if opts.Host != nil {
		l.host = *opts.Host
	} else {
		l.host = toolchain.System()
	}
	return l
}

// Options returns how browsers are driven, with defaults filled in.
func (l *Launcher) Options() Options { return l.opts }

// Find looks for the external programs. When there is no browser, the error is a *drivers.Unavailable.
func (l *Launcher) Find(ctx context.Context) error {
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release()
	return l.prepare(ctx)
}

// Version returns the version of the browser that pages are opened in, "" before it was found.
func (l *Launcher) Version() string {
	l.lock <- struct{}{}
	defer l.release()
	return l.found
}

// Pid returns the number of Playwright's process, 0 while there is none.
func (l *Launcher) Pid() int {
	l.lock <- struct{}{}
	defer l.release()
	if l.process == nil {
		return 0
	}
	return l.process.pw.Pid()
}

// Close ends the browsers and Playwright's process. It returns once they are gone.
func (l *Launcher) Close() error {
	l.lock <- struct{}{}
	l.closed = true
	l.stop()
	l.release()
	l.work.Wait()
	return nil
}

func (l *Launcher) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case l.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Launcher) release() { <-l.lock }

// prepare finds the external programs once; as long as one is missing it looks again. The caller holds the lock.
func (l *Launcher) prepare(ctx context.Context) error {
	if l.closed {
		return errClosed
	}
	if l.Setup != nil {
		return nil
	}
	setup, err := toolchain.Playwright(ctx, l.host)
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
	l.Setup, l.found = setup, setup.Version
	programs := map[string]string{dsl.Firefox: toolchain.Firefox, dsl.WebKit: toolchain.MiniBrowser}
	if tool := programs[l.opts.Browser]; tool != "" {
		found, err := toolchain.Find(ctx, l.host, tool)
		if err != nil {
			return fmt.Errorf("look for %s: %w", dsl.BrowserTitle(l.opts.Browser), err)
		}
		l.found = found.Version
	}
	return nil
}

func unavailable(missing *toolchain.MissingError) error {
	var what, brief, advice []string
	for _, f := range missing.Findings {
		problem := f.Tool.Name + " " + f.Problem
		brief = append(brief, problem)
		if f.Path != "" {
			problem = fmt.Sprintf("%s (%s) %s", f.Tool.Name, f.Path, f.Problem)
		}
		what = append(what, problem)
		if !slices.Contains(advice, f.Advice) {
			advice = append(advice, f.Advice)
		}
	}
	const none = "no browser can be driven, "
	return &drivers.Unavailable{What: none + strings.Join(what, ", "), Brief: none + strings.Join(brief, ", "),
		Fix: strings.Join(advice, "; ")}
}

// stop ends all that runs. The caller holds the lock.
func (l *Launcher) stop() {
	for _, b := range l.browsers {
		b.close()
	}
	clear(l.browsers)
	if l.process != nil {
		l.process.stop()
		l.process = nil
	}
	l.guard.close()
	l.guard = nil
}

// CanFilm returns why pages cannot be recorded, nil if they can.
func (l *Launcher) CanFilm(ctx context.Context) error {
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release()
	if err := l.prepare(ctx); err != nil {
		return err
	}
	if l.Setup.FFmpeg == "" {
		return fmt.Errorf("%w: the browser records with ffmpeg, which was not found", drivers.ErrUnsupported)
	}
	return nil
}

// Descriptors is Playwright's list of devices.
func (l *Launcher) Descriptors(ctx context.Context) (map[string]*playwright.DeviceDescriptor, error) {
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	defer l.release()
	if l.process == nil {
		return nil, ErrBrowserLost
	}
	return l.process.pw.Devices, nil
}

// For returns the browser that a page is opened in.
func (l *Launcher) For(ctx context.Context, opts drivers.PageOptions) (*Browser, error) {
	if opts.Connect != "" {
		return l.attach(ctx, opts.Connect)
	}
	br, err := l.BrandFor(opts)
	if err != nil {
		return nil, err
	}
	return l.browser(ctx, br.kindOf(opts))
}

// BrandFor is the browser that options ask for, or the driver's own.
func (l *Launcher) BrandFor(opts drivers.PageOptions) (Brand, error) {
	if r := l.opts.Remote; r != nil {
		return r.brand(), r.offers(opts.Browser)
	}
	return brandOf(cmp.Or(opts.Browser, l.opts.Browser, dsl.Chromium))
}

// attach connects to a browser that runs already. Each page has a connection of its own, which ends with it.
func (l *Launcher) attach(ctx context.Context, address string) (*Browser, error) {
	if p := l.opts.Policy; p != nil && !p.IsOpen() || l.opts.Restricted() {
		return nil, fmt.Errorf("%w: a browser that runs already cannot be used here: what it reaches cannot be limited",
			drivers.ErrUnsupported)
	}
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	done := l.startAside(ctx, func(ctx context.Context) (*Browser, error) { return l.connect(ctx, address) })
	select {
	case r := <-done:
		return r.Value, r.Err
	case <-ctx.Done():
		l.work.Go(func() {
			if r := <-done; r.Value != nil {
				r.Value.LetGo()
			}
		})
		return nil, ctx.Err()
	}
}

// connect needs the lock.
func (l *Launcher) connect(ctx context.Context, address string) (*Browser, error) {
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	b, err := l.withProcess(func(pw *playwright.Playwright) (*Browser, error) {
		made, err := pw.Chromium.ConnectOverCDP(address, playwright.BrowserTypeConnectOverCDPOptions{
			Timeout: Milliseconds(CallLimit)})
		if err != nil {
			return nil, err
		}
		b := watched(made, brands()[0])
		b.Attached = true
		for _, own := range made.Contexts() {
			if err := registerEngine(own); err != nil {
				b.LetGo()
				return nil, err
			}
		}
		return b, nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: no browser can be reached at %s (start it with --remote-debugging-port): %s",
			drivers.ErrDeviceLost,
			phrase.LimitRunes(address, 99), Plain(err))
	}
	return b, nil
}

// LetGo ends the connection to a browser that is not ours; one of ours continues.
func (b *Browser) LetGo() {
	if b.Attached {
		b.close()
	}
}
