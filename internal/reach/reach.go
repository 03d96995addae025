// Package reach explains why a server was not reached: it turns an error of net/http into a message that says what to
// do about the URL.
package reach

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Error is the reason why a server was not reached.
type Error struct {
	// Lasting means that another attempt will fail, too: the URL is wrong, or a certificate.
	Lasting bool
	message string
	err     error
}

func (e *Error) Error() string { return e.message }

func (e *Error) Unwrap() error { return e.err }

// spokeFirst is the error of net/http for a server that sends before it has received a request, as those of NATS, SSH
// and mail do, when its message arrived before the request was sent.
const spokeFirst = "readLoopPeekFailLocked: %!w(<nil>)"

// Why explains the error of a request to a URL such as https://hub.example.com. It returns other errors unchanged.
func Why(address *url.URL, err error) error {
	lasting := func(format string, args ...any) error {
		return &Error{Lasting: true, message: fmt.Sprintf(format, args...), err: err}
	}
	at := address.Host
	var unknown x509.UnknownAuthorityError
	var names x509.HostnameError
	var invalid x509.CertificateInvalidError
	var noTLS tls.RecordHeaderError
	var name *net.DNSError
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return lasting("%s speaks http, not https: write http://%s, or put a proxy with TLS before it", at, at)
	case errors.As(err, &unknown):
		return lasting(
			"this machine does not trust the certificate of %s: %v; add the certificate of its authority to those of this "+
				"system (on Linux, SSL_CERT_FILE names a file, too)", at, unknown)
	case errors.As(err, &names):
		return lasting("the certificate of %s is for another name: %v", at, names)
	case errors.As(err, &invalid):
		return lasting("the certificate of %s is not valid: %v", at, invalid)
	case errors.As(err, &noTLS), strings.Contains(err.Error(), "malformed HTTP"),
		strings.Contains(err.Error(), spokeFirst):
		return lasting(
			"the server at %s is not a web server: is the port right? A hub's pages have another port than its hosts' "+
				"connections (4222)", at)
	case errors.As(err, &name) && name.IsNotFound:
		return lasting("there is no machine called %s: is the address right?", address.Hostname())
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Error{message: fmt.Sprintf("%s does not respond: is the URL right, and does a firewall let it through?", at),
			err: err}
	case errors.As(err, &op) && op.Op == "dial":
		return &Error{message: fmt.Sprintf("nothing listens at %s: is the server running, and the port right? (%v)", at,
			op.Err),
			err: err}
	}
	return err
}

// Elsewhere explains a redirect to another server, as from a proxy that requires https. It returns "" for other
// responses.
func Elsewhere(answer *http.Response) string {
	to := answer.Header.Get("Location")
	if answer.StatusCode < 300 || answer.StatusCode > 399 || to == "" {
		return ""
	}
	if u, err := answer.Request.URL.Parse(to); err == nil {
		return fmt.Sprintf("%s redirects to %s://%s: write that URL", answer.Request.URL.Host, u.Scheme, u.Host)
	}
	return ""
}
