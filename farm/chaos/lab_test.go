package chaos

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/dispatch"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/farm/remote"
	"github.com/taproot-dev/taproot/farm/work"
	"github.com/taproot-dev/taproot/reporters/pack"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/blob"
	"github.com/taproot-dev/taproot/server/service/store"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// deadAfter is how long hosts of these tests may be silent.
const deadAfter = 3 * time.Second

// plainSeal seals so that a test can see whether something is in the clear.
type plainSeal struct{}

func (plainSeal) Seal(text []byte, place string) string {
	return base64.StdEncoding.EncodeToString(append([]byte(place+"\n"), text...))
}

func (plainSeal) Unseal(sealed, place string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(sealed)
	text, ok := strings.CutPrefix(string(data), place+"\n")
	if !ok {
		err = errors.Join(err, errors.New("it is another row's"))
	}
	return []byte(text), err
}

// hub is one in this process.
type hub struct {
	broker *broker.Broker
	db     *store.DB
	http   *http.Server
	url    string
	end    context.CancelFunc
	over   chan error
}

// startHub starts a hub in a folder. ports are those for NATS and HTTP; :0 chooses them.
func startHub(dir, database, nats, listen string) (h *hub, err error) {
	h = &hub{over: make(chan error, 1)}
	ctx, end := context.WithCancel(context.Background())
	h.end = end
	if h.db, err = store.Open(ctx, database); err != nil {
		return nil, err
	}
	if _, _, err = h.db.Migrate(ctx); err != nil {
		return nil, err
	}
	if h.broker, err = broker.Open(broker.Options{Dir: filepath.Join(dir, "nats"), Listen: nats}); err != nil {
		return nil, err
	}
	folder := filepath.Join(dir, "bucket")
	if err = os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	bucket, err := blob.Open(folder, os.Getenv)
	if err != nil {
		return nil, err
	}
	d, err := dispatch.New(ctx, dispatch.Options{Queue: queue.New(h.db, nil), Conn: h.broker.Conn(), Bucket: bucket, Dir: filepath.Join(dir, "hub"), Seal: plainSeal{}, Dead: deadAfter})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	h.url = "http://" + l.Addr().String()
	h.http = &http.Server{Handler: http.StripPrefix("/api", d.Handler(func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }))}
	go func() { _ = h.http.Serve(l) }()
	go func() { h.over <- d.Run(ctx) }()
	return h, nil
}

func (h *hub) stop() error {
	h.end()
	err := errors.Join(<-h.over, h.http.Close(), h.broker.Close(), h.db.Close())
	return err
}

// login makes what a host connects with.
func (h *hub) login(host string) (broker.Login, error) {
	seed, public, err := broker.NewKey()
	if err != nil {
		return broker.Login{}, err
	}
	text, err := h.broker.Credential(host, public, time.Hour)
	at := h.broker.Address()
	at.URL = strings.Replace(at.URL, "//:", "//127.0.0.1:", 1)
	return broker.Login{Host: host, Address: at, Seed: seed, Credential: func() string { return text }}, err
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
	w, err := work.New(work.Options{Host: login.Host, Conn: nc, Dir: filepath.Join(dir, "work"), Config: conf, Pool: from})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx) }()
	return w, func() error {
		cancel()
		err := errors.Join(<-over, from.Close())
		nc.Close()
		return err
	}, nil
}

// suite writes tests: n that pass, and some of other kinds.
func suite(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "suites"), 0o755))
	write := func(name, text string) {
		must(t, os.WriteFile(filepath.Join(dir, "suites", name), []byte(text), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644))
	for i := range n {
		write(fmt.Sprintf("pass-%03d.yaml", i), fmt.Sprintf("id: pass-%03d\nplatform: android\nsteps:\n  - assert: {label: Ready, timeoutMs: 0}\n", i))
	}
	write("fail.yaml", "id: fail\nplatform: android\nretries: 1\nsteps:\n  - assert: {label: Missing, timeoutMs: 0}\n")
	write("skip.yaml", "id: skip\nplatform: android\nskip: not today\nsteps:\n  - assert: {label: Ready}\n")
	write("rows.yaml", "id: rows\nplatform: android\ndata: rows.csv\nsteps:\n  - assert: {label: \"${text}\", timeoutMs: 0}\n")
	write("rows.csv", "text\nReady\nReady\n")
	write("env.yaml", "id: env\nplatform: android\nvars:\n  WORD: ${CHAOS_WORD}\nsteps:\n  - assert: {label: \"${WORD}\", timeoutMs: 0}\n")
	write("secret.yaml", "id: secret\nplatform: android\nsecrets: [PIN]\nvars:\n  PIN: ${CHAOS_PIN}\nsteps:\n  - assert: {label: \"${PIN}\", timeoutMs: 0}\n")
	return dir
}

// client runs a suite on a hub, or here with local.
func client(t testing.TB, dir, url string, local drivers.Driver) (*run.Runner, *remote.Farm, []plan.Case) {
	t.Helper()
	reports := t.TempDir()
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"CHAOS_WORD": "Ready", "CHAOS_PIN": "12345-secret"}[name]
		return v, ok
	}
	conf := run.Config{Dir: dir, Reports: reports, NoVideo: true, FilesMustBe: true, LookupEnv: lookup, Getenv: func(name string) string {
		if name == "XDG_RUNTIME_DIR" {
			return reports
		}
		return ""
	}}
	noted := remote.Note(&conf)
	p, err := conf.Plan()
	must(t, err)
	runs, err := pack.NewRunDir(reports, time.Now())
	must(t, err)
	r := &run.Runner{Config: conf, Dir: runs}
	if local != nil {
		r.Pool = pool.New([]drivers.Driver{local}, conf.PoolOptions())
		return r, nil, p.Cases
	}
	r.Pool = pool.New(nil, conf.PoolOptions())
	farm, err := remote.Open(t.Context(), remote.Options{URL: url, Key: "project", Config: conf, Plan: p, Noted: noted})
	must(t, err)
	r.Elsewhere = farm
	return r, farm, p.Cases
}
