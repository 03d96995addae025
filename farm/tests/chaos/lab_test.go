package chaos

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/dispatch"
	farmhub "github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/farm/internal/work"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/remote"
	"github.com/taproot-dev/taproot/runner/run"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// deadAfter is how long hosts of these tests may be silent.
const deadAfter = 3 * time.Second

// plainSeal marks a text instead of encrypting it, so that a test can detect plain text.
type plainSeal struct{}

func (plainSeal) Seal(text []byte, place string) string {
	return base64.StdEncoding.EncodeToString(append([]byte(place+"\n"), text...))
}

func (plainSeal) Unseal(sealed, place string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(sealed)
	text, ok := strings.CutPrefix(string(data), place+"\n")
	if !ok {
		err = errors.Join(err, errors.New("it belongs to another row"))
	}
	return []byte(text), err
}

// hub is a hub in this process.
type hub struct {
	*dispatch.Center // as in taproot serve --service --farm
	db               *store.DB
	http             *http.Server
	url              string
	end              context.CancelFunc

	mu      sync.Mutex
	refused map[string]int // by actor and action
}

// place is the settings of a hub. Without Account it has the embedded NATS server, which listens on NATS. With Account,
// NATS names external servers.
type place struct {
	Dir, Database string
	NATS, Account string
	HTTP          string        // :0 chooses a port
	Bucket        string        // default: a folder of its own
	Dead          time.Duration // how long hosts may be silent; default: deadAfter
	Clock         time.Duration // how wrong its clock is
}

// startHub starts a hub in a folder. ports are those for NATS and HTTP; :0 chooses them.
func startHub(dir, database, nats, listen string) (*hub, error) {
	return place{Dir: dir, Database: database, NATS: nats, HTTP: listen}.start(nil)
}

func (p place) start(log *slog.Logger) (h *hub, err error) {
	h = &hub{refused: map[string]int{}}
	ctx, end := context.WithCancel(context.Background())
	h.end = end
	if h.db, err = store.Open(ctx, p.Database); err != nil {
		return nil, err
	}
	if _, _, err = h.db.Migrate(ctx); err != nil {
		return nil, err
	}
	o := dispatch.CenterOptions{DB: h.db, Dir: filepath.Join(p.Dir, "hub"), NATS: broker.Options{Listen: p.NATS},
		Seal: plainSeal{}, Version: "1", Log: log, Dead: cmp.Or(p.Dead, deadAfter), Refused: func(r farmhub.Refusal) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.refused[r.Actor+" "+r.Action]++
		}}
	if p.Account != "" {
		o.NATS = broker.Options{URL: p.NATS, Account: p.Account}
	}
	if p.Bucket != "" {
		if o.Bucket, err = blob.Open(p.Bucket, os.Getenv); err != nil {
			return nil, err
		}
	}
	if p.Clock != 0 {
		o.Now = func() time.Time { return time.Now().Add(p.Clock) }
	}
	if h.Center, err = dispatch.OpenCenter(ctx, o); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", p.HTTP)
	if err != nil {
		return nil, err
	}
	h.url = "http://" + l.Addr().String()
	h.http = &http.Server{
		Handler: http.StripPrefix("/api",
			h.Dispatcher.Handler(func(r *http.Request) string {
				return strings.TrimPrefix(r.Header.Get("Authorization"),
					"Bearer ")
			}))}
	go func() { _ = h.http.Serve(l) }()
	return h, nil
}

func (h *hub) stop() error {
	h.end()
	err := errors.Join(h.http.Close(), h.Center.Close(), h.db.Close())
	return err
}

// login lets a host join, and returns what it needs to connect.
func (h *hub) login(host string) (broker.Login, error) {
	seed, public, err := broker.NewKey()
	if err != nil {
		return broker.Login{}, err
	}
	token, err := farmhub.NewToken(context.Background(), h.db, farmhub.HostPlacement{})
	if err != nil {
		return broker.Login{}, err
	}
	joined, err := h.Hub.Join(context.Background(), wire.Join{Token: token, Key: public, Protocol: wire.Version,
		Version: "1", Name: host})
	at := h.Broker.Address()
	at.URL = strings.Replace(at.URL, "//:", "//127.0.0.1:", 1)
	return broker.Login{Host: joined.Host, Address: at, Seed: seed, Credential: func() string {
		return joined.Credential
	}}, err
}

// startHost starts a worker with phones.
func startHost(ctx context.Context, login broker.Login, dir string, p *phones) (*work.Worker, func() error, error) {
	nc, err := broker.Connect(login)
	if err != nil {
		return nil, nil, err
	}
	p.locks = filepath.Join(dir, "locks")
	if err := os.MkdirAll(p.locks, 0o700); err != nil {
		return nil, nil, err
	}
	conf := run.Config{NoVideo: true, Reports: filepath.Join(dir, "reports"), Getenv: func(name string) string {
		if name == "XDG_RUNTIME_DIR" {
			return p.locks
		}
		return ""
	}}
	from := pool.New([]drivers.Driver{p}, conf.PoolOptions())
	w, err := work.New(work.Options{Host: login.Host, Conn: nc, Dir: filepath.Join(dir, "work"), Config: conf, Pool: from,
		Log: p.words})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan error, 1)
	beats := wire.Beats{Conn: nc, Host: login.Host, Wake: make(chan struct{}, 1),
		Next: func(ctx context.Context) wire.Beat {
			b := wire.Beat{Version: "1"}
			list, _ := p.Devices(ctx)
			for _, d := range list {
				b.Devices = append(b.Devices, wire.Device{Info: d})
			}
			w.AddTo(ctx, &b)
			return b
		}}
	beaten := make(chan error, 1)
	go func() { beaten <- beats.Run(ctx) }()
	go func() { over <- w.Run(ctx) }()
	return w, func() error {
		cancel()
		err := errors.Join(<-over, <-beaten, from.Close())
		nc.Close()
		return err
	}, nil
}

// suite writes tests: n that pass, and some with other results.
func suite(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "suites"), 0o755))
	write := func(name, text string) {
		must(t, os.WriteFile(filepath.Join(dir, "suites", name), []byte(text), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644))
	for i := range n {
		write(fmt.Sprintf("pass-%03d.yaml", i),
			fmt.Sprintf("id: pass-%03d\nplatform: android\nsteps:\n  - assert: {label: Ready, timeoutMs: 0}\n", i))
	}
	write("fail.yaml", "id: fail\nplatform: android\nretries: 1\nsteps:\n  - assert: {label: Missing, timeoutMs: 0}\n")
	write("skip.yaml", "id: skip\nplatform: android\nskip: not today\nsteps:\n  - assert: {label: Ready}\n")
	write("rows.yaml",
		"id: rows\nplatform: android\ndata: rows.csv\nsteps:\n  - assert: {label: \"${text}\", timeoutMs: 0}\n")
	write("rows.csv", "text\nReady\nReady\n")
	write("env.yaml",
		"id: env\nplatform: android\nvars:\n  WORD: ${CHAOS_WORD}\nsteps:\n  - assert: {label: \"${WORD}\", timeoutMs: 0}\n")
	write("secret.yaml",
		"id: secret\nplatform: android\nsecrets: [PIN]\nvars:\n  PIN: ${CHAOS_PIN}\nsteps:\n  - assert: {label: \"${PIN}\", "+
			"timeoutMs: 0}\n")
	return dir
}

// client runs a suite on a hub, or on this machine with local.
func client(t testing.TB, dir, url string, local drivers.Driver) (*run.Runner, *remote.Farm, []plan.Case) {
	t.Helper()
	r, farm, cases, err := open(t.Context(), opened{dir: dir, reports: t.TempDir(), url: url, key: "project",
		local: local})
	must(t, err)
	return r, farm, cases
}

// opened is the settings of a client: of a hub, or with devices of its own.
type opened struct {
	dir, reports string // its suite, its folder of runs
	url, key     string
	local        drivers.Driver
}

func open(ctx context.Context, o opened) (*run.Runner, *remote.Farm, []plan.Case, error) {
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"CHAOS_WORD": "Ready", "CHAOS_PIN": "12345-secret"}[name]
		return v, ok
	}
	conf := run.Config{Dir: o.dir, Reports: o.reports, NoVideo: true, FilesMustBe: true, LookupEnv: lookup,
		Getenv: func(name string) string {
			if name == "XDG_RUNTIME_DIR" {
				return o.reports
			}
			return ""
		}}
	inputs := remote.NoteInputs(&conf)
	p, err := conf.Plan()
	if err != nil {
		return nil, nil, nil, err
	}
	runs, err := pack.NewRunDir(o.reports, time.Now())
	if err != nil {
		return nil, nil, nil, err
	}
	r := &run.Runner{Config: conf, Dir: runs}
	if o.local != nil {
		r.Pool = pool.New([]drivers.Driver{o.local}, conf.PoolOptions())
		return r, nil, p.Cases, nil
	}
	r.Pool = pool.New(nil, conf.PoolOptions())
	hub, err := remote.NewClient(o.url, o.key)
	if err != nil {
		return nil, nil, nil, err
	}
	farm, err := remote.Open(ctx, remote.Options{Hub: hub, Config: conf, Plan: p, Inputs: inputs})
	r.Remote = farm
	return r, farm, p.Cases, err
}
