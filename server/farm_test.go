package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/host"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/work"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/mcpserver"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
)

// farmLab is a hub with its own phones (listed first) and hosts.
type farmLab struct {
	*lab
	db     *store.DB
	broker *broker.Broker
	hub    *hub.Hub
	ahead  time.Duration   // its clock, of those of hosts
	works  chan *pool.Pool // gets that of what runs cases on each host; nil: hosts run none
}

// worker runs the cases of a host, as taproot host does.
func (f *farmLab) worker(s *server.Server) func(context.Context, *host.Member) error {
	if f.works == nil {
		return nil
	}
	return func(ctx context.Context, m *host.Member) error {
		conf := run.Config{Parallel: 3}
		devices := s.Pool().WithDriver(run.Browsers(conf))
		w, err := work.New(work.Options{Host: m.ID(), Conn: m.Conn(), Dir: f.t.TempDir(), Config: conf, Pool: devices})
		if err != nil {
			return errors.Join(err, devices.Close())
		}
		m.Adds(w.AddTo)
		f.works <- devices
		return errors.Join(w.Run(ctx), devices.Close())
	}
}

// beatEvery is how often hosts report, and hubEvery how often the hub expects it. Large values: on a busy machine a
// host may be delayed for a second, and must not be considered lost. A host that ends reports that.
const (
	beatEvery = 250 * time.Millisecond
	hubEvery  = 15 * time.Second
)

// newFarm starts a hub.
func newFarm(t testing.TB, phones int, change ...func(*server.Options)) *farmLab {
	t.Helper()
	return newFarmAhead(t, 0, phones, change...)
}

// newFarmAhead starts a hub with a clock that is ahead of those of its hosts.
func newFarmAhead(t testing.TB, ahead time.Duration, phones int, change ...func(*server.Options)) *farmLab {
	t.Helper()
	f := &farmLab{ahead: ahead}
	var err error
	if f.db, err = store.Open(t.Context(), filepath.Join(t.TempDir(), "service.db")); err == nil {
		_, _, err = f.db.Migrate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.db.Close() })
	if f.broker, err = broker.Open(broker.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.broker.Close() })
	if f.hub, err = hub.Open(t.Context(), hub.Options{DB: f.db, Broker: f.broker, Version: "1", Every: hubEvery,
		Now: func() time.Time { return time.Now().Add(f.ahead) }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.hub.Close() })
	f.lab = newLab(t, phones, append(change, func(o *server.Options) { o.Farm = f.hub })...)
	return f
}

// member is a host of the farm.
type member struct {
	id     string
	phones []*androidsim.Phone
	stop   func()
}

// join starts a host with phones.
func (f *farmLab) join(name string, phones ...androidsim.Options) *member {
	f.t.Helper()
	return f.joinFor("", name, phones...)
}

// joinFor starts a host with phones that only one project may use.
func (f *farmLab) joinFor(project, name string, phones ...androidsim.Options) *member {
	f.t.Helper()
	token, err := hub.NewToken(f.t.Context(), f.db, hub.HostPlacement{Project: project, Pool: "lab",
		Labels: map[string]string{"desk": name}})
	if err != nil {
		f.t.Fatal(err)
	}
	adb, list := androidsim.Start(f.t, phones...)
	clock := &host.Clock{}
	s := newHost(f.t, adb.Addr(), func(c *run.Config) { c.Now = clock.Now })
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- host.Run(ctx, host.Options{Hub: f.http.URL, Token: token, Name: name, Dir: f.t.TempDir(), Version: "1",
			Every: beatEvery, Clock: clock, Work: f.worker(s), Ready: func(id string) { ready <- id }}, s)
	}()
	m := &member{phones: list, stop: func() {
		cancel()
		if err := <-ended; err != nil {
			f.t.Errorf("the host %s: %v", name, err)
		}
		ended <- nil
	}}
	f.t.Cleanup(m.stop)
	select {
	case m.id = <-ready:
	case err := <-ended:
		f.t.Fatalf("the host does not start: %v", err)
	}
	return m
}

// mcpOf serves assistants.
func mcpOf(c server.MCPConfig) (server.MCP, error) {
	return mcpserver.NewHandler(mcpserver.Config{Runner: c.Run, Version: "1", Exposed: c.Exposed, MaxCall: c.MaxCall,
		Devices: &mcpserver.Shared{Pool: c.Pool, Live: c.Devices, Mask: c.Mask}}, c.Who)
}

// TestAssistantOnARemoteDevice: an assistant that uses stdio drives a phone of a host.
func TestAssistantOnARemoteDevice(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 0, func(o *server.Options) { o.MCP = mcpOf })
	m := f.join("one", androidsim.Tiny, androidsim.Tiny)
	in, say := io.Pipe()
	hear, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcpserver.Bridge(t.Context(), f.http.URL+"/api/devices/SIM2/mcp", "", in, out)
		_ = out.Close()
	}()
	lines := bufio.NewReader(hear)
	ask := func(text string) string {
		if _, err := io.WriteString(say, text+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	if a := ask(
		`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": ` +
			`{}, "clientInfo": {"name": "test", "version": "1"}}}`); !strings.Contains(a, "serverInfo") {
		t.Fatal(a)
	}
	if _, err := io.WriteString(say, `{"jsonrpc": "2.0", "method": "notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if a := ask(
		`{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "tap", "arguments": ` +
			`{"point": "50%,50%"}}}`); strings.Contains(a, `"isError":true`) || len(m.phones[1].Taps()) != 1 {
		t.Error(a)
	}
	_ = say.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// newHost creates the server of a host.
func newHost(t testing.TB, adb string, change ...func(*run.Config)) *server.Server {
	t.Helper()
	root := t.TempDir()
	vars := map[string]string{"ADB_SERVER_SOCKET": "tcp:" + adb, "XDG_RUNTIME_DIR": filepath.Join(root, "run"),
		"XDG_STATE_HOME": filepath.Join(root, "state"), "TAPROOT_REPORTS_DIR": filepath.Join(root, "reports"),
		"TAPROOT_NO_VIDEO": "true"}
	dir := filepath.Join(root, "project")
	for _, d := range []string{dir, vars["XDG_RUNTIME_DIR"], vars["XDG_STATE_HOME"]} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	conf, err := run.FromEnv(dir, func(name string) (string, bool) { value, ok := vars[name]; return value, ok })
	if err != nil {
		t.Fatal(err)
	}
	conf.Timeout, conf.AllowShell = time.Minute, true
	for _, c := range change {
		c(&conf)
	}
	log := &drivertest.Log{}
	o := server.Options{Config: conf, FarmHost: true, Projects: filepath.Join(root, "projects"), Network: inside, Pages: 3,
		Log: slog.New(slog.NewTextHandler(log, nil)), MCP: mcpOf}
	shareBrowser(&o)
	s, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the host:\n%s", cutTo(log.String(), 5000))
		}
	})
	return s
}

// changing matches what differs between two responses.
var changing = regexp.MustCompile(
	`; there are [^"]*|"screen_reads":\d+|lease ` +
		`[0-9a-f]{6}|"(lease|since|until|at|leasedSince|sha256|took|durationMs|duration_ms|ms|end|start)":("[^"]*"|[0-9.]+)|\d+ms|\d+(\.\d+)? s\b|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// TestRemoteDevicesAnswerAsLocalOnes: a request for a phone of a host gets the same status, code and message as for a
// phone of this machine.
func TestRemoteDevicesAnswerAsLocalOnes(t *testing.T) {
	t.Parallel()
	f, l := newFarm(t, 0), newLab(t, 1, withShell)
	f.join("one", androidsim.Tiny)
	same := func(method, path string, body any, headers ...string) {
		t.Helper()
		far, near := f.ask(method, path, body, headers...), l.ask(method, path, body, headers...)
		if far.status != near.status || far.code() != near.code() || far.header.Get("Content-Type") != near.header.Get(
			"Content-Type") {
			t.Errorf("%s %s %v:\n remote %s\n local  %s", method, path, body, far, near)
		}
		if a, b := changing.ReplaceAllString(onFarm.ReplaceAllString(string(far.body), ""), "…"),
			changing.ReplaceAllString(string(near.body), "…"); near.header.Get("Content-Type") == "application/json" && a != b &&
			!strings.Contains(path, "logs") {
			t.Errorf("%s %s %v:\n remote %.600s\n local  %.600s", method, path, body, a, b)
		}
		if a, b := headerNames(far.header), headerNames(near.header); a != b {
			t.Errorf("%s %s: the header has, remote, %s, and local %s", method, path, a, b)
		}
		for name, values := range far.header {
			if len(values) > 1 && name != "Vary" {
				t.Errorf("%s %s: %s: %q", method, path, name, values)
			}
		}
	}
	for _, o := range l.operations() {
		if !strings.HasPrefix(o.path, "/devices/{id}") {
			continue
		}
		path := o.at("SIM1")
		same("PUT", path, nil)
		same(o.method, o.at("NOBODY"), nil)
		same(o.method, path+"?nonsense=1", nil)
		same(o.method, path+"/x/y", nil)
		if o.body {
			for _, body := range []string{`{`, `[]`, `{"nonsense": 1}`, `{"timeoutMs": -1}`} {
				same(o.method, path, body)
			}
			same(o.method, path, "{}", "Content-Type", "text/plain")
			same(o.method, path, "{", "Expect", "100-continue")
		}
		if o.upload {
			same(o.method, path, "--x\r\n\r\n--x--\r\n", "Content-Type", "multipart/form-data; boundary=x")
		}
	}
	// a watched device stays open, however long the other response takes
	for _, one := range []*lab{f.lab, l} {
		one.watch(t.Context(), "SIM1")
	}
	for _, c := range [][3]string{{"POST", "/launch", `{"package": "com.example.login"}`},
		{"POST", "/tap", `{"label": "E-mail"}`}, {"POST", "/type", `{"label": "E-mail", "text": "ada@example.com"}`},
		{"POST", "/assert", `{"label": "Password"}`}, {"POST", "/assert", `{"label": "Nothing", "timeoutMs": 1}`},
		{"POST", "/tap", `{"label": "Nothing", "timeoutMs": 1}`}, {"POST", "/inspect", `{"point": "50%,50%"}`},
		{"GET", "/tree", ""}, {"GET", "/screenshot", ""}, {"GET", "/screenshot?format=jpeg&max=100", ""}, {"GET", "", ""},
		{"GET", "/lease", ""}, {"GET", "/recording", ""}, {"GET", "/apps", ""}, {"GET", "/input", ""},
		{"POST", "/shell", `{"command": "echo hello"}`}, {"POST", "/lease", `{"ttlSeconds": 100, "holder": "ada"}`},
		{"GET", "/lease", ""}, {"POST", "/tap", `{"label": "E-mail"}`}, {"DELETE", "/lease", ""}} {
		var body any
		if c[2] != "" {
			body = c[2]
		}
		same(c[0], "/devices/SIM1"+c[1], body)
	}
}

// headerNames returns the names of all headers.
func headerNames(h http.Header) string { return strings.Join(slices.Sorted(maps.Keys(h)), " ") }

// onFarm matches what only a hub adds to a device.
var onFarm = regexp.MustCompile(
	`,"host":"[^"]*","pool":"[^"]*","labels":\{[^}]*\},"use":"[^"]*"(,"(holder|since)":"[^"]*")*`)

// TestLeaseOfARemoteDevice: the client that sends the lease's ID can use the device, and others see the holder.
func TestLeaseOfARemoteDevice(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 0)
	f.join("one", androidsim.Tiny)
	a := f.ask("POST", "/devices/SIM1/lease", `{"ttlSeconds": 100, "holder": "ada"}`)
	id, _ := a.json(t)["lease"].(string)
	if a.status != 200 || id == "" {
		t.Fatal(a)
	}
	if a := f.ask("POST", "/devices/SIM1/tap", `{"point": "50%,50%"}`); a.status != 409 ||
		!strings.Contains(a.String(), "ada") {
		t.Error(a)
	}
	eventually(t, "the list says so", func() bool {
		var list []server.Device
		return json.Unmarshal(f.ask("GET", "/devices", nil).body, &list) == nil && len(list) == 1 &&
			list[0].Use == hub.Leased && strings.HasPrefix(list[0].Holder, "ada") && list[0].Lease != nil &&
			list[0].Host == "one" && list[0].Pool == "lab" && list[0].Labels["desk"] == "one"
	})
	one := server.Device{}
	if err := json.Unmarshal(f.ask("GET", "/devices/SIM1", nil).body, &one); err != nil || one.Use != hub.Leased ||
		!strings.HasPrefix(one.Holder, "ada") || one.Host != "one" || one.Pool != "lab" {
		t.Errorf("of one device, less is said than of all: %+v %v", one.FarmDevice, err)
	}
	if a := f.ask("GET", "/devices/NOBODY", nil); a.status != 404 || !strings.Contains(a.String(), "there are SIM1") {
		t.Errorf("a device that there is not: %s", a)
	}
	if a := f.ask("POST", "/devices/SIM1/tap", `{"point": "50%,50%"}`, "X-Lease", id); a.status != 200 {
		t.Error(a)
	}
	if a := f.ask("DELETE", "/devices/SIM1/lease", nil, "X-Lease", id); a.status != 204 {
		t.Error(a)
	}
}

// TestTwoHostsHaveTheSameDevice: both get a name with the host, and this machine's own device keeps its name.
func TestTwoHostsHaveTheSameDevice(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 1)
	one := f.join("one", androidsim.Tiny, androidsim.Tiny)
	two := f.join("two", androidsim.Tiny, androidsim.Tiny)
	names := func() (list []string) {
		var devices []server.Device
		if err := json.Unmarshal(f.ask("GET", "/devices", nil).body, &devices); err != nil {
			t.Fatal(err)
		}
		for _, d := range devices {
			list = append(list, d.ID)
		}
		return list
	}
	eventually(t, "all are there", func() bool {
		return strings.Join(names(), " ") == "SIM1 SIM1@one SIM1@two SIM2@one SIM2@two"
	})
	for id, want := range map[string]*androidsim.Phone{"SIM1": f.phones[0], "SIM1@one": one.phones[0],
		"SIM1@two": two.phones[0], "SIM2@two": two.phones[1]} {
		before := len(want.Taps())
		if a := f.ask("POST", "/devices/"+id+"/tap", `{"point": "50%,50%"}`); a.status != 200 ||
			len(want.Taps()) != before+1 {
			t.Errorf("%s: %s", id, a)
		}
	}
	if a := f.ask("POST", "/devices/SIM2/tap", `{"point": "50%,50%"}`); a.status != 404 ||
		!strings.Contains(a.String(), "SIM2@one, or SIM2@two") {
		t.Error(a)
	}
	lease := f.ask("POST", "/devices/SIM2@two/lease", `{"ttlSeconds": 100, "holder": "ada"}`).json(t)
	if id, _ := lease["lease"].(string); lease["device"] != "SIM2@two" || f.ask("GET", "/devices/SIM2@two/lease",
		nil).json(t)["device"] != "SIM2@two" {
		t.Errorf("an answer names the device as nobody can call it: %v", lease)
	} else if a := f.ask("POST", "/devices/SIM2@two/tap", `{"point": "50%,50%"}`); a.status != 409 ||
		!strings.Contains(a.String(), "SIM2@two") {
		t.Errorf("an error names the device as nobody can call it: %s", a)
	} else if a := f.ask("DELETE", "/devices/SIM2@two/lease", nil, "X-Lease", id); a.status != 204 {
		t.Error(a)
	}
	figures := string(f.ask("GET", "/metrics", nil).body)
	for _, want := range []string{`taproot_farm_hosts{pool="lab",state="online"} 2`,
		`taproot_farm_devices{platform="android",pool="lab",use="`} {
		if !strings.Contains(figures, want) {
			t.Errorf("the figures lack %s: %s", want, cutTo(figures, 4000))
		}
	}
	if a := f.ask("POST", "/devices/SIM2@two/install", `{"path": "app.apk"}`); a.status != 400 ||
		!strings.Contains(a.String(), "there is no file app.apk on the host of the device: send an app with POST "+
			"/devices/{id}/apps") {
		t.Errorf("a file that a request names: %s", a)
	}
	if a := f.ask("POST", "/devices/SIM1/install", `{"path": "app.apk"}`); a.status != 400 ||
		strings.Contains(a.String(), "host") {
		t.Errorf("a file that a request names for a phone of the hub: %s", a)
	}
	two.stop()
	eventually(t, "who has it alone", func() bool { return f.ask("GET", "/devices/SIM2@two", nil).status == 502 })
	if a := f.ask("POST", "/devices/SIM2@one/tap", `{"point": "50%,50%"}`); a.status != 200 {
		t.Error(a)
	}
}

// TestNobodyPretendsToBeAHub: the header by which a hub names the sender is accepted over NATS only.
func TestNobodyPretendsToBeAHub(t *testing.T) {
	t.Parallel()
	adb, _ := androidsim.Start(t, androidsim.Tiny)
	s := newHost(t, adb.Addr())
	web := httptest.NewUnstartedServer(nil)
	web.Config = s.HTTP()
	web.Listener = server.Strict(web.Listener)
	web.Start()
	t.Cleanup(func() { _ = s.Close(); web.Close() })
	for _, path := range []string{"/devices", "/devices/SIM1", "/", "/openapi.json", "/studio"} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", web.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Taproot-Caller", `{"name": "key:1"}`)
		a, err := web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, a.Body)
		_ = a.Body.Close()
		if a.StatusCode != 401 {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
}
