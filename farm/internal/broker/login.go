package broker

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// Conn is a connection to NATS.
type Conn = nats.Conn

// Login is what a host needs to connect.
type Login struct {
	Host       string
	Address    Address
	Seed       []byte
	Credential func() string // returns the newest one; called before each connection
	// Cert returns the newest certificate of the server, where Address has one; called before each connection. nil: that
	// of Address.
	Cert  func() string
	Again time.Duration // the pause between two attempts to connect; default: a second
	// State is called when the connection is lost and when it is back; may be nil.
	State func(connected bool, err error)
}

// Connect connects a host, and reconnects without a limit whenever the connection is lost. It may return before the
// first connection is made.
func Connect(l Login) (*nats.Conn, error) {
	if !wire.IsName(l.Host) {
		return nil, fmt.Errorf("NATS: %q is not a host id", l.Host)
	}
	return l.connect(func() (string, error) { return l.Credential(), nil }, nats.CustomInboxPrefix(wire.InboxOf(l.Host)),
		nats.RetryOnFailedConnect(true))
}

func (l Login) connect(credential func() (string, error), more ...nats.Option) (*nats.Conn, error) {
	pair, err := nkeys.FromSeed(l.Seed)
	if err != nil {
		return nil, fmt.Errorf("NATS: the key: %w", err)
	}
	if l.Again == 0 {
		l.Again = time.Second
	}
	report := func(connected bool, err error) {
		if l.State != nil {
			l.State(connected, err)
		}
	}
	o := append([]nats.Option{nats.Name(l.Host), nats.UserJWT(credential, pair.Sign), nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(), nats.Timeout(5 * time.Second),
		nats.ReconnectWait(l.Again), nats.ReconnectJitter(l.Again/5, l.Again/5), nats.ReconnectBufSize(-1),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ConnectHandler(func(*nats.Conn) { report(true, nil) }),
		nats.ReconnectHandler(func(*nats.Conn) { report(true, nil) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { report(false, err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { report(false, err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { // without it the library prints errors
			if Denied(err) {
				report(false, err)
			}
		}),
	}, more...)
	if l.Address.Cert != "" {
		o = append(o, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS13, ServerName: certName}), l.trusting())
		if _, err := trusted(l.Address.Cert); err != nil {
			return nil, err
		}
	}
	nc, err := nats.Connect(l.Address.URL, o...)
	if err != nil {
		return nil, fmt.Errorf("NATS: connect to %s: %w", l.Address.URL, err)
	}
	return nc, nil
}

// trusting makes connections trust only the newest certificate.
func (l Login) trusting() nats.Option {
	newest := l.Cert
	if newest == nil {
		newest = func() string { return l.Address.Cert }
	}
	return func(o *nats.Options) error {
		o.RootCAsCB = func() (*x509.CertPool, error) { return trusted(newest()) }
		return nil
	}
}

func trusted(cert string) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(cert)) {
		return nil, errors.New("NATS: the certificate of the server is not valid PEM")
	}
	return pool, nil
}

// Foreign reports whether a connection failed because the server has another certificate than the expected one.
func Foreign(err error) bool {
	var other *tls.CertificateVerificationError
	return errors.As(err, &other)
}

// Denied reports whether a connection failed because its credential is invalid, expired or revoked.
func Denied(err error) bool {
	if err == nil {
		return false
	}
	text := strings.ToLower(err.Error()) // while connecting, the library returns the server's message as plain text
	return slices.ContainsFunc([]error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked},
		func(known error) bool { return strings.Contains(text, strings.TrimPrefix(known.Error(), "nats: ")) })
}

// Unreached reports whether no server responded.
func Unreached(err error) bool { return errors.Is(err, nats.ErrNoServers) }

// withScheme adds a scheme to those of the comma-separated addresses that have none.
func withScheme(addresses, scheme string) string {
	list := strings.Split(addresses, ",")
	for i, a := range list {
		if list[i] = strings.TrimSpace(a); !strings.Contains(a, "://") {
			list[i] = scheme + "://" + list[i]
		}
	}
	return strings.Join(list, ",")
}
