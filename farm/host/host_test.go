package host

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/internal/leaktest"
	"github.com/taproot-dev/taproot/server/service/store"
	"github.com/taproot-dev/taproot/server/service/store/storetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	storetest.Stop()
	os.Exit(leaktest.Check(code))
}

// lab is a hub on a database.
type lab struct {
	t      *testing.T
	dir    string
	listen string
	life   time.Duration
	public string // where hosts are told to connect; "": listen
	db     *store.DB
	broker *broker.Broker
	hub    *hub.Hub
	web    *httptest.Server

	mu      sync.Mutex
	refused map[string]hub.Refusal // by actor and action
}

// wasRefused gives what the hub told of an actor and an action.
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
		var j wire.Join
		var again wire.Rejoin
		var out wire.Joined
		var err error
		switch read := json.NewDecoder(r.Body); {
		case r.URL.Path == "/api/farm/join" && read.Decode(&j) == nil:
			out, err = l.hub.Join(r.Context(), j)
		case r.URL.Path == "/api/farm/rejoin" && read.Decode(&again) == nil:
			out, err = l.hub.Rejoin(r.Context(), again)
		default:
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if err != nil {
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
	o := broker.Options{Dir: l.dir, Listen: l.listen, Public: l.public}
	if o.Revoked, err = hub.RevokedKeys(l.t.Context(), l.db); err != nil {
		l.t.Fatal(err)
	}
	if l.broker, err = broker.Open(o); err != nil {
		l.t.Fatal(err)
	}
	if l.public == "" {
		l.listen = strings.Replace(l.broker.Address().URL, "tls://", "127.0.0.1", 1)
	}
	if l.hub, err = hub.Open(l.t.Context(), hub.Options{DB: l.db, Broker: l.broker, Version: "1", Life: l.life, Refused: func(r hub.Refusal) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.refused[r.Actor+" "+r.Action] = r
	}}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) close() { _, _ = l.hub.Close(), l.broker.Close() }

func (l *lab) token(p hub.Place) string {
	l.t.Helper()
	token, err := hub.NewToken(l.t.Context(), l.db, p)
	if err != nil {
		l.t.Fatal(err)
	}
	return token
}

// fake has the devices that a test says.
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
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) })}
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

// running is a host under way.
type running struct {
	*fake
	id     string
	o      Options
	cancel context.CancelFunc
	ended  chan error
}

// start runs a host until the test ends, or stop.
func (l *lab) start(o Options, list ...wire.Device) (*running, error) {
	r := &running{fake: &fake{list: list}, ended: make(chan error, 1)}
	if o.Dir == "" {
		o.Dir = l.t.TempDir()
	}
	ready := make(chan string, 1)
	if o.Hub == "" {
		o.Hub = l.web.URL
	}
	o.Version, o.Ready = "1", func(id string) { ready <- id }
	r.o = o
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() { r.ended <- Run(ctx, o, r.fake) }()
	select {
	case r.id = <-ready:
		l.t.Cleanup(func() { _ = r.stop() })
		return r, nil
	case err := <-r.ended:
		cancel()
		return nil, err
	}
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
			t.Fatalf("it did not come to this: %s", what)
		}
	}
}

// uses are the devices that a project sees, each with what it is good for.
func (l *lab) uses(project string) string {
	var list []string
	for _, d := range l.hub.Devices(project) {
		list = append(list, d.Name+" "+d.Use)
	}
	return strings.Join(list, ", ")
}

// TestTokens: one lets one host in, for a day; whatever else comes is refused.
func TestTokens(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l := newLab(t, address)
		token := l.token(hub.Place{Pool: "lab", Labels: map[string]string{"room": "3"}})
		r := l.must(Options{Token: token, Name: "Desk of Ada!", Pool: "mine", Labels: map[string]string{"room": "9", "desk": "1"}}, phone("A"))
		if r.id != "desk-of-ada" {
			t.Error(r.id)
		}
		await(t, "its phone", func() bool { return l.uses("") == "A free" })
		if d := l.hub.Devices("")[0]; d.Pool != "lab" || d.Labels["room"] != "3" || d.Labels["desk"] != "1" || d.Host != r.id {
			t.Errorf("%+v", d)
		}
		var refused *RefusedError
		for what, o := range map[string]Options{"one that was used": {Token: token}, "a wrong one": {Token: token + "x"}, "none of a host": {Token: "tap_x"}} {
			if _, err := l.start(o); !errors.As(err, &refused) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := l.start(Options{}); !errors.Is(err, ErrNoToken) {
			t.Error(err)
		}
		late := l.token(hub.Place{})
		if _, err := l.db.Exec(t.Context(), "UPDATE farm_tokens SET expires = $1 WHERE used = 0", store.Time(time.Now().Add(-time.Second))); err != nil {
			t.Fatal(err)
		}
		if _, err := l.start(Options{Token: late}); !errors.As(err, &refused) {
			t.Errorf("one of yesterday: %v", err)
		}
		_, key, _ := broker.NewKey()
		var version *wire.VersionError
		fresh := l.token(hub.Place{})
		if _, err := l.hub.Join(t.Context(), wire.Join{Token: fresh, Key: key, Protocol: wire.Version + 1}); !errors.As(err, &version) {
			t.Errorf("another version: %v", err)
		}
		if _, err := l.hub.Join(t.Context(), wire.Join{Token: fresh, Key: "x", Protocol: wire.Version}); err == nil {
			t.Error("without a key")
		}
		first, err := l.hub.Join(t.Context(), wire.Join{Token: fresh, Key: key, Protocol: wire.Version, Name: "desk-of-ada"})
		if err != nil || first.Host != "desk-of-ada-2" {
			t.Errorf("%+v, %v", first, err)
		}
		if again, err := l.hub.Join(t.Context(), wire.Join{Token: fresh, Key: key, Protocol: wire.Version}); err != nil || again.Host != first.Host {
			t.Errorf("the answer was lost: %+v, %v", again, err)
		}
		for _, p := range []hub.Place{{Project: "prj_none"}, {Pool: "a b"}, {Labels: map[string]string{"a=b": "c"}}} {
			if _, err := hub.NewToken(t.Context(), l.db, p); err == nil {
				t.Errorf("%+v has a token", p)
			}
		}
	})
}

// TestAMistakeCostsNoKey: a host that was started with a wrong token, or a wrong address of its hub, is the same host when it is started right.
func TestAMistakeCostsNoKey(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	token := l.token(hub.Place{})
	r := l.must(Options{Token: token, Name: "a"})
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	dir, slash := r.o.Dir, l.web.URL+"/"
	var refused *RefusedError
	for what, o := range map[string]Options{"a wrong token": {Dir: dir, Token: "taph_x"}, "the token of another": {Dir: dir, Token: token + "x", Hub: slash}} {
		if _, err := l.start(o); !errors.As(err, &refused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	elsewhere := strings.Replace(l.web.URL, "127.0.0.1", "localhost", 1)
	if _, err := l.start(Options{Dir: dir, Hub: elsewhere}); !errors.Is(err, ErrNoToken) || !strings.Contains(err.Error(), "has joined the hub at "+l.web.URL) {
		t.Errorf("another address: %v", err)
	}
	for what, o := range map[string]Options{"no token": {Dir: dir}, "the token of then": {Dir: dir, Token: token}, "a slash at the end": {Dir: dir, Token: token, Hub: slash}} {
		again, err := l.start(o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if again.id != "a" {
			t.Errorf("%s: it is %s", what, again.id)
		}
		if err := again.stop(); err != nil {
			t.Error(err)
		}
	}
	moved, err := l.start(Options{Dir: dir, Token: l.token(hub.Place{Pool: "lab"}), Name: "b"})
	if err != nil || moved.id != "b" {
		t.Fatal(moved, err)
	}
	if err := moved.stop(); err != nil {
		t.Fatal(err)
	}
	if again, err := l.start(Options{Dir: dir}); err != nil || again.id != "b" {
		t.Errorf("after a new token: %+v, %v", again, err)
	}
}

// TestPortIsClosed: a host whose hub answers, and whose hub's port for hosts does not, says which port that is and what may be in its way.
func TestPortIsClosed(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	l.public = "127.0.0.1:1"
	l.close()
	l.open()
	var log lockedText
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	o := Options{Hub: l.web.URL, Version: "1", Dir: t.TempDir(), Token: l.token(hub.Place{}), Log: slog.New(slog.NewTextHandler(&log, nil))}
	go func() { ended <- Run(ctx, o, &fake{}) }()
	await(t, "a word about the port", func() bool {
		return strings.Contains(log.String(), "port for hosts is not reached") && strings.Contains(log.String(), "address=tls://127.0.0.1:1 ")
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestBothAtOnce: a host that is started before its hub joins when that is there.
func TestBothAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := first.Addr().String()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	var log lockedText
	joined := make(chan error, 1)
	go func() {
		_, err := l.start(Options{Token: l.token(hub.Place{}), Hub: "http://" + address, Log: slog.New(slog.NewTextHandler(&log, nil))})
		joined <- err
	}()
	await(t, "a word about the hub", func() bool { return strings.Contains(log.String(), "nothing listens at "+address) })
	second, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: l.web.Config.Handler}
	go func() { _ = s.Serve(second) }()
	t.Cleanup(func() { _ = s.Close() })
	if err := <-joined; err != nil {
		t.Error(err)
	}
}

// lockedText is a log that is read while it is written.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestKeyOfAnEndedProcess: a process that ended after its membership was written, and before its key took its place, has the right key.
func TestKeyOfAnEndedProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := Options{Dir: dir}
	if _, _, err := o.newKey(keyFile); err != nil {
		t.Fatal(err)
	}
	next, public, err := o.newKey(nextKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if seed, err := (membership{Key: public}).seed(dir); err != nil || string(seed) != string(next) {
			t.Errorf("%s, %v", seed, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, nextKeyFile)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestNoHub: a server that is none, and a proxy that wants https, are told as what to write.
func TestNoHub(t *testing.T) {
	t.Parallel()
	for want, h := range map[string]http.Handler{
		"is no hub of a farm: was it started with taproot serve --service --farm": http.NotFoundHandler(),
		"sends on to https://hub.example.com: write that address":                 http.RedirectHandler("https://hub.example.com/api/farm/join", http.StatusMovedPermanently),
		"/ is no hub of a farm": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"message": "send a credential: Authorization: Bearer <token or key>"}`))
		}),
	} {
		s := httptest.NewServer(h)
		err := Run(t.Context(), Options{Hub: s.URL + "/", Token: "taph_x", Dir: t.TempDir()}, &fake{})
		s.Close()
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := Run(t.Context(), Options{Token: "taph_x", Dir: t.TempDir()}, &fake{}); !errors.Is(err, ErrHub) || !strings.Contains(err.Error(), "name it with --hub URL, or in TAPROOT_HUB") {
		t.Error(err)
	}
}

// TestKeyStaysPrivate: it is kept for the owner's eyes, and used again without a token; a token that was used already changes nothing.
func TestKeyStaysPrivate(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	token := l.token(hub.Place{})
	r := l.must(Options{Token: token, Name: "a"})
	for _, f := range []string{keyFile, memberFile} {
		if info, err := os.Stat(filepath.Join(r.o.Dir, f)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, info, err)
		}
	}
	if _, err := l.start(Options{Dir: r.o.Dir}); err == nil || !strings.Contains(err.Error(), "another taproot host") {
		t.Errorf("two with one folder: %v", err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Dir: r.o.Dir}, {Dir: r.o.Dir, Token: token}} {
		file := filepath.Join(r.o.Dir, memberFile)
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		again := l.must(o)
		await(t, "the credential of this start", func() bool {
			now, err := os.Stat(file)
			return err == nil && !os.SameFile(before, now) // it is replaced as a whole
		})
		if again.id != "a" {
			t.Error(again.id)
		}
		_ = again.stop()
	}
	for _, address := range []string{"http://hub.example.com", "hub", "ftp://hub", ""} {
		if err := Run(t.Context(), Options{Hub: address, Token: token, Dir: t.TempDir()}, &fake{}); !errors.Is(err, ErrHub) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// TestRevokedHost: its devices are gone, its connection ends, and it stays out, also with a new hub.
func TestRevokedHost(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	r := l.must(Options{Token: l.token(hub.Place{}), Name: "bad"}, phone("A"))
	l.must(Options{Token: l.token(hub.Place{}), Name: "good"}, phone("B"))
	await(t, "both", func() bool { return l.uses("") == "A free, B free" })
	if err := hub.Revoke(t.Context(), l.db, "bad"); err != nil {
		t.Fatal(err)
	}
	if err := hub.Revoke(t.Context(), l.db, "bad"); !errors.Is(err, hub.ErrNoHost) {
		t.Errorf("twice: %v", err)
	}
	await(t, "its end", func() bool { return l.uses("") == "B free" })
	if _, ok, _ := l.hub.Find("", "A"); ok || l.hub.Transport("bad") != nil {
		t.Error("it can still be found")
	}
	if err := wire.Ask(t.Context(), l.broker.Conn(), wire.ToHub("bad", "beat"), wire.Beat{Protocol: wire.Version}, nil); err == nil { // as on a server that does not know yet
		t.Error("it is heard")
	}
	for _, what := range []string{"host bad farm.beat", "host (not known) farm.connect"} {
		await(t, "it is told of: "+what, func() bool { _, ok := l.wasRefused(what); return ok })
	}
	_ = r.stop()
	l.close()
	l.open()
	await(t, "the good one", func() bool { return l.uses("") == "B free" })
	if all := l.hub.Hosts("", true); len(all) != 2 || all[0].State != hub.Revoked || all[1].State != hub.Online {
		t.Errorf("%+v", all)
	}
}

// TestHubRestarts: hosts come back by themselves.
func TestHubRestarts(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	l.must(Options{Token: l.token(hub.Place{}), Name: "a"}, phone("A"))
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

// TestListHangs: while the list of its devices takes long, as when a phone hangs, a host is there with what it said before; it was called dead. Its good-bye is heard.
func TestListHangs(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	r := l.must(Options{Token: l.token(hub.Place{}), Name: "a"}, phone("A"))
	await(t, "it", func() bool { return l.uses("") == "A free" })
	seen := func() time.Time { return l.hub.Hosts("", false)[0].Seen }
	r.mu.Lock()
	for from, until := seen(), seen().Add(wire.HostGone+time.Second); seen().Before(until); time.Sleep(50 * time.Millisecond) {
		if l.uses("") != "A free" || time.Since(from) > time.Minute {
			r.mu.Unlock()
			t.Fatal(l.uses(""))
		}
	}
	r.list = []wire.Device{phone("B")}
	r.mu.Unlock()
	await(t, "what it has now", func() bool { return l.uses("") == "A blocked, B free" })
	_ = r.stop()
	if l.uses("") != "A blocked, B blocked" {
		t.Error(l.uses(""))
	}
}

// TestStates: what devices are good for, and why not.
func TestStates(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	now := time.Now()
	low, charging, locked, used, held, warm := phone("low"), phone("charging"), phone("locked"), phone("used"), phone("held"), phone("warm")
	low.Battery, charging.Battery, charging.Charging = 5, 5, true
	locked.State, locked.Problem = "unauthorized", "allow this computer on the phone"
	used.Busy = &now
	warm.Temperature = 48
	held.Leases = []wire.Lease{{Project: "p", Holder: "ada", Since: now}}
	mine := phone("web-1")
	mine.Only = "p"
	r := l.must(Options{Token: l.token(hub.Place{}), Name: "a"}, low, charging, locked, used, held, warm, mine, phone("gone"))
	await(t, "all", func() bool { return strings.Contains(l.uses(""), "gone free") })
	r.set(low, charging, locked, used, held, warm, mine)
	await(t, "it is unplugged", func() bool {
		return l.uses("p") == "charging free, gone blocked, held leased, locked blocked, low blocked, used busy, warm blocked, web-1 free"
	})
	why := map[string]string{"gone": "unplugged", "locked": "allow this computer", "low": "battery is low (5 %)", "warm": "hot (48 °C)"}
	for _, d := range l.hub.Devices("p") {
		if !strings.Contains(d.Why, why[d.ID]) || (d.Why == "") != (why[d.ID] == "") {
			t.Errorf("%s: %q", d.ID, d.Why)
		}
		if d.ID == "held" && d.Holder != "ada" {
			t.Errorf("%q holds it", d.Holder)
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

// TestLiar: a host that says it has another one's phone takes it from nobody, and what makes no sense is left out.
func TestLiar(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	l.must(Options{Token: l.token(hub.Place{}), Name: "honest"}, phone("A"))
	l.must(Options{Token: l.token(hub.Place{}), Name: "liar"}, phone("A"), phone("A@honest"), phone("../B"), phone("C\n"), phone(""), phone(strings.Repeat("x", 500)))
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

// TestProjectsHost: the devices of a host that joined for a project are that project's alone, and what it says of others is left out, and told of.
func TestProjectsHost(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	r := l.must(Options{Token: l.token(hub.Place{}), Name: "a"}, phone("A"))
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
		t.Error("it is not known that it is kept for the project")
	}
	lie := phone("A")
	lie.Leases = []wire.Lease{{Project: "other", Holder: "eve"}, {Project: "p", Holder: "ada"}}
	lie.Records = map[string]json.RawMessage{"other": json.RawMessage(`{}`)}
	r.set(lie)
	await(t, "its lease", func() bool { return l.uses("p") == "A leased" })
	d := l.hub.Devices("p")[0]
	if told, ok := l.wasRefused("host a farm.lease"); !ok || len(d.Leases) != 1 || len(d.Records) != 0 || d.Holder != "ada" || !strings.Contains(told.Target, "project other") {
		t.Errorf("leases of other projects: %+v, %+v", d, told)
	}
}

// TestDrain: a host that is to end takes nothing new, and ends when nobody uses its devices.
func TestDrain(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	now := time.Now()
	used := phone("A")
	used.Busy = &now
	r := l.must(Options{Token: l.token(hub.Place{}), Name: "a"}, used, phone("B"))
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
		t.Error("it still runs")
	}
}
