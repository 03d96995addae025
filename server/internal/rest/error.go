package rest

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/taproot-dev/taproot/internal/result/markdown"
)

// Error is the response of every request that fails.
type Error struct {
	Code    string `json:"error" doc:"What went wrong, for programs." example:"device_busy"`
	Message string `json:"message" doc:"What went wrong and how to fix it, for people."`

	Holder     string     `json:"holder,omitempty" doc:"Of device_busy: who holds the device."`
	Until      *time.Time `json:"until,omitempty" doc:"Of device_busy: how long, when that is known."`
	Candidates []string   `json:"candidates,omitempty" nullable:"false" doc:"Of element_not_found and ambiguous_element: similar elements, best first."`

	Status  int         `json:"-"`
	Headers http.Header `json:"-"`
}

// The codes of errors.
const (
	CodeMissingToken = "missing_token"
	CodeInvalidToken = "invalid_token"
	CodeForbidden    = "forbidden"
	CodeVersion      = "version_mismatch"
	CodeRateLimited  = "rate_limited"

	CodeInvalid     = "invalid_request"
	CodeNotFound    = "not_found"
	CodeNoDevice    = "device_not_found"
	CodeMethod      = "method_not_allowed"
	CodeBusy        = "device_busy"
	CodePage        = "ambiguous_page"
	CodeTooLarge    = "payload_too_large"
	CodeMediaType   = "unsupported_media_type"
	CodeDevice      = "device_error"
	CodeVision      = "vision_error"
	CodeTimeout     = "timeout"
	CodeInternal    = "internal"
	CodeUnavailable = "unavailable"
	CodeFailed      = "action_failed"
	CodeUnsupported = "unsupported"
	CodeConflict    = "conflict"
	CodeFull        = "insufficient_storage"
	CodeProject     = "invalid_project" // the server's own files are invalid, not the request
)

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// GetStatus implements huma.StatusError.
func (e *Error) GetStatus() int { return e.Status }

// GetHeaders implements huma.HeadersError.
func (e *Error) GetHeaders() http.Header { return e.Headers }

var (
	_ huma.StatusError  = (*Error)(nil)
	_ huma.HeadersError = (*Error)(nil)
)

// Fault returns an error with a status and a code.
func Fault(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, Message: message}
}

// Invalid returns the error of a request that does not have the expected form.
func Invalid(message string) *Error { return Fault(http.StatusBadRequest, CodeInvalid, message) }

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
	code := CodeInvalid
	switch {
	case status == http.StatusRequestEntityTooLarge:
		code = CodeTooLarge
	case status == http.StatusUnsupportedMediaType:
		code = CodeMediaType
	case status == http.StatusRequestTimeout:
		status, code, message = http.StatusGatewayTimeout, CodeTimeout, "the request did not arrive in time"
	case status >= http.StatusInternalServerError:
		code, message = CodeInternal, "something went wrong in the server; its log says more"
	default:
		status = http.StatusBadRequest
	}
	return Fault(status, code, markdown.Visible(message, MaxMessage))
}

// MaxMessage limits the length of messages, in bytes.
const MaxMessage = 2000

// Limited returns the error of a request that comes too early.
func Limited(message string, after time.Duration) *Error {
	e := Fault(http.StatusTooManyRequests, CodeRateLimited, message)
	e.Headers = http.Header{"Retry-After": {strconv.Itoa(max(1, int(after.Seconds())))}}
	return e
}
