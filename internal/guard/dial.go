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

// dialLimit is the time limit for making a connection.
const dialLimit = 30 * time.Second

// Dialer connects to the addresses that its policy allows. Safe for concurrent use.
type Dialer struct {
	Policy Policy
	// Resolver resolves names; nil: the system's.
	Resolver *net.Resolver
	// own returns the addresses of this machine, which may be public ones.
	own func() ([]net.Addr, error)
}

// NewDialer makes a dialer for a policy.
func NewDialer(p Policy) *Dialer { return &Dialer{Policy: p, own: net.InterfaceAddrs} }

// DialContext connects as net.Dialer does, and wraps a *RefusedError when the policy forbids it. It checks the address
// after the name was resolved and right before connecting to that very address, for each of several addresses. So a
// name that resolves to another address a moment later does not bypass the policy (DNS rebinding).
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

// check checks an address with its port right before the connection to it is made.
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

// Transport makes HTTP requests through the dialer. Only an open policy uses the proxies of the environment: they
// resolve names themselves, so the guard would not see the address.
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
