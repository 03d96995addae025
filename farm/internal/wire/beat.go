package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/taproot-dev/taproot/drivers"
)

// BeatEvery is how often a host sends a beat. A host that sent none for HostGone, which is the time of Missed beats, is
// offline.
const (
	BeatEvery = time.Second
	Missed    = 4
	HostGone  = Missed * BeatEvery
)

// Beat is the state of a host, which it sends to ToHub(host, BeatSubject). A beat after a change is complete; the
// others contain only what identifies the state that they confirm.
type Beat struct {
	Protocol int               `json:"protocol"`
	Version  string            `json:"version"`
	Boot     string            `json:"boot"` // differs after each start
	Pool     string            `json:"pool,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Draining bool              `json:"draining,omitempty"` // it accepts no new work
	Ending   bool              `json:"ending,omitempty"`   // the host is shutting down; this is its last beat
	Devices  []Device          `json:"devices"`
	Browsers []Device          `json:"browsers,omitempty"` // for cases only; clients do not see them
	// the attempts of cases that are running, by the ids of their jobs
	Working []string `json:"working,omitempty"`
	State   uint64   `json:"state"` // increases whenever one of these fields changes
	// nothing has changed since State was sent, so the other fields are left out; a hub that lacks that state requests it
	Same bool `json:"same,omitempty"`
}

// BeatSubject is the subject of beats, below ToHub. again is the subject, below ToHost, on which a hub requests a
// complete beat.
const (
	BeatSubject = "beat"
	again       = "again"
)

// RequestBeat requests a complete beat from a host.
func RequestBeat(nc *nats.Conn, host string) error {
	return Publish(nc, ToHost(host, again), struct{}{})
}

// Device is what a host reports about one of its devices.
type Device struct {
	drivers.Info
	LeasedSince *time.Time `json:"leasedSince,omitempty"` // the device is leased since then
	Gone        bool       `json:"gone,omitempty"`        // the device was connected and is unplugged now
	Only        string     `json:"only,omitempty"`        // the only project that sees it, as with a page that it opened
	Leases      []Lease    `json:"leases,omitempty"`
	Reserved    []Lease    `json:"reserved,omitempty"` // reservations, current and future, in order of time
	// Browsers are those that its pages can have, by the names that tests use; empty: unknown. "" is one that tests cannot
	// name.
	Browsers []string `json:"browsers,omitempty"`
	// CasesFree: a case can start on it now; CasesHeld: later; "": no case can
	Cases string `json:"cases,omitempty"`
	// Records is additional data that a project sees, by the id of the project ("" without projects).
	Records map[string]json.RawMessage `json:"records,omitempty"`
}

// The values of Device.Cases. A device on which the host itself runs a case counts as free: the hub knows the case from
// its database, and learns there of its end sooner than from the next beat.
const (
	CasesFree   = "free"
	CasesLeased = "leased" // leased by another user, or reserved soon
)

// Lease is the lease or reservation of a device: its holder, the project and the time.
type Lease struct {
	Project string    `json:"project,omitempty"`
	Holder  string    `json:"holder"`
	Why     string    `json:"why,omitempty"` // of a reservation
	ID      string    `json:"id,omitempty"`  // of a reservation: cancels it
	By      string    `json:"by,omitempty"`  // who made the reservation
	Since   time.Time `json:"since"`
	Until   time.Time `json:"until"`
}

// Join is what a host sends to the hub's POST /farm/join. The response is Joined.
type Join struct {
	Token    string `json:"token" maxLength:"200" doc:"From taproot admin host-token. It can be used once."`
	Key      string `json:"key" maxLength:"100" doc:"The public key of the key pair that the host has created."`
	Protocol int    `json:"protocol" doc:"The protocol version. Hub and host must have the same."`
	Version  string `json:"version" maxLength:"100" doc:"The version of taproot on the host."`
	Name     string `json:"name" maxLength:"64" doc:"The name that the host would like to have."`
}

// Joined is what a host needs to connect.
type Joined struct {
	Host       string            `json:"host" doc:"The name of the host from now on."`
	Pool       string            `json:"pool,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Credential string            `json:"credential" doc:"For NATS, with the key; permits only the subjects of this host."`
	NATS       string            `json:"nats" doc:"The URL of NATS. Without a host name it is that of the hub."`
	Cert       string            `json:"cert,omitempty" doc:"The only certificate (PEM) to trust for NATS."`
	Proof      []byte            `json:"proof,omitempty" doc:"On rejoining: by the key that signs credentials."`
}

// Signs returns the text that Proof signs, for a host that has sent a Rejoin with a signature. It contains that
// signature, so a proof is valid for this response to this request only.
func (j Joined) Signs(signature []byte) []byte {
	return fmt.Appendf(nil, "taproot joined\n%x\n%s\n%s\n%s", signature, j.Host, j.NATS, j.Cert)
}

// Rejoin is what a host that has joined sends to the hub's POST /farm/rejoin when its credential has expired. The
// response is Joined.
type Rejoin struct {
	Host      string    `json:"host" maxLength:"64" doc:"The name that it received when it joined."`
	Key       string    `json:"key" maxLength:"100" doc:"Its public key."`
	At        time.Time `json:"at" doc:"The current time."`
	Signature []byte    `json:"signature" maxLength:"200" doc:"The signature of its name, key and time by its key."`
	Protocol  int       `json:"protocol" doc:"The protocol version. Hub and host must have the same."`
	Version   string    `json:"version" maxLength:"100" doc:"The version of taproot on the host."`
}

// Signs returns the text that Signature signs.
func (r Rejoin) Signs() []byte {
	return fmt.Appendf(nil, "taproot rejoin\n%s\n%s\n%d", r.Host, r.Key, r.At.Unix())
}

// Renewed is the response to ToHub(host, "renew").
type Renewed struct {
	Credential string `json:"credential"`
}
