package devices

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"maps"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// lessor leases devices to callers, now or later.
type lessor struct{ *desk }

const leaseDoc = `Until the lease ends, only its holder can use the device; all others get 409 device_busy with the
holder and the time. Calls that belong to the lease send its id as X-Lease; with authentication on and without "holder"
in the body, the credential alone is enough. To keep the device longer, send the request again, with X-Lease. A lease
that is not renewed ends by itself.

With "from" and "until" the device is reserved for later: from then on it is leased to you, and calls send the id. A
reservation that overlaps another one, or a lease that lasts longer, is 409 device_busy. Leases of other clients end
before a reservation; in the ten minutes before it no case of a run starts on the device, and one that still runs when
it starts ends first. DELETE with the id cancels it; if the id is lost, DELETE with X-Lease and the id that GET /devices
shows to the client that made the reservation, and to admins of the project. Reservations are kept when the server
restarts.`

// LeaseInfo is the holder of a device, and the time of the lease.
type LeaseInfo struct {
	Device string    `json:"device"`
	Holder string    `json:"holder"`
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until"`
}

// LeaseState is a device's lease, if it has one.
type LeaseState struct {
	Device       string            `json:"device"`
	Leased       bool              `json:"leased"`
	Holder       string            `json:"holder,omitempty"`
	Since        *time.Time        `json:"since,omitempty"`
	Until        *time.Time        `json:"until,omitempty"`
	Reservations []ReservationInfo `json:"reservations,omitempty" doc:"For when it is reserved, the first one first."`
	Mine         bool              `json:"mine,omitempty" doc:"Held by the same credential; see …/input?take=true."`
}

// LeaseGrant is a lease as its holder gets it.
type LeaseGrant struct {
	LeaseInfo
	Lease string `json:"lease" doc:"The id to send as X-Lease. Who has it has the device."`
	Why   string `json:"why,omitempty" doc:"Of a reservation."`
}

type leaseState struct{ Body LeaseState }

type leaseGrant struct{ Body LeaseGrant }

type leaseInput struct {
	ID   string `path:"id" doc:"Serial of the phone, or id of the page, as GET /devices lists it." example:"emulator-5554"`
	Body *struct {
		TTL        *rest.Span `json:"ttl,omitempty" doc:"Its duration, from 1s to 24h. Default: 1m."`
		TTLSeconds int        `json:"ttlSeconds,omitempty" minimum:"1" maximum:"86400" deprecated:"true" doc:"The same in seconds."`
		Holder     string     `json:"holder,omitempty" maxLength:"64" doc:"A name for others: a person or a CI job."`
		From       *time.Time `json:"from,omitempty" doc:"Reserve the device from then on; at most 90 days ahead."`
		Until      *time.Time `json:"until,omitempty" doc:"Of a reservation: its end, at most seven days after from."`
		Why        string     `json:"why,omitempty" maxLength:"200" doc:"Purpose of a reservation, for members."`
	}
}

// leases maps devices to leases and checks who may use one. runner/live keeps who has the device, by the name that
// holder returns.
type leases struct {
	state    *leaseTable
	reserved func(device string) []pool.Reservation
	project  string // the project of the callers
}

type leaseTable struct {
	mu   sync.Mutex
	byID map[string]grant // by device ID
}

type grant struct {
	sum   [sha256.Size]byte // hash of the lease ID
	who   string            // the holder's name in runner/live
	owner string            // the credential that does not need the ID; empty: none
	live  string            // of a connection: the credential that may take it over; or empty
}

func newLeases(project string, reserved func(string) []pool.Reservation) leases {
	return leases{&leaseTable{byID: map[string]grant{}}, reserved, project}
}

// holder returns the name in runner/live of a caller who uses a device.
func (l leases) holder(device string, c rest.Caller) string {
	l.state.mu.Lock()
	g, ok := l.state.byID[device]
	l.state.mu.Unlock()
	if ok && g.matches(c) {
		return g.who
	}
	if g, ok := l.ofReservation(device, c); ok {
		return g.who
	}
	return c.Who()
}

// matches reports whether the caller sent the ID of the lease, or has the credential that does not need it.
func (g grant) matches(c rest.Caller) bool {
	sum := sha256.Sum256([]byte(c.Lease))
	return subtle.ConstantTimeCompare(sum[:], g.sum[:]) == 1 || g.owner != "" && g.owner == c.Name
}

// put stores a lease, and removes those that have ended by themselves.
func (l leases) put(device string, g grant, held func(string) (live.Hold, bool)) {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	maps.DeleteFunc(l.state.byID, func(device string, _ grant) bool {
		_, is := held(device)
		return !is
	})
	l.state.byID[device] = g
}

func (l leases) drop(device string) {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	delete(l.state.byID, device)
}

// leaseOf describes the lease of a device, by the clock of reservations.
func (s *desk) leaseOf(device string, h live.Hold) LeaseInfo {
	return LeaseInfo{Device: device, Holder: h.Who, Since: s.pool.There(h.Since).UTC(), Until: s.pool.There(h.Until).UTC()}
}

func (s *lessor) getLease(ctx context.Context, in *deviceInput) (*leaseState, error) {
	if h, held := s.devices.Held(in.ID); held { // also while the device is unplugged
		l := s.leaseOf(in.ID, h)
		return &leaseState{LeaseState{Device: in.ID, Leased: true, Holder: h.Who, Since: &l.Since, Until: &l.Until,
			Mine: s.leases.ownConnection(in.ID, rest.CallerOf(ctx)) != "", Reservations: s.reservations(in.ID,
				rest.CallerOf(ctx))}}, nil
	}
	if _, err := s.device(ctx, in.ID); err != nil {
		return nil, err
	}
	return &leaseState{LeaseState{Device: in.ID, Reservations: s.reservations(in.ID, rest.CallerOf(ctx))}}, nil
}

// holderName matches names that are safe in logs and responses.
var holderName = lazyregexp.New(`^[\pL\pN][\pL\pN ._@/#:-]*$`)

func (s *lessor) takeLease(ctx context.Context, in *leaseInput) (*leaseGrant, error) {
	if err := checkDeviceID(in.ID); err != nil {
		return nil, err
	}
	ttl, name := time.Minute, ""
	if in.Body != nil {
		name = in.Body.Holder
		given, err := rest.SpanOr("ttl", in.Body.TTL, "ttlSeconds", in.Body.TTLSeconds, time.Second, s.o.MaxLease)
		if err != nil {
			return nil, err
		}
		ttl = cmp.Or(given, ttl)
	}
	if name != "" && !holderName.MatchString(name) {
		return nil, rest.Invalid("body.holder: use letters, digits, spaces and . _ @ / # : -")
	}
	if in.Body != nil && in.Body.From != nil {
		return s.reserve(ctx, in)
	}
	if in.Body != nil && (in.Body.Until != nil || in.Body.Why != "") {
		return nil, rest.Invalid("body.from: until and why are for reservations, which also need from")
	}
	c := rest.CallerOf(ctx)
	g, id := s.leases.renewal(in.ID, c)
	if _, held := s.devices.Held(in.ID); id == "" || !held {
		g, id = newGrant(c, name)
	}
	if mine, ok := s.leases.ofReservation(in.ID, c); ok {
		g, id = mine, c.Lease
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	h, err := s.devices.Hold(ctx, in.ID, g.who, ttl)
	if err != nil {
		return nil, rest.AsDeviceError(err)
	}
	s.leases.put(in.ID, g, s.devices.Held)
	return &leaseGrant{LeaseGrant{LeaseInfo: s.leaseOf(in.ID, h), Lease: id}}, nil
}

// ownConnection returns the name of the holder when that is a connection of the caller's own credential, else "".
// Without authentication callers have no names, so no connection can be taken over.
func (l leases) ownConnection(device string, c rest.Caller) string {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	if g := l.state.byID[device]; g.live != "" && g.live == c.Name {
		return g.who
	}
	return ""
}

// renewal returns the grant that a caller already has, and its ID. A caller that sent no ID gets a new one, which
// replaces the old one.
func (l leases) renewal(device string, c rest.Caller) (grant, string) {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	g, ok := l.state.byID[device]
	if !ok || !g.matches(c) {
		return grant{}, ""
	}
	sum := sha256.Sum256([]byte(c.Lease))
	if subtle.ConstantTimeCompare(sum[:], g.sum[:]) == 1 {
		return g, c.Lease
	}
	id := rand.Text()
	g.sum = sha256.Sum256([]byte(id))
	return g, id
}

// newGrant creates a lease for a caller. The name that others see distinguishes the leases of one credential, and does
// not reveal the ID.
func newGrant(c rest.Caller, name string) (grant, string) {
	id := rand.Text()
	g := grant{sum: sha256.Sum256([]byte(id)), who: c.Who()}
	switch {
	case name != "":
		g.who = name + " (" + c.Who() + ", lease " + hex.EncodeToString(g.sum[:3]) + ")"
	case c.Name == "":
		g.who = c.Who() + " (lease " + hex.EncodeToString(g.sum[:3]) + ")"
	default:
		g.owner = c.Name
	}
	return g, id
}

func (s *lessor) dropLease(ctx context.Context, in *deviceInput) (*struct{}, error) {
	c := rest.CallerOf(ctx)
	who := s.leases.holder(in.ID, c)
	had, err := s.unreserve(in.ID, c)
	if err != nil {
		return nil, err
	}
	ended := had != ""
	if ended {
		who = had // the reservation may be a lease already
	}
	h, held := s.devices.Held(in.ID)
	if !held || ended && h.Who != who {
		if !held {
			s.leases.drop(in.ID)
		}
		if !ended {
			_, err = s.device(ctx, in.ID)
		}
		return nil, err
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	held, err = s.devices.Release(ctx, in.ID, who)
	if err != nil {
		return nil, rest.AsDeviceError(err)
	}
	if held {
		s.leases.drop(in.ID)
	}
	return nil, nil
}
