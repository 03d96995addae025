// Package mail sends the e-mails of the service through an SMTP server.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/taproot-dev/taproot/internal/guard"
)

// Options are the settings of a Sender.
type Options struct {
	// Address is smtp://USER:PASSWORD@HOST:PORT, which switches to TLS before the log-in (STARTTLS), or smtps://…, which
	// starts with TLS. smtp://HOST?tls=none sends without encryption, for a server on this machine.
	Address string
	// From is the sender of e-mails, such as Taproot <noreply@example.com>; default: the user of Address, if it is an
	// e-mail address.
	From string
	// Roots are the root certificates for the server's; nil: those of this machine.
	Roots *x509.CertPool
}

// Sender sends e-mails, each over its own connection. Safe for concurrent use.
type Sender struct {
	host     string
	from     string
	options  []gomail.Option
	tls      *tls.Config
	implicit bool          // TLS from the first byte
	pause    time.Duration // before the second attempt; three times as long before the third
}

// attempts is how often an e-mail is sent when the server refuses it temporarily.
const attempts = 3

// dialLimit is how long one exchange may take.
const dialLimit = 15 * time.Second

// New checks the options. It does not connect.
func New(o Options) (*Sender, error) {
	u, err := url.Parse(o.Address)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Scheme != "smtp" &&
		u.Scheme != "smtps" {
		// the parser's error would contain the password
		return nil, errors.New(
			"the address of the SMTP server must be smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT")
	}
	s := &Sender{host: u.Hostname(), from: o.From, pause: time.Second}
	s.tls = &tls.Config{ServerName: s.host, RootCAs: o.Roots, MinVersion: tls.VersionTLS12}
	s.options = []gomail.Option{gomail.WithTimeout(dialLimit), gomail.WithTLSConfig(s.tls)}
	if err := s.transport(u); err != nil {
		return nil, err
	}
	if s.from == "" && u.User != nil && strings.Contains(u.User.Username(), "@") {
		s.from = u.User.Username()
	}
	if _, err := mail.ParseAddress(s.from); err != nil {
		return nil, fmt.Errorf("the sender of e-mails: %q is not an e-mail address, such as Taproot <noreply@example.com>",
			s.from)
	}
	return s, nil
}

// transport sets how the server is reached. A password is never sent without encryption, except to this machine.
func (s *Sender) transport(u *url.URL) error {
	port := 587
	mode := u.Query().Get("tls")
	switch {
	case u.Scheme == "smtps" && mode == "":
		port, s.implicit = 465, true
		s.options = append(s.options, gomail.WithSSL())
	case u.Scheme == "smtp" && (mode == "" || mode == "starttls"):
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case u.Scheme == "smtp" && mode == "none":
		if u.User != nil && !guard.IsLoopback(s.host) {
			return errors.New(
				"tls=none would send the password without encryption: leave it out, or send through a server on this machine")
		}
		port = 25
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		return fmt.Errorf("tls=%.20q: leave it out, or write tls=none with smtp://", mode)
	}
	if text := u.Port(); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 65535 {
			return fmt.Errorf("%.10q is not a port", text)
		}
		port = n
	}
	s.options = append(s.options, gomail.WithPort(port))
	if u.User != nil {
		password, _ := u.User.Password()
		s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
		if mode == "none" || s.implicit { // the library does not notice that once dials with TLS
			s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthPlainNoEnc))
		}
	}
	return nil
}

// Send sends an e-mail of plain text. It retries after a temporary refusal, as long as the context lasts.
func (s *Sender) Send(ctx context.Context, to, subject, text string) error {
	letter, err := s.letter(to, subject, text)
	if err != nil {
		return err
	}
	pause := s.pause
	for try := 1; ; try++ {
		if err = s.once(ctx, letter); err == nil {
			return nil
		}
		if try == attempts || !passing(err) || !wait(ctx, pause) {
			return fmt.Errorf("send an e-mail through %s: %w", s.host, err)
		}
		pause *= 3
	}
}

func (s *Sender) letter(to, subject, text string) (*gomail.Msg, error) {
	m := gomail.NewMsg()
	if err := errors.Join(m.From(s.from), m.To(to)); err != nil {
		return nil, fmt.Errorf("set the addresses of an e-mail: %w", err)
	}
	m.Subject(subject)
	m.SetDate()
	m.SetMessageID()
	m.SetGenHeader("Auto-Submitted", "auto-generated") // so that auto-responders do not reply
	m.SetBodyString(gomail.TypeTextPlain, text)
	return m, nil
}

// once sends it over its own connection, which the library leaves open when the server refuses the log-in.
func (s *Sender) once(ctx context.Context, letter *gomail.Msg) (err error) {
	var opened net.Conn
	dial := gomail.WithDialContextFunc(func(ctx context.Context, network, address string) (c net.Conn, err error) {
		if s.implicit {
			c, err = (&tls.Dialer{Config: s.tls}).DialContext(ctx, network, address)
		} else {
			c, err = (&net.Dialer{}).DialContext(ctx, network, address)
		}
		opened = c
		return c, err
	})
	c, err := gomail.NewClient(s.host, append([]gomail.Option{dial}, s.options...)...)
	if err != nil {
		return err
	}
	defer func() {
		if opened != nil {
			_ = opened.Close() // an error was returned before
		}
	}()
	return c.DialAndSendWithContext(ctx, letter)
}

// passing reports whether another attempt may succeed: the refusal is temporary (4xx), or the server was not reached.
func passing(err error) bool {
	var sendErr *gomail.SendError
	if errors.As(err, &sendErr) {
		return sendErr.IsTemp()
	}
	var network net.Error
	return errors.As(err, &network)
}

// wait returns false when the context ends first.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
