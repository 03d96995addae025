package browser

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// Restricted reports whether some files of this machine must not be opened.
func (o Options) Restricted() bool { return o.NoFiles || o.FilesBelow != "" }

// AllowsFile reports whether the driver may open a file: address. Links are followed first.
func (o Options) AllowsFile(address string) error {
	if !o.Restricted() {
		return nil
	}
	no := fmt.Errorf("%w: %s may not be opened here: files of this machine are not for pages", drivers.ErrPage,
		phrase.LimitRunes(address, 99))
	u, err := url.Parse(address)
	if err != nil || o.NoFiles || u.Host != "" && u.Host != "localhost" {
		return no
	}
	path, err := filepath.EvalSymlinks(filepath.FromSlash(u.Path))
	if err != nil {
		path = filepath.Clean(filepath.FromSlash(u.Path)) // it is not there: the browser says so
		if _, err := os.Lstat(path); err == nil {
			return no // a link that leads nowhere
		}
	}
	root, err := filepath.EvalSymlinks(o.FilesBelow)
	if err != nil {
		return no
	}
	// a list of it would reveal the names in it
	if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) || rel == "." {
		return no
	}
	return nil
}

// CheckAddress checks a URL, and whether it may be opened.
func (o Options) CheckAddress(address string) error {
	if err := checkAddress(address); err != nil {
		return err
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil // CheckAddress has read it
	}
	guarded := o.Policy != nil && !o.Policy.IsOpen() || o.Restricted()
	switch {
	case strings.EqualFold(u.Scheme, "file"):
		return o.AllowsFile(address)
	case strings.EqualFold(u.Scheme, "about") && guarded && !strings.EqualFold(u.Opaque, "blank"):
		return fmt.Errorf("%w: %s is a page of the browser itself, which may not be opened here", drivers.ErrPage,
			screen.Quote(address))
	}
	return nil
}

func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%w: %s is not an address", drivers.ErrPage, screen.Quote(address))
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return fmt.Errorf("%w: %s names no host", drivers.ErrPage, screen.Quote(address))
		}
	case "file", "data", "about":
	case "":
		return fmt.Errorf("%w: %s does not say how to reach it: start with https:// or http://", drivers.ErrPage,
			screen.Quote(address))
	default:
		return fmt.Errorf("%w: %s: only http, https, file, data and about addresses can be opened", drivers.ErrPage,
			screen.Quote(address))
	}
	return nil
}

// maxRefused caps the hosts that are remembered as refused.
const maxRefused = 1000

// guarded is the proxy through which the browsers of a driver connect when a policy says what they may reach.
type guarded struct {
	proxy *guard.Proxy

	mu      sync.Mutex
	refused map[string]*guard.RefusedError // by host:port
}

func newGuarded(p guard.Policy) (*guarded, error) {
	g := &guarded{refused: map[string]*guard.RefusedError{}}
	proxy, err := guard.Serve(guard.NewDialer(p), g.note)
	if err != nil {
		return nil, err
	}
	g.proxy = proxy
	return g, nil
}

func (g *guarded) note(host string, err error) {
	var refused *guard.RefusedError
	if !errors.As(err, &refused) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.refused) < maxRefused {
		g.refused[withPort(host, "80")] = refused
	}
}

// Why returns the reason for which the host of an address was refused, nil when it was not.
func (g *guarded) Why(address string) error {
	u, err := url.Parse(address)
	if g == nil || err != nil {
		return nil
	}
	port := "80"
	if u.Scheme == "https" || u.Scheme == "wss" {
		port = "443"
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if refused := g.refused[withPort(u.Host, port)]; refused != nil {
		return refused
	}
	return nil
}

func withPort(host, port string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return strings.ToLower(host)
	}
	return strings.ToLower(net.JoinHostPort(strings.Trim(host, "[]"), port))
}

// confine has a browser connect through the proxy only: pages on this machine too, calls between browsers (WebRTC), and
// with no names resolved past it.
func (g *guarded) confine(o *playwright.BrowserTypeLaunchOptions, br Brand) {
	user, password := g.proxy.Credentials()
	o.Proxy = &playwright.Proxy{Server: "http://" + g.proxy.Address(), Username: &user, Password: &password,
		Bypass: playwright.String("<-loopback>")}
	br.confine(o)
}

func (g *guarded) close() {
	if g != nil {
		_ = g.proxy.Close() // it listens on loopback and has nothing to save
	}
}
