package wire

import (
	"fmt"
	"regexp"
	"strings"
)

// Version is that of the protocol between hub and host.
const Version = 2

// MaxMessage is how long a message may be, in bytes: what a NATS server of a farm must take.
const MaxMessage = 8 << 20

// VersionError means that the two ends do not speak the same protocol.
type VersionError struct{ Hub, Host int }

func (e *VersionError) Error() string {
	side := "the host"
	if e.Host > e.Hub {
		side = "the hub"
	}
	return fmt.Sprintf("hub and host do not fit: protocols %d and %d. Update taproot on %s", e.Hub, e.Host, side)
}

// Fits tells a hub whether it can work with a host.
func Fits(host int) error {
	if host != Version {
		return &VersionError{Version, host}
	}
	return nil
}

var name = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// IsName tells whether a text can be the id of a host, or another single part of a subject.
func IsName(text string) bool { return name.MatchString(text) }

// ToHost is a subject that hubs publish to for a host, below host.<id>.
func ToHost(host string, parts ...string) string {
	return strings.Join(append([]string{"host", host}, parts...), ".")
}

// ToHub is a subject that a host publishes to for the hubs, below hub.<id>. Nobody but that host can: with "*" as the
// host a hub hears all of them, and From tells which.
func ToHub(host string, parts ...string) string {
	return strings.Join(append([]string{"hub", host}, parts...), ".")
}

// From is the host that published to a subject of ToHub; "": none did.
func From(subject string) string {
	parts := strings.SplitN(subject, ".", 3)
	if len(parts) < 2 || parts[0] != "hub" {
		return ""
	}
	return parts[1]
}

// InboxOf is the prefix of the subjects on which a host gets answers.
func InboxOf(host string) string { return ToHost(host, "inbox") }

// Stream, Consumer and Work name what JetStream keeps for the cases that wait for a host: the stream, the durable
// consumer of a host, which the hub makes and the host may only pull from and acknowledge, and the subject that it
// filters.
const Stream = "RUNS"

// Consumer is the name of a host's consumer of Stream.
func Consumer(host string) string { return host }

// Work is the subject of the cases for a host.
func Work(host string) string { return "runs." + host }

// Allowed are the subjects that the credential of a host lets it publish to and subscribe to. To answer what it was
// asked it may publish once to the subject that the question named.
func Allowed(host string) (publish, subscribe []string) {
	consumer := Stream + "." + Consumer(host)
	return []string{ToHost(host, "up", ">"), ToHub(host, ">"), "$JS.API.CONSUMER.MSG.NEXT." + consumer,
			"$JS.API.CONSUMER.INFO." + consumer, "$JS.ACK." + consumer + ".>"},
		[]string{ToHost(host, ">")}
}
