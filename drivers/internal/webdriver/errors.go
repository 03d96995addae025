package webdriver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
)

// The codes of errors that callers distinguish, as the standard writes them. Refused is for servers that want another
// user or key.
const (
	InvalidSession  = "invalid session id"
	NoSuchWindow    = "no such window"
	NoSuchFrame     = "no such frame"
	NoSuchElement   = "no such element"
	StaleElement    = "stale element reference"
	NoSuchAlert     = "no such alert"
	AlertOpen       = "unexpected alert open"
	ScriptFailed    = "javascript error"
	ScriptTimeout   = "script timeout"
	NotInteractable = "element not interactable"
	SessionNotBegun = "session not created"
	UnknownError    = "unknown error"
	UnknownCommand  = "unknown command"
	UnknownMethod   = "unknown method"
	ElementState    = "invalid element state"
	Unsupported     = "unsupported operation"
	InvalidArgument = "invalid argument"
	Refused         = "refused"
	moveOutOfBounds = "move target out of bounds"
	detachedShadow  = "detached shadow root"
)

// Error is what a server has answered in place of a value.
type Error struct {
	Code    string // of the standard
	Status  int    // of HTTP
	Host    string
	Command string
	Message string // for people; nothing depends on it
}

func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("WebDriver at %s: %s (%s)", e.Host, e.Code, e.Command)
	}
	return fmt.Sprintf("WebDriver at %s: %s: %s", e.Host, e.Code, e.Message)
}

// Is reports whether an error is that of a code.
func Is(err error, codes ...string) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	for _, code := range codes {
		if e.Code == code {
			return true
		}
	}
	return false
}

// PageChanged reports whether a command failed because the page was being replaced: another one may succeed.
func PageChanged(err error) bool {
	return Is(err, NoSuchFrame, StaleElement, detachedShadow)
}

// LostError says that the answer to a command was lost, or is not one of WebDriver's.
type LostError struct {
	Host    string
	Command string
	Why     string
	Status  int  // of HTTP; 0: there was no answer
	Late    bool // its time has ended
	// Performed reports whether the server may have performed the command.
	Performed bool
}

func (e *LostError) Error() string {
	return fmt.Sprintf("the WebDriver server at %s: %s (%s)", e.Host, e.Why, e.Command)
}

// Lost reports whether a command has no answer.
func Lost(err error) bool { return errors.As(err, new(*LostError)) }

// MayHaveHappened reports whether a command with this error may have had its effect: a touch must not be sent again.
func MayHaveHappened(err error) bool {
	var lost *LostError
	return errors.As(err, &lost) && lost.Performed
}

// Late reports whether a command did not end in its time.
func Late(err error) bool {
	var lost *LostError
	return errors.As(err, &lost) && lost.Late
}

// neverSent reports whether a request failed before the server can have read it.
func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, new(*net.DNSError)) ||
		errors.As(err, new(*tls.CertificateVerificationError))
}

// whyNot says in plain words why there is no answer.
func whyNot(err error) string {
	var host *net.DNSError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.As(err, &host):
		return "there is no such host"
	case errors.As(err, &unknown), errors.As(err, new(*tls.CertificateVerificationError)):
		return "its certificate is not trusted (SSL_CERT_FILE names a file with more authorities)"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return "it closed the connection without an answer"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	return "the connection failed"
}
