package classic

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	arrivePoll = 15 * time.Millisecond
	// probeAfter is how long a page may take to come before its server is asked why: where the certificate is not valid,
	// the old page stays where it is, and no error is reported.
	probeAfter = 3 * time.Second
	probeLimit = 5 * time.Second
	// historyWait is how long a step in the history may take to change the page; where nothing changes, there is no entry.
	historyWait = 5 * time.Second
)

// arrivalScript marks a document, unless it is marked, and says where it is.
const arrivalScript = `const name = arguments[0] + 'd';
if (!document[name]) Object.defineProperty(document, name, {value: arguments[1]});
return [document[name], location.href, document.documentURI, document.readyState, String(history.length)];`

// arrival is the document that a window shows.
type arrival struct {
	mark, url, document, ready string
	entries                    string
}

func (p *Page) arrival(ctx context.Context) (at arrival, err error) {
	c := p.context
	var list []string
	err = c.command(ctx, func() error {
		return c.script(ctx, arrivalScript, []any{c.name, rand.Text()}, &list, callLimit)
	})
	if err == nil && len(list) != 5 {
		err = errMangled
	}
	if err != nil {
		return at, err
	}
	return arrival{list[0], list[1], list[2], list[3], list[4]}, nil
}

// Goto loads a URL and waits until its document is there.
func (p *Page) Goto(address string, options ...playwright.PageGotoOptions) (playwright.Response, error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	c := p.context
	return p.travel(limitOf(timeout), address, func(ctx context.Context) error {
		return c.session.Go(ctx, c.withLogin(address))
	})
}

// Reload loads the page again.
func (p *Page) Reload(options ...playwright.PageReloadOptions) (playwright.Response, error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	return p.travel(limitOf(timeout), "", func(ctx context.Context) error {
		return p.context.session.Travel(ctx, "refresh")
	})
}

// travel makes a navigation and waits for its document: the old one responds until then. It returns the response, nil
// where none is known.
func (p *Page) travel(limit time.Duration, address string, depart func(ctx context.Context) error) (
	playwright.Response, error) {
	c := p.context
	deadline := time.Now().Add(limit)
	err := c.do(p, limit+callLimit, func(ctx context.Context) error {
		before, err := p.arrival(ctx)
		if err != nil {
			return err
		}
		if address == "" {
			address = before.url
		}
		p.Traffic.departs()
		if err := c.prepareVisit(ctx, address); err != nil {
			return err
		}
		if err := depart(ctx); err != nil {
			return notOpened(err)
		}
		probe, left := newProbe(address, c.anyCert), time.Now()
		defer probe.end()
		return p.await(ctx, deadline, func(now arrival, err error) (bool, error) {
			switch {
			case errors.Is(err, errMangled): // as while the document is being replaced
				return false, nil
			case err != nil:
				return false, err
			case now.mark == before.mark && sameDocument(before.url, address) && now.url == address:
				return true, nil
			case now.mark == before.mark, now.replaces(before) && time.Since(left) < probeAfter:
				return false, cmp.Or(p.notComing(probe), probe.answer())
			case now.failed(address):
				return false, probe.reason()
			}
			return now.ready != "loading", nil
		})
	})
	return p.came(err)
}

// came reports the document that a navigation has led to, and returns its response.
func (p *Page) came(err error) (playwright.Response, error) {
	if err != nil {
		return nil, err
	}
	p.arrived()
	ctx, cancel := context.WithTimeout(p.context.life, callLimit)
	defer cancel()
	if err := p.Settle(ctx); err != nil {
		return nil, p.context.explain(p, err)
	}
	return p.Traffic.arrives(), nil
}

// notComing returns why the document that is gone to does not come, nil while that is not known.
func (t *Traffic) notComing(probe *probe) error {
	err := t.failure()
	switch {
	case err == nil, err.Error() == errAborted: // another navigation has taken its place, or it is a download
		return nil
	case netError.MatchString(err.Error()):
		return err
	}
	return probe.reason()
}

// await reads where the window is until there says so, or ends with an error, at the latest at the deadline. It is not
// asked while the document is being replaced.
func (p *Page) await(ctx context.Context, deadline time.Time, there func(now arrival, err error) (bool, error)) error {
	for {
		now, err := p.arrival(ctx)
		if err == nil || !webdriver.PageChanged(err) && !webdriver.Is(err, webdriver.ScriptFailed) {
			if done, err := there(now, err); done || err != nil {
				return err
			}
		}
		if time.Now().After(deadline) {
			return errLate
		}
		if err := drivers.Pause(ctx, arrivePoll); err != nil {
			return err
		}
	}
}

// netError is how drivers of Chromium report why a page does not open.
var netError = lazyregexp.New(`net::ERR_[A-Z_]+`)

// notOpened is the error of a navigation that the driver refuses. Only a code of the browser, or an argument that it
// does not take, says something about the page; any other error is one of the server.
func notOpened(err error) error {
	var said *webdriver.Error
	if !errors.As(err, &said) {
		return err
	}
	if code := netError.FindString(said.Message); code != "" {
		return errors.New(code)
	}
	if said.Code == webdriver.InvalidArgument {
		return fmt.Errorf("net::ERR_INVALID_URL: %w", err)
	}
	return err
}

// failed reports whether the browser shows a page of its own instead.
func (at arrival) failed(address string) bool {
	blank := func(s string) bool {
		return s == "about:blank" || s == "" || strings.HasPrefix(s, "chrome-error:") ||
			strings.HasPrefix(s, "about:neterror") || strings.HasPrefix(s, "about:certerror")
	}
	return !strings.HasPrefix(strings.ToLower(address), "about:") && (blank(at.url) || blank(at.document))
}

// replaces reports whether an empty document has replaced the empty one before: Firefox does that in a new window,
// while it loads a page. A page that has failed to load shows the same in other browsers: what remains counts as that.
func (at arrival) replaces(before arrival) bool {
	return at.url == "about:blank" && before.url == at.url
}

// sameDocument reports whether a URL leads to a place in the page at another.
func sameDocument(from, to string) bool {
	a, _, _ := strings.Cut(from, "#")
	b, _, fragment := strings.Cut(to, "#")
	return a == b && fragment
}

// probe finds out why a page does not come.
type probe struct {
	address string
	timer   *time.Timer
	cancel  context.CancelFunc
	result  chan error
}

func newProbe(address string, anyCert bool) *probe {
	ctx, cancel := context.WithTimeout(context.Background(), probeAfter+probeLimit)
	p := &probe{address: address, cancel: cancel, result: make(chan error, 1)}
	if strings.HasPrefix(strings.ToLower(address), "https:") && !anyCert {
		p.timer = time.AfterFunc(probeAfter, func() { p.result <- whyNot(ctx, address) })
	}
	return p
}

func (p *probe) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.cancel()
}

// answer returns why the page does not come, nil while that is not known.
func (p *probe) answer() error {
	select {
	case err := <-p.result:
		return err
	default:
		return nil
	}
}

// reason returns why a page did not open that has not opened for certain.
func (p *probe) reason() error {
	ctx, cancel := context.WithTimeout(context.Background(), probeLimit)
	defer cancel()
	if err := whyNot(ctx, p.address); err != nil {
		return err
	}
	return errors.New("net::ERR_CONNECTION_FAILED: the browser did not open it")
}

// whyNot connects to the server of a URL, without a request, and returns why that fails, in the words of Chromium.
func whyNot(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("net::ERR_INVALID_URL")
	}
	if u.Scheme == "file" {
		if _, err := os.Stat(u.Path); errors.Is(err, os.ErrNotExist) {
			return errors.New("net::ERR_FILE_NOT_FOUND")
		} else if err != nil {
			return errors.New("net::ERR_ACCESS_DENIED")
		}
		return nil
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err == nil {
		defer conn.Close()
		if u.Scheme != "https" {
			return nil
		}
		err = tls.Client(conn, &tls.Config{ServerName: u.Hostname()}).HandshakeContext(ctx)
	}
	var host *net.DNSError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("net::ERR_CONNECTION_REFUSED")
	case errors.As(err, &host):
		return errors.New("net::ERR_NAME_NOT_RESOLVED")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return errors.New("net::ERR_CERT_DATE_INVALID")
	case errors.As(err, &name):
		return errors.New("net::ERR_CERT_COMMON_NAME_INVALID")
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return errors.New("net::ERR_CERT_AUTHORITY_INVALID")
	case ctx.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("net::ERR_CONNECTION_TIMED_OUT")
	}
	return errors.New("net::ERR_CONNECTION_FAILED")
}

// GoBack goes to the page before.
func (p *Page) GoBack(options ...playwright.PageGoBackOptions) (playwright.Response, error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	return p.step(limitOf(timeout), "back")
}

// GoForward goes to the page after.
func (p *Page) GoForward(options ...playwright.PageGoForwardOptions) (playwright.Response, error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	return p.step(limitOf(timeout), "forward")
}

// errNoEntry has the text by which callers know it.
var errNoEntry = errors.New("no such history entry")

// step makes a step in the history. A page that was kept whole comes back with the mark that it had.
func (p *Page) step(limit time.Duration, way string) (playwright.Response, error) {
	c := p.context
	deadline := time.Now().Add(limit)
	err := c.do(p, limit+callLimit, func(ctx context.Context) error {
		before, err := p.arrival(ctx)
		if err != nil {
			return err
		}
		if before.entries == "1" {
			return errNoEntry
		}
		began := time.Now()
		p.Traffic.departs()
		if err := c.session.Travel(ctx, way); err != nil {
			return err
		}
		return p.await(ctx, deadline, func(now arrival, err error) (bool, error) {
			switch {
			case err != nil:
				return false, err
			case now.url == "about:blank" && before.url != now.url: // the empty page with which every window starts
				if err := c.session.Travel(ctx, "forward"); err != nil {
					return false, err
				}
				return false, p.back(ctx, before, deadline)
			case (now.mark != before.mark || now.url != before.url) && now.ready != "loading":
				return true, nil
			case now.mark == before.mark && now.url == before.url && time.Since(began) > historyWait:
				return false, errNoEntry
			}
			return false, nil
		})
	})
	return p.came(err)
}

// back waits until a page is there again that a step of the history has left for none.
func (p *Page) back(ctx context.Context, page arrival, deadline time.Time) error {
	for time.Now().Before(deadline) {
		if now, err := p.arrival(ctx); err == nil && now.url == page.url && now.ready != "loading" {
			return errNoEntry
		}
		if err := drivers.Pause(ctx, arrivePoll); err != nil {
			return err
		}
	}
	return errLate
}

// WaitForLoadState waits until the document has loaded so far.
func (p *Page) WaitForLoadState(options ...playwright.PageWaitForLoadStateOptions) error {
	var o playwright.PageWaitForLoadStateOptions
	if len(options) > 0 {
		o = options[0]
	}
	state := *playwright.LoadStateLoad
	if o.State != nil {
		state = *o.State
	}
	if state == *playwright.LoadStateNetworkidle {
		return p.waitIdle(limitOf(o.Timeout))
	}
	deadline := time.Now().Add(limitOf(o.Timeout))
	for {
		at, err := p.at()
		switch {
		case err != nil && !strings.Contains(err.Error(), "Execution context was destroyed"):
			return err
		case err == nil && (at.Ready == "complete" || at.Ready == "interactive" && state != *playwright.LoadStateLoad):
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("%w: the page is %s", playwright.ErrTimeout, at.Ready)
		}
		if err := drivers.Pause(p.context.life, arrivePoll); err != nil {
			return p.context.explain(p, err)
		}
	}
}
