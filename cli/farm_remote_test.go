package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// shown is a device as the hub lists it.
type shown struct{ ID, Platform, Model, Remote, Host, Use, Why string }

// shows returns a device in the hub's list; zero: it has none of that id.
func (f *farm) shows(id string) shown {
	var list []shown
	_ = json.Unmarshal([]byte(f.serve.with(f.key, "GET", "/api/devices", "").body), &list)
	for _, d := range list {
		if d.ID == id {
			return d
		}
	}
	return shown{}
}

// remotesFarm is a farm of which the host has a phone, and a taproot.yaml with remotes.
func remotesFarm(t *testing.T, phones int, remotes string) *farm {
	t.Helper()
	f := newFarmWith(t, newLab(t, phones))
	f.host.write("taproot.yaml", "remotes:\n"+remotes)
	f.host.env = append(f.host.env, "GRID_USER=ada", "GRID_KEY=k3y-of-ada")
	f.hub.env = append(f.hub.env, "TAPROOT_API_KEY="+f.key)
	return f
}

// lacksKey checks that the key of the remotes is in no file of the hub and the host, and not in what they print.
func (f *farm) lacksKey(t *testing.T, texts ...string) {
	t.Helper()
	f.hub.lacks(t, "k3y-of-ada")
	f.host.lacks(t, "k3y-of-ada")
	for _, text := range append(texts, f.serve.err.String()) {
		if strings.Contains(text, "k3y-of-ada") {
			t.Error("the key is shown")
		}
	}
}

// TestFarmOffersRemotes checks what a host refuses to offer, and that a hub lists the devices of remotes, with their
// state, without opening a session.
func TestFarmOffersRemotes(t *testing.T) {
	t.Parallel()
	h := newDeafHub(t)
	away := freePort(t)
	f := remotesFarm(t, 1, "  grid: {url: '"+h.URL+"', user: '${GRID_USER}', key: '${GRID_KEY}', sessions: 2, "+
		"capabilities: {browserName: firefox}}\n"+
		"  lab: {url: '"+h.URL+"', user: ada, key: '${GRID_KEY}', platform: android, capabilities: "+
		"{'appium:deviceName': Pixel 8, 'appium:platformVersion': '14'}}\n"+
		"  wrong: {url: '"+h.URL+"', user: ada, key: another-key}\n"+
		"  away: {url: 'http://"+away+"'}\n"+
		"  SIM: {url: '"+h.URL+"', user: ada, key: '${GRID_KEY}', platform: android}\n"+
		"  web: {url: '"+h.URL+"'}\n  unset: {url: '"+h.URL+"', user: ada, key: '${NO_SUCH_KEY}'}\n")
	token := f.token("--pool", "lab")
	for name, want := range map[string]string{
		"gird":       `there is no remote "gird"; there are SIM, away, grid, lab, unset, web, wrong; did you mean "grid"?`,
		"web":        "--remote web: its devices would be called web-1",
		"unset":      "${NO_SUCH_KEY} is not defined",
		"grid,lab,x": `there is no remote "x"`,
	} {
		end := f.join("--token", token, "--remote", name, "--allow-private").wait()
		end.exits(t, 2)
		has(t, name, end.stderr, want)
	}
	end := f.join("--token", token, "--remote", "lab", "--remote", "grid").wait()
	end.exits(t, 2)
	has(t, "a private network", end.stderr, "--remote grid: its browsers are in a private network (127.0.0.1)",
		"--allow-private")

	host := f.join("--token", token, "--allow-private", "--remote", "grid,lab", "--remote", "away", "--remote", "wrong",
		"--remote", "grid")
	for _, id := range []string{"SIM1", "grid-1", "grid-2", "lab-1"} {
		eventually(t, id+" is free", func() bool { return f.device(id) == "free" })
	}
	for id, want := range map[string]shown{
		"grid-2": {Platform: "web", Model: "Firefox", Remote: "grid", Host: "desk", Use: "free"},
		"lab-1":  {Platform: "android", Model: "Pixel 8", Remote: "lab", Host: "desk", Use: "free"},
	} {
		want.ID = id
		if diff := cmp.Diff(want, f.shows(id)); diff != "" {
			t.Error(diff)
		}
	}
	if d := f.shows("wrong-1"); d.Use != "blocked" || !strings.Contains(d.Why, "the user or the key is not accepted") {
		t.Errorf("%+v", d)
	}
	if d := f.shows("away-1"); d.Use != "blocked" || !strings.Contains(d.Why, "the remote away") ||
		!strings.Contains(d.Why, "nothing listens there") {
		t.Errorf("%+v", d)
	}
	status := f.hub.taproot("farm", "status", "--hub", f.serve.url).stdout
	has(t, "farm status", status, "grid-1", "Firefox", "Pixel 8", "blocked: the remote away")
	if strings.Contains(status, "grid-3") || strings.Contains(status, h.URL) {
		t.Error(status)
	}

	l, err := net.Listen("tcp", away)
	if err != nil {
		t.Fatal(err)
	}
	back := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"value": {"ready": true}}`) })}}
	back.Start()
	eventually(t, "the remote that is back is offered", func() bool { return f.device("away-1") == "free" })
	back.Close()
	eventually(t, "it is gone again", func() bool { return f.device("away-1") == "blocked" })

	local := newLab(t, 0)
	local.write("test.yaml", "id: test\nplatform: web\nsteps:\n  - openBrowser: 'data:text/html,x'\n")
	local.env = append(local.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	end = local.taproot("run", "test", "--device", "wrong-1")
	end.exits(t, 3)
	has(t, "a run on a remote that refuses the key", end.stdout, "wrong-1: it is blocked: the remote wrong",
		"the user or the key is not accepted")

	f.remoteCalls(t)
	h.mu.Lock()
	if h.opened != 0 {
		t.Errorf("%d sessions were opened", h.opened)
	}
	h.mu.Unlock()
	f.leave(host)
	has(t, "the host", host.stderr.String(), "a remote cannot be used", "remote=away", "a remote can be used again")
	f.lacksKey(t, host.stdout.String(), host.stderr.String(), status)
}

// remoteCalls checks that single calls on the browser of a remote are refused, with the reason.
func (f *farm) remoteCalls(t *testing.T) {
	t.Helper()
	const only = "it is a browser of the remote grid, which only tests use: taproot run --hub"
	for path, body := range map[string]string{"tap": `{"point": "50%,50%"}`, "open-browser": `{"url": "data:text/html,x"}`,
		"lease": `{}`, "recording": `{}`, "inspect": `{}`} {
		if a := f.serve.with(f.key, "POST", "/api/devices/grid-1/"+path, body); a.status != 400 ||
			!strings.Contains(a.body, only) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"tree", "screenshot", "live", "logs"} {
		if a := f.serve.with(f.key, "GET", "/api/devices/grid-1/"+path, ""); a.status != 400 ||
			!strings.Contains(a.body, only) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := f.serve.with(f.key, "POST", "/api/devices/grid-1/lease", `{"from": "2099-01-01T00:00:00Z", "until": `+
		`"2099-01-01T01:00:00Z"}`); a.status != 400 {
		t.Errorf("a reservation: %d %s", a.status, a.body)
	}
	if a := f.serve.with(f.key, "GET", "/api/devices/lab-1/adb", ""); a.status < 400 ||
		!strings.Contains(a.body, "lab-1 is a session at the remote lab, which adb does not reach") {
		t.Errorf("adb: %d %s", a.status, a.body)
	}
	if d := f.shows("grid-1"); d.Use != "free" {
		t.Errorf("%+v", d)
	}
}

// TestFarmRemoteNames checks that a phone of the host counts before the device of a remote with its id.
func TestFarmRemoteNames(t *testing.T) {
	t.Parallel()
	h := newDeafHub(t)
	f := remotesFarm(t, 0, "  SIM: {url: '"+h.URL+"', user: ada, key: '${GRID_KEY}', platform: android, sessions: 2}\n")
	phone := androidsim.Tiny
	phone.Serial = "SIM-1"
	adb, _ := androidsim.Start(t, phone)
	f.host.env = append(f.host.env, "ADB_SERVER_SOCKET=tcp:"+adb.Addr())
	host := f.join("--token", f.token(), "--remote", "SIM")
	eventually(t, "both are free", func() bool { return f.device("SIM-1") == "free" && f.device("SIM-2") == "free" })
	if d := f.shows("SIM-1"); d.Remote != "" {
		t.Errorf("%+v", d)
	}
	if a := f.tap("SIM-1"); a.status != 200 || h.opened != 0 {
		t.Errorf("%d %s", a.status, a.body)
	}
	f.leave(host)
	has(t, "the host", host.stderr.String(), "SIM-1", "give the remote another name")
}

// TestFarmRemoteSessionsEnd checks that sessions of a host end when the run is interrupted, and at the host's next
// start when it was killed.
func TestFarmRemoteSessionsEnd(t *testing.T) {
	useBrowser(t) // the Playwright driver is looked for with its browser
	h := newDeafHub(t)
	f := remotesFarm(t, 0, "  grid: {url: '"+h.URL+"', user: '${GRID_USER}', key: '${GRID_KEY}', sessions: 3, "+
		"capabilities: {browserName: firefox}}\n")
	host := f.join("--token", f.token("--labels", "at=grid"), "--allow-private", "--remote", "grid")
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	for i := range 3 {
		l.write(fmt.Sprintf("t%d.yaml", i), fmt.Sprintf("id: t%d\nplatform: web\nsteps:\n"+
			"  - openBrowser: {url: 'data:text/html,x', timeout: 4m}\n  - assert: x\n", i))
	}
	var runs []*child
	for n := 1; n <= 3; n++ {
		id := fmt.Sprint("grid-", n)
		eventually(t, id+" is free", func() bool { return f.device(id) == "free" })
		runs = append(runs, l.start("taproot", "run", fmt.Sprintf("t%d.yaml", n-1), "--device", id))
	}
	h.untilUsed(t, 3)
	_ = host.cmd.Process.Kill()
	_ = host.cmd.Wait()
	if n := h.left(); n != 3 {
		t.Fatalf("%d sessions are left by the killed host", n)
	}
	for _, r := range runs {
		_ = r.cmd.Process.Signal(os.Interrupt)
	}
	for _, r := range runs {
		r.wait().exits(t, 130)
	}
	host = f.join("--allow-private", "--remote", "grid")
	h.until(t, 0)
	eventually(t, "they are offered again", func() bool { return f.device("grid-3") == "free" })
	f.leave(host)
	has(t, "the next start", host.stderr.String(), "ended what a killed run had left at remotes", "session1", "session3")
	f.lacksKey(t, host.stderr.String())
	testutil.Leave(t, "TestRemoteSessionsEnd, without a farm")
	host = f.join("--allow-private", "--remote", "grid")
	eventually(t, "they are offered", func() bool { return f.device("grid-3") == "free" })
	r := l.start("taproot", "run", "t2.yaml", "--device", "grid-3")
	h.until(t, 1)
	_ = r.cmd.Process.Signal(os.Interrupt)
	r.wait().exits(t, 130)
	h.until(t, 0)
	f.leave(host)
}

// TestRunOnRemotesOfAFarm checks that tests run on the browsers that a host offers of a cloud: each in a session of its
// own, as many at once as there may be, and only tests that a remote can run.
func TestRunOnRemotesOfAFarm(t *testing.T) {
	useBrowser(t)
	h := newChromeHub(t)
	page := "platform: web\nsteps:\n  - openBrowser: " +
		"'data:text/html,<h1>Shop</h1>'\n  - assert: %s\n"
	config := h.lab(t, "    vendor: browserstack\n    sessions: 2\n", nil)
	f := newFarmWith(t, config)
	f.hub.env = append(f.hub.env, "TAPROOT_API_KEY="+f.key)
	host := f.join("--token", f.token("--labels", "at=cloud"), "--allow-private", "--remote", "cloud", "--verbose")
	eventually(t, "the browsers are free", func() bool { return f.device("cloud-1")+f.device("cloud-2") == "freefree" })
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	for _, id := range []string{"one", "two", "three"} {
		l.write(id+".yaml", "id: "+id+"\n"+fmt.Sprintf(page, "Shop"))
	}
	l.write("bad.yaml", "id: bad\n"+fmt.Sprintf(page, "{label: Nothing, timeoutMs: 500}"))
	end := l.taproot("run", ".", "--device", "cloud-1")
	end.exits(t, 1)
	if got := fmt.Sprint(l.results()); got != "map[bad:fail one:pass three:pass two:pass]" {
		t.Error(got)
	}
	slices.Sort(h.names)
	for i, id := range []string{"bad", "one", "three", "two"} {
		if i >= len(h.names) || !strings.HasPrefix(h.names[i], id+" of ") {
			t.Errorf("sessions: %q", h.names)
		}
	}
	if len(h.names) == 4 && h.names[0][len("bad of "):] != h.names[3][len("two of "):] {
		t.Errorf("the sessions of a run have several builds: %q", h.names)
	}
	for _, dir := range l.packs() {
		has(t, dir, read(t, dir, "summary.json"), `"session": "https://automate.browserstack.com/sessions/`)
	}
	l.lacks(t, "k3y-of-ada")
	l.write("fox.yaml", "id: fox\nplatform: web\nbrowsers: [firefox]\nsteps:\n  - openBrowser: 'data:text/html,x'\n")
	l.write("file.yaml", "id: file\nplatform: web\nsteps:\n  - openBrowser: 'data:text/html,x'\n"+
		"  - swipe: up\n")
	end = l.taproot("run", "fox", "file", "--device", "cloud-1")
	end.exits(t, 3)
	has(t, "tests for other browsers", end.stdout, "SKIPPED fox",
		"firefox is wanted, and the remote cloud has another browser", "SKIPPED file",
		"swipe does not work in a remote browser")
	f.leave(host)
	f.lacksKey(t, host.stdout.String(), host.stderr.String())
	if len(h.names) != 4 {
		t.Errorf("sessions: %q", h.names)
	}
}

// A session that is lost on a farm is an error, and with retries the test is run once more in a new session of the same
// remote.
func TestFarmRemoteSessionIsLost(t *testing.T) {
	testutil.Leave(t, "TestRemoteSessionIsLost, without a farm")
	useBrowser(t)
	h := newChromeHub(t)
	h.lose = "/actions"
	f := newFarmWith(t, h.lab(t, "", nil))
	host := f.join("--token", f.token(), "--allow-private", "--remote", "cloud")
	eventually(t, "the browser is free", func() bool { return f.device("cloud-1") == "free" })
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	l.write("tap.yaml", "id: tap\nplatform: web\nretries: 1\nsteps:\n"+
		"  - openBrowser: 'data:text/html,<button onclick=\"this.textContent=`Done`\">Go</button>'\n"+
		"  - tap: Go\n  - assert: Done\n")
	l.taproot("run", "tap", "--device", "cloud-1").exits(t, 0)
	if got := l.results(); got["tap--attempt-2"] != event.Pass {
		t.Error(got)
	}
	f.leave(host)
}

// A remote that responds and refuses sessions is blocked with the reason. A test waits for it, and is an error with the
// reason after four attempts.
func TestFarmRemoteRefuses(t *testing.T) {
	testutil.Leave(t, "TestOffer in runner/internal/run")
	useBrowser(t)
	var mu sync.Mutex
	refused := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/status" {
			_, _ = io.WriteString(w, `{"value": {"ready": true}}`)
			return
		}
		mu.Lock()
		refused++
		mu.Unlock()
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "no k3y-of-ada")
	}))
	t.Cleanup(server.Close)
	f := remotesFarm(t, 0, "  grid: {url: '"+server.URL+"', user: ada, key: '${GRID_KEY}'}\n")
	host := f.join("--token", f.token(), "--allow-private", "--remote", "grid")
	eventually(t, "it is free", func() bool { return f.device("grid-1") == "free" })
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	l.write("test.yaml", "id: test\nplatform: web\nsteps:\n  - openBrowser: 'data:text/html,x'\n")
	const why = "the user or the key is not accepted"
	run := l.start("taproot", "run", "test", "--device", "grid-1")
	eventually(t, "it is blocked", func() bool {
		d := f.shows("grid-1")
		return d.Use == "blocked" && strings.Contains(d.Why, "no session can be opened") && strings.Contains(d.Why, why)
	})
	end := run.wait()
	end.exits(t, 3)
	has(t, "the run", end.stdout, "ERROR test", "it was started 4 times", "device grid-1 cannot be opened", why)
	mu.Lock()
	if refused != 4 {
		t.Errorf("%d sessions were refused", refused)
	}
	mu.Unlock()
	f.leave(host)
	l.lacks(t, "k3y-of-ada")
	f.lacksKey(t, host.stderr.String(), end.stdout, end.stderr)
}
