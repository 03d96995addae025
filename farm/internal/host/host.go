// Package host is the part of a farm on the machine with the devices. It joins a hub with a token, keeps its key,
// reports its devices, and serves them over NATS without an open port. A Server handles the requests; package server
// has one.
package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// Server handles the requests for the devices of a host.
type Server interface {
	// Serve handles requests of hubs until the context ends. Then it releases all devices.
	Serve(ctx context.Context, l net.Listener) error
	// FarmDevices returns the devices in the form for hubs.
	FarmDevices(ctx context.Context) ([]wire.Device, error)
}

// Clock is the hub's clock, when a host has received its time.
type Clock = wire.Clock

// Options are the settings of a host.
type Options struct {
	Hub       string // https://…
	Token     string // to join; may be "" for a host that has joined
	AllowHTTP bool   // the hub may be without TLS
	Name      string // that the host would like to have
	Dir       string // for its key and its membership
	Pool      string
	Labels    map[string]string
	Version   string
	Log       *slog.Logger
	Clock     *Clock        // receives the hub's time; may be nil
	Every     time.Duration // the interval of beats and of attempts to connect; default: wire.BeatEvery
	// Ready is called with the name of the host at its first connection; may be nil.
	Ready func(host string)
	// Work runs next to the serving of devices, until the context ends; may be nil.
	Work func(ctx context.Context, m *Member) error
}

// Member is a host that has joined. It is connected, or reconnects.
type Member struct {
	o         Options
	server    Server
	nc        *broker.Conn
	lock      *flock.Flock
	seed      []byte
	drained   chan struct{}
	contacted chan struct{} // closed at the first response of the hub
	back      chan struct{} // a token: the connection is back
	denied    chan struct{} // a token: NATS refuses the credential, or has another certificate
	ups       atomic.Int64  // number of connections so far
	foreign   atomic.Bool   // the last server had another certificate

	mu     sync.Mutex
	m      membership
	seen   map[string]wire.Device // devices since the start
	once   sync.Once
	more   func(context.Context, *wire.Beat)
	idle   bool      // no device is in use
	used   time.Time // when the credential of the current connection was made
	signer string    // of the last credential that was presented
}

// ID returns the name of the host.
func (m *Member) ID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.m.Joined.Host
}

// Conn returns the connection to NATS.
func (m *Member) Conn() *broker.Conn { return m.nc }

// Drained returns a channel that is closed when the host must accept no new work.
func (m *Member) Drained() <-chan struct{} { return m.drained }

// Drain makes the host accept no new work.
func (m *Member) Drain() { m.once.Do(func() { close(m.drained) }) }

// drainFile in the data folder requests the running host to end.
const drainFile = "drain"

// Drain requests the host with a data folder to accept no new work, and to end when none of its devices is in use.
func Drain(dir string) error {
	lock := flock.New(filepath.Join(dir, "host.lock"))
	alone, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("no host runs with the data folder %s", dir)
	}
	if alone {
		return errors.Join(fmt.Errorf("no host runs with the data folder %s", dir), lock.Unlock())
	}
	return writePrivate(dir, drainFile, nil)
}

// drainRequested reports whether the host was requested to end.
func (m *Member) drainRequested() bool {
	_, err := os.Lstat(filepath.Join(m.o.Dir, drainFile))
	return err == nil
}

// Run joins if necessary, and serves until the context ends. While the hub cannot be reached it retries without a
// limit, or for ten seconds if it has not joined yet. It returns ErrRevoked when the hub has revoked the host.
func Run(ctx context.Context, o Options, s Server) (err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Every == 0 {
		o.Every = wire.BeatEvery
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	m := &Member{o: o, server: s, drained: make(chan struct{}), contacted: make(chan struct{}),
		back:   make(chan struct{}, 1),
		denied: make(chan struct{}, 1), seen: map[string]wire.Device{}, lock: flock.New(filepath.Join(o.Dir, "host.lock"))}
	alone, err := m.lock.TryLock()
	if err == nil && !alone {
		err = fmt.Errorf("another taproot host works with %s", o.Dir)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.lock.Unlock()) }()
	if err := os.Remove(filepath.Join(o.Dir, drainFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.seed, m.m, err = o.join(ctx); err != nil {
		return err
	}
	if err := m.comeBack(ctx); err != nil {
		return err
	}
	if err := m.connect(); err != nil {
		return err
	}
	defer m.nc.Close()
	l, err := wire.Listen(m.nc, m.ID())
	if err != nil {
		return err
	}
	return m.serve(ctx, l)
}

func (m *Member) connect() error {
	address, err := m.m.natsAddress()
	if err != nil {
		return err
	}
	logged := map[string]bool{} // the messages since it was connected
	m.nc, err = broker.Connect(broker.Login{Host: m.ID(), Address: address, Seed: m.seed, Again: m.o.Every,
		Credential: func() string {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.used, _ = broker.Validity(m.m.Joined.Credential)
			m.signer = broker.Issuer(m.m.Joined.Credential)
			return m.m.Joined.Credential
		}, Cert: func() string {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.m.Joined.Cert
		}, State: func(connected bool, err error) { // called by one goroutine of the library
			m.foreign.Store(broker.Foreign(err))
			if broker.Denied(err) || broker.Foreign(err) {
				signal(m.denied)
			}
			text := unconnected(err)
			switch {
			case connected:
				clear(logged)
				m.ups.Add(1)
				m.trusts()
				m.o.Log.Info("connected to the hub", "host", m.ID(), "address", address.URL)
				signal(m.back)
			case err != nil && !logged[text]:
				logged[text] = true
				m.o.Log.Warn(text, "address", address.URL, "error", err)
			}
		}})
	return err
}

// unconnected returns a message that explains why there is no connection.
func unconnected(err error) string {
	switch {
	case broker.Unreached(err):
		return "the hub's port for hosts cannot be reached, and is tried again every second: do firewalls let it through, " +
			"and " +
			"is it the one in the hub's --farm-public?"
	case broker.Foreign(err):
		return "the server at the hub's port for hosts has not the certificate with which this host has joined; the hub is " +
			"queried for a new one"
	}
	return "not connected to the hub; it is tried again every second"
}

// serve runs all parts of a host at once.
func (m *Member) serve(ctx context.Context, l net.Listener) error {
	ctx, end := context.WithCancelCause(ctx)
	cancel := func() { end(nil) }
	defer cancel()
	var all sync.WaitGroup
	errs := make(chan error, 3)
	// ends after work has released its devices, which belong to the server
	serving, rest := context.WithCancel(context.WithoutCancel(ctx))
	all.Go(func() { defer cancel(); errs <- m.server.Serve(serving, l) })
	all.Go(func() {
		defer rest()
		defer cancel()
		if m.o.Work == nil {
			<-ctx.Done()
			errs <- nil
			return
		}
		errs <- m.o.Work(ctx, m)
	})
	all.Go(func() { defer cancel(); errs <- m.beats(end).Run(ctx) })
	all.Go(func() { m.renewals(ctx) })
	all.Go(func() {
		if err := m.returns(ctx); err != nil {
			end(err)
		}
	})
	all.Wait()
	_ = l.Close() // closed by the server already, unless it could not start
	err := errors.Join(<-errs, <-errs, <-errs)
	if errors.Is(context.Cause(ctx), ErrRevoked) {
		err = errors.Join(ErrRevoked, err)
	}
	return err
}

// beats returns the sender of beats. end ends the host.
func (m *Member) beats(end context.CancelCauseFunc) wire.Beats {
	lastProblem := ""
	ready := m.o.Ready
	if ready == nil {
		ready = func(string) {}
	}
	return wire.Beats{Conn: m.nc, Host: m.ID(), Every: m.o.Every, Wake: m.back, Clock: m.o.Clock, Next: m.beat,
		OnSent: func(b wire.Beat, err error) {
			if b.Draining && !inUse(b) {
				end(nil)
			}
			switch {
			case m.isRevoked(err):
				end(ErrRevoked)
			case err == nil && ready != nil:
				ready(m.ID())
				ready = nil
				close(m.contacted)
			case err == nil:
				lastProblem = ""
			case err.Error() != lastProblem && m.nc.IsConnected():
				lastProblem = err.Error()
				m.o.Log.Warn("the hub refuses the state that this host reports", "error", err)
			}
		}}
}

// inUse reports whether a device is in use, or a case runs.
func inUse(b wire.Beat) bool {
	return len(b.Working) > 0 || slices.ContainsFunc(b.Devices, func(d wire.Device) bool { return d.LeasedSince != nil })
}

// Adds sets a function that adds to each beat.
func (m *Member) Adds(more func(context.Context, *wire.Beat)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.more = more
}

// listLimit is how long the list of devices may take before the host reports the previous one.
const listLimit = 10 * time.Second

func (m *Member) beat(ctx context.Context) wire.Beat {
	if m.drainRequested() {
		m.Drain()
	}
	b := wire.Beat{Version: m.o.Version, Pool: m.o.Pool, Labels: m.o.Labels}
	select {
	case <-m.drained:
		b.Draining = true
	default:
	}
	listing, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	list, err := m.server.FarmDevices(listing)
	if err != nil {
		m.o.Log.Debug("some devices cannot be listed", "error", err)
	}
	here := map[string]bool{}
	for _, d := range list {
		here[d.ID] = true
		if d.Only == "" {
			m.seen[d.ID] = d
		}
	}
	for id, d := range m.seen {
		if !here[id] {
			d.Gone, d.LeasedSince, d.Leases, d.Records = true, nil, nil, nil
			list = append(list, d)
		}
	}
	b.Devices = list
	m.mu.Lock()
	more := m.more
	m.mu.Unlock()
	if more != nil {
		more(ctx, &b)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.idle = !inUse(b) && !slices.ContainsFunc(list, func(d wire.Device) bool { return len(d.Leases) > 0 || d.Only != "" })
	return b
}
