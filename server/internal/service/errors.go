package service

import (
	"fmt"
	"net/http"
	"time"
)

// Error is a mistake of a caller, or a missing permission.
type Error struct {
	Status  int // of HTTP
	Code    string
	Message string
	After   time.Duration // of 429: when to retry
}

func (e *Error) Error() string { return e.Message }

// Is makes errors.Is compare the status and code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Status == e.Status && t.Code == e.Code
}

// The errors for callers.
var (
	ErrNotFound = &Error{Status: http.StatusNotFound, Code: "not_found",
		Message: "there is no such thing, or it is another project's"}
	ErrForbidden = &Error{Status: http.StatusForbidden, Code: "forbidden",
		Message: "your role in the project does not allow this"}
	ErrMissing = &Error{Status: http.StatusUnauthorized, Code: "missing_token",
		Message: "send a credential: Authorization: Bearer <token or key>, or X-API-Key: <key>"}
	ErrInvalid = &Error{Status: http.StatusUnauthorized, Code: "invalid_token",
		Message: "the credential is not valid: it is unknown, expired, revoked or not signed by this service"}
	ErrLogIn = &Error{Status: http.StatusUnauthorized, Code: "invalid_login",
		Message: "the address, the password or the code is wrong, or the account is not confirmed yet"}
	ErrPayment = &Error{Status: http.StatusPaymentRequired, Code: "payment_required",
		Message: "the requests of the plan for this month are used up; they start again on the first of the next month, UTC"}
	ErrOverloaded = &Error{Status: http.StatusServiceUnavailable, Code: "unavailable",
		Message: "too many people log in at once; try again", After: 2 * time.Second}
)

// refusedToken returns ErrInvalid with what is wrong with a token.
func refusedToken(reason string) *Error {
	return &Error{Status: ErrInvalid.Status, Code: ErrInvalid.Code, Message: "the access token is refused: " + reason}
}

func invalid(format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: fmt.Sprintf(format, args...)}
}

func forbidden(format string, args ...any) *Error {
	return &Error{Status: http.StatusForbidden, Code: "forbidden", Message: fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) *Error {
	return &Error{Status: http.StatusConflict, Code: "conflict", Message: fmt.Sprintf(format, args...)}
}
