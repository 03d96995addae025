package web

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
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// browserOptions are how browsers are driven. The zero value is good.
type browserOptions struct {
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

// Launcher starts browsers, and Playwright's process, which starts and ends them.
type Launcher struct {
	opts Options
	host toolchain.Host

	// lock guards what follows; it is a channel so that waiting for it ends with a context.
	lock     chan struct{}
	setup    *toolchain.PlaywrightSetup
	found    string // the version of the browser that pages are opened in
	process  *process
	browsers map[browserKind]*browser
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
	l := &Launcher{opts: opts, lock: make(chan struct{}, 1), browsers: map[browserKind]*browser{}}
	if opts.Host != nil {
		l.host = *opts.Host
	} else {
		l.host = toolchain.System()
	}
	return l
}

// options returns how browsers are driven, with defaults filled in.
func (l *Launcher) options() Options { return l.opts }

// find looks for the external programs. When there is no browser, the error is a *drivers.Unavailable.
func (l *Launcher) find(ctx context.Context) error {
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release()
	return l.prepare(ctx)
}

// version returns the version of the browser that pages are opened in, "" before it was found.
func (l *Launcher) version() string {
	l.lock <- struct{}{}
	defer l.release()
	return l.found
}

// pid returns the number of Playwright's process, 0 while there is none.
func (l *Launcher) pid() int {
	l.lock <- struct{}{}
	defer l.release()
	if l.process == nil {
		return 0
	}
	return l.process.pw.Pid()
}

// close ends the browsers and Playwright's process. It returns once they are gone.
func (l *Launcher) close() error {
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
	if l.setup != nil {
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
	l.setup, l.found = setup, setup.Version
	if l.opts.Browser == dsl.Firefox {
		found, err := toolchain.Find(ctx, l.host, toolchain.Firefox)
		if err != nil {
			return fmt.Errorf("look for Firefox: %w", err)
		}
		l.found = found.Version
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

// canFilm returns why pages cannot be recorded, nil if they can.
func (l *Launcher) canFilm(ctx context.Context) error {
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release()
	if err := l.prepare(ctx); err != nil {
		return err
	}
	if l.setup.FFmpeg == "" {
		return fmt.Errorf("%w: the browser records with ffmpeg, which was not found", drivers.ErrUnsupported)
	}
	return nil
}

// descriptors is Playwright's list of devices.
func (l *Launcher) descriptors(ctx context.Context) (map[string]*playwright.DeviceDescriptor, error) {
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	defer l.release()
	if l.process == nil {
		return nil, errBrowserLost
	}
	return l.process.pw.Devices, nil
}

// browserFor returns the browser that a page is opened in.
func (l *Launcher) browserFor(ctx context.Context, opts drivers.PageOptions) (*browser, error) {
	if opts.Connect != "" {
		return l.attach(ctx, opts.Connect)
	}
	br, err := l.brandFor(opts)
	if err != nil {
		return nil, err
	}
	return l.browser(ctx, br.kindOf(opts))
}

// brandFor is the browser that options ask for, or the driver's own.
func (l *Launcher) brandFor(opts drivers.PageOptions) (brand, error) {
	return brandOf(cmp.Or(opts.Browser, l.opts.Browser, dsl.Chromium))
}
