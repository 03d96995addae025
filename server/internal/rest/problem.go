package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/service"
	"github.com/taproot-dev/taproot/server/internal/shared"
)

// ErrTooLong is the cause of the end of a call that took longer than the server allows.
var ErrTooLong = errors.New("it took longer than the server allows")

// Problems converts errors of a project's devices and runs to responses.
type Problems struct {
	Log     *slog.Logger
	Mask    *event.Mask
	Pool    *pool.Pool // by its clock leases and reservations are reported
	Farm    *hub.Hub   // nil: no farm
	Project string
}

// Of converts an error of other packages to a response. Internal errors are logged, and the response does not
// contain them.
func (s *Problems) Of(ctx context.Context, err error) *Error {
	var known *Error
	var apart *shared.UnavailableError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, live.ErrClosed), errors.Is(err, jobs.ErrClosing):
		return Fault(http.StatusServiceUnavailable, CodeUnavailable, "the server is shutting down")
	case errors.As(err, &apart): // before the next cases: the device's own deadlines are not those of the request
	case errors.Is(err, ErrTooLong), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return Fault(http.StatusGatewayTimeout, CodeTimeout, ErrTooLong.Error())
	}
	if e := MemberProblem(err); e != nil {
		return e
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		s.Log.ErrorContext(ctx, "the disk is full", "error", s.Mask.Text(err.Error()))
		return Fault(http.StatusInsufficientStorage, CodeFull, "the disk of the server is full; nothing was kept")
	}
	if errors.As(err, &apart) {
		s.Log.WarnContext(ctx, "cannot use the bucket of report packs", "error", err)
		e := Fault(http.StatusServiceUnavailable, CodeUnavailable,
			"the store of reports cannot be reached; try again in some seconds")
		e.Headers = http.Header{"Retry-After": {"5"}}
		return e
	}
	if e := s.deviceProblem(ctx, err); e != nil {
		return e
	}
	if e := requestProblem(err); e != nil {
		return e
	}
	s.Log.ErrorContext(ctx, "request failed", "error", s.Mask.Text(err.Error()), "stack", action.StackOf(err))
	return Fault(http.StatusInternalServerError, CodeInternal, "something went wrong in the server; its log says more")
}

// deviceProblem converts an error about a device that cannot be used.
func (s *Problems) deviceProblem(ctx context.Context, err error) *Error {
	var held *live.HeldError
	var busy *pool.BusyError
	var reserved *pool.ReservedError
	var unknown *pool.UnknownDeviceError
	var none *pool.NoDeviceError
	var noVision *action.VisionError
	var broken *DeviceError
	var owners private
	switch {
	case errors.Is(err, drivers.ErrNoPage):
		return Fault(http.StatusConflict, CodePage, err.Error()+" (POST /web/launch)")
	case errors.As(err, &held):
		h := live.HeldError{ID: held.ID, Hold: live.Hold{Who: held.Who, Since: s.Pool.There(held.Since),
			Until: s.Pool.There(held.Until)}}
		e := Fault(http.StatusConflict, CodeBusy, h.Error()+"; if the lease is yours, send its id as X-Lease")
		e.Holder, e.Until = h.Who, &h.Until
		return e
	case errors.As(err, &busy):
		e := Fault(http.StatusConflict, CodeBusy, busy.Error())
		e.Holder = busy.Holder.What
		if until := busy.Holder.Until.UTC(); time.Now().Before(until) {
			e.Until = &until
		}
		return e
	case errors.As(err, &reserved):
		return s.reservedProblem(reserved)
	case errors.As(err, &owners):
		s.Log.WarnContext(ctx, "a device cannot be used", "error", s.Mask.Text(err.Error()))
		return Fault(http.StatusBadGateway, CodeDevice, owners.Public()+" (the server's log says more)")
	case errors.As(err, &unknown) && unknown.Reason == "":
		return Fault(http.StatusNotFound, CodeNoDevice, markdown.Visible(s.withHosts(unknown).Error(), MaxMessage))
	case errors.As(err, &unknown):
		return Fault(http.StatusBadGateway, CodeDevice, unknown.Error())
	case errors.As(err, &none):
		return Fault(http.StatusBadGateway, CodeDevice, none.Error())
	case errors.Is(err, drivers.ErrUnsupported):
		return Fault(http.StatusUnprocessableEntity, CodeUnsupported, err.Error())
	case errors.As(err, &noVision):
		return Fault(http.StatusBadGateway, CodeVision, markdown.Visible(noVision.Error(), MaxMessage))
	case errors.As(err, &broken):
		return Fault(http.StatusBadGateway, CodeDevice, markdown.Visible(broken.Error(), MaxMessage))
	}
	return nil
}

// DeviceError is a failure of a device.
type DeviceError struct{ Err error }

func (e *DeviceError) Error() string { return e.Err.Error() }

func (e *DeviceError) Unwrap() error { return e.Err }

// requestProblem converts an error of what the client requested.
func requestProblem(err error) *Error {
	var refused *guard.RefusedError
	var bad *live.InvalidError
	var usage *plan.Usage
	var problems plan.Problems
	var config *plan.ConfigError
	var archive *upload.Refused
	var large *upload.TooLarge
	switch {
	case errors.As(err, &refused):
		return Fault(http.StatusForbidden, CodeForbidden, refused.Error())
	case errors.As(err, &bad):
		return Invalid(markdown.VisibleLines(bad.Error(), MaxMessage))
	case errors.As(err, &config):
		return Fault(http.StatusUnprocessableEntity, CodeProject, markdown.VisibleLines(config.Error(), 5*MaxMessage))
	case errors.As(err, &usage):
		return Invalid(usage.Error())
	case errors.As(err, &problems):
		return Invalid(markdown.VisibleLines(problems.Error(), 5*MaxMessage))
	case errors.Is(err, jobs.ErrNothing), errors.Is(err, jobs.ErrOtherKey):
		return Invalid(err.Error())
	case errors.Is(err, jobs.ErrNotOurs):
		return Fault(http.StatusUnprocessableEntity, CodeUnsupported, err.Error())
	case errors.Is(err, jobs.ErrUnknown):
		return Fault(http.StatusNotFound, CodeNotFound, err.Error())
	case errors.Is(err, jobs.ErrFull):
		return Limited(err.Error(), time.Minute)
	case errors.As(err, &archive):
		return Invalid(archive.Error())
	case errors.As(err, &large):
		return Fault(http.StatusRequestEntityTooLarge, CodeTooLarge, large.Error())
	}
	return nil
}

// AsDeviceError marks an error of runner/live as the device's, unless it is the caller's, the server's or a timeout.
// The original error stays in the chain.
func AsDeviceError(err error) error {
	var bad *live.InvalidError
	var broke *action.PanicError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad), errors.Is(err, live.ErrClosed), errors.Is(err, ErrTooLong),
		errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &broke): // with a stack, which is for the log
		return err
	}
	return &DeviceError{Err: err}
}

// private is an error with details for the owner of the machine that clients must not see, such as the path of a
// program.
type private interface {
	error
	Public() string
}

// MemberProblem converts errors about accounts and credentials, and of an unavailable database.
func MemberProblem(err error) *Error {
	var known *service.Error
	var gone *store.UnavailableError
	switch {
	case errors.As(err, &known):
		e := Fault(known.Status, known.Code, known.Message)
		if known.After > 0 {
			e.Headers = http.Header{"Retry-After": {strconv.Itoa(seconds(known.After))}}
		}
		return e
	case errors.As(err, &gone) && gone.Full:
		return Fault(http.StatusInsufficientStorage, CodeFull, "the disk of the service's database is full; nothing was kept")
	case errors.As(err, &gone):
		e := Fault(http.StatusServiceUnavailable, CodeUnavailable,
			"the database cannot be reached; try again in some seconds")
		e.Headers = http.Header{"Retry-After": {"5"}}
		return e
	}
	return nil
}

// reservedProblem returns the error for a reserved device.
func (s *Problems) reservedProblem(e *pool.ReservedError) *Error {
	out := Fault(http.StatusConflict, CodeBusy, e.Error())
	out.Until = &e.Until
	if e.Project == s.Project {
		out.Holder = e.Who
		out.Message += ", by " + e.Who
		if e.Why != "" {
			out.Message += ": " + e.Why
		}
	}
	if now := s.Pool.Now(); e.From.After(now) {
		out.Message += fmt.Sprintf("; a lease may last until then, %d seconds", int(e.From.Sub(now).Seconds()))
	}
	return out
}

// maxOthers is how many devices of hosts the error for an unknown device lists.
const maxOthers = 20

// withHosts adds the devices of hosts to the available devices that the error lists.
func (s *Problems) withHosts(e *pool.UnknownDeviceError) *pool.UnknownDeviceError {
	if s.Farm == nil {
		return e
	}
	all := s.Farm.Devices(s.Project)
	out := &pool.UnknownDeviceError{ID: e.ID}
	for _, d := range all[:min(len(all), maxOthers)] {
		out.Others = append(out.Others, d.Name)
	}
	out.Others = append(out.Others, e.Others...)
	if more := len(all) - maxOthers; more > 0 {
		out.Others = append(out.Others, fmt.Sprintf("and %d more (GET /devices)", more))
	}
	return out
}
