package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/pack"
)

// served is `taproot serve` as a process of its own.
type served struct {
	l   *lab
	cmd *exec.Cmd
	url string
	err *bytes.Buffer
	out io.ReadCloser
}

var servedAt = regexp.MustCompile(`http://\S+`)

// serve starts the server on a free port and waits until it listens.
func (l *lab) serve(args ...string) *served {
	l.t.Helper()
	s, err := l.tryServe(args...)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// tryServe is serve for a server that may not start: the error has what it wrote.
func (l *lab) tryServe(args ...string) (*served, error) {
	s := &served{l: l, err: &bytes.Buffer{}}
	s.cmd = exec.Command("taproot", append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr, s.cmd.WaitDelay = l.dir, l.env, s.err, 5*time.Second
	var err error
	if s.out, err = s.cmd.StdoutPipe(); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	l.t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	line, err := bufio.NewReader(s.out).ReadString('\n')
	if s.url = servedAt.FindString(line); err != nil || s.url == "" {
		_ = s.cmd.Wait()
		return nil, fmt.Errorf("%v: %q\n%s", err, line, s.err)
	}
	return s, nil
}

// ask sends a request and returns status and body.
func (s *served) ask(method, path, body string) (int, string) {
	s.l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.l.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Close = true
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(data)
}

// load keeps the server busy until it ends: a run on one phone, a lease and taps on another, a page. It returns the
// run's id.
func (s *served) load(stop <-chan struct{}) (run string, done *sync.WaitGroup) {
	s.l.t.Helper()
	body, _ := json.Marshal(map[string]string{
		"yaml": "id: long\nplatform: android\nsteps:\n  - launch: com.example.login\n  - sleep: 10m\n", "device": "SIM1"})
	status, text := s.ask("POST", "/runs", string(body))
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(text), &started); err != nil || status != 202 {
		s.l.t.Fatalf("%d %s", status, text)
	}
	eventually(s.l.t, "the test is under way", func() bool {
		_, text := s.ask("GET", "/runs/"+started.ID, "")
		return strings.Contains(text, `"state":"running","device"`)
	})
	if status, text := s.ask("POST", "/devices/SIM2/lease", `{"ttlSeconds": 3000}`); status != 200 {
		s.l.t.Fatalf("%d %s", status, text)
	}
	done = &sync.WaitGroup{}
	for i := range 8 {
		done.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				path := []string{"/devices/SIM3/tap", "/devices/SIM3/wait-for"}[i%2]
				if status, _ := s.ask("POST", path,
					[]string{`{"point": "50%,50%"}`, `{"visible": {"label": "Nothing"}}`}[i%2]); status == 0 {
					return
				}
			}
		})
	}
	return started.ID, done
}

// TestServeEndsWell: SIGTERM under load marks the runs as interrupted, frees the devices, and ends the browser.
func TestServeEndsWell(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := newLab(t, 3)
	s := l.serve("--expose-env", "HOME")
	if !testing.Short() { // TestInterrupt ends a browser
		if status, text := s.ask("POST", "/web/launch", `{"url": "`+s.url+`/docs"}`); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	stop := make(chan struct{})
	run, done := s.load(stop)
	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, s.err)
	}
	close(stop)
	done.Wait()
	t.Logf("it took %s to end", time.Since(began))
	l.checkInterrupted(run)
	l.quiet()
	l.allFree()
	has(t, "stderr", s.err.String(), "WARNING: authentication is off", "127.0.0.1:")
}

// TestServeIsKilled: after SIGKILL under load no process is left, the phones are free, and the next server completes
// the pack.
func TestServeIsKilled(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := newLab(t, 3)
	s := l.serve()
	if status, text := s.ask("POST", "/web/launch", `{"url": "`+s.url+`/docs"}`); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	stop := make(chan struct{})
	run, done := s.load(stop)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	close(stop)
	done.Wait()
	eventually(t, "no process is left", func() bool { return len(l.processes()) == 0 })
	s = l.serve()
	eventually(t, "the next server completes the pack", func() bool {
		status, _ := s.ask("GET", "/reports/"+run+"/long/summary.json", "")
		return status == 200 && len(pack.Verify(filepath.Join(l.reports, run, "long"))) == 0
	})
	if status, text := s.ask("GET", "/runs/"+run, ""); status != 200 ||
		!strings.Contains(text, `"result":"interrupted"`) || !strings.Contains(text, `"test":"long"`) {
		t.Errorf("%d %s", status, text)
	}
	l.checkInterrupted(run)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Error(err)
	}
	l.allFree()
}

// checkInterrupted checks that the pack of an interrupted run is complete.
func (l *lab) checkInterrupted(run string) {
	l.t.Helper()
	p := filepath.Join(l.reports, run, "long")
	if !strings.Contains(read(l.t, p, "summary.json"), `"result": "interrupted"`) {
		l.t.Errorf("%s", read(l.t, p, "summary.json"))
	}
	for _, d := range pack.Verify(p) {
		l.t.Errorf("%s", d)
	}
}

// allFree checks that another process can use each of the phones now.
func (l *lab) allFree() {
	l.t.Helper()
	l.write("free.yaml", "id: free\nplatform: android\nsteps:\n  - launch: {package: com.example.login, force: true}\n")
	for i := range l.phones {
		l.taproot("run", "--device", fmt.Sprintf("SIM%d", i+1), "--no-video", "free.yaml").exits(l.t, 0)
	}
}

// TestServeRefusesToStart checks that insecure or invalid settings are reported before the server listens.
func TestServeRefusesToStart(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	for _, c := range []struct {
		env  []string
		args []string
		want string
	}{
		{[]string{"TAPROOT_AUTH_ENABLED=true"}, nil, "there is no credential to accept"},
		{[]string{"TAPROOT_AUTH_ENABLED=true", "TAPROOT_API_KEYS= , "}, nil, "there is no credential to accept"},
		{[]string{"TAPROOT_AUTH_ENABLED=yes please", "TAPROOT_API_KEYS=x"}, nil, "use true or false"},
		{[]string{"TAPROOT_AUTH_ENABLED=1", "TAPROOT_JWT_PUBLIC_KEY_FILE=/nothing"}, nil, "TAPROOT_JWT_PUBLIC_KEY_FILE"},
		{[]string{"CORS_ORIGINS=*"}, nil, "is not an origin"},
		{[]string{"CORS_ORIGINS=https://x.example.com/path"}, nil, "has a path"},
		{[]string{"TAPROOT_RATE_LIMIT=many"}, nil, "TAPROOT_RATE_LIMIT"},
		{[]string{"TAPROOT_TRUSTED_PROXIES=proxy"}, nil, "neither an address nor a network"},
		{nil, []string{"--expose-env", "TAPROOT_JWT_SECRET"}, "is a credential of the server"},
		{nil, []string{"--expose-env", "NOT_SET_AT_ALL"}, "is not set"},
		{nil, []string{"--rate-limit", "-1"}, "--rate-limit"},
		{nil, []string{"--log-level", "loud"}, "--log-level"},
		{nil, []string{"--addr", "nonsense"}, "listen on nonsense"},
		{nil, []string{"--files", "nothing-there"}, "folder of files"},
		{nil, []string{"surplus"}, "surplus"},
		{nil, []string{"--service", "--bucket", "gs://x"}, "--bucket: the address of a bucket starts with s3://"},
		{nil, []string{"--service", "--bucket", "s3://x"}, "AWS_ACCESS_KEY_ID"},
		{nil, []string{"--service", "--bucket", "none"}, "is not a folder"},
	} {
		own := *l
		own.env = append(append([]string{}, l.env...), c.env...)
		e := own.taproot(append([]string{"serve", "--addr", "127.0.0.1:0"}, c.args...)...)
		if e.code == 0 || !strings.Contains(e.stderr, c.want) {
			t.Errorf("%v %v: %d, %s", c.env, c.args, e.code, e.stderr)
		}
	}
}

// TestServeReadsDotEnv checks that the file .env is read, the environment overrides it, and a key in it is accepted.
func TestServeReadsDotEnv(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	l.write(".env", "TAPROOT_AUTH_ENABLED=true\nTAPROOT_API_KEYS=from-the-file-0123456789\nTAPROOT_RATE_LIMIT=1000\n")
	s := l.serve("--audit-log", "audit.log")
	if status, text := s.ask("GET", "/devices", ""); status != 401 || !strings.Contains(text, "missing_token") {
		t.Errorf("%d %s", status, text)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/devices/SIM9/tap",
		strings.NewReader(`{"label": "x"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer from-the-file-0123456789")
	r.Close = true
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 404 || res.Header.Get("RateLimit-Limit") != "1000" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, s.err)
	}
	has(t, "the audit log", read(t, l.dir, "audit.log"), `"who":"key:`, `/devices/SIM9/tap`, `"status":404`)
	if strings.Contains(s.err.String()+read(t, l.dir, "audit.log"), "from-the-file") {
		t.Error("the key is in a log")
	}
}
