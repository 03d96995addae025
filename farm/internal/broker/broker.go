package broker

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// Options are the settings of a Broker.
type Options struct {
	// Dir is the folder of the embedded server: its keys, certificate and streams.
	Dir string
	// Listen is the address on which the embedded server accepts hosts, such as ":4222"; "": only this machine's.
	Listen string
	// Public is the address that hosts receive, host:port or tls://host:port, or several separated by commas. The default
	// is the port of Listen at the host name by which they reach the hub. The default scheme is that of URL, or tls.
	Public string
	// URL is an external server or cluster (nats:// or tls://, several separated by commas); "": the embedded server is
	// started.
	URL string
	// Account is the seed (SA…) of the farm's account on the external server; it signs the credentials of hub and hosts.
	Account string
	// Revoked are the keys of hosts that may no longer connect.
	Revoked []string
	// Log receives the warnings of the server; may be nil.
	Log *slog.Logger
}

// Address is where hosts connect.
type Address struct {
	URL string `json:"url"` // of NATS; without a host name when it is that of the hub: tls://:4222
	// the certificate of the embedded server (PEM), the only one to trust; "": the machine's root certificates
	Cert string `json:"cert,omitempty"`
}

// Broker is a connection to NATS. Close must be called in the end. Safe for concurrent use.
type Broker struct {
	keys    keys
	server  *server.Server // nil: the server is external
	nc      *nats.Conn
	address Address

	mu      sync.Mutex
	account *jwt.AccountClaims // of the embedded server
	refused func(Refusal)
}

// Refusal is an action of a client that the embedded server refused.
type Refusal struct {
	Key     string // the client's public key; "": it presented no valid one
	Address string // the client's IP address
	What    string // "publish to host.x.up", "subscribe to hub.>", "connect"
}

// OnRefused sets a function that receives what the embedded server refuses; nil: none. It must not block. An external
// server writes refusals to its own log only.
func (b *Broker) OnRefused(f func(Refusal)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused = f
}

func (b *Broker) reportRefused(r Refusal) {
	b.mu.Lock()
	report := b.refused
	b.mu.Unlock()
	if report != nil {
		report(r)
	}
}

// startLimit is how long the embedded server may take to start: it reads its streams first.
const startLimit = time.Minute

// Open starts the embedded server, or connects to the external one at o.URL.
func Open(o Options) (*Broker, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Broker{}
	var err error
	if o.URL != "" {
		err = b.attach(o)
	} else {
		err = b.start(o)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("NATS: %w", err), b.Close())
	}
	return b, nil
}

// start runs a server in this process.
func (b *Broker) start(o Options) error {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	var err error
	if b.keys, err = loadKeys(filepath.Join(o.Dir, "keys")); err != nil {
		return err
	}
	so, err := b.serverOptions(o)
	if err != nil {
		return err
	}
	if b.server, err = server.NewServer(so); err != nil {
		return err
	}
	b.server.SetLoggerV2(logger{o.Log, b.reportRefused}, false, false, false)
	b.server.Start()
	if !b.server.ReadyForConnections(startLimit) {
		return fmt.Errorf("the server has not started after %s", startLimit)
	}
	if o.Listen != "" && b.address.URL == "" {
		b.address.URL = "tls://:" + strconv.Itoa(b.server.Addr().(*net.TCPAddr).Port)
	}
	return b.connect("nats://127.0.0.1", nats.InProcessServer(b.server)) // the address is not used
}

func (b *Broker) serverOptions(o Options) (*server.Options, error) {
	so := &server.Options{ServerName: "taproot", DontListen: o.Listen == "", NoSigs: true, JetStream: true,
		StoreDir: filepath.Join(o.Dir, "jetstream"), SyncAlways: true,
		DisableJetStreamBanner: true, JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: 1 << 40, MaxPayload: wire.MaxMessage,
		MaxPending: 512 << 20, MaxControlLine: 4096,
		WriteDeadline: 30 * time.Second, PingInterval: 5 * time.Second, MaxPingsOut: 2}
	if o.Listen != "" {
		host, port, err := net.SplitHostPort(o.Listen)
		if err != nil {
			return nil, fmt.Errorf("the address %q must be host:port: %w", o.Listen, err)
		}
		if so.Port, err = net.LookupPort("tcp", port); err != nil {
			return nil, err
		}
		if so.Port == 0 {
			so.Port = server.RANDOM_PORT
		}
		so.Host = host
		if err := free(o.Listen); err != nil {
			return nil, err
		}
		cert, text, err := certificate(o.Dir)
		if err != nil {
			return nil, err
		}
		so.TLSConfig, so.TLSTimeout, so.AuthTimeout = serverTLS(cert), 10, 20
		b.address.Cert = text
		if o.Public != "" {
			b.address.URL = withScheme(o.Public, "tls")
		}
	}
	return so, b.authorities(so, o.Revoked)
}

// free returns an error if an address cannot be listened on. The server itself would retry without end.
func free(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

// attach connects to an external server.
func (b *Broker) attach(o Options) error {
	var err error
	if b.keys, err = accountKey(o.Account); err != nil {
		return err
	}
	b.address.URL = o.URL
	if o.Public != "" {
		scheme, _, named := strings.Cut(o.URL, "://") // hosts reach the same servers under other names
		if !named {
			scheme = "nats"
		}
		b.address.URL = withScheme(o.Public, scheme)
	}
	if err := b.connect(o.URL); err != nil {
		return err
	}
	if most := b.nc.MaxPayload(); most < wire.MaxMessage {
		return fmt.Errorf("the server at %s accepts messages of at most %d bytes; set max_payload to %d there",
			b.nc.ConnectedUrlRedacted(), most, wire.MaxMessage)
	}
	return nil
}

// connect makes the hub's own connection.
func (b *Broker) connect(url string, more ...nats.Option) error {
	seed, public, err := NewKey()
	if err != nil {
		return err
	}
	sign := func() (string, error) { return b.keys.sign(hubClaims(public)) }
	login := Login{Host: "taproot hub", Address: Address{URL: url}, Seed: seed}
	b.nc, err = login.connect(sign, more...)
	return err
}

// Conn returns the hub's connection, which may use all subjects of the farm.
func (b *Broker) Conn() *nats.Conn { return b.nc }

// JetStream returns JetStream on the hub's connection.
func (b *Broker) JetStream() (jetstream.JetStream, error) { return jetstream.New(b.nc) }

// Address returns where hosts connect; its URL is "" when the embedded server does not listen.
func (b *Broker) Address() Address { return b.address }

// Credential returns a credential with which the owner of a key can connect as a host, until it expires or is revoked.
func (b *Broker) Credential(host, public string, valid time.Duration) (string, error) {
	if !wire.IsName(host) || !IsKey(public) {
		return "", errors.New("NATS: a credential needs the name of a host and its public key")
	}
	return b.keys.sign(hostClaims(host, public, valid))
}

// Life returns how long a credential should be valid. It is short with an external server, which accepts a revoked host
// until its credential expires.
func (b *Broker) Life() time.Duration {
	if b.server == nil {
		return 24 * time.Hour
	}
	return 30 * 24 * time.Hour
}

// Revoke ends the connections with a key and prevents new ones. An external server notices only when the credential
// expires.
func (b *Broker) Revoke(public string) error {
	if b.server == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.account.RevokeAt(public, always)
	account, err := b.server.LookupAccount(b.account.Subject)
	if err != nil {
		return fmt.Errorf("NATS: revoke: %w", err)
	}
	b.server.UpdateAccountClaims(account, b.account)
	return nil
}

// Close ends the connection, and the embedded server.
func (b *Broker) Close() error {
	if b.nc != nil {
		b.nc.Close()
	}
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
	return nil
}

// always is later than the creation of any credential: a revocation is permanent.
var always = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
