package host

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) {
	code := m.Run()
	storetest.Stop()
	os.Exit(testutil.CheckLeaks(code))
}

// every is the interval of beats in these tests. Hubs wait for wire.HostGone as usual: a busy machine may delay several
// of these beats.
const every = 200 * time.Millisecond

// lab is a hub on a database.
type lab struct {
	t       *testing.T
	dir     string
	listen  string
	life    time.Duration
	public  string // the address that hosts receive; "": listen
	url     string // of an external NATS server; "": the embedded one
	account string // the seed of the farm's account there
	db      *store.DB
	broker  *broker.Broker
	hub     *hub.Hub
	web     *httptest.Server

	mu      sync.Mutex
	refused map[string]hub.Refusal // by actor and action
	liar    http.Handler           // responds to hosts in place of the hub; nil: the hub does
}

// between puts a handler between hosts and the hub's pages; nil removes it.
func (l *lab) between(liar http.HandlerFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.liar = nil
	if liar != nil {
		l.liar = liar
	}
}

// wasRefused returns the refusal that the hub reported for an actor and an action.
func (l *lab) wasRefused(what string) (r hub.Refusal, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok = l.refused[what]
	return r, ok
}

func newLab(t *testing.T, address string) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir(), listen: "127.0.0.1:0", refused: map[string]hub.Refusal{}}
	var err error
	if l.db, err = store.Open(t.Context(), address); err == nil {
		_, _, err = l.db.Migrate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	l.open()
	l.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		liar, opened := l.liar, l.hub
		l.mu.Unlock()
		if liar != nil {
			liar.ServeHTTP(w, r)
			return
		}
		var j wire.Join
		var again wire.Rejoin
		var out wire.Joined
		var err error
		switch read := json.NewDecoder(r.Body); {
		case r.URL.Path == "/api/farm/join" && read.Decode(&j) == nil:
			out, err = opened.Join(r.Context(), j)
		case r.URL.Path == "/api/farm/rejoin" && read.Decode(&again) == nil:
			out, err = opened.Rejoin(r.Context(), again)
		default:
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if err != nil {
			w.Header().Set(wire.ProofHeader, wire.ProofOf(err))
			w.WriteHeader(http.StatusUnauthorized)
			_ = json.NewEncoder(w).Encode(map[string]string{"message": err.Error()})
			return
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(func() { l.web.Close(); l.close(); _ = l.db.Close() })
	return l
}

func (l *lab) open() {
	l.t.Helper()
	var err error
	o := broker.Options{Dir: l.dir, Listen: l.listen, Public: l.public, URL: l.url, Account: l.account}
	if o.Revoked, err = hub.RevokedKeys(l.t.Context(), l.db); err != nil {
		l.t.Fatal(err)
	}
	if l.broker, err = broker.Open(o); err != nil {
		l.t.Fatal(err)
	}
	if l.public == "" && l.url == "" {
		l.listen = strings.Replace(l.broker.Address().URL, "tls://", "127.0.0.1", 1)
	}
	opened, err := hub.Open(l.t.Context(), hub.Options{DB: l.db, Broker: l.broker, Version: "1", Life: l.life,
		Refused: func(r hub.Refusal) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.refused[r.Actor+" "+r.Action] = r
		}})
	if err != nil {
		l.t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hub = opened
}

func (l *lab) close() { _, _ = l.hub.Close(), l.broker.Close() }

func (l *lab) token(p hub.HostPlacement) string {
	l.t.Helper()
	token, err := hub.NewToken(l.t.Context(), l.db, p)
	if err != nil {
		l.t.Fatal(err)
	}
	return token
}

// fake is a Server with the devices that a test sets.
type fake struct {
	mu   sync.Mutex
	list []wire.Device
}

func (f *fake) set(list ...wire.Device) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = list
}

func (f *fake) FarmDevices(context.Context) ([]wire.Device, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list), nil
}

func (f *fake) Serve(ctx context.Context, l net.Listener) error {
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.URL.Path))
	})}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		_ = s.Close()
		<-served
		return nil
	}
}

func phone(id string) wire.Device {
	return wire.Device{Info: drivers.Info{ID: id, State: drivers.Ready}}
}

// running is a running host.
type running struct {
	*fake
	id     string
	o      Options
	cancel context.CancelFunc
	ready  chan string
	ended  chan error
}

// start runs a host until the test ends, or stop, and waits until it is connected.
func (l *lab) start(o Options, list ...wire.Device) (*running, error) {
	r := l.launch(o, list...)
	select {
	case r.id = <-r.ready:
		return r, nil
	case err := <-r.ended:
		r.ended <- err
		return nil, err
	}
}

// launch starts a host, which runs until the test ends, or stop.
func (l *lab) launch(o Options, list ...wire.Device) *running {
	r := &running{ready: make(chan string, 1), fake: &fake{list: list}, ended: make(chan error, 1)}
	if o.Dir == "" {
		o.Dir = l.t.TempDir()
	}
	if o.Hub == "" {
		o.Hub = l.web.URL
	}
	o.Version, o.Every, o.Ready = "1", every, func(id string) { r.ready <- id }
	r.o = o
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() { r.ended <- Run(ctx, o, r.fake) }()
	l.t.Cleanup(func() { _ = r.stop() })
	return r
}

func (l *lab) must(o Options, list ...wire.Device) *running {
	l.t.Helper()
	r, err := l.start(o, list...)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

func (r *running) stop() error {
	r.cancel()
	err := <-r.ended
	r.ended <- err
	return err
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("timeout: %s", what)
		}
	}
}

// uses returns the devices that a project sees, each with its use.
func (l *lab) uses(project string) string { return uses(l.hub.Devices(project)) }

func uses(devices []hub.Device) string {
	var list []string
	for _, d := range devices {
		list = append(list, d.Name+" "+d.Use)
	}
	return strings.Join(list, ", ")
}

// TestHubRestarts checks that hosts reconnect to a restarted hub.
func TestHubRestarts(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, phone("A"))
	await(t, "it", func() bool { return l.uses("") == "A free" })
	l.close()
	l.open()
	began := time.Now()
	await(t, "it again", func() bool { return l.uses("") == "A free" })
	t.Logf("back after %s", time.Since(began))
	c, err := (&http.Client{Transport: l.hub.Transport("a")}).Get("http://a/x")
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Body.Close()
}

// TestListHangs checks that a host stays online with its previous list of devices while listing hangs, for example due
// to a phone, and that its last beat is received.
func TestListHangs(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, phone("A"))
	await(t, "it", func() bool { return l.uses("") == "A free" })
	seen := func() time.Time { return l.hub.Hosts("", false)[0].Seen }
	r.mu.Lock()
	for from, until := seen(), seen().Add(wire.HostGone+wire.BeatEvery); seen().Before(until); time.Sleep(
		50 * time.Millisecond) {
		if l.uses("") != "A free" || time.Since(from) > time.Minute {
			r.mu.Unlock()
			t.Fatal(l.uses(""))
		}
	}
	r.list = []wire.Device{phone("B")}
	r.mu.Unlock()
	await(t, "the new list", func() bool { return l.uses("") == "A blocked, B free" })
	_ = r.stop()
	// it was not silent for long
	await(t, "the last beat", func() bool {
		return l.uses("") == "A blocked, B blocked" &&
			time.Since(seen()) < wire.HostGone
	})
}

// TestStates checks the uses of devices, and why they are blocked.
func TestStates(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	now := time.Now()
	low, charging, locked, used, held, warm := phone("low"), phone("charging"), phone("locked"), phone("used"),
		phone("held"), phone("warm")
	low.Battery, charging.Battery, charging.Charging = 5, 5, true
	locked.State, locked.Problem = "unauthorized", "allow this computer on the phone"
	used.LeasedSince = &now
	warm.Temperature = 48
	held.Leases = []wire.Lease{{Project: "p", Holder: "ada", Since: now}}
	mine := phone("web-1")
	mine.Only = "p"
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, low, charging, locked, used, held, warm, mine,
		phone("gone"))
	await(t, "all", func() bool { return strings.Contains(l.uses(""), "gone free") })
	r.set(low, charging, locked, used, held, warm, mine)
	var list []hub.Device // read at one moment
	await(t, "it is unplugged", func() bool {
		list = l.hub.Devices("p")
		return uses(
			list) == "charging free, gone blocked, held leased, locked blocked, low blocked, used busy, warm blocked, web-1 free"
	})
	why := map[string]string{"gone": "unplugged", "locked": "allow this computer", "low": "battery is low (5 %)",
		"warm": "hot (48 °C)"}
	for _, d := range list {
		if !strings.Contains(d.Why, why[d.ID]) || (d.Why == "") != (why[d.ID] == "") {
			t.Errorf("%s: %q", d.ID, d.Why)
		}
		if d.ID == "held" && d.Holder != "ada" {
			t.Errorf("the holder is %q", d.Holder)
		}
	}
	for _, d := range l.hub.Devices("another") {
		if d.ID == "web-1" || d.Holder != "" {
			t.Errorf("another project sees %+v", d)
		}
	}
	if _, ok, _ := l.hub.Find("another", "web-1"); ok {
		t.Error("another project finds a page that is not its own")
	}
}

// TestLiar checks that a host cannot take over another one's device by its id, and that invalid devices are left out.
func TestLiar(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "honest"}, phone("A"))
	l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "liar"}, phone("A"), phone("A@honest"), phone("../B"),
		phone("C\n"), phone(""), phone(strings.Repeat("x", 500)))
	await(t, "both", func() bool { return l.uses("") == "A@honest free, A@liar free" })
	if _, _, err := l.hub.Find("", "A"); !errors.Is(err, hub.ErrAmbiguous) {
		t.Error(err)
	}
	for _, name := range []string{"A@honest", "A@liar"} {
		if at, ok, err := l.hub.Find("", name); err != nil || !ok || "A@"+at.Host != name {
			t.Errorf("%s is at %+v, %v", name, at, err)
		}
	}
}

// TestProjectsHost checks that only its project sees the devices of a host that joined for a project, and that what the
// host reports about other projects is left out and logged.
func TestProjectsHost(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, phone("A"))
	if _, err := l.db.Exec(t.Context(), "UPDATE farm_hosts SET project = 'p'"); err != nil {
		t.Fatal(err)
	}
	await(t, "the project's", func() bool {
		return l.uses("p") == "A free" && l.uses("other") == "" && len(l.hub.Hosts("other", false)) == 0
	})
	if _, ok, _ := l.hub.Find("other", "A"); ok {
		t.Error("another project finds it")
	}
	if _, ok, _ := l.hub.Find("other", "A@a"); ok {
		t.Error("another project finds it by its host")
	}
	if !l.hub.Kept("other", "A") || !l.hub.Kept("other", "A@a") || l.hub.Kept("p", "A") || l.hub.Kept("other", "B") {
		t.Error("the device does not count as kept for the project")
	}
	lie := phone("A")
	lie.Leases = []wire.Lease{{Project: "other", Holder: "eve"}, {Project: "p", Holder: "ada"}}
	lie.Records = map[string]json.RawMessage{"other": json.RawMessage(`{}`)}
	r.set(lie)
	await(t, "its lease", func() bool { return l.uses("p") == "A leased" })
	d := l.hub.Devices("p")[0]
	if refusal, ok := l.wasRefused("host a farm.lease"); !ok || len(d.Leases) != 1 || len(d.Records) != 0 ||
		d.Holder != "ada" || !strings.Contains(refusal.Target, "project other") {
		t.Errorf("leases of other projects: %+v, %+v", d, refusal)
	}
}

// TestDrain checks that a draining host accepts nothing new, and ends when none of its devices is in use.
func TestDrain(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	now := time.Now()
	used := phone("A")
	used.LeasedSince = &now
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, used, phone("B"))
	await(t, "it", func() bool { return l.uses("") == "A busy, B free" })
	if err := Drain(r.o.Dir); err != nil {
		t.Fatal(err)
	}
	await(t, "it drains", func() bool { return l.uses("") == "A busy, B blocked" })
	if hosts := l.hub.Hosts("", false); hosts[0].State != hub.Draining {
		t.Errorf("%+v", hosts)
	}
	r.set(phone("A"), phone("B"))
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	r.ended <- nil
	if err := Drain(r.o.Dir); err == nil {
		t.Error("the host still runs")
	}
}
