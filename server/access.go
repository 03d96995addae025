package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/runner/action"
)

// allowedAccess is what clients may touch of this machine. Pages in files are only for tests that lie on this machine:
// who can say what a page does could read every file through one.
func (s *Server) allowedAccess(files bool) action.Access {
	r := action.Access{Root: s.root, Address: func(ctx context.Context, to string) error {
		return s.address(ctx, to, files)
	}}
	if s.o.FarmHost {
		r.NoFile = " on the host of the device: send an app with POST /devices/{id}/apps, a picture with POST " +
			"/devices/{id}/media"
	}
	if !s.o.Network.IsOpen() {
		r.Dial = s.network().DialContext
	}
	return r
}

// address refuses what a page or a link must not lead to. That connections reach public addresses only is decided when
// they are made; here it is told early, and links are checked that a phone follows by itself.
func (s *Server) address(ctx context.Context, to string, files bool) error {
	u, err := url.Parse(to)
	if err != nil {
		return fmt.Errorf("%q is no address", to)
	}
	switch scheme := strings.ToLower(u.Scheme); scheme {
	case "http", "https":
		return s.reachable(ctx, u.Hostname())
	case "about":
		return nil
	case "file":
		if files {
			return nil // below the root: that was checked before
		}
		return errors.New("a file cannot be opened over the network; put the page on a web server")
	case "": // relative to the page that is open
		return s.reachable(ctx, u.Hostname())
	case "javascript", "data", "blob", "filesystem", "content", "intent", "chrome", "view-source", "devtools", "ws",
		"wss", "ftp":
		return fmt.Errorf("addresses that begin with %q cannot be opened over the network", scheme+":")
	}
	return nil // an app's own
}

// reachable asks the guard about every address of a host.
func (s *Server) reachable(ctx context.Context, host string) error {
	if s.o.Network.IsOpen() || host == "" {
		return nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return s.o.Network.Check(addr)
	}
	if disguised(host) {
		return fmt.Errorf("%q is an address in disguise: write it as four numbers with dots, such as 192.0.2.1", host)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil // nobody can connect to it either
	}
	for _, addr := range addrs {
		if err := s.o.Network.Check(addr); err != nil {
			return err
		}
	}
	return nil
}

// disguised tells whether browsers, that of a phone too, take a host for an address in another form, such as 0x7f.1 or
// 2130706433: no name ends with a number.
func disguised(host string) bool {
	parts := strings.FieldsFunc(strings.ToLower(host), func(r rune) bool { return strings.ContainsRune(".。．｡", r) })
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	return strings.HasPrefix(last, "0x") || strings.TrimFunc(last, unicode.IsNumber) == ""
}
