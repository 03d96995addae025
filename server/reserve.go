package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
)

// ReservationInfo is when a device is reserved, and for whom.
type ReservationInfo struct {
	ID     string    `json:"id,omitempty" doc:"By which it is taken back, as X-Lease of DELETE /devices/{id}/lease; told to who made it, and to admins of the project."`
	From   time.Time `json:"from"`
	Until  time.Time `json:"until"`
	Holder string    `json:"holder,omitempty" doc:"Who of your project has it then."`
	Why    string    `json:"why,omitempty" doc:"Of your project: what for."`
	Mine   bool      `json:"mine,omitempty" doc:"The lease that the request shows, or its credential, has it."`
}

const (
	// reserveAhead and reserveLong bound how far in the future a reservation begins, and how long it is.
	reserveAhead = 90 * 24 * time.Hour
	reserveLong  = 7 * 24 * time.Hour
)

// reserve keeps a device for a caller, for later.
func (s *Server) reserve(ctx context.Context, in *leaseInput) (*leaseGrant, error) {
	b, now := in.Body, s.pool.Now()
	switch {
	case b.Until == nil:
		return nil, invalid("body.until: say until when the device is reserved")
	case !b.From.After(now):
		return nil, invalid("body.from: must be in the future; to hold the device now, leave it out")
	case b.From.After(now.Add(reserveAhead)):
		return nil, invalid(fmt.Sprintf("body.from: at most %d days ahead", int(reserveAhead.Hours()/24)))
	case !b.Until.After(*b.From):
		return nil, invalid("body.until: must be after body.from")
	case b.Until.Sub(*b.From) > reserveLong:
		return nil, invalid(fmt.Sprintf("body.until: a reservation lasts at most %d days", int(reserveLong.Hours()/24)))
	case strings.ContainsFunc(b.Why, isControl):
		return nil, invalid("body.why: write one line")
	}
	info, err := s.device(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if info.Platform == dsl.Web {
		return nil, invalid("a page is nothing that can be reserved: open one when you need it")
	}
	c := callerOf(ctx)
	if h, held := s.devices.Held(in.ID); held && s.pool.There(h.Until).After(*b.From) &&
		s.leases.holder(in.ID, c) != h.Who {
		return nil, asDeviceError(&live.HeldError{ID: in.ID, Hold: h})
	}
	g, id := newGrant(c, b.Holder)
	r := pool.Reservation{Who: g.who, Why: b.Why, Project: s.o.projectID, From: b.From.UTC(), Until: b.Until.UTC(),
		Sum: hex.EncodeToString(g.sum[:]), Owner: g.owner, By: c.Name}
	err = s.pool.Reserve(in.ID, r, s.leases.holder(in.ID, c))
	if errors.Is(err, pool.ErrManyReserved) {
		return nil, fault(http.StatusConflict, codeConflict, err.Error())
	}
	if err != nil {
		return nil, asDeviceError(err)
	}
	return &leaseGrant{LeaseGrant{LeaseInfo: LeaseInfo{Device: in.ID, Holder: g.who, Since: r.From, Until: r.Until},
		Lease: id, Why: b.Why}}, nil
}

// has tells whether the caller is who made a reservation: it shows the id, or is the credential that needs not.
func (l leases) has(r pool.Reservation, c caller) bool {
	if r.Project != l.project {
		return false
	}
	return r.Owner != "" && r.Owner == c.Name || shows(r, c)
}

// shows tells whether the caller shows the id of the reservation.
func shows(r pool.Reservation, c caller) bool {
	sum := sha256.Sum256([]byte(c.lease))
	return subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(r.Sum)) == 1
}

// ofReservation is the grant of who shows the id of a reservation.
func (l leases) ofReservation(device string, c caller) (g grant, ok bool) {
	for _, r := range l.reserved(device) {
		if c.lease != "" && r.Project == l.project && shows(r, c) {
			return grant{sum: sha256.Sum256([]byte(c.lease)), who: r.Who, owner: r.Owner}, true
		}
	}
	return grant{}, false
}

// beginReserved holds a device for a caller whose reservation has begun, unless that is so already. What goes wrong is
// told by what the caller does next.
func (s *Server) beginReserved(ctx context.Context, device string, c caller) {
	if _, held := s.devices.Held(device); held {
		return
	}
	now := s.pool.Now()
	for _, r := range s.pool.Reservations(device) {
		if !r.From.After(now) && s.leases.has(r, c) {
			ctx, cancel := s.deadline(ctx)
			defer cancel()
			if _, err := s.devices.Hold(ctx, device, r.Who, r.Until.Sub(now)); err != nil {
				s.log.DebugContext(ctx, "a reservation could not begin", "device", device, "error", err)
			}
			return
		}
	}
}

// reservationPrefix begins the id by which a reservation is taken back. It is no secret: who uses the device shows that
// of the lease.
const reservationPrefix = "rsv_"

func reservationID(r pool.Reservation) string { return reservationPrefix + r.Sum[:min(24, len(r.Sum))] }

// mayTakeBack tells whether a caller may end a reservation of the project that somebody made.
func (c caller) mayTakeBack(by string) bool { return by == c.Name || c.isAdmin() }

// unreserve ends the reservation whose id, or that of whose lease, a caller shows; without one, that which the
// credential has now. who had it; "": there was none.
func (s *Server) unreserve(device string, c caller) (who string, err error) {
	now := s.pool.Now()
	_, err = s.pool.Unreserve(device, func(r pool.Reservation) bool {
		is := r.Project == s.o.projectID && (shows(r, c) || c.lease == reservationID(r) && c.mayTakeBack(r.By)) ||
			c.lease == "" && !r.From.After(now) && s.leases.has(r, c)
		if is {
			who = r.Who
		}
		return is
	})
	if err == nil && who == "" && strings.HasPrefix(c.lease, reservationPrefix) {
		err = fault(http.StatusNotFound, codeNotFound,
			"there is no reservation of this id that you may take back; GET /devices lists those of each device")
	}
	return who, err
}

// reservations lists those of a device. Of other projects' nothing is told but the times.
func (s *Server) reservations(device string, c caller) (list []ReservationInfo) {
	for _, r := range s.pool.Reservations(device) {
		out := ReservationInfo{From: r.From, Until: r.Until}
		if r.Project == s.o.projectID {
			out.Holder, out.Why, out.Mine = r.Who, r.Why, s.leases.has(r, c)
			if c.mayTakeBack(r.By) {
				out.ID = reservationID(r)
			}
		}
		list = append(list, out)
	}
	return list
}

// reservedProblem tells a caller that a device is reserved.
func (s *Server) reservedProblem(e *pool.ReservedError) *Error {
	out := fault(http.StatusConflict, codeBusy, e.Error())
	out.Until = &e.Until
	if e.Project == s.o.projectID {
		out.Holder = e.Who
		out.Message += ", by " + e.Who
		if e.Why != "" {
			out.Message += ": " + e.Why
		}
	}
	if now := s.pool.Now(); e.From.After(now) {
		out.Message += fmt.Sprintf("; a lease may last until then, %d seconds", int(e.From.Sub(now).Seconds()))
	}
	return out
}
