package web

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	startLimit = 60 * time.Second
	stopLimit  = 5 * time.Second
)

var errClosed = errors.New("the web driver is closed")

// engine is the selector engine through which pages are read; see script/engine.js.
//
//go:embed script/engine.js
var engine string

// process is Playwright's own, which starts and ends browsers. It ends by itself, and its browsers with it, when our end of its
// standard input closes, as it does when we are killed.
type process struct {
	pw     *playwright.Playwright
	stderr *tail
}

// browser is one running Chromium.
type browser struct {
	playwright.Browser
	lost chan struct{} // closed when it is gone
	gone func()        // closes lost
}

func (b *browser) alive() bool {
	select {
	case <-b.lost:
		return false
	default:
		return true
	}
}

// browser gives the running browser, or starts one. A start that outlives ctx goes on for whoever asks next.
func (d *Driver) browser(ctx context.Context, headed bool) (*browser, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("%w: the browser did not start within %s",
		drivers.ErrDeviceLost, startLimit))
	defer cancel()
	if err := d.acquire(ctx); err != nil {
		return nil, context.Cause(ctx)
	}
	if b := d.browsers[headed]; b != nil && b.alive() && !d.closed {
		d.release()
		return b, nil
	}
	type result struct {
		b   *browser
		err error
	}
	done := make(chan result, 1)
	background := context.WithoutCancel(ctx)
	d.work.Go(func() {
		defer d.release()
		b, err := d.start(background, headed)
		done <- result{b, err}
	})
	select {
	case r := <-done:
		return r.b, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// start launches a browser, with Playwright's process if there is none or if it died. The caller holds the lock.
func (d *Driver) start(ctx context.Context, headed bool) (*browser, error) {
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	fresh := d.process == nil
	if fresh {
		if err := d.startProcess(); err != nil {
			return nil, err
		}
	}
	b, err := d.launch(headed)
	if !fresh && disconnected(err) {
		d.stop() // Playwright's process died since it was last used: once more with a new one
		if err := d.startProcess(); err != nil {
			return nil, err
		}
		b, err = d.launch(headed)
	}
	if err != nil {
		return nil, d.launchError(headed, err)
	}
	d.browsers[headed] = b
	return b, nil
}

func (d *Driver) startProcess() error {
	options := *d.setup.Options
	p := &process{stderr: &tail{}}
	// Playwright's and playwright-go's own words belong into our errors, not on the terminal.
	options.Stderr, options.Stdout, options.Verbose = p.stderr, p.stderr, false
	options.Logger = slog.New(slog.DiscardHandler)
	pw, err := playwright.Run(&options)
	if err != nil {
		return fmt.Errorf("%w: the Playwright driver did not start: %w%s", drivers.ErrDeviceLost, err, p.stderr)
	}
	p.pw = pw
	script := playwright.Script{Content: playwright.String(strings.TrimSpace(engine))}
	isolated := playwright.SelectorsRegisterOptions{ContentScript: playwright.Bool(true)}
	if err := pw.Selectors.Register("taproot", script, isolated); err != nil {
		p.stop()
		return fmt.Errorf("%w: prepare the Playwright driver: %w", drivers.ErrDeviceLost, err)
	}
	d.process = p
	return nil
}

func (d *Driver) launch(headed bool) (*browser, error) {
	no := playwright.Bool(false)
	started, err := d.process.pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath:  playwright.String(d.setup.Chromium),
		Headless:        playwright.Bool(!headed),
		ChromiumSandbox: playwright.Bool(d.setup.Sandbox), // false makes Playwright add --no-sandbox
		Args: []string{"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
			"--disable-sync"},
		// Signals are ours to handle: a browser that ends before its last video and screenshot are saved loses them.
		HandleSIGINT: no, HandleSIGTERM: no, HandleSIGHUP: no,
		Timeout: playwright.Float(startLimit.Seconds() * 1000 / 2),
	})
	if err != nil {
		return nil, err
	}
	b := &browser{Browser: started, lost: make(chan struct{})}
	b.gone = sync.OnceFunc(func() { close(b.lost) })
	started.OnDisconnected(func(playwright.Browser) { b.gone() })
	if !started.IsConnected() {
		b.gone()
	}
	return b, nil
}

func (d *Driver) launchError(headed bool, err error) error {
	screen := os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
	if headed && !screen && strings.Contains(err.Error(), "XServer") || strings.Contains(err.Error(), "Missing X server") {
		return fmt.Errorf("%w: a browser window needs a display, and there is none: leave out headless: false",
			drivers.ErrUnsupported)
	}
	return fmt.Errorf("%w: Chromium (%s) did not start: %s", drivers.ErrDeviceLost, d.setup.Chromium, plain(err))
}

// close ends the browser; one that does not answer is left to the end of Playwright's process.
func (b *browser) close() {
	if b.alive() {
		within(stopLimit, func() { _ = b.Browser.Close() })
	}
}

// stop ends Playwright's process, by force if it does not end by itself.
func (p *process) stop() {
	pid := p.pw.Pid()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.pw.Stop() // it waits for the process; an exit code of its own choice is no news
	}()
	if waitFor(done, stopLimit) {
		return
	}
	if proc, err := os.FindProcess(pid); err == nil {
		_ = proc.Kill()
	}
	waitFor(done, stopLimit)
}

// within runs f and waits for its end at most so long. f must end by itself when the browser or its process does.
func within(limit time.Duration, f func()) bool {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	return waitFor(done, limit)
}

func waitFor(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// tail keeps the end of what a program says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - 2000; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String is empty or begins with a space.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := strings.TrimSpace(string(t.text)); s != "" {
		return " (it says: " + drivers.Quote(s) + ")"
	}
	return ""
}
