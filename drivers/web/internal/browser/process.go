package browser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// process is Playwright's own, which starts and ends browsers. It ends by itself, and its browsers with it, when our
// end of its standard input closes, as it does when we are killed.
type process struct {
	pw     *playwright.Playwright
	stderr *phrase.Tail
}

var errClosed = errors.New("the web driver is closed")

// typingEngine is the one through which fields are read and their carets placed; see script/typing.js.
//
//go:embed script/typing.js
var typingEngine string

const (
	engineName = "taproot"
	TypingName = "taproot-typing"
)

// browserKind distinguishes the browsers of a driver.
type browserKind struct {
	name   string
	headed bool
	whole  bool   // without a window, and yet not the headless shell
	scheme string // that the whole browser has; "": light, or the context's
	large  bool   // of a Firefox without a window: its screen holds the largest pages
}

// Browser is one that runs.
type Browser struct {
	playwright.Browser
	Brand    Brand
	Attached bool          // it ran already, and continues afterwards
	Guard    *guarded      // that it connects through; nil: it connects by itself
	Mouse    chan struct{} // holds one thing while a page has the mouse
	Lost     chan struct{} // closed when it is gone
	Gone     func()        // closes lost
}

func (b *Browser) Alive() bool {
	select {
	case <-b.Lost:
		return false
	default:
		return true
	}
}

// browser returns the running browser, or starts one. A start that outlives ctx continues for the next caller.
func (l *Launcher) browser(ctx context.Context, k browserKind) (*Browser, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("%w: the browser did not start within %s",
		drivers.ErrDeviceLost, startLimit))
	defer cancel()
	if err := l.acquire(ctx); err != nil {
		return nil, context.Cause(ctx)
	}
	if b := l.browsers[k]; b != nil && b.Alive() && !l.closed {
		l.release()
		return b, nil
	}
	select {
	case r := <-l.startAside(ctx, func(ctx context.Context) (*Browser, error) { return l.start(ctx, k) }):
		return r.Value, r.Err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// startAside starts to reach for a browser and continues when ctx ends, because Playwright knows no contexts. The
// caller holds the lock, which is released when there is an outcome.
func (l *Launcher) startAside(ctx context.Context, reach func(context.Context) (*Browser,
	error)) <-chan Outcome[*Browser] {
	done := make(chan Outcome[*Browser], 1)
	ctx = context.WithoutCancel(ctx)
	l.work.Go(func() {
		defer l.release()
		b, err := reach(ctx)
		done <- Outcome[*Browser]{Value: b, Err: err}
	})
	return done
}

// start launches a browser, with Playwright's process if there is none or if it died. The caller holds the lock.
func (l *Launcher) start(ctx context.Context, k browserKind) (*Browser, error) {
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	br, err := l.BrandFor(drivers.PageOptions{Browser: k.name})
	if err != nil {
		return nil, err
	}
	if br.own != nil {
		made, err := br.own(l)
		if err != nil {
			return nil, err
		}
		l.browsers[k] = watched(made, br)
		return l.browsers[k], nil
	}
	program, err := br.program(l, k)
	if err != nil {
		return nil, err
	}
	b, err := l.withProcess(func(pw *playwright.Playwright) (*Browser, error) { return l.launch(pw, br, k, program) })
	if err != nil {
		if noRoom(err) && !slices.ContainsFunc(slices.Collect(maps.Values(l.browsers)), (*Browser).Alive) {
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
func (l *Launcher) withProcess(f func(*playwright.Playwright) (*Browser, error)) (*Browser, error) {
	fresh := l.process == nil
	if fresh {
		if err := l.startProcess(); err != nil {
			return nil, err
		}
	}
	b, err := l.process.starts(f)
	othersLive := slices.ContainsFunc(slices.Collect(maps.Values(l.browsers)), (*Browser).Alive)
	if fresh || !ProcessDied(err) && (othersLive || !Disconnected(err)) {
		return b, err
	}
	l.stop()
	if err := l.startProcess(); err != nil {
		return nil, err
	}
	return l.process.starts(f)
}

// starts has the process start a browser.
func (p *process) starts(f func(*playwright.Playwright) (*Browser, error)) (*Browser, error) {
	p.slacken()
	defer p.hasten()
	return f(p.pw)
}

func (l *Launcher) startProcess() error {
	options := *l.Setup.Options
	p := &process{stderr: &phrase.Tail{}}
	// Playwright's and playwright-go's own words belong into our errors, not on the terminal.
	options.Stderr, options.Stdout, options.Verbose = p.stderr, p.stderr, false
	options.Logger = slog.New(slog.DiscardHandler)
	pw, err := playwright.Run(&options)
	if err != nil {
		return fmt.Errorf("%w: the Playwright driver did not start: %w%s", drivers.ErrDeviceLost, err, p.stderr)
	}
	p.pw = pw
	isolated := playwright.SelectorsRegisterOptions{ContentScript: playwright.Bool(true)}
	for name, text := range map[string]string{engineName: dom.Engine(), TypingName: dom.Assemble(typingEngine)} {
		script := playwright.Script{Content: playwright.String(strings.TrimSpace(text))}
		if err := pw.Selectors.Register(name, script, isolated); err != nil {
			p.stop()
			return fmt.Errorf("%w: prepare the Playwright driver: %w", drivers.ErrDeviceLost, err)
		}
	}
	l.process = p
	return nil
}

func (l *Launcher) launch(pw *playwright.Playwright, br Brand, k browserKind, program string) (*Browser, error) {
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
	b.Guard = l.guard
	return b, nil
}

// watched notices when a browser is gone.
func watched(started playwright.Browser, br Brand) *Browser {
	b := &Browser{Browser: started, Brand: br, Mouse: make(chan struct{}, 1), Lost: make(chan struct{})}
	b.Gone = sync.OnceFunc(func() { close(b.Lost) })
	started.OnDisconnected(func(playwright.Browser) { b.Gone() })
	if !started.IsConnected() {
		b.Gone()
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
	said := Plain(err)
	if noRoom(err) {
		said = fmt.Sprintf("no space left on device in %s, for its profile: free some there, or set TMPDIR",
			os.TempDir())
	}
	return &drivers.NotStarted{Program: dsl.BrowserTitle(k.name), Path: program, Said: said}
}

// noRoom reports whether a browser did not start because a disk is full.
func noRoom(err error) bool { return strings.Contains(err.Error(), "ENOSPC") }

// close ends the browser; one that does not answer is left to the end of Playwright's process.
func (b *Browser) close() {
	if b.Alive() {
		Within(StopLimit, func() { _ = b.Browser.Close() })
	}
}

// Kill abandons a browser that cannot close a page: it is not waited for, and the next page gets a new one.
func (b *Browser) Kill() {
	b.Gone()
	go func() { _ = b.Browser.Close() }() // it returns when the browser, or Playwright's process, ends
}

// stop ends Playwright's process, by force with its browsers if it does not end by itself, and removes their profiles.
func (p *process) stop() {
	pid := p.pw.Pid()
	defer removeDir(toolchain.BrowsersDir(pid))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.pw.Stop() // it waits for the process; an exit code of its own choice does not matter
	}()
	if WaitFor(done, StopLimit) {
		return
	}
	left := browsersOf(pid)
	if proc, err := os.FindProcess(pid); err == nil {
		_ = proc.Kill()
	}
	killBrowsers(left)
	WaitFor(done, StopLimit)
}

// registerEngine makes our selector engine known to a context that was there before us. playwright-go v0.5700.1
// registers only those that it made itself of it, and has no call for the others, so the message is sent on the
// context's own channel, which is not exported.
func registerEngine(context playwright.BrowserContext) error {
	sender, err := ChannelOf(context)
	if err != nil {
		return err
	}
	_, err = sender.Send("registerSelectorEngine", map[string]any{"selectorEngine": map[string]any{
		"name": engineName, "source": dom.Engine(), "contentScript": true}})
	if err != nil {
		return fmt.Errorf("prepare the running browser: %w", err)
	}
	return nil
}

// channel sends messages that playwright-go has no call for.
type channel interface {
	Send(method string, options ...any) (any, error)
}

// ChannelOf returns the channel of an object of playwright-go, which is not exported.
func ChannelOf(of any) (channel, error) {
	outdated := errors.New("this version of playwright-go cannot send messages of the caller's own")
	v := reflect.ValueOf(of)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, outdated
	}
	field := v.Elem().FieldByName("channel")
	if !field.IsValid() || !field.CanAddr() {
		return nil, outdated
	}
	sender, ok := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Interface().(channel)
	if !ok {
		return nil, outdated
	}
	return sender, nil
}
