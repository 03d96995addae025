package devices

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
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// ReservationInfo is when a device is reserved, and for whom.
type ReservationInfo struct {
	ID     string    `json:"id,omitempty" doc:"X-Lease of DELETE …/lease to cancel it; for its creator and admins."`
	From   time.Time `json:"from"`
	Until  time.Time `json:"until"`
	Holder string    `json:"holder,omitempty" doc:"Who in your project reserved it."`
	Why    string    `json:"why,omitempty" doc:"Of your project: what for."`
	Mine   bool      `json:"mine,omitempty" doc:"It belongs to the request's lease or credential."`
}

const (
	// maxReserveAhead and maxReservation limit how far in the future a reservation starts, and how long it is.
	maxReserveAhead = 90 * 24 * time.Hour
	maxReservation  = 7 * 24 * time.Hour
)

// reserve reserves a device for a caller.
func (s *lessor) reserve(ctx context.Context, in *leaseInput) (*leaseGrant, error) {
	b, now := in.Body, s.pool.Now()
	switch {
	case b.Until == nil:
		return nil, rest.Invalid("body.until: say until when the device is reserved")
	case !b.From.After(now):
		return nil, rest.Invalid("body.from: must be in the future; to hold the device now, leave it out")
	case b.From.After(now.Add(maxReserveAhead)):
		return nil, rest.Invalid(fmt.Sprintf("body.from: at most %d days ahead", int(maxReserveAhead.Hours()/24)))
	case !b.Until.After(*b.From):
		return nil, rest.Invalid("body.until: must be after body.from")
	case b.Until.Sub(*b.From) > maxReservation:
		return nil, rest.Invalid(fmt.Sprintf("body.until: a reservation lasts at most %d days",
			int(maxReservation.Hours()/24)))
	case strings.ContainsFunc(b.Why, rest.IsControl):
		return nil, rest.Invalid("body.why: write one line")
	}
	info, err := s.device(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if info.Remote != "" && info.Platform == dsl.Web {
		return nil, rest.Invalid(fmt.Sprintf("%s is a browser of the remote %s, which only tests use", in.ID, info.Remote))
	}
	if info.Platform == dsl.Web {
		return nil, rest.Invalid("a page cannot be reserved: open one when you need it")
	}
	c := rest.CallerOf(ctx)
	if h, held := s.devices.Held(in.ID); held && s.pool.There(h.Until).After(*b.From) &&
		s.leases.holder(in.ID, c) != h.Who {
		return nil, rest.AsDeviceError(&live.HeldError{ID: in.ID, Hold: h})
	}
	g, id := newGrant(c, b.Holder)
	r := pool.Reservation{Who: g.who, Why: b.Why, Project: s.o.Project, From: b.From.UTC(), Until: b.Until.UTC(),
		Sum: hex.EncodeToString(g.sum[:]), Owner: g.owner, By: c.Name}
	err = s.pool.Reserve(in.ID, r, s.leases.holder(in.ID, c))
	if errors.Is(err, pool.ErrManyReserved) {
		return nil, rest.Fault(http.StatusConflict, rest.CodeConflict, err.Error())
	}
	if err != nil {
		return nil, rest.AsDeviceError(err)
	}
	return &leaseGrant{LeaseGrant{LeaseInfo: LeaseInfo{Device: in.ID, Holder: g.who, Since: r.From, Until: r.Until},
		Lease: id, Why: b.Why}}, nil
}

// owns reports whether the caller made the reservation: it sent the ID, or owns the credential that does not need it.
func (l leases) owns(r pool.Reservation, c rest.Caller) bool {
	if r.Project != l.project {
		return false
	}
	return r.Owner != "" && r.Owner == c.Name || hasID(r, c)
}

// hasID reports whether the caller sent the ID of the reservation.
func hasID(r pool.Reservation, c rest.Caller) bool {
	sum := sha256.Sum256([]byte(c.Lease))
	return subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(r.Sum)) == 1
}

// ofReservation returns the grant of a caller that sent the ID of a reservation.
func (l leases) ofReservation(device string, c rest.Caller) (g grant, ok bool) {
	for _, r := range l.reserved(device) {
		if c.Lease != "" && r.Project == l.project && hasID(r, c) {
			return grant{sum: sha256.Sum256([]byte(c.Lease)), who: r.Who, owner: r.Owner}, true
		}
	}
	return grant{}, false
}

// beginReserved leases the device to the owner of a reservation that has started, unless it is leased. An error is only
// logged: the caller's next request fails for the same reason.
func (s *desk) beginReserved(ctx context.Context, device string, c rest.Caller) {
	if _, held := s.devices.Held(device); held {
		return
	}
	now := s.pool.Now()
	for _, r := range s.pool.Reservations(device) {
		if !r.From.After(now) && s.leases.owns(r, c) {
			ctx, cancel := s.deadline(ctx)
			defer cancel()
			if _, err := s.devices.Hold(ctx, device, r.Who, r.Until.Sub(now)); err != nil {
				s.log.DebugContext(ctx, "cannot start a reservation", "device", device, "error", err)
			}
			return
		}
	}
}

// reservationPrefix is the prefix of the public ID by which a reservation is canceled. The public ID is not a secret:
// access to the device needs the ID of the lease.
const reservationPrefix = "rsv_"

func reservationID(r pool.Reservation) string { return reservationPrefix + r.Sum[:min(24, len(r.Sum))] }

// unreserve ends the reservation with the ID or public ID that the caller sent; without one, the current reservation of
// the credential. It returns the holder, or "" if there was none.
func (s *lessor) unreserve(device string, c rest.Caller) (who string, err error) {
	now := s.pool.Now()
	_, err = s.pool.Unreserve(device, func(r pool.Reservation) bool {
		is := r.Project == s.o.Project && (hasID(r, c) || c.Lease == reservationID(r) && c.MayTakeBack(r.By)) ||
			c.Lease == "" && !r.From.After(now) && s.leases.owns(r, c)
		if is {
			who = r.Who
		}
		return is
	})
	if err == nil && who == "" && strings.HasPrefix(c.Lease, reservationPrefix) {
		err = rest.Fault(http.StatusNotFound, rest.CodeNotFound,
			"there is no reservation of this id that you may take back; GET /devices lists those of each device")
	}
	return who, err
}

// reservations lists the reservations of a device. For those of other projects only the times are set.
func (s *desk) reservations(device string, c rest.Caller) (list []ReservationInfo) {
	for _, r := range s.pool.Reservations(device) {
		out := ReservationInfo{From: r.From, Until: r.Until}
		if r.Project == s.o.Project {
			out.Holder, out.Why, out.Mine = r.Who, r.Why, s.leases.owns(r, c)
			if c.MayTakeBack(r.By) {
				out.ID = reservationID(r)
			}
		}
		list = append(list, out)
	}
	return list
}
