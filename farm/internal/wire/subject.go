package wire

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Version is the version of the protocol between hub and host.
const Version = 4

// MaxMessage is the maximum length of a message in bytes. The NATS server of a farm must accept it.
const MaxMessage = 8 << 20

// VersionError means that hub and host have different protocol versions.
type VersionError struct{ Hub, Host int }

func (e *VersionError) Error() string {
	side := "the host"
	if e.Host > e.Hub {
		side = "the hub"
	}
	return fmt.Sprintf("hub and host have different protocols, %d and %d: update taproot on %s", e.Hub, e.Host, side)
}

// Fits returns an error if a hub cannot work with a host of this protocol version.
func Fits(host int) error {
	if host != Version {
		return &VersionError{Version, host}
	}
	return nil
}

var name = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

// IsName reports whether a text can be the id of a host, or another single part of a subject.
func IsName(text string) bool { return name.MatchString(text) }

// ToHost returns a subject that hubs publish to for a host, below host.<id>.
func ToHost(host string, parts ...string) string {
	return strings.Join(append([]string{"host", host}, parts...), ".")
}

// ToHub returns a subject that a host publishes to for the hubs, below hub.<id>. Only that host has the permission. A
// hub subscribes with "*" as the host to receive from all of them; From returns which one it was.
func ToHub(host string, parts ...string) string {
	return strings.Join(append([]string{"hub", host}, parts...), ".")
}

// From returns the host that published to a subject of ToHub, or "" for another subject.
func From(subject string) string {
	parts := strings.SplitN(subject, ".", 3)
	if len(parts) < 2 || parts[0] != "hub" {
		return ""
	}
	return parts[1]
}

// InboxOf returns the prefix of the subjects on which a host receives responses.
func InboxOf(host string) string { return ToHost(host, "inbox") }

// Stream is the JetStream stream of the cases that wait for a host. Each host has a durable consumer of it (Consumer),
// which filters the subject of that host (Work). The hub creates the consumer; the host may only pull and acknowledge.
const Stream = "RUNS"

// Consumer returns the name of a host's consumer of Stream.
func Consumer(host string) string { return host }

// Work returns the subject of the cases for a host.
func Work(host string) string { return "runs." + host }

// Allowed returns the subjects that the credential of a host permits it to publish and to subscribe to. In addition it
// may publish one response to the reply subject of each request that it received.
func Allowed(host string) (publish, subscribe []string) {
	consumer := Stream + "." + Consumer(host)
	return []string{ToHost(host, "up", ">"), ToHub(host, ">"), "$JS.API.CONSUMER.MSG.NEXT." + consumer,
			"$JS.API.CONSUMER.INFO." + consumer, "$JS.ACK." + consumer + ".>"},
		[]string{ToHost(host, ">")}
}
