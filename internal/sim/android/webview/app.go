package webview

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/internal/devtools"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
)

// webApp is an installed app with a WebView. Its cookies and storage live in a browser context of its own, until pm
// clear.
type webApp struct {
	sys *system.System
	pkg string

	mu      sync.Mutex
	view    WebView
	about   browserAbout // what the Chromium says of itself, once it was asked
	cleared bool

	dial   sync.Mutex // guards what follows, while a connection is made, too
	client *devtools.Client
	home   string // the browser context

	tabs sync.Map // *webTab by the session in which it is attached
}

// webProcess is the process of such an app, with the socket on which its DevTools listen.
type webProcess struct {
	app    *webApp
	pid    int
	ctx    context.Context // ends with the process
	cancel context.CancelFunc
	tab    *webTab // of the activity that was opened last; The phone's lock guards it
}

// End ends what runs in the process.
func (w *webProcess) End() { w.cancel() }

func (a *webApp) start(pid int) *webProcess {
	w := &webProcess{app: a, pid: pid}
	w.ctx, w.cancel = context.WithCancel(a.sys.Ctx)
	return w
}

func (a *webApp) config() WebView {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.view
}

// connect returns the client of the Chromium and the app's context in it, as it was left.
func (a *webApp) connect() (*devtools.Client, string, error) {
	a.dial.Lock()
	defer a.dial.Unlock()
	ctx := a.sys.Ctx
	if a.client != nil && a.client.Ended() {
		a.client, a.home = nil, ""
	}
	if a.client == nil {
		client, err := devtools.Dial(ctx, a.config().DevTools, a.event)
		if err != nil {
			return nil, "", err
		}
		if !a.sys.Work.Run(func() { client.Read(ctx) }) {
			client.Close()
			return nil, "", errors.New("the phone is closed")
		}
		a.client = client
	}
	if a.wasCleared() && a.home != "" {
		if err := a.client.Call(ctx, "", "Target.disposeBrowserContext", map[string]any{"browserContextId": a.home},
			nil); err != nil {
			return nil, "", err
		}
		a.home = ""
	}
	if a.home == "" && !a.config().Browser {
		var made struct {
			ID string `json:"browserContextId"`
		}
		if err := a.client.Call(ctx, "", "Target.createBrowserContext", map[string]any{"disposeOnDetach": true},
			&made); err != nil {
			return nil, "", err
		}
		a.home = made.ID
	}
	return a.client, a.home, nil
}

// clear lets the next page find nothing of what the app's pages have stored. The phone's lock may be held.
func (a *webApp) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cleared = true
}

func (a *webApp) wasCleared() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.cleared
	a.cleared = false
	return was
}

// browserAbout is /json/version of a Chromium.
type browserAbout struct {
	Browser  string
	Protocol string `json:"Protocol-Version"`
	V8       string `json:"V8-Version"`
	WebKit   string `json:"WebKit-Version"`
	URL      string `json:"webSocketDebuggerUrl"`
}

// chrome is the version alone.
func (b browserAbout) chrome() string {
	_, version, _ := strings.Cut(b.Browser, "/")
	return version
}

// version is what the Chromium says of itself, with the version that the WebView has been given.
func (a *webApp) version(ctx context.Context) browserAbout {
	config := a.config()
	a.mu.Lock()
	about := a.about
	a.mu.Unlock()
	if about.Browser == "" {
		if devtools.Ask(ctx, config.DevTools, "/json/version", &about) != nil {
			return browserAbout{Browser: "Chrome/0"}
		}
		a.mu.Lock()
		a.about = about
		a.mu.Unlock()
	}
	about.Browser = "Chrome/" + about.chrome()
	if config.Chrome != "" {
		about.Browser = "Chrome/" + config.Chrome
	}
	return about
}

// before says whether the WebView's version is older than a major one.
func (b browserAbout) before(major int) bool {
	first, _, _ := strings.Cut(b.chrome(), ".")
	n, err := strconv.Atoi(first)
	return err == nil && n < major
}

// userAgent is what the pages of a WebView send to servers.
func (a *webApp) userAgent(chrome string) string {
	p := a.sys.Prof
	return fmt.Sprintf(
		"Mozilla/5.0 (Linux; Android %s; %s Build/SIM.%d; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/%s "+
			"Mobile Safari/537.36",
		p.Release, p.Model, p.API, chrome)
}
