package web

import (
	"context"
	_ "embed" // the scripts
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/dom"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

const (
	startLimit = 2 * time.Minute  // on a busy machine Chromium needs half of one
	stopLimit  = 15 * time.Second // a busy machine needs some seconds to close a page
	traceLimit = 15 * time.Second // for a trace to be packed, too
)

var errClosed = errors.New("the web driver is closed")

// typingEngine is the one through which fields are read and their carets placed; see script/typing.js.
//
//go:embed script/typing.js
var typingEngine string

const (
	engineName = "taproot"
	typingName = "taproot-typing"
)

// process is Playwright's own, which starts and ends browsers. It ends by itself, and its browsers with it, when our
// end of its standard input closes, as it does when we are killed.
type process struct {
	pw     *playwright.Playwright
	stderr *outputTail
}

// browserKind distinguishes the browsers of a driver.
type browserKind struct {
	name   string
	headed bool
	whole  bool   // without a window, and yet not the headless shell
	scheme string // that the whole browser has; "": light, or the context's
	large  bool   // of a Firefox without a window: its screen holds the largest pages
}

// browser is one that runs.
type browser struct {
	playwright.Browser
	brand    brand
	attached bool          // it ran already, and continues afterwards
	guard    *guarded      // that it connects through; nil: it connects by itself
	mouse    chan struct{} // holds one thing while a page has the mouse
	lost     chan struct{} // closed when it is gone
	gone     func()        // closes lost
}

func (b *browser) alive() bool {
	select {
	case <-b.lost:
		return false
	default:
		return true
	}
}

// browser returns the running browser, or starts one. A start that outlives ctx continues for the next caller.
func (l *Launcher) browser(ctx context.Context, k browserKind) (*browser, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("%w: the browser did not start within %s",
		drivers.ErrDeviceLost, startLimit))
	defer cancel()
	if err := l.acquire(ctx); err != nil {
		return nil, context.Cause(ctx)
	}
	if b := l.browsers[k]; b != nil && b.alive() && !l.closed {
		l.release()
		return b, nil
	}
	select {
	case r := <-l.startAside(ctx, func(ctx context.Context) (*browser, error) { return l.start(ctx, k) }):
		return r.value, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// startAside starts to reach for a browser and continues when ctx ends, because Playwright knows no contexts. The
// caller holds the lock, which is released when there is an outcome.
func (l *Launcher) startAside(ctx context.Context, reach func(context.Context) (*browser,
	error)) <-chan outcome[*browser] {
	done := make(chan outcome[*browser], 1)
	ctx = context.WithoutCancel(ctx)
	l.work.Go(func() {
		defer l.release()
		b, err := reach(ctx)
		done <- outcome[*browser]{b, err}
	})
	return done
}

// start launches a browser, with Playwright's process if there is none or if it died. The caller holds the lock.
func (l *Launcher) start(ctx context.Context, k browserKind) (*browser, error) {
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	br, err := brandOf(k.name)
	if err != nil {
		return nil, err
	}
	program, err := br.program(l, k)
	if err != nil {
		return nil, err
	}
	b, err := l.withProcess(func(pw *playwright.Playwright) (*browser, error) { return l.launch(pw, br, k, program) })
	if err != nil {
		if noRoom(err) && !slices.ContainsFunc(slices.Collect(maps.Values(l.browsers)), (*browser).alive) {
			l.stop() // its disk space is released with it
		}
		return nil, l.launchError(k, program, err)
	}
	l.browsers[k] = b
	return b, nil
}

// withProcess calls f with Playwright's process, which is started if there is none, and once more with a new one if it
// died since it was last used. A browser that did not start has closed itself as well, and is not a reason to end
// others. The caller holds the lock.
func (l *Launcher) withProcess(f func(*playwright.Playwright) (*browser, error)) (*browser, error) {
	fresh := l.process == nil
	if fresh {
		if err := l.startProcess(); err != nil {
			return nil, err
		}
	}
	b, err := l.process.starts(f)
	othersLive := slices.ContainsFunc(slices.Collect(maps.Values(l.browsers)), (*browser).alive)
	if fresh || !processDied(err) && (othersLive || !disconnected(err)) {
		return b, err
	}
	l.stop()
	if err := l.startProcess(); err != nil {
		return nil, err
	}
	return l.process.starts(f)
}

// starts has the process start a browser.
func (p *process) starts(f func(*playwright.Playwright) (*browser, error)) (*browser, error) {
	p.slacken()
	defer p.hasten()
	return f(p.pw)
}

func (l *Launcher) startProcess() error {
	options := *l.setup.Options
	p := &process{stderr: &outputTail{}}
	// Playwright's and playwright-go's own words belong into our errors, not on the terminal.
	options.Stderr, options.Stdout, options.Verbose = p.stderr, p.stderr, false
	options.Logger = slog.New(slog.DiscardHandler)
	pw, err := playwright.Run(&options)
	if err != nil {
		return fmt.Errorf("%w: the Playwright driver did not start: %w%s", drivers.ErrDeviceLost, err, p.stderr)
	}
	p.pw = pw
	isolated := playwright.SelectorsRegisterOptions{ContentScript: playwright.Bool(true)}
	for name, text := range map[string]string{engineName: dom.Engine(), typingName: dom.Assemble(typingEngine)} {
		script := playwright.Script{Content: playwright.String(strings.TrimSpace(text))}
		if err := pw.Selectors.Register(name, script, isolated); err != nil {
			p.stop()
			return fmt.Errorf("%w: prepare the Playwright driver: %w", drivers.ErrDeviceLost, err)
		}
	}
	l.process = p
	return nil
}

func (l *Launcher) launch(pw *playwright.Playwright, br brand, k browserKind, program string) (*browser, error) {
	no := playwright.Bool(false)
	options := playwright.BrowserTypeLaunchOptions{
		ExecutablePath: playwright.String(program),
		Headless:       playwright.Bool(!k.headed),
		// Signals are ours to handle: a browser that ends before its last video and screenshot are saved loses them.
		HandleSIGINT: no, HandleSIGTERM: no, HandleSIGHUP: no,
		Timeout: playwright.Float(startLimit.Seconds() * 1000 / 2),
	}
	br.options(l, k, &options)
	if p := l.opts.Policy; p != nil && !p.IsOpen() {
		if l.guard == nil {
			var err error
			if l.guard, err = newGuarded(*p); err != nil {
				return nil, err
			}
		}
		l.guard.confine(&options, br)
	}
	started, err := br.maker(pw).Launch(options)
	if err != nil {
		return nil, err
	}
	b := watched(started, br)
	b.guard = l.guard
	return b, nil
}

// watched notices when a browser is gone.
func watched(started playwright.Browser, br brand) *browser {
	b := &browser{Browser: started, brand: br, mouse: make(chan struct{}, 1), lost: make(chan struct{})}
	b.gone = sync.OnceFunc(func() { close(b.lost) })
	started.OnDisconnected(func(playwright.Browser) { b.gone() })
	if !started.IsConnected() {
		b.gone()
	}
	return b
}

func (l *Launcher) launchError(k browserKind, program string, err error) error {
	screen := os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
	if k.headed && !screen && strings.Contains(err.Error(), "XServer") ||
		strings.Contains(err.Error(), "Missing X server") {
		return fmt.Errorf("%w: a browser window needs a display, and there is none: leave out headless: false",
			drivers.ErrUnsupported)
	}
	said := plain(err)
	if noRoom(err) {
		said = fmt.Sprintf("no space left on device in %s, for its profile: free some there, or set TMPDIR",
			os.TempDir())
	}
	return &drivers.NotStarted{Program: dsl.BrowserTitle(k.name), Path: program, Said: said}
}

// noRoom reports whether a browser did not start because a disk is full.
func noRoom(err error) bool { return strings.Contains(err.Error(), "ENOSPC") }

// close ends the browser; one that does not answer is left to the end of Playwright's process.
func (b *browser) close() {
	if b.alive() {
		within(stopLimit, func() { _ = b.Browser.Close() })
	}
}

// kill abandons a browser that cannot close a page: it is not waited for, and the next page gets a new one.
func (b *browser) kill() {
	b.gone()
	go func() { _ = b.Browser.Close() }() // it returns when the browser, or Playwright's process, ends
}

// stop ends Playwright's process, by force if it does not end by itself, and removes the profiles of its browsers.
func (p *process) stop() {
	pid := p.pw.Pid()
	defer removeDir(toolchain.BrowsersDir(pid))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.pw.Stop() // it waits for the process; an exit code of its own choice does not matter
	}()
	if waitFor(done, stopLimit) {
		return
	}
	if proc, err := os.FindProcess(pid); err == nil {
		_ = proc.Kill()
	}
	waitFor(done, stopLimit)
}

// removeDir removes a folder in which programs that were ended may still write for a moment.
func removeDir(dir string) {
	for end := time.Now().Add(stopLimit); os.RemoveAll(dir) != nil &&
		time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
	}
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

// outputTail keeps the end of what a program says.
type outputTail struct {
	mu   sync.Mutex
	text []byte
}

func (t *outputTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - 2000; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String is empty or starts with a space.
func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := strings.TrimSpace(string(t.text)); s != "" {
		return " (it says: " + screen.Quote(s) + ")"
	}
	return ""
}
