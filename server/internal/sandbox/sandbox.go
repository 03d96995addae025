// Package sandbox limits what calls and tests of clients may use of this machine: files, addresses and the environment.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/run"
)

// Sandbox is what the clients of a project may use of this machine.
type Sandbox struct {
	Config  run.Config
	Root    *os.Root          // of files that clients name
	Network guard.Policy      // what clients' connections may reach
	Exposed map[string]string // the environment variables that clients may use
	OnHost  bool              // on a host of a farm, to which clients send files
	Log     *slog.Logger
}

// Access returns what clients may use of this machine. Only tests on this machine may open pages from files: a
// client that can script a page could read every file through it.
func (s *Sandbox) Access(files bool) action.Access {
	r := action.Access{Root: s.Root, Address: func(ctx context.Context, to string) error {
		return s.Address(ctx, to, files)
	}}
	if s.OnHost {
		r.NoFile = " on the host of the device: send an app with POST /devices/{id}/apps, an image with POST " +
			"/devices/{id}/media"
	}
	if !s.Network.IsOpen() {
		r.Dial = s.network().DialContext
	}
	return r
}

// Address rejects URLs that a page or a link must not open. The dialer enforces later that connections reach public
// addresses only; this check reports it early, and it also covers links that a phone follows by itself.
func (s *Sandbox) Address(ctx context.Context, to string, files bool) error {
	u, err := url.Parse(to)
	if err != nil {
		return fmt.Errorf("%q is not a URL", to)
	}
	switch scheme := strings.ToLower(u.Scheme); scheme {
	case "http", "https":
		return s.reachable(ctx, u.Hostname())
	case "about":
		return nil
	case "file":
		if files {
			return nil // below the root: checked before
		}
		return errors.New("a file cannot be opened over the network; put the page on a web server")
	case "": // relative to the page that is open
		return s.reachable(ctx, u.Hostname())
	case "javascript", "data", "blob", "filesystem", "content", "intent", "chrome", "view-source", "devtools", "ws",
		"wss", "ftp":
		return fmt.Errorf("URLs that start with %q cannot be opened over the network", scheme+":")
	}
	return nil // an app's own scheme
}

// reachable checks every IP address of a host with the guard.
func (s *Sandbox) reachable(ctx context.Context, host string) error {
	if s.Network.IsOpen() || host == "" {
		return nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return s.Network.Check(addr)
	}
	if disguised(host) {
		return fmt.Errorf("%q is an IP address in another form: write it as four numbers with dots, such as 192.0.2.1",
			host)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil // it does not resolve, so the device cannot connect to it either
	}
	for _, addr := range addrs {
		if err := s.Network.Check(addr); err != nil {
			return err
		}
	}
	return nil
}

// disguised reports whether browsers (also those of phones) read a host name as an IP address in another form, such as
// 0x7f.1 or 2130706433. No domain name ends with a number.
func disguised(host string) bool {
	parts := strings.FieldsFunc(strings.ToLower(host), func(r rune) bool { return strings.ContainsRune(".。．｡", r) })
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	return strings.HasPrefix(last, "0x") || strings.TrimFunc(last, unicode.IsNumber) == ""
}

// RunConfig returns the configuration of runs that clients request. They cannot read the environment.
func (s *Sandbox) RunConfig() run.Config {
	conf := s.Config
	conf.Access = s.Access(true)
	if !s.Network.IsOpen() {
		conf.Network = &s.Network
	}
	conf.LookupEnv = func(name string) (string, bool) {
		value, ok := s.Exposed[name]
		return value, ok
	}
	conf.Log = s.Log
	return conf
}

// network returns a dialer that checks connections against Network.
func (s *Sandbox) network() *guard.Dialer { return guard.NewDialer(s.Network) }
