package webkit

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// startPoll is the time between two looks whether a program is ready.
const startPoll = 20 * time.Millisecond

// usualLocale is that of pages for which none is set, as in other browsers.
const usualLocale = "en-US"

// kind is what a browser is started with, and what cannot be changed afterwards.
type kind struct {
	size        image.Point // of pages
	zone, agent string
	locale      string // such as de-DE
	dark        bool
	anyCert     bool
}

func kindOf(o classic.Opening) kind {
	k := kind{size: o.Size, locale: usualLocale}
	if locale := o.Options.Locale; locale != nil {
		k.locale = *locale
	}
	if zone := o.Options.TimezoneId; zone != nil {
		k.zone = *zone
	}
	if agent := o.Options.UserAgent; agent != nil {
		k.agent = *agent
	}
	if scheme := o.Options.ColorScheme; scheme != nil {
		k.dark = *scheme == *playwright.ColorSchemeDark
	}
	k.anyCert = o.Options.IgnoreHttpsErrors != nil && *o.Options.IgnoreHttpsErrors
	return k
}

func (k kind) args() []string {
	args := []string{"--automation"}
	if k.agent != "" {
		args = append(args, "--user-agent="+k.agent)
	}
	if k.dark {
		args = append(args, "--dark-mode")
	}
	return args
}

func (k kind) env() (env []string) {
	if k.zone != "" {
		env = append(env, "TZ="+k.zone)
	}
	return env
}

// instance is a browser that runs: its programs and its session.
type instance struct {
	product *Product
	kind    kind
	group   *group
	display *display
	port    string // of Web Inspector
	client  *webdriver.Client
	session *webdriver.Session
	visited *visited

	mu        sync.Mutex
	windows   []*inspected // that were opened
	attached  int          // windows that were opened
	others    int          // numbers of Web Inspector that are not those of windows which were attached
	first     *inspected   // the Web Inspector of the window that it has started with, until it is asked for
	prompt    *inspector.Acknowledger
	recording *recording // nil: it is not recorded
	crashed   func()     // called once a program has ended by itself
	died      bool
}

// open starts a browser of a kind, up to a window of the right size.
func open(ctx context.Context, p *Product, k kind) (*instance, error) {
	in := &instance{product: p, kind: k, visited: newVisited()}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	in.setCrashed(func() { cancel(in.failed(errors.New("a program has ended"))) }) // the driver would wait for ever
	err := in.start(ctx)
	if err == nil {
		err = in.openFirst(ctx)
	}
	in.setCrashed(nil)
	if err != nil {
		_ = in.Close()
		return nil, err
	}
	return in, nil
}

// Session is that of the browser.
func (in *instance) Session() *webdriver.Session { return in.session }

// Close ends the programs and returns the display.
func (in *instance) Close() (err error) {
	if first := in.takeFirst(); first != nil {
		first.Close()
	}
	in.prompt.Close()
	in.recording.end()
	if in.group != nil {
		err = in.group.end()
	}
	if in.display != nil {
		err = errors.Join(err, in.product.displays.put(in.display))
	}
	if in.client != nil {
		in.client.Close()
	}
	return err
}

func (in *instance) takeFirst() *inspected {
	in.mu.Lock()
	defer in.mu.Unlock()
	first := in.first
	in.first = nil
	return first
}

// setCrashed says what is called when a program ends by itself.
func (in *instance) setCrashed(f func()) {
	in.mu.Lock()
	in.crashed = f
	died := in.died
	in.mu.Unlock()
	if died && f != nil {
		f()
	}
}

// ended is called when a program has ended.
func (in *instance) ended() {
	in.mu.Lock()
	in.died = true
	f := in.crashed
	in.mu.Unlock()
	if f != nil {
		f()
	}
}

func (in *instance) lives() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return !in.died
}

// start starts MiniBrowser, WebKitWebDriver, and the session. What was started is there also after an error.
func (in *instance) start(ctx context.Context) (err error) {
	if in.group, err = newGroup(); err != nil {
		return err
	}
	ports, err := drivers.FreePorts(2)
	if err != nil {
		return err
	}
	in.port = ports[0]
	target, err := in.startBrowser(ctx)
	if err != nil {
		return err
	}
	if err := in.startDriver(ctx, ports[1], target); err != nil {
		return err
	}
	if in.session, err = in.client.NewSession(ctx, classic.Capabilities(in.kind.anyCert), startLimit); err != nil {
		return in.failed(err)
	}
	return nil
}

func (in *instance) failed(err error) error {
	if errors.Is(err, drivers.ErrDeviceLost) {
		return err
	}
	return fmt.Errorf("%w: WebKit did not start: %w%s", drivers.ErrDeviceLost, err, in.group.output)
}

// startBrowser starts MiniBrowser, which listens at two ports then: at that for Web Inspector, and at one of its own
// choice for WebDriver, which is returned.
func (in *instance) startBrowser(ctx context.Context) (target string, err error) {
	if in.display, err = in.product.displays.take(ctx, in.kind.size); err != nil {
		return "", err
	}
	locale, err := in.group.speak(in.kind.locale)
	if err != nil {
		return "", err
	}
	cmd, err := in.group.run(in.product.programs.Browser, in.kind.args(), slices.Concat(in.display.env(), in.kind.env(),
		locale, []string{"WEBKIT_INSPECTOR_HTTP_SERVER=127.0.0.1:" + in.port}))
	if err != nil {
		return "", err
	}
	ended := make(chan struct{})
	in.group.reap(cmd, func() { close(ended); in.ended() })
	err = poll(ctx, ended, func() bool {
		for _, port := range listening(cmd.Process.Pid) {
			if number := strconv.Itoa(port); number != in.port {
				target = number
			}
		}
		return target != ""
	})
	if err != nil {
		return "", in.group.failure(ctx, "MiniBrowser")
	}
	return target, nil
}

// startDriver starts WebKitWebDriver for a browser that listens at the port target.
func (in *instance) startDriver(ctx context.Context, port, target string) error {
	cmd, err := in.group.run(in.product.programs.Driver, []string{"--host=127.0.0.1", "--port=" + port,
		"--target=127.0.0.1:" + target}, nil)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	in.group.reap(cmd, func() { close(ended); in.ended() })
	if in.client, err = webdriver.New(webdriver.Options{URL: "http://127.0.0.1:" + port}); err != nil {
		return err
	}
	err = poll(ctx, ended, func() bool {
		return !errors.As(in.client.Do(ctx, webdriver.Command{Method: "GET", Path: "/status"}, nil),
			new(*webdriver.LostError))
	})
	if err != nil {
		return in.group.failure(ctx, "WebKitWebDriver")
	}
	return nil
}

// openFirst prepares the window that the browser has started with.
func (in *instance) openFirst(ctx context.Context) error {
	handles, err := in.session.Windows(ctx)
	if err == nil && len(handles) == 0 {
		err = errors.New("the browser has no window")
	}
	if err == nil {
		err = in.session.ChooseWindow(ctx, handles[0])
	}
	if err == nil {
		err = classic.Fit(ctx, in.session, in.kind.size, toolbar)
	}
	if err == nil {
		in.prompt, err = inspector.NewAcknowledger(ctx, in.socket(noWindow))
	}
	var first *inspected
	if err == nil {
		first, err = in.inspect(ctx, 1)
	}
	if err != nil {
		return in.failed(err)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.first = first
	return nil
}
