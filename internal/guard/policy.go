package guard

import (
	"fmt"
	"net/netip"
)

// Policy defines which addresses a connection may reach. The zero value allows the public internet only.
type Policy struct {
	// AllowPrivate allows this machine, its networks and all other addresses that are not public, except AllowMetadata's.
	AllowPrivate bool
	// AllowMetadata allows the addresses where clouds serve a machine's credentials.
	AllowMetadata bool
}

// Open returns the policy of a local user, who may reach what this machine reaches.
func Open() Policy { return Policy{AllowPrivate: true, AllowMetadata: true} }

// IsOpen reports whether everything is allowed, so that connections need no guard.
func (p Policy) IsOpen() bool { return p.AllowPrivate && p.AllowMetadata }

// RefusedError is the refusal of an address.
type RefusedError struct {
	Host string     // as requested; "" when only the address is known
	Addr netip.Addr // that Host resolved to
	Why  string     // "a loopback address"
	// Metadata means that AllowPrivate would not help.
	Metadata bool
}

func (e *RefusedError) Error() string {
	name := e.Addr.String()
	if e.Host != "" && e.Host != name {
		name = fmt.Sprintf("%s (%s)", e.Host, e.Addr)
	}
	if e.Metadata {
		return fmt.Sprintf("%s may not be reached: it is %s", name, e.Why)
	}
	return fmt.Sprintf("%s may not be reached: it is %s; --allow-private allows it", name, e.Why)
}

// Check returns a *RefusedError when addr may not be reached.
func (p Policy) Check(addr netip.Addr) error {
	if p.IsOpen() {
		return nil
	}
	if !addr.IsValid() {
		return &RefusedError{Addr: addr, Why: "not an address"}
	}
	plain := carried(addr)
	switch why := metadata(plain); {
	case why != "" && !p.AllowMetadata:
		return &RefusedError{Addr: addr, Why: why, Metadata: true}
	case why != "":
		return nil
	}
	if p.AllowPrivate {
		return nil
	}
	if why := private(plain); why != "" {
		return &RefusedError{Addr: addr, Why: why}
	}
	return nil
}
