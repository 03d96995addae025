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

	"github.com/taproot-dev/taproot/farm/wire"
)

// Options are where NATS is.
type Options struct {
	// Dir is the folder of the embedded server: its keys, certificate and streams.
	Dir string
	// Listen is the address on which the embedded server takes hosts, such as ":4222"; "": it takes none from elsewhere.
	Listen string
	// Public is the address that hosts are told, host:port or tls://host:port, or several with commas between; default:
	// the port of Listen on the machine by whose name they know the hub. Without a scheme it has that of URL, or tls.
	Public string
	// URL is a server or cluster of somebody else (nats:// or tls://, several with commas between them); "": the embedded
	// one is started.
	URL string
	// Account is the seed (SA…) of the account there in which the farm works; it signs the credentials of hub and hosts.
	Account string
	// Revoked are the keys of hosts that may not connect any more.
	Revoked []string
	// Log gets what the server warns of; nil: nothing.
	Log *slog.Logger
}

// Address is where hosts connect.
type Address struct {
	URL string `json:"url"` // of NATS; without a host when it is that of the hub: tls://:4222
	// the certificate of the embedded server (PEM), which alone is trusted; "": what the machine trusts
	Cert string `json:"cert,omitempty"`
}

// Broker is a NATS that can be used. Close must be called in the end. Safe for concurrent use.
type Broker struct {
	keys    keys
	server  *server.Server // nil: somebody else's
	nc      *nats.Conn
	address Address

	mu      sync.Mutex
	account *jwt.AccountClaims // of the embedded server
	refused func(Refusal)
}

// Refusal is something that the embedded server did not let a client do.
type Refusal struct {
	Key     string // the public half of the client's key; "": it showed no good one
	Address string // from which it came
	What    string // "publish to host.x.up", "subscribe to hub.>", "connect"
}

// OnRefused says who is told what the embedded server refuses; nil: nobody. tell must not wait. What a server of
// somebody else refuses stands in its own log.
func (b *Broker) OnRefused(tell func(Refusal)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused = tell
}

func (b *Broker) tellRefused(r Refusal) {
	b.mu.Lock()
	tell := b.refused
	b.mu.Unlock()
	if tell != nil {
		tell(r)
	}
}

// startLimit is how long the embedded server may take until it answers: streams are read at the start.
const startLimit = time.Minute

// Open starts the embedded server, or connects to that of o.URL.
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
	b.server.SetLoggerV2(logger{o.Log, b.tellRefused}, false, false, false)
	b.server.Start()
	if !b.server.ReadyForConnections(startLimit) {
		return fmt.Errorf("the server does not answer after %s", startLimit)
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

// free tells whether an address can be listened on: the server would only try again and again.
func free(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

// attach uses the server of somebody else.
func (b *Broker) attach(o Options) error {
	var err error
	if b.keys, err = accountKey(o.Account); err != nil {
		return err
	}
	b.address.URL = o.URL
	if o.Public != "" {
		scheme, _, named := strings.Cut(o.URL, "://") // hosts come to the same servers, by other names
		if !named {
			scheme = "nats"
		}
		b.address.URL = withScheme(o.Public, scheme)
	}
	if err := b.connect(o.URL); err != nil {
		return err
	}
	if most := b.nc.MaxPayload(); most < wire.MaxMessage {
		return fmt.Errorf("the server at %s takes messages of %d bytes at most; set max_payload to %d there",
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

// Conn is the hub's connection, which may use all subjects of the farm.
func (b *Broker) Conn() *nats.Conn { return b.nc }

// JetStream is that of the hub's connection.
func (b *Broker) JetStream() (jetstream.JetStream, error) { return jetstream.New(b.nc) }

// Address is where hosts connect; its URL is "" when the embedded server takes none.
func (b *Broker) Address() Address { return b.address }

// Credential lets the host connect that has the private half of a key, until it is expired or revoked.
func (b *Broker) Credential(host, public string, valid time.Duration) (string, error) {
	if !wire.IsName(host) || !IsKey(public) {
		return "", errors.New("NATS: a credential needs the name of a host and the public half of its key")
	}
	return b.keys.sign(hostClaims(host, public, valid))
}

// Life is how long a credential should be valid. A server of somebody else lets a revoked host connect until its
// credential ends: there it is short.
func (b *Broker) Life() time.Duration {
	if b.server == nil {
		return 24 * time.Hour
	}
	return 30 * 24 * time.Hour
}

// Revoke ends the connections of a key and lets it make no new ones. A server of somebody else learns of it only when
// the credential expires.
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

// always is later than every credential was made: a key that is revoked is revoked for ever.
var always = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
