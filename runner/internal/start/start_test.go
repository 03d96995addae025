//go:build unix

package start_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// TestMain makes this program the servers of its tests.
func TestMain(m *testing.M) {
	switch os.Getenv("START_TEST") {
	case "":
		testutil.NoLeaks(m)
	case "serve":
		serve()
	case "fork": // a server that goes to the background
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "START_TEST=serve")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	case "die":
		fmt.Println("first line")
		fmt.Fprintln(os.Stderr, "the database is not there, password", os.Getenv("PASSWORD"))
		os.Exit(7)
	case "owner": // a process of Taproot that is killed
		own(os.Getenv("START_RECORDS"))
	}
}

// serve listens on a port, and prints it, in two parts.
func serve() {
	if os.Getenv("STUBBORN") != "" {
		signal.Ignore(syscall.SIGTERM)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	fmt.Print("server at port ", port[:2])
	if os.Getenv("LATE") != "" {
		time.Sleep(100 * time.Millisecond)
	}
	fmt.Printf("%s\npid %d\n", port[2:], os.Getpid())
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintf(w, "%d", os.Getpid())
	}))
}

func own(records string) {
	s := server("serve", "STUBBORN=yes")
	s.Output = regexp.MustCompile(`port (\d+)\npid (?P<pid>\d+)`)
	g, err := start.Start(context.Background(), []plan.Server{s},
		start.Options{Records: records, Logs: records, Environ: os.Environ()})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(g.Values()["key:shop"]["pid"])
	select {}
}

// server is a server of this program.
func server(kind string, env ...string) plan.Server {
	return plan.Server{Key: "key:shop", Name: "shop", Run: []string{os.Args[0]}, Dir: os.TempDir(), Timeout: time.Minute,
		Env: append(env, "START_TEST="+kind)}
}

func options(t *testing.T) start.Options {
	return start.Options{Records: filepath.Join(t.TempDir(), "run"), Logs: t.TempDir(), Environ: os.Environ()}
}

// responds returns the process that responds at a port; 0 without one.
func responds(port any) int {
	resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%v/", port))
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	pid := 0
	_, _ = fmt.Fscan(resp.Body, &pid)
	return pid
}

func noRecords(t *testing.T, o start.Options) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(o.Records, "start", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("records are left: %v, %v", left, err)
	}
}

// A server that prints its port late, in two parts: the value is the whole port; afterwards nothing is left.
func TestPortFromTheOutput(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"serve", "fork"} {
		s := server(kind, "LATE=yes")
		s.Output = regexp.MustCompile(`port (\d+)`)
		o := options(t)
		g, err := start.Start(t.Context(), []plan.Server{s}, o)
		if err != nil {
			t.Fatal(err)
		}
		port := g.Values()[s.Key]["port"]
		if responds(port) == 0 {
			t.Errorf("%s: nothing answers at port %v", kind, port)
		}
		if died := g.Died(); len(died) > 0 {
			t.Errorf("%s: %v died", kind, died)
		}
		g.Stop()
		if responds(port) != 0 {
			t.Errorf("%s: the server is still there", kind)
		}
		text, err := os.ReadFile(filepath.Join(o.Logs, "start-shop.log"))
		if err != nil || !strings.Contains(string(text), fmt.Sprint("port ", port)) {
			t.Errorf("%s: the log is %q, %v", kind, text, err)
		}
		noRecords(t, o)
	}
}

// A server that ends at once: the error has the exit code and the end of its log, without secrets.
func TestServerThatDies(t *testing.T) {
	t.Parallel()
	s := server("die", "PASSWORD=hunter22")
	s.Secrets = []string{"hunter22"}
	s.Port = freePort(t)
	_, err := start.Start(t.Context(), []plan.Server{s}, options(t))
	var why *start.Error
	if !errors.As(err, &why) || why.Name != "shop" || why.Log != "start-shop.log" {
		t.Fatalf("%#v", err)
	}
	for _, word := range []string{"start shop: it ended with exit code 7", "first line", "the database is not there"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not say %q: %v", word, err)
		}
	}
	if strings.Contains(err.Error(), "hunter22") {
		t.Errorf("the error shows a secret: %v", err)
	}
}

// What cannot start: a program that is not there, a folder that is not there, and one that is never ready.
func TestServersThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*plan.Server)
		words  []string
	}{
		{"program", func(s *plan.Server) { s.Run = []string{"no-such-program --port 80"} },
			[]string{`there is no program "no-such-program --port 80"`, "[no-such-program, --port, 80]"}},
		{"folder", func(s *plan.Server) { s.Dir = "/no/such/folder" }, []string{"no folder /no/such/folder"}},
		{"never", func(s *plan.Server) { s.Output, s.Port = regexp.MustCompile("ready"), 0; s.Timeout = time.Second },
			[]string{"not ready within 1s: ready did not match its output", "server at port"}},
		{"status", func(s *plan.Server) {
			s.URL, s.Timeout = fmt.Sprintf("http://127.0.0.1:%d/broken", s.Port), time.Second
			s.Env, s.Port = append(s.Env, fmt.Sprint("PORT=", s.Port)), 0
		}, []string{"responds with status 503"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := server("serve")
			s.Port = freePort(t)
			test.change(&s)
			o := options(t)
			_, err := start.Start(t.Context(), []plan.Server{s}, o)
			if err == nil {
				t.Fatal("no error")
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error does not say %q: %v", word, err)
				}
			}
			noRecords(t, o)
		})
	}
}

// Another process responds already: an error, unless reuse says that it may be used, and then it is not stopped.
func TestReuse(t *testing.T) {
	t.Parallel()
	there := server("serve")
	there.Output = regexp.MustCompile(`port (\d+)`)
	g, err := start.Start(t.Context(), []plan.Server{there}, options(t))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Stop()
	port := g.Values()[there.Key]["port"].(string)
	s := server("die")
	for _, url := range []bool{false, true} {
		if s.URL, s.Port = "", 0; url {
			s.URL = "http://127.0.0.1:" + port + "/"
		} else {
			s.Port, _ = strconv.Atoi(port)
		}
		s.Reuse = false
		_, err := start.Start(t.Context(), []plan.Server{s}, options(t))
		if err == nil || !strings.Contains(err.Error(), port) || !strings.Contains(err.Error(), "reuse: true") {
			t.Errorf("url %t: %v", url, err)
		}
		s.Reuse = true
		reused, err := start.Start(t.Context(), []plan.Server{s}, options(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := reused.Values()[s.Key]["port"]; got != port {
			t.Errorf("url %t: port %v", url, got)
		}
		reused.Stop()
		if responds(port) == 0 {
			t.Fatal("the server that was reused was stopped")
		}
	}
	s.Port, s.URL = 0, "http://127.0.0.1:"+port+"/broken"
	if _, err := start.Start(t.Context(), []plan.Server{s}, options(t)); err == nil ||
		!strings.Contains(err.Error(), "status 503") {
		t.Errorf("a server that is broken was reused: %v", err)
	}
}

// One of two fails: the other one is stopped.
func TestAllOrNone(t *testing.T) {
	t.Parallel()
	good, bad := server("serve"), server("die")
	port := freePort(t)
	good.Env, good.Port = append(good.Env, fmt.Sprint("PORT=", port)), port
	bad.Key, bad.Name, bad.Port = "key:other", "other", freePort(t)
	o := options(t)
	_, err := start.Start(t.Context(), []plan.Server{good, bad}, o)
	if err == nil || !strings.Contains(err.Error(), "start other: ") {
		t.Errorf("%v", err)
	}
	if responds(port) != 0 {
		t.Error("the other server is still there")
	}
	noRecords(t, o)
}

// A killed process leaves a server that ignores SIGTERM: the next one ends it, and nothing else.
func TestKilledOwner(t *testing.T) {
	t.Parallel()
	o := options(t)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), "START_TEST=owner", "START_RECORDS="+o.Records)
	pipe, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(o.Records, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	if _, err := fmt.Fscan(pipe, &pid); err != nil || pid == 0 {
		t.Fatal(pid, err)
	}
	if names, err := start.Reap(o.Records); err != nil || len(names) > 0 {
		t.Errorf("while the owner lives, %v was ended, %v", names, err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	if syscall.Kill(pid, 0) != nil {
		t.Fatal("the server ended with its owner: this test shows nothing")
	}
	names, err := start.Reap(o.Records)
	if err != nil || len(names) != 1 || names[0] != "shop" {
		t.Errorf("%v, %v", names, err)
	}
	for syscall.Kill(pid, 0) == nil && !zombie(pid) {
		time.Sleep(10 * time.Millisecond)
		if t.Context().Err() != nil {
			t.Fatal("the server is still there")
		}
	}
	noRecords(t, o)
}

// zombie reports whether a process has ended and was not waited for.
func zombie(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(data), ") Z ")
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
