package server

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/reporters/markdown"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/shared"
)

// Error is the response of every request that fails.
type Error struct {
	Code    string `json:"error" doc:"What went wrong, for programs." example:"device_busy"`
	Message string `json:"message" doc:"What went wrong and how to fix it, for people."`

	Holder     string     `json:"holder,omitempty" doc:"Of device_busy: who holds the device."`
	Until      *time.Time `json:"until,omitempty" doc:"Of device_busy: how long, when that is known."`
	Candidates []string   `json:"candidates,omitempty" nullable:"false" doc:"Of element_not_found and ambiguous_element: similar elements, best first."`

	status  int
	headers http.Header
}

// The codes of errors.
const (
	codeMissingToken = "missing_token"
	codeInvalidToken = "invalid_token"
	codeForbidden    = "forbidden"
	codeRateLimited  = "rate_limited"

	codeInvalid     = "invalid_request"
	codeNotFound    = "not_found"
	codeNoDevice    = "device_not_found"
	codeMethod      = "method_not_allowed"
	codeBusy        = "device_busy"
	codePage        = "ambiguous_page"
	codeTooLarge    = "payload_too_large"
	codeMediaType   = "unsupported_media_type"
	codeDevice      = "device_error"
	codeVision      = "vision_error"
	codeTimeout     = "timeout"
	codeInternal    = "internal"
	codeUnavailable = "unavailable"
	codeFailed      = "action_failed"
	codeUnsupported = "unsupported"
	codeConflict    = "conflict"
	codeFull        = "insufficient_storage"
	codeProject     = "invalid_project" // the server's own files are invalid, not the request
)

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// GetStatus implements huma.StatusError.
func (e *Error) GetStatus() int { return e.status }

// GetHeaders implements huma.HeadersError.
func (e *Error) GetHeaders() http.Header { return e.headers }

var (
	_ huma.StatusError  = (*Error)(nil)
	_ huma.HeadersError = (*Error)(nil)
)

func fault(status int, code, message string) *Error {
	return &Error{status: status, Code: code, Message: message}
}

func invalid(message string) *Error { return fault(http.StatusBadRequest, codeInvalid, message) }

// humaError converts errors of huma to Error. It leaves out the values that were sent: they may be secret, or large.
func humaError(status int, message string, errs ...error) huma.StatusError {
	var details []string
	for _, err := range errs {
		var d huma.ErrorDetailer
		switch {
		case err == nil:
		case errors.As(err, &d):
			if detail := d.ErrorDetail(); detail.Location == "" {
				details = append(details, detail.Message)
			} else {
				details = append(details, detail.Location+": "+detail.Message)
			}
		case status < http.StatusInternalServerError:
			details = append(details, err.Error())
		}
	}
	slices.Sort(details)
	if details = slices.Compact(details); len(details) > 0 {
		message = strings.Join(details, "; ")
	}
	code := codeInvalid
	switch {
	case status == http.StatusRequestEntityTooLarge:
		code = codeTooLarge
	case status == http.StatusUnsupportedMediaType:
		code = codeMediaType
	case status == http.StatusRequestTimeout:
		status, code, message = http.StatusGatewayTimeout, codeTimeout, "the request did not arrive in time"
	case status >= http.StatusInternalServerError:
		code, message = codeInternal, "something went wrong in the server; its log says more"
	default:
		status = http.StatusBadRequest
	}
	return fault(status, code, markdown.Visible(message, maxMessage))
}

const maxMessage = 2000

// errTooLong is the cause of the end of a call that took longer than the server allows.
var errTooLong = errors.New("it took longer than the server allows")

// problem converts an error of other packages to a response. Internal errors are logged, and the response does not
// contain them.
func (s *Server) problem(ctx context.Context, err error) *Error {
	var known *Error
	var apart *shared.UnavailableError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, live.ErrClosed), errors.Is(err, jobs.ErrClosing):
		return fault(http.StatusServiceUnavailable, codeUnavailable, "the server is shutting down")
	case errors.As(err, &apart): // before the next cases: the device's own deadlines are not those of the request
	case errors.Is(err, errTooLong), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fault(http.StatusGatewayTimeout, codeTimeout, errTooLong.Error())
	}
	if e := memberProblem(err); e != nil {
		return e
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		s.log.ErrorContext(ctx, "the disk is full", "error", s.mask.Text(err.Error()))
		return fault(http.StatusInsufficientStorage, codeFull, "the disk of the server is full; nothing was kept")
	}
	if errors.As(err, &apart) {
		s.log.WarnContext(ctx, "cannot use the bucket of report packs", "error", err)
		e := fault(http.StatusServiceUnavailable, codeUnavailable,
			"the store of reports cannot be reached; try again in some seconds")
		e.headers = http.Header{"Retry-After": {"5"}}
		return e
	}
	if e := s.deviceProblem(ctx, err); e != nil {
		return e
	}
	if e := requestProblem(err); e != nil {
		return e
	}
	s.log.ErrorContext(ctx, "request failed", "error", s.mask.Text(err.Error()), "stack", action.StackOf(err))
	return fault(http.StatusInternalServerError, codeInternal, "something went wrong in the server; its log says more")
}

// deviceProblem converts an error about a device that cannot be used.
func (s *Server) deviceProblem(ctx context.Context, err error) *Error {
	var held *live.HeldError
	var busy *pool.BusyError
	var reserved *pool.ReservedError
	var unknown *pool.UnknownDeviceError
	var none *pool.NoDeviceError
	var noVision *action.VisionError
	var broken *deviceError
	var owners private
	switch {
	case errors.Is(err, drivers.ErrNoPage):
		return fault(http.StatusConflict, codePage, err.Error()+" (POST /web/launch)")
	case errors.As(err, &held):
		h := live.HeldError{ID: held.ID, Hold: live.Hold{Who: held.Who, Since: s.pool.There(held.Since),
			Until: s.pool.There(held.Until)}}
		e := fault(http.StatusConflict, codeBusy, h.Error()+"; if the lease is yours, send its id as X-Lease")
		e.Holder, e.Until = h.Who, &h.Until
		return e
	case errors.As(err, &busy):
		e := fault(http.StatusConflict, codeBusy, busy.Error())
		e.Holder = busy.Holder.What
		if until := busy.Holder.Until.UTC(); time.Now().Before(until) {
			e.Until = &until
		}
		return e
	case errors.As(err, &reserved):
		return s.reservedProblem(reserved)
	case errors.As(err, &owners):
		s.log.WarnContext(ctx, "a device cannot be used", "error", s.mask.Text(err.Error()))
		return fault(http.StatusBadGateway, codeDevice, owners.Public()+" (the server's log says more)")
	case errors.As(err, &unknown) && unknown.Reason == "":
		return fault(http.StatusNotFound, codeNoDevice, markdown.Visible(s.withHosts(unknown).Error(), maxMessage))
	case errors.As(err, &unknown):
		return fault(http.StatusBadGateway, codeDevice, unknown.Error())
	case errors.As(err, &none):
		return fault(http.StatusBadGateway, codeDevice, none.Error())
	case errors.Is(err, drivers.ErrUnsupported):
		return fault(http.StatusUnprocessableEntity, codeUnsupported, err.Error())
	case errors.As(err, &noVision):
		return fault(http.StatusBadGateway, codeVision, markdown.Visible(noVision.Error(), maxMessage))
	case errors.As(err, &broken):
		return fault(http.StatusBadGateway, codeDevice, markdown.Visible(broken.Error(), maxMessage))
	}
	return nil
}

// deviceError is a failure of a device.
type deviceError struct{ error }

func (e *deviceError) Unwrap() error { return e.error }

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
		return fault(http.StatusForbidden, codeForbidden, refused.Error())
	case errors.As(err, &bad):
		return invalid(markdown.VisibleLines(bad.Error(), maxMessage))
	case errors.As(err, &config):
		return fault(http.StatusUnprocessableEntity, codeProject, markdown.VisibleLines(config.Error(), 5*maxMessage))
	case errors.As(err, &usage):
		return invalid(usage.Error())
	case errors.As(err, &problems):
		return invalid(markdown.VisibleLines(problems.Error(), 5*maxMessage))
	case errors.Is(err, jobs.ErrNothing), errors.Is(err, jobs.ErrOtherKey):
		return invalid(err.Error())
	case errors.Is(err, jobs.ErrNotOurs):
		return fault(http.StatusUnprocessableEntity, codeUnsupported, err.Error())
	case errors.Is(err, jobs.ErrUnknown):
		return fault(http.StatusNotFound, codeNotFound, err.Error())
	case errors.Is(err, jobs.ErrFull):
		return limited(err.Error(), time.Minute)
	case errors.As(err, &archive):
		return invalid(archive.Error())
	case errors.As(err, &large):
		return fault(http.StatusRequestEntityTooLarge, codeTooLarge, large.Error())
	}
	return nil
}

func limited(message string, after time.Duration) *Error {
	e := fault(http.StatusTooManyRequests, codeRateLimited, message)
	e.headers = http.Header{"Retry-After": {strconv.Itoa(max(1, int(after.Seconds())))}}
	return e
}
