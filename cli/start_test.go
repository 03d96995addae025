package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// shopServer is a server for start in taproot.yaml, as a program: this binary, under that name.
const shopServer = "shop-server"

// serveShop listens on the port of its first argument, or on any, and prints it. The second argument changes it: die
// ends it at once, stubborn ignores requests to end.
func serveShop() {
	port, how := "0", ""
	if len(os.Args) > 1 {
		port = os.Args[1]
	}
	if len(os.Args) > 2 {
		how = os.Args[2]
	}
	switch how {
	case "die":
		fmt.Println("cannot read settings of", os.Getenv("SHOP_TOKEN"))
		os.Exit(4)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("shop at http://%s\n", l.Addr())
	starts := filepath.Join(os.Getenv("SHOP_DATA"), "starts")
	if file, err := os.OpenFile(starts, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(file, os.Getpid())
		_ = file.Close()
	}
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(time.Minute)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Shop</title><h1>Welcome to %s</h1>", r.URL.Path)
	}))
}

// shop writes a suite with tests that use a server.
func (l *lab) shop(server string, tests ...string) {
	l.t.Helper()
	l.write("taproot.yaml", fmt.Sprintf(`vars: {TOKEN: sesame-opens}
secrets: [TOKEN]
start:
  - name: shop
    %s
    env: {SHOP_TOKEN: "${TOKEN}", SHOP_DATA: %q}
    timeout: 1m
`, server, l.dir))
	for _, name := range tests {
		l.write(name+".yaml", fmt.Sprintf("id: %s\nplatform: android\nsteps:\n"+
			"  - http: {url: \"http://127.0.0.1:${start.shop.port}/%s\", expect: {status: 200, contains: Welcome}}\n",
			name, name))
	}
}

const printsPort = `output: 'shop at http://127.0.0.1:(\d+)'`

// starts is how often the server was started.
func (l *lab) starts() int {
	data, err := os.ReadFile(filepath.Join(l.dir, "starts"))
	if err != nil {
		return 0
	}
	return strings.Count(string(data), "\n")
}

// The server of a suite runs while its tests run: through taproot run, and once for all processes of Ginkgo.
func TestStart(t *testing.T) {
	t.Parallel()
	t.Run("run", func(t *testing.T) {
		t.Parallel()
		l := newLab(t, 1)
		l.shop("run: [shop-server]\n    "+printsPort, "one", "two")
		l.taproot("run", ".").exits(t, 0)
		if n := l.starts(); n != 1 {
			t.Errorf("the server was started %d times", n)
		}
		has(t, "the log", read(t, l.runs()[0], "start-shop.log"), "shop at http://127.0.0.1:")
		has(t, "the page", read(t, l.runs()[0], "index.html"), "start-shop.log")
		l.loaded()
		l.quiet()
	})
	t.Run("ginkgo", func(t *testing.T) {
		t.Parallel()
		l, program := goLab(t, 2)
		l.dir = t.TempDir()
		l.shop("run: [shop-server, \"0\", stubborn]\n    "+printsPort, "one", "two", "three")
		l.ginkgo(program, "android").exits(t, 0)
		if n := l.starts(); n != 1 {
			t.Errorf("the server was started %d times", n)
		}
	})
}

// ginkgo runs the suite of the lab's folder in two processes.
func (l *lab) ginkgo(program, labels string, flags ...string) ended {
	l.t.Helper()
	file, err := exec.LookPath(program)
	link := filepath.Join(l.dir, program)
	if err := errors.Join(err, os.Symlink(file, link)); err != nil && !errors.Is(err, fs.ErrExist) {
		l.t.Fatal(err)
	}
	dir := l.dir
	l.dir = projectRoot(l.t)
	defer func() { l.dir = dir }()
	args := append([]string{"tool", "ginkgo", "--procs=2", "--no-color", "--label-filter=" + labels}, flags...)
	return l.start("go", append(args, link)...).wait()
}

// A server that dies: no test runs, the exit code is 3, and the message has the end of its log, without secrets.
func TestStartFails(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.shop("run: [shop-server, \"0\", die]\n    "+printsPort, "one", "two")
	e := l.taproot("run", ".")
	e.exits(t, 3)
	has(t, "stderr", e.stderr, "start shop: it ended with exit code 4", "cannot read settings of")
	if strings.Contains(e.stderr+read(t, l.runs()[0], "start-shop.log"), "sesame-opens") {
		t.Error("a secret is shown")
	}
	for _, c := range l.loaded().Cases {
		if c.CaseResult.Result != event.Error || len(c.CaseResult.Steps) > 0 && c.CaseResult.Steps[0].Result == event.Pass {
			t.Errorf("%s: %s", c.Pack, c.CaseResult.Result)
		}
		has(t, c.Pack, c.CaseResult.Problem.Message, "the server shop did not start")
	}
	// Another server is at the port: it is not tested in silence.
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	port := strconv.Itoa(other.Addr().(*net.TCPAddr).Port)
	l.shop("run: [shop-server, \""+port+"\"]\n    port: "+port, "one")
	e = l.taproot("run", "one")
	e.exits(t, 3)
	has(t, "stderr", e.stderr, "port "+port+" takes connections already", "taproot.yaml:4:5", "reuse: true")
	l.quiet()
}

// A killed run leaves its server; the next run, and doctor, end it. Ctrl-C leaves none.
func TestStartAfterKill(t *testing.T) {
	t.Parallel()
	for i, next := range [][]string{{"run", "one"}, {"doctor"}} {
		l := newLab(t, 1)
		l.shop("run: [shop-server, \"0\", stubborn]\n    "+printsPort, "one", "slow")
		c := l.start("taproot", "run", "slow")
		eventually(t, "the server runs", func() bool { return l.starts() == 1 })
		if i == 0 {
			l.untilStep("slow", 1)
		}
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.cmd.Wait()
		if !slices.ContainsFunc(l.processes(), func(p string) bool { return strings.Contains(p, shopServer) }) {
			t.Fatal("the server ended with the run: this test shows nothing")
		}
		e := l.taproot(next...)
		has(t, "stderr", e.stderr, "ended what a killed run had left running: shop")
		eventually(t, "no server is left", func() bool {
			return !slices.ContainsFunc(l.processes(), func(p string) bool { return strings.Contains(p, shopServer) })
		})
	}
	l := newLab(t, 1)
	l.shop("run: [shop-server]\n    "+printsPort, "slow")
	c := l.start("taproot", "run", "slow")
	eventually(t, "the server runs", func() bool { return l.starts() == 1 })
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.wait().exits(t, 130)
	l.quiet()
}

// A suite adds to the servers of the root, and its baseUrl overrides the root's; that of --env overrides both.
func TestBaseURL(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := newLab(t, 0)
	l.shop("run: [shop-server]\n    " + printsPort)
	l.write("go.mod", "module shop\n")
	root := read(t, l.dir, "taproot.yaml")
	l.write("taproot.yaml", root+"baseUrl: http://127.0.0.1:${start.shop.port}/root\n")
	if err := os.Mkdir(filepath.Join(l.dir, "admin"), 0o700); err != nil {
		t.Fatal(err)
	}
	l.write("admin/taproot.yaml", fmt.Sprintf(`start:
  - {name: admin, run: [shop-server], %s, env: {SHOP_DATA: %q}}
baseUrl: http://127.0.0.1:${start.admin.port}
environments:
  shop: {baseUrl: "http://127.0.0.1:${start.shop.port}"}
`, printsPort, filepath.Join(l.dir, "admin")))
	test := "id: %s\nplatform: web\nsteps:\n  - openBrowser: /login\n  - assert: Welcome to /login\n" +
		"  - webAssert: {url: \"http://127.0.0.1:${start.%s.port}/login\"}\n"
	l.write("front.yaml", fmt.Sprintf(test, "front", "shop"))
	l.write("admin/back.yaml", fmt.Sprintf(test, "back", "admin"))
	l.write("admin/staged.yaml", fmt.Sprintf(test, "staged", "shop"))
	l.taproot("run", "front.yaml", "admin/back.yaml").exits(t, 0)
	l.taproot("run", "--env", "shop", "admin/staged.yaml").exits(t, 0)
	l.write("taproot.yaml", "")
	e := l.taproot("run", "front.yaml")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, `front.yaml:4:18: "/login" is a path, and no baseUrl says of which site`,
		"start in taproot.yaml")
}

// Tests that clients send start nothing; those of the server's own project do with --allow-start.
func TestStartOfAServer(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.shop("run: [shop-server]\n    "+printsPort, "one")
	for _, allowed := range []bool{false, true} {
		args := []string{"--files", "."}
		if allowed {
			args = append(args, "--allow-start")
		}
		s := l.serve(args...)
		before := l.starts()
		sent := fmt.Sprintf(`{"yaml": %q}`, "id: sent\nplatform: android\nsteps: [{log: hello}]\n")
		if got := s.result(sent); got != "pass" {
			t.Errorf("the test that was sent: %s", got)
		}
		if l.starts() != before {
			t.Error("a test that was sent started a server")
		}
		want := map[bool]string{false: "fail", true: "pass"}[allowed]
		if got := s.result(`{"tests": ["one"]}`); got != want {
			t.Errorf("allowed %t: the project's own test: %s", allowed, got)
		}
		if started := l.starts() > before; started != allowed {
			t.Errorf("allowed %t: started %t", allowed, started)
		}
		if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = s.cmd.Wait()
	}
}

// result starts a run and returns its result when it has ended.
func (s *served) result(body string) string {
	s.l.t.Helper()
	status, text := s.ask("POST", "/runs", body)
	var run struct{ ID, State, Result string }
	if err := json.Unmarshal([]byte(text), &run); err != nil || status != 202 {
		s.l.t.Fatalf("%d %s", status, text)
	}
	eventually(s.l.t, "the run has ended", func() bool {
		_, text = s.ask("GET", "/runs/"+run.ID, "")
		return json.Unmarshal([]byte(text), &run) == nil && run.State == "ended"
	})
	return run.Result
}

// On a farm, the server runs on the client's machine, and the hosts get its values.
func TestStartOnAFarm(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	host := f.join("--token", f.token("--pool", "lab"), "--allow-private")
	defer f.leave(host)
	eventually(t, "the phones are there", func() bool { return f.device("SIM1") == "free" && f.device("SIM2") == "free" })
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key)
	l.shop("run: [shop-server]\n    "+printsPort, "one", "two")
	l.taproot("run", ".", "--hub", f.serve.url).exits(t, 0)
	if n := l.starts(); n != 1 {
		t.Errorf("the server was started %d times", n)
	}
	l.shop("run: [shop-server, \"0\", die]\n    "+printsPort, "one")
	l.taproot("run", ".", "--hub", f.serve.url).exits(t, 3)
}
