// Package mailbox reads the mail that arrives in a mailbox of an IMAP server or in Mailpit, without changing anything
// there. Nothing that a server or a mail contains is trusted.
package mailbox

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/mailurl"
)

// Options say how servers are reached.
type Options struct {
	// Dial makes connections; nil: the system's own.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Client makes the requests to Mailpit; nil: http.DefaultClient.
	Client *http.Client
	// Roots are the certificates that are trusted; nil: the system's.
	Roots *x509.CertPool
}

// Mail is a mail that has arrived.
type Mail struct {
	// ID of the mail in its mailbox.
	ID string
	// Order is larger for mail that arrived later.
	Order   int64
	Subject string
	From    string
	// To are all recipients: To, Cc and Bcc.
	To      []string
	Arrived time.Time // by the server's clock
}

// SentTo reports whether an address is among the recipients. Case is ignored.
func (m Mail) SentTo(address string) bool {
	return slices.ContainsFunc(m.To, func(to string) bool { return strings.EqualFold(to, address) })
}

// Mark is what a mailbox contained at a moment. Mail that arrives later is not part of it.
type Mark struct {
	// After is the moment. It decides by the server's clock, to the second, where the rest is empty.
	After time.Time

	known    bool
	validity uint32    // of the UIDs of an IMAP server
	next     uint32    // the UID of the next mail there
	newest   time.Time // when the newest mail in Mailpit arrived
	ids      []string  // those that arrived at that time
}

// Exact reports whether the mark names the mail itself, and not only a time.
func (m Mark) Exact() bool { return m.known }

// Box is an open mailbox. One goroutine at a time uses it.
type Box interface {
	// Mark returns what the mailbox contains now.
	Mark(ctx context.Context) (Mark, error)
	// New returns the mail after the mark that it has not returned before, the oldest first.
	New(ctx context.Context, after Mark) ([]Mail, error)
	// Content reads the texts of a mail.
	Content(ctx context.Context, m Mail) (Content, error)
	Close() error
}

// Open connects to a mailbox.
func Open(ctx context.Context, s mailurl.Server, o Options) (Box, error) {
	if s.Base != nil {
		return openMailpit(s, o), nil
	}
	return openIMAP(ctx, s, o)
}

// Error is a mail server that cannot be used. Its text has no password.
type Error struct {
	Server string
	Doing  string // "sign in"
	Why    string
	// Passing says that the connection was lost, and may work when it is made again.
	Passing bool
	err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("mail server %s: %s: %s", e.Server, e.Doing, e.Why)
}

func (e *Error) Unwrap() error { return e.err }

// problem is an Error of something that was done with a server. The context decides whether it is its time that ended.
func problem(ctx context.Context, s mailurl.Server, doing string, err error) error {
	e := &Error{Server: cmp.Or(s.Address, s.String()), Doing: doing, err: err}
	var unknown x509.UnknownAuthorityError
	var certificate *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	var name *net.DNSError
	var failed *url.Error
	if errors.As(err, &failed) { // its text quotes the URL
		err = failed.Err
	}
	switch {
	case ctx.Err() != nil:
		e.Why = "the server did not answer in time"
		e.err = errors.Join(err, context.Cause(ctx))
	case errors.As(err, &unknown) || errors.As(err, &certificate):
		e.Why = err.Error() + "; add its authority to those of the system, or on Linux name the authority's file in " +
			"SSL_CERT_FILE"
	case errors.As(err, &plain):
		e.Why = "the server does not speak TLS on this port; for a server without it, write imap:// or http://"
	case errors.As(err, &name) && name.IsNotFound:
		e.Why = "there is no host of this name"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Why, e.Passing = "the server closed the connection", true
	default:
		var network *net.OpError
		e.Why, e.Passing = err.Error(), errors.As(err, &network) && network.Op == "read"
	}
	e.Why = withoutPassword(s, e.Why)
	return e
}

// withoutPassword removes the password from what a server or a library reports.
func withoutPassword(s mailurl.Server, text string) string {
	if s.Password == "" {
		return text
	}
	return strings.NewReplacer(s.Password, "•••", url.QueryEscape(s.Password), "•••", url.PathEscape(s.Password),
		"•••").Replace(text)
}
