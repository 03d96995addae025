package guard

import (
	"fmt"
	"net/netip"
)

// Policy says which addresses a connection may reach. The zero value allows the public internet only.
type Policy struct {
	// AllowPrivate allows this machine, its networks and every other address that is not public, but not AllowMetadata's.
	AllowPrivate bool
	// AllowMetadata allows the addresses where clouds hand out a machine's credentials.
	AllowMetadata bool
}

// Open is the policy of a local user, who may reach what this machine reaches.
func Open() Policy { return Policy{AllowPrivate: true, AllowMetadata: true} }

// IsOpen tells whether nothing is refused, so that connections need no guard.
func (p Policy) IsOpen() bool { return p.AllowPrivate && p.AllowMetadata }

// RefusedError says which address a connection may not reach.
type RefusedError struct {
	Host string     // as it was asked for, "" when only the address is known
	Addr netip.Addr // that it stands for
	Why  string     // "a loopback address"
	// Metadata tells that AllowPrivate would not help.
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

// Check gives a *RefusedError when addr may not be reached.
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
