package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/auth"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := browser().Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	storetest.Stop()
	os.Exit(testutil.CheckLeaks(code))
}

// inside is the network policy of most servers: pages may open local URLs.
var inside = guard.Policy{AllowPrivate: true}

// browser is the browser in which the servers open pages in short tests; otherwise each has its own.
var browser = sync.OnceValue(func() *web.Driver {
	return web.New(web.Options{Slots: 3, Policy: &inside, NoFiles: true})
})

// sharedPages is not closed with a server, which closes its own pages.
type sharedPages struct{ *web.Driver }

func (sharedPages) Close() error { return nil }

// shareBrowser lets a server open its pages in the browser of all short tests.
func shareBrowser(o *server.Options) {
	if !testing.Short() || o.Drivers != nil || o.Network != inside || o.Config.Browser != "" {
		return
	}
	for _, d := range run.Drivers(o.Config) {
		if d.Platform() == dsl.Web {
			d = sharedPages{browser()}
		}
		o.Drivers = append(o.Drivers, d)
	}
}

const (
	key    = "tap_test_0123456789abcdef"
	other  = "tap_test_fedcba9876543210"
	secret = "a secret of more than thirty-two bytes"
)

// lab is a server with simulated phones, and a client that validates every response against the OpenAPI document.
type lab struct {
	t      testing.TB
	dir    string // of the tests
	phones []*androidsim.Phone
	server *server.Server
	http   *httptest.Server
	log    *drivertest.Log
	says   *contract
	judged *sync.Map // responses, as text
	client *http.Client
	header http.Header // of every request
}

// newLab starts a server; change adapts the options.
func newLab(t testing.TB, phones int, change ...func(*server.Options)) *lab {
	t.Helper()
	adb, list := androidsim.Start(t, slices.Repeat([]androidsim.Options{androidsim.Tiny}, phones)...)
	root := t.TempDir()
	l := &lab{t: t, dir: filepath.Join(root, "project"), phones: list, log: &drivertest.Log{}, judged: &sync.Map{},
		header: http.Header{}}
	for _, dir := range []string{l.dir, filepath.Join(root, "run"), filepath.Join(root, "state")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]string{"ADB_SERVER_SOCKET": "tcp:" + adb.Addr(), "XDG_RUNTIME_DIR": filepath.Join(root, "run"),
		"XDG_STATE_HOME":      filepath.Join(root, "state"),
		"TAPROOT_REPORTS_DIR": filepath.Join(root, "reports"), "TAPROOT_NO_VIDEO": "true", "TAPROOT_JWT_SECRET": secret}
	conf, err := run.FromEnv(l.dir, func(name string) (string, bool) { value, ok := vars[name]; return value, ok })
	if err != nil {
		t.Fatal(err)
	}
	conf.Timeout = time.Minute // a busy machine may be slow
	o := server.Options{
		Config: conf, Log: slog.New(slog.NewTextHandler(l.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Network: inside, Pages: 3}
	for _, c := range change {
		c(&o)
	}
	shareBrowser(&o)
	if l.server, err = server.New(o); err != nil {
		t.Fatal(err)
	}
	l.http = httptest.NewUnstartedServer(nil)
	l.http.Config = l.server.HTTP()
	l.http.Listener = server.Strict(l.http.Listener)
	l.http.Start()
	l.client = l.http.Client()
	l.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(func() {
		if err := l.server.Close(); err != nil {
			t.Errorf("close the server: %v", err)
		}
		l.http.Close()
		if t.Failed() {
			t.Logf("log of the server:\n%s", cutTo(l.log.String(), 20_000))
		}
	})
	l.says = contractOf(l, o)
	return l
}

func cutTo(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}

// quiet keeps no log in memory.
func quiet(o *server.Options) { o.Log = nil }

// withAuth turns authentication on.
func withAuth(o *server.Options) {
	gate, err := auth.New(auth.Config{Keys: []string{key, other}, Secret: []byte(secret)})
	if err != nil {
		panic(err)
	}
	o.Auth = gate
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// json decodes the body as a map.
func (a answer) json(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("%v in %.300s", err, a.body)
	}
	return v
}

// code returns the code of an error.
func (a answer) code() string {
	var e struct{ Error, Message string }
	if json.Unmarshal(a.body, &e) != nil || e.Message == "" {
		return ""
	}
	return e.Error
}

func (a answer) String() string { return fmt.Sprintf("%d %.500s", a.status, a.body) }

// request creates a request; a body that is not a string is sent as JSON. Headers are pairs.
func (l *lab) request(method, path string, body any, headers ...string) *http.Request {
	l.t.Helper()
	var in io.Reader
	kind := ""
	switch b := body.(type) {
	case nil:
	case string:
		in, kind = strings.NewReader(b), "application/json"
	case io.Reader:
		in = b
	default:
		data, err := json.Marshal(b)
		if err != nil {
			l.t.Fatal(err)
		}
		in, kind = bytes.NewReader(data), "application/json"
	}
	r, err := http.NewRequestWithContext(context.Background(), method, l.http.URL+path, in)
	if err != nil {
		l.t.Fatal(err)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for name, values := range l.header {
		r.Header[name] = values
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	return r
}

// ask sends a request and checks that the response is documented.
func (l *lab) ask(method, path string, body any, headers ...string) answer {
	l.t.Helper()
	return l.send(l.request(method, path, body, headers...))
}

func (l *lab) send(r *http.Request) answer {
	l.t.Helper()
	res, err := l.client.Do(r)
	if err != nil {
		l.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		return answer{}
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	_ = res.Body.Close()
	a := answer{res.StatusCode, res.Header, data}
	l.check(r, a)
	return a
}

// check validates a response against the document. Errors have one form everywhere, also for unknown paths.
func (l *lab) check(r *http.Request, a answer) {
	l.t.Helper()
	if a.status >= 400 && (a.code() == "" || a.header.Get("Content-Type") != "application/json") {
		l.t.Errorf("%s %s: not an error of ours: %s", r.Method, r.URL.Path, a)
	}
	if a.status == http.StatusInternalServerError {
		l.t.Errorf("%s %s: %s", r.Method, r.URL.Path, a)
	}
	same := ""
	if strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		same = fmt.Sprint(r.Method, r.URL.Path, a.status, slices.Sorted(maps.Keys(a.header)), string(a.body))
		if _, seen := l.judged.LoadOrStore(same, nil); seen { // polling gets the same response many times
			return
		}
	}
	if r.Method != http.MethodHead && r.Method != http.MethodOptions {
		l.says.check(l.t, r, a, same != "")
	}
}

// token signs claims with the server's secret.
func token(t testing.TB, claims jwt.MapClaims) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func inAnHour() int64 { return time.Now().Add(time.Hour).Unix() }

// eventually waits for a condition.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline, tick := time.NewTimer(3*time.Minute), time.NewTicker(20*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("it did not come to this: %s", what)
		case <-tick.C:
		}
	}
}
