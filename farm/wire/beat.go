package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/taproot-dev/taproot/drivers"
)

// BeatEvery is how often a host says that it is there; who was not heard for HostGone, that is Missed of them, is
// offline.
const (
	BeatEvery = time.Second
	Missed    = 4
	HostGone  = Missed * BeatEvery
)

// Beat is what a host says of itself, on ToHub(host, BeatSubject). What has changed is said with the next beat, in
// full; until then it is short.
type Beat struct {
	Protocol int               `json:"protocol"`
	Version  string            `json:"version"`
	Boot     string            `json:"boot"` // another one after each start
	Pool     string            `json:"pool,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Draining bool              `json:"draining,omitempty"` // it takes nothing new
	Ending   bool              `json:"ending,omitempty"`   // it is about to end: the last beat
	Devices  []Device          `json:"devices"`
	Browsers []Device          `json:"browsers,omitempty"` // that cases alone use; clients are told of none
	// the attempts of cases that are under way, as their jobs are called
	Working []string `json:"working,omitempty"`
	State   uint64   `json:"state"` // grows whenever something of this changes
	// all is as when State was said: the rest is left out, and who has not heard it asks for it (again)
	Same bool `json:"same,omitempty"`
}

// BeatSubject is that of beats, below ToHub; again the one, below ToHost, by which a hub asks a host to say all of its
// beat.
const (
	BeatSubject = "beat"
	again       = "again"
)

// SayAgain asks a host to say all of its beat.
func SayAgain(nc *nats.Conn, host string) error { return Tell(nc, ToHost(host, again), struct{}{}) }

// Device is what a host says of a device of its own.
type Device struct {
	drivers.Info
	Busy     *time.Time `json:"busySince,omitempty"` // somebody uses it, since then
	Gone     bool       `json:"gone,omitempty"`      // it was there, and is unplugged
	Only     string     `json:"only,omitempty"`      // the project that alone sees it, as a page that it opened
	Leases   []Lease    `json:"leases,omitempty"`
	Reserved []Lease    `json:"reserved,omitempty"` // for later, or now; the first one first
	// CasesFree: a case can begin on it now; CasesHeld: later; "": none can
	Cases string `json:"cases,omitempty"`
	// Records are what a project sees of it beside, by the id of the project; "": without projects.
	Records map[string]json.RawMessage `json:"records,omitempty"`
}

// What a device is for cases. One on which a case of the host's own runs is free: the database of the hub knows of it,
// and of its end sooner than the next beat.
const (
	CasesFree = "free"
	CasesHeld = "held" // by somebody else, or reserved soon
)

// Lease is who holds a device, in which project, and until when.
type Lease struct {
	Project string    `json:"project,omitempty"`
	Holder  string    `json:"holder"`
	Why     string    `json:"why,omitempty"` // of a reservation
	ID      string    `json:"id,omitempty"`  // of a reservation: by which it is taken back
	By      string    `json:"by,omitempty"`  // who made the reservation
	Since   time.Time `json:"since"`
	Until   time.Time `json:"until"`
}

// Join is what a host sends to the hub's POST /farm/join, and Joined the answer.
type Join struct {
	Token    string `json:"token" maxLength:"200" doc:"Of taproot admin host-token. It is good once."`
	Key      string `json:"key" maxLength:"100" doc:"The public half of the key that the host has made."`
	Protocol int    `json:"protocol" doc:"Of hub and host; they must have the same."`
	Version  string `json:"version" maxLength:"100" doc:"Of taproot on the host."`
	Name     string `json:"name" maxLength:"64" doc:"How the host would like to be called."`
}

// Joined is what a host needs to connect.
type Joined struct {
	Host       string            `json:"host" doc:"How it is called from now on."`
	Pool       string            `json:"pool,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Credential string            `json:"credential" doc:"For NATS, with the key; it can use the subjects of this host only."`
	NATS       string            `json:"nats" doc:"The address of NATS; without a name it is that of the hub."`
	Cert       string            `json:"cert,omitempty" doc:"The certificate of that server (PEM), which alone is to be trusted."`
	Proof      []byte            `json:"proof,omitempty" doc:"To a host that comes back: the signature of what it is told here, by the key that has signed its credentials."`
}

// Signs is the text of the proof for a host that has sent a Rejoin with a signature: of this answer to that question
// alone.
func (j Joined) Signs(signature []byte) []byte {
	return fmt.Appendf(nil, "taproot joined\n%x\n%s\n%s\n%s", signature, j.Host, j.NATS, j.Cert)
}

// Rejoin is what a host sends to the hub's POST /farm/rejoin that has joined, and whose credential is over; the answer
// is Joined.
type Rejoin struct {
	Host      string    `json:"host" maxLength:"64" doc:"How the hub called it."`
	Key       string    `json:"key" maxLength:"100" doc:"The public half of its key."`
	At        time.Time `json:"at" doc:"Now."`
	Signature []byte    `json:"signature" maxLength:"200" doc:"By the key, of what the host signs: its name and the time."`
	Protocol  int       `json:"protocol" doc:"Of hub and host; they must have the same."`
	Version   string    `json:"version" maxLength:"100" doc:"Of taproot on the host."`
}

// Signs is the text of a Rejoin's signature.
func (r Rejoin) Signs() []byte {
	return fmt.Appendf(nil, "taproot rejoin\n%s\n%s\n%d", r.Host, r.Key, r.At.Unix())
}

// Renewed is the answer to ToHub(host, "renew").
type Renewed struct {
	Credential string `json:"credential"`
}
