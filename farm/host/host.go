package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
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

	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/wire"
)

// Server answers for the devices of a host.
type Server interface {
	// Serve answers requests of hubs until the context ends; then it gives all devices back.
	Serve(ctx context.Context, l net.Listener) error
	// FarmDevices lists the devices as hubs are to know them.
	FarmDevices(ctx context.Context) ([]wire.Device, error)
}

// Options are those of a host.
type Options struct {
	Hub       string // https://…
	Token     string // to join; may be "" for a host that has joined
	AllowHTTP bool   // the hub may be one without TLS
	Name      string // that the host would like to have
	Dir       string // for its key and what it knows of its hub
	Pool      string
	Labels    map[string]string
	Version   string
	Log       *slog.Logger
	// Ready is told the name of the host when it is connected for the first time; may be nil.
	Ready func(host string)
	// Work is what a host does beside serving its devices, until the context ends; may be nil.
	Work func(ctx context.Context, m *Member) error
}

// Member is a host that has joined and is connected, or is about to be again.
type Member struct {
	o       Options
	server  Server
	nc      *broker.Conn
	lock    *flock.Flock
	seed    []byte
	boot    string
	drained chan struct{}
	heard   chan struct{} // closed when the hub answered for the first time
	back    chan struct{} // a token: the connection is there again
	denied  chan struct{} // a token: NATS does not take the credential

	mu    sync.Mutex
	m     membership
	seen  map[string]wire.Device // devices since the start
	once  sync.Once
	again atomic.Bool // a hub wants to hear all
	idle  bool        // nobody uses the devices
	used  time.Time   // when the credential was made with which the host is connected
}

// ID is the name that the hub gave the host.
func (m *Member) ID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.m.Joined.Host
}

// Conn is the connection with NATS.
func (m *Member) Conn() *broker.Conn { return m.nc }

// Drained is closed when the host is to take nothing new.
func (m *Member) Drained() <-chan struct{} { return m.drained }

// Drain makes the host take nothing new.
func (m *Member) Drain() { m.once.Do(func() { close(m.drained) }) }

// drainFile in the data folder asks the host that runs to end.
const drainFile = "drain"

// Drain tells the host that works with a data folder to take nothing new, and to end when nobody uses its devices any more.
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

// asked tells whether somebody wants the host to end.
func (m *Member) asked() bool {
	_, err := os.Lstat(filepath.Join(m.o.Dir, drainFile))
	return err == nil
}

// Run joins, if need be, and serves until the context ends. A hub that cannot be reached is tried again and again, but for ten seconds only by a host that has yet to join.
func Run(ctx context.Context, o Options, s Server) (err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	m := &Member{o: o, server: s, boot: rand.Text(), drained: make(chan struct{}), heard: make(chan struct{}), back: make(chan struct{}, 1), denied: make(chan struct{}, 1), seen: map[string]wire.Device{}, lock: flock.New(filepath.Join(o.Dir, "host.lock"))}
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
	stop, err := wire.Serve(m.nc, wire.ToHost(m.ID(), wire.Again), "", func(string, []byte) (any, error) {
		m.again.Store(true)
		signal(m.back)
		return nil, nil
	})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer stop()
	return m.serve(ctx, l)
}

func (m *Member) connect() error {
	address, err := m.m.natsAddress()
	if err != nil {
		return err
	}
	told := false
	m.nc, err = broker.Connect(broker.Login{Host: m.ID(), Address: address, Seed: m.seed, Credential: func() string {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.used, _ = broker.Validity(m.m.Joined.Credential)
		return m.m.Joined.Credential
	}, State: func(connected bool, err error) { // by one goroutine of the library
		if broker.Denied(err) {
			signal(m.denied)
		}
		switch {
		case connected:
			told = false
			m.o.Log.Info("connected with the hub", "host", m.ID(), "address", address.URL)
			signal(m.back)
		case err != nil && !told:
			told = true
			m.o.Log.Warn("not connected with the hub; it is tried again every second", "error", err)
		}
	}})
	return err
}

// serve does all that a host does, side by side.
func (m *Member) serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	errs := make(chan error, 2)
	all.Go(func() { defer cancel(); errs <- m.server.Serve(ctx, l) })
	all.Go(func() {
		if m.o.Work == nil {
			errs <- nil
			return
		}
		defer cancel()
		errs <- m.o.Work(ctx, m)
	})
	all.Go(func() { m.beats(ctx, cancel) })
	all.Go(func() { m.renewals(ctx) })
	all.Go(func() { m.returns(ctx) })
	all.Wait()
	_ = l.Close() // the server has closed it, unless it could not begin
	return errors.Join(<-errs, <-errs)
}

// beats says every second that the host is there.
func (m *Member) beats(ctx context.Context, end context.CancelFunc) {
	tick := time.NewTicker(wire.BeatEvery)
	defer tick.Stop()
	all, said := saying{}, ""
	ready := m.o.Ready
	if ready == nil {
		ready = func(string) {}
	}
	for {
		if m.asked() {
			m.Drain()
		}
		b := m.beat(ctx)
		err := m.tell(ctx, all.next(b, m.again.Swap(false)))
		if err != nil {
			m.again.Store(true) // whether a hub has heard it is not known
		}
		if b.Draining && !slices.ContainsFunc(b.Devices, func(d wire.Device) bool { return d.Busy != nil }) {
			end()
		}
		switch {
		case err == nil && ready != nil:
			ready(m.ID())
			ready = nil
			close(m.heard)
		case err == nil:
			said = ""
		case err.Error() != said && ctx.Err() == nil && m.nc.IsConnected():
			said = err.Error()
			m.o.Log.Warn("the hub does not take what this host says", "error", err)
		}
		select {
		case <-ctx.Done():
			b.Ending, b.Devices, b.State = true, nil, all.state
			bye, cancel := context.WithTimeout(context.Background(), wire.BeatEvery)
			defer cancel()
			_ = m.tell(bye, b) // it is noticed without it
			return
		case <-m.back:
		case <-tick.C:
		}
	}
}

// saying is what a host said last.
type saying struct {
	text  string
	state uint64
}

// next makes the beat that is to be sent: a short one when nothing has changed, unless all of it is asked for.
func (s *saying) next(b wire.Beat, again bool) wire.Beat {
	text, err := json.Marshal(b)
	if err != nil || string(text) != s.text {
		s.text = string(text)
		s.state++
	} else if !again {
		return wire.Beat{Protocol: b.Protocol, Boot: b.Boot, State: s.state, Same: true}
	}
	b.State = s.state
	return b
}

// tell sends a beat. Every hub hears it; one answers.
func (m *Member) tell(ctx context.Context, b wire.Beat) error {
	ctx, cancel := context.WithTimeout(ctx, 2*wire.BeatEvery)
	defer cancel()
	return wire.Ask(ctx, m.nc, wire.ToHub(m.ID(), "beat"), b, nil)
}

// listLimit is how long the list of devices may take before the host says what it knew.
const listLimit = 10 * time.Second

func (m *Member) beat(ctx context.Context) wire.Beat {
	b := wire.Beat{Protocol: wire.Version, Version: m.o.Version, Boot: m.boot, Pool: m.o.Pool, Labels: m.o.Labels}
	select {
	case <-m.drained:
		b.Draining = true
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	list, err := m.server.FarmDevices(ctx)
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
			d.Gone, d.Busy, d.Leases, d.Records = true, nil, nil, nil
			list = append(list, d)
		}
	}
	b.Devices = list
	m.mu.Lock()
	defer m.mu.Unlock()
	m.idle = !slices.ContainsFunc(list, func(d wire.Device) bool { return d.Busy != nil || len(d.Leases) > 0 || d.Only != "" })
	return b
}
