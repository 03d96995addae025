package browser

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/bidi"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
)

// Remote is a WebDriver server on which the pages of one device are opened.
type Remote struct {
	dsl.RemoteServer
	Sessions *remote.Sessions

	mu      sync.Mutex
	ready   []*remote.Lease // with a window in which nothing of earlier tests is left
	open    []*remote.Lease // of this device, up to now, that were not ended
	page    string
	version string
	screen  image.Point // of the phone, in pixels of CSS
	over    bool        // the test has ended
	gone    error       // why the session is gone; nil: it is not known to be
	without string      // why the newest session has no WebDriver BiDi; "": it has
}

func (r *Remote) goneError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone
}

// Page is where people can see the first session; "" when that is not known.
func (r *Remote) Page() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.page
}

// Report sends the result of the test to the cloud of the sessions.
func (r *Remote) Report(ctx context.Context, passed bool, reason string) error {
	if !r.Sessions.Exclusive() {
		return nil
	}
	r.mu.Lock()
	r.over = true
	open := slices.Clone(r.open)
	r.mu.Unlock()
	if len(open) == 0 {
		return fmt.Errorf("the remote %s has no result of the test: its session had ended before", r.Name)
	}
	errs := make([]error, len(open))
	for i, lease := range open {
		errs[i] = lease.Report(ctx, passed, reason)
	}
	return errors.Join(errs...)
}

// end ends a session.
func (r *Remote) end(lease *remote.Lease) error {
	r.mu.Lock()
	r.open = slices.DeleteFunc(r.open, func(other *remote.Lease) bool { return other == lease })
	r.mu.Unlock()
	return lease.End()
}

// classicRemote is the browser of a session without WebDriver BiDi, in the table of browsers.
const classicRemote = dsl.Remote + " without WebDriver BiDi"

// brand is how the browsers of remotes behave, whichever they are.
func (r *Remote) brand() Brand {
	r.mu.Lock()
	name := dsl.Remote
	if r.without != "" {
		name = classicRemote
	}
	reports := r.without == ""
	r.mu.Unlock()
	return Brand{Name: name, ScriptDrags: true, Silent: true, Blind: !reports, Binds: reports, Remote: true,
		Gone: r.goneError,
		own: func(l *Launcher) (playwright.Browser, error) {
			return classic.Launch(remoteProduct{r, l.opts.Policy}, l.scripts())
		}}
}

// offers is why pages cannot be opened in a browser that a test names; nil when they can.
func (r *Remote) offers(name string) error {
	if name == "" || name == dsl.Remote || name == classicRemote || name == r.Browser() {
		return nil
	}
	return &drivers.Unavailable{What: fmt.Sprintf("the remote %s has no %s", r.Name, dsl.BrowserTitle(name)),
		Fix: "its capabilities say which browser it has"}
}

// Model is what the sessions are, as far as that is known.
func (r *Remote) Model() (model, version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name, _ := r.Capabilities["browserName"].(string)
	if title := dsl.BrowserTitle(r.Browser()); r.Browser() != "" {
		name = title
	}
	if name == "" {
		name = "browser"
	}
	return name, r.version
}

// Prepare opens a session, or takes one that another test has left: a next page is opened in it.
func (r *Remote) Prepare(ctx context.Context) error {
	lease, err := r.take(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready = append(r.ready, lease)
	return nil
}

// Claim returns the session that Prepare has opened.
func (r *Remote) Claim() *remote.Lease {
	r.mu.Lock()
	defer r.mu.Unlock()
	lease := r.ready[len(r.ready)-1]
	r.ready = r.ready[:len(r.ready)-1]
	return lease
}

// Withdraw returns the session that Prepare has opened and no page was opened in.
func (r *Remote) Withdraw() {
	r.mu.Lock()
	ready := r.ready
	r.ready = nil
	r.mu.Unlock()
	for _, lease := range ready {
		lease.Keep()
	}
}

func (r *Remote) take(ctx context.Context) (*remote.Lease, error) {
	wanted := maps.Clone(r.Capabilities)
	if wanted == nil {
		wanted = map[string]any{}
	}
	maps.Copy(wanted, classic.Capabilities(false))
	if err := r.phoneCapabilities(wanted); err != nil {
		return nil, err
	}
	lease, err := r.Sessions.Take(ctx, wanted)
	if err != nil {
		return nil, r.withoutDriver(err)
	}
	if err := r.prepareOnPhone(ctx, lease); err != nil {
		_ = lease.End() // no page can be opened in it
		return nil, r.Sessions.Explain(err)
	}
	r.mu.Lock()
	r.gone = nil
	r.version = lease.Granted.BrowserVersion
	r.without = ""
	if lease.BiDi == nil {
		r.without = lease.WithoutBiDi
	}
	r.open = append(r.open, lease)
	r.page = cmp.Or(r.page, lease.Page())
	r.mu.Unlock()
	return lease, nil
}

// remoteProduct opens the sessions of a remote for pages.
type remoteProduct struct {
	*Remote
	policy *guard.Policy // of requests that are sent in place of the browser; nil: all are allowed
}

// remoteStart is how long a session may take for a page.
const remoteStart = remote.OpenLimit + time.Minute

// Traits are those of browsers in general.
func (r remoteProduct) Traits() classic.Traits {
	_, version := r.Model()
	r.mu.Lock()
	reports := r.without == ""
	r.mu.Unlock()
	traits := classic.Traits{Name: dsl.BrowserTitle(dsl.Remote), Version: version, Start: remoteStart, Wired: reports,
		Emulates: reports, Phone: r.OnPhone(), Elsewhere: !r.isLocal()}
	traits.AnyCert, _ = r.Capabilities["acceptInsecureCerts"].(bool)
	if r.policy != nil && !r.policy.IsOpen() {
		traits.Transport = guard.NewDialer(*r.policy).Transport()
	}
	return traits
}

// isLocal reports whether the server is on this machine, or seems to be.
func (r *Remote) isLocal() bool {
	at, err := url.Parse(r.URL)
	return err == nil && webdriver.IsLoopback(at.Hostname())
}

// Open takes a session. One that was used before has nothing of it left.
func (r remoteProduct) Open(ctx context.Context, o classic.Opening) (classic.Instance, error) {
	r.mu.Lock()
	without := r.without
	r.mu.Unlock()
	if err := refusedByRemotes(o.Options, without == ""); err != nil {
		return nil, err
	}
	r.mu.Lock()
	var lease *remote.Lease
	if n := len(r.ready); n > 0 {
		lease, r.ready = r.ready[n-1], r.ready[:n-1]
	}
	r.mu.Unlock()
	if lease == nil {
		var err error
		if lease, err = r.take(ctx); err != nil {
			return nil, err
		}
	}
	i := &remoteInstance{remote: r.Remote, lease: lease}
	if lease.BiDi == nil {
		return i, nil
	}
	events := bidi.New(lease.BiDi, r.Name)
	i.events = events
	reporting := &reportingInstance{remoteInstance: i, Events: events}
	if err := reporting.saveFiles(ctx); err != nil {
		return nil, errors.Join(err, i.Close())
	}
	return reporting, nil
}

// refusedByRemotes is the error of an option that only the capabilities of the session can say; reports: it has
// WebDriver BiDi.
func refusedByRemotes(o playwright.BrowserNewContextOptions, reports bool) error {
	switch {
	case o.ColorScheme != nil && *o.ColorScheme != *playwright.ColorSchemeLight,
		!reports && (o.UserAgent != nil || o.TimezoneId != nil):
		return fmt.Errorf("%w: the user agent, the time zone and the colours of a remote browser are up to its "+
			"capabilities", drivers.ErrUnsupported)
	case o.IgnoreHttpsErrors != nil && *o.IgnoreHttpsErrors:
		return fmt.Errorf("%w: write acceptInsecureCerts: true into the capabilities of the remote",
			drivers.ErrUnsupported)
	}
	return nil
}

// remoteInstance is a session that pages are open in.
type remoteInstance struct {
	remote *Remote
	lease  *remote.Lease
	events *bidi.Events // nil: the session has no WebDriver BiDi
	folder string       // of the files that its pages offer; "": none on this machine
}

// Session is that of the browser.
func (i *remoteInstance) Session() *webdriver.Session { return i.lease.Session }

// Gone notes why the session cannot be used any more.
func (i *remoteInstance) Gone(err error) {
	i.remote.mu.Lock()
	defer i.remote.mu.Unlock()
	i.remote.gone = i.remote.Sessions.Explain(err)
}

// Attach has the scripts of the context run before those of pages, where the driver is one of Chromium.
func (i *remoteInstance) Attach(ctx context.Context, w classic.Attachment) (classic.Window, error) {
	err := i.lease.DevTools(ctx, "Page.addScriptToEvaluateOnNewDocument", map[string]any{
		"source": classic.NativeScript(w.Name) + w.Script}, nil)
	var said *webdriver.Error
	if errors.As(err, &said) {
		return blindWindow{w.Page}, nil // another browser
	}
	return nil, err
}

// blindWindow is a window of a browser in which no script runs before those of the page: what is in closed shadow roots
// cannot be read.
type blindWindow struct{ page *classic.Page }

// hiddenScript finds elements that show something, with neither children nor an open shadow root: elements that a page
// has defined itself.
const hiddenScript = `[...document.querySelectorAll('*')].some(e => e.localName.includes('-') && !e.shadowRoot &&
	customElements.get(e.localName) && !e.textContent.trim() && !e.childElementCount && e.getClientRects().length)`

// Settle does nothing: neither the console nor requests are reported.
func (blindWindow) Settle(context.Context) error { return nil }

// Err is nil: there is no connection but that of the session.
func (blindWindow) Err() error { return nil }

// DeclaresClosedRoots reports whether the page seems to have closed shadow roots, however they are made.
func (w blindWindow) DeclaresClosedRoots(context.Context, bool, func(string) bool) bool {
	hides, err := w.page.Evaluate(hiddenScript)
	is, _ := hides.(bool)
	return err == nil && is
}

// Close does nothing.
func (blindWindow) Close() {}

// Upload sends files to the machine of the browser, where the server takes them.
func (i *remoteInstance) Upload(ctx context.Context, paths []string) (there []string, err error) {
	for _, path := range paths {
		archive, err := zipped(path)
		if err != nil {
			return nil, err
		}
		at, err := i.lease.Upload(ctx, archive)
		if webdriver.Is(err, webdriver.UnknownCommand, webdriver.UnknownMethod) {
			if i.remote.isLocal() {
				return paths, nil // the browser reads them itself
			}
			return nil, fmt.Errorf("%w: the remote %s takes no files", drivers.ErrUnsupported, i.remote.Name)
		}
		if err != nil {
			return nil, err
		}
		there = append(there, at)
	}
	return there, nil
}

// zipped is an archive with one file.
func zipped(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	file, err := archive.Create(filepath.Base(path))
	if err == nil {
		_, err = file.Write(data)
	}
	err = errors.Join(err, archive.Close())
	return out.Bytes(), err
}

// Close ends the session, or keeps it for the next page where all can be removed that this one has left: of a cloud,
// for the next page of the same test.
func (i *remoteInstance) Close() error {
	if i.folder != "" {
		defer os.RemoveAll(i.folder)
	}
	r := i.remote
	r.mu.Lock()
	over := r.over || r.gone != nil
	r.mu.Unlock()
	if over {
		return r.end(i.lease)
	}
	ctx, cancel := context.WithTimeout(context.Background(), cleanLimit)
	defer cancel()
	if i.folder != "" {
		i.events.StopSaving(ctx)
	}
	if i.events != nil && i.events.Restore(ctx) != nil || clean(ctx, i.lease.Session) != nil {
		return r.end(i.lease)
	}
	if r.Sessions.Exclusive() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ready = append(r.ready, i.lease)
		return nil
	}
	i.lease.Keep()
	return nil
}

// cleanLimit is how long a browser may take to forget a test.
const cleanLimit = 20 * time.Second

// clean leaves one new window in a session, without cookies, storage or cache. Only Chromium's driver has a way.
func clean(ctx context.Context, s *webdriver.Session) error {
	if err := s.LeaveFrames(ctx); err != nil && !webdriver.Is(err, webdriver.NoSuchWindow) {
		return err
	}
	old, err := s.Windows(ctx)
	if err != nil {
		return err
	}
	if len(old) == 0 {
		return errors.New("no window is open")
	}
	if err := s.ChooseWindow(ctx, old[0]); err != nil {
		return err
	}
	fresh, err := s.NewWindow(ctx)
	if err != nil {
		return err
	}
	for _, handle := range old {
		if err := s.ChooseWindow(ctx, handle); err != nil {
			return err
		}
		if err := s.CloseWindow(ctx); err != nil {
			return err
		}
	}
	if err := s.ChooseWindow(ctx, fresh); err != nil {
		return err
	}
	for _, forget := range []struct {
		command string
		params  map[string]any
	}{
		{"Storage.clearDataForOrigin", map[string]any{"origin": "*", "storageTypes": "all"}},
		{"Network.clearBrowserCookies", map[string]any{}},
		{"Network.clearBrowserCache", map[string]any{}},
	} {
		if err := s.DevTools(ctx, forget.command, forget.params, nil); err != nil {
			return err
		}
	}
	left, err := s.Windows(ctx)
	if err == nil && len(left) != 1 {
		err = errors.New("a window has opened meanwhile")
	}
	return err
}
