package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// dialLimit bounds a connection's making.
const dialLimit = 30 * time.Second

// Dialer connects to what its policy allows. It is safe for use by several goroutines.
type Dialer struct {
	Policy Policy
	// Resolver finds the addresses of names; the system's if it is nil.
	Resolver *net.Resolver
	// own lists the addresses of this machine, which may be public ones.
	own func() ([]net.Addr, error)
}

// NewDialer makes a dialer for a policy.
func NewDialer(p Policy) *Dialer { return &Dialer{Policy: p, own: net.InterfaceAddrs} }

// DialContext connects as net.Dialer does, and wraps a *RefusedError when the policy does not allow it. The address is
// checked after the name was resolved and right before the connection to that very address is made, each one of a name
// that has several: a name that stands for another address a moment later does not slip through.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	switch network {
	case "tcp", "tcp4", "tcp6":
	default:
		return nil, fmt.Errorf("connect to %s: %s connections are not made", address, network)
	}
	inner := net.Dialer{Timeout: dialLimit, Resolver: d.Resolver}
	if !d.Policy.IsOpen() {
		inner.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error { return d.check(address) }
	}
	conn, err := inner.DialContext(ctx, network, address)
	var refused *RefusedError
	if errors.As(err, &refused) {
		named := *refused
		if host, _, splitErr := net.SplitHostPort(address); splitErr == nil {
			named.Host = host
		}
		return nil, fmt.Errorf("connect: %w", &named)
	}
	return conn, err
}

// check looks at an address with its port that is about to be connected to.
func (d *Dialer) check(address string) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return &RefusedError{Why: fmt.Sprintf("not an address: %q", address)}
	}
	if err := d.Policy.Check(target.Addr()); err != nil || d.Policy.AllowPrivate {
		return err
	}
	return d.checkOwn(target.Addr())
}

// checkOwn refuses the addresses of this machine: a service that listens on all of them is as private as on loopback.
func (d *Dialer) checkOwn(addr netip.Addr) error {
	if d.own == nil {
		return nil
	}
	list, err := d.own()
	if err != nil {
		return fmt.Errorf("read this machine's addresses: %w", err)
	}
	for _, a := range list {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Unmap() == carried(addr) {
			return &RefusedError{Addr: addr, Why: "an address of this machine"}
		}
	}
	return nil
}

// Transport makes HTTP requests through the dialer. Proxies of the environment are used by an open policy only: they
// resolve names out of the guard's sight.
func (d *Dialer) Transport() *http.Transport {
	t := &http.Transport{
		DialContext: d.DialContext, ForceAttemptHTTP2: true, MaxIdleConns: 100, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second,
	}
	if d.Policy.IsOpen() {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}
