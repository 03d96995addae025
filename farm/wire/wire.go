// Package wire is the communication of the hubs and hosts of a farm over NATS: names of subjects, the version of the
// protocol, requests with responses, and connections. The code is in farm/internal/wire; this is what other folders
// need of it.
package wire

import (
	"context"

	"github.com/nats-io/nats.go"

	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// Ask publishes a value as JSON and waits for the response of the process that serves the subject. It returns ErrNoHost
// when no process serves it, and a RefusedError when the other side responds with an error.
func Ask(ctx context.Context, nc *nats.Conn, subject string, value any, into any) error {
	return wire.Ask(ctx, nc, subject, value, into)
}

// Beat is the state of a host, which it sends to ToHub(host, BeatSubject). A beat after a change is complete; the
// others contain only what identifies the state that they confirm.
type Beat = wire.Beat

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

// ToHub returns a subject that a host publishes to for the hubs, below hub.<id>. Only that host has the permission. A
// hub subscribes with "*" as the host to receive from all of them; From returns which one it was.
func ToHub(host string, parts ...string) string {
	return wire.ToHub(host, parts...)
}

// ProofHeader is the HTTP header with the proof of a ProvenError, in base64.
const ProofHeader = wire.ProofHeader

// ProofOf returns the value of ProofHeader for an error, or "" without a proof.
func ProofOf(err error) string {
	return wire.ProofOf(err)
}
