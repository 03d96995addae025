// Package wire is the communication of the hubs and hosts of a farm over NATS: names of subjects, the version of the
// protocol, requests with responses, and connections. The code is in farm/internal/wire; this is what other folders
// need of it.
package wire

import (
	"net/http"

	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// Device is what a host reports about one of its devices.
type Device = wire.Device

// Lease is the lease or reservation of a device: its holder, the project and the time.
type Lease = wire.Lease

// Join is what a host sends to the hub's POST /farm/join. The response is Joined.
type Join = wire.Join

// Joined is what a host needs to connect.
type Joined = wire.Joined

// Rejoin is what a host that has joined sends to the hub's POST /farm/rejoin when its credential has expired. The
// response is Joined.
type Rejoin = wire.Rejoin

// Conn is a byte stream over NATS. Like a TCP connection it can be closed for writing alone (CloseWrite). Safe for
// concurrent use.
type Conn = wire.Conn

// Version is the version of the protocol between hub and host.
const Version = wire.Version

// VersionError means that hub and host have different protocol versions.
type VersionError = wire.VersionError

// IsName reports whether a text can be the id of a host, or another single part of a subject.
func IsName(text string) bool {
	return wire.IsName(text)
}

// Proof returns the HTTP headers with the proof of a ProvenError in base64, or nil for an error without a proof.
func Proof(err error) http.Header {
	proof := wire.ProofOf(err)
	if proof == "" {
		return nil
	}
	return http.Header{wire.ProofHeader: {proof}}
}
