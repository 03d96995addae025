//go:build unix

package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// childVariable is the environment variable with the role and settings of a child process.
const childVariable = "TAPROOT_TEST_CHAOS_CHILD"

// child is the role and the settings of a child process.
type child struct {
	Role      string
	Place     place      // of a hub
	Hosts     int        // of a hub: the number of hosts that join
	NATS      natsServer // of a server of NATS
	Run       load       // of a client
	Host      string     // of a host
	Namespace string     // the network that it is in; empty: this machine's
	Dir       string
	At        broker.Address // of NATS
	Seed      []byte
	JWT       string
	Phones    int
	Cost      time.Duration
	Log       string
	Words     string // a file for the log of the process; "": none
}

// ready is the output of a hub when it is ready: what hosts need to connect.
type ready struct {
	URL   string
	Hosts map[string]child
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		var c child
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		if err := c.run(); err != nil {
			fmt.Fprintln(os.Stderr, c.Role, c.Host, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testutil.NoLeaks(m)
}

// run is the main function of a child. It ends at SIGTERM, or when its parent has ended.
func (c child) run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); cancel() }() // the parent has the other end
	var log *slog.Logger
	if c.Words != "" {
		f, err := os.OpenFile(c.Words, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		log = slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	switch c.Role {
	case "hub":
		return c.runHub(ctx, log)
	case "nats":
		return c.NATS.run(ctx)
	case "client":
		return c.Run.child(ctx)
	}
	devices, err := os.OpenFile(c.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, end, err := startHost(ctx, broker.Login{Host: c.Host, Address: c.At, Seed: c.Seed, Credential: func() string {
		return c.JWT
	}}, c.Dir, &phones{host: c.Host, n: c.Phones, cost: c.Cost, log: devices, words: log})
	if err != nil {
		return err
	}
	fmt.Println("{}")
	<-ctx.Done()
	return end()
}

func (c child) runHub(ctx context.Context, log *slog.Logger) error {
	h, err := c.Place.start(log)
	if err != nil {
		return err
	}
	info := ready{URL: h.url, Hosts: map[string]child{}}
	for i := range c.Hosts {
		l, err := h.login(fmt.Sprintf("host%d", i))
		if err != nil {
			return err
		}
		info.Hosts[l.Host] = child{Role: "host", Host: l.Host, At: l.Address, Seed: l.Seed, JWT: l.Credential()}
	}
	if err := json.NewEncoder(os.Stdout).Encode(info); err != nil {
		return err
	}
	<-ctx.Done()
	return h.stop()
}

// process is a running child.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   *bufio.Reader
	first string // line of its output
}

func (c child) start(t testing.TB) *process {
	t.Helper()
	text, err := json.Marshal(c)
	must(t, err)
	cmd := exec.Command(os.Args[0])
	if c.Namespace != "" { // ip executes the program
		cmd = exec.Command("ip", "netns", "exec", c.Namespace, os.Args[0])
	}
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	p := &process{cmd: cmd, stdin: in, out: bufio.NewReader(out)}
	p.first, err = p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%s %s does not start: %v", c.Role, c.Host, err)
	}
	return p
}

// signal sends a signal; kill ends the process with one.
func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	_ = p.cmd.Wait()
}

func (p *process) end() {
	_ = p.stdin.Close()
	_ = p.cmd.Wait()
}

// freePorts returns addresses that a hub can use again after a restart.
func freePorts(t testing.TB, n int) []string {
	t.Helper()
	ports, err := drivers.FreePorts(n)
	must(t, err)
	for i := range ports {
		ports[i] = "127.0.0.1:" + ports[i]
	}
	return ports
}

// scene is a farm of separate processes.
type scene struct {
	t     testing.TB
	hub   child
	hosts []child
	log   string

	mu      sync.Mutex
	hubNow  *process
	hostNow []*process
	dead    map[int]bool
}

func newScene(t testing.TB, hosts, phones int, cost time.Duration) *scene {
	dir := t.TempDir()
	s := &scene{t: t, log: filepath.Join(dir, "devices.log"), dead: map[int]bool{}}
	ports := freePorts(t, 2)
	s.hub = child{Role: "hub", Hosts: 5, Place: place{Dir: filepath.Join(dir, "hub"), Database: storetest.SQLite(t),
		NATS: ports[0], HTTP: ports[1]}}
	watchAccepted(t, s.hub.Place.Database)
	s.hubNow = s.hub.start(t)
	s.hub.Hosts = 0 // the hosts have joined already
	var info ready
	must(t, json.Unmarshal([]byte(s.hubNow.first), &info))
	for i := range hosts {
		c := info.Hosts[fmt.Sprintf("host%d", i)]
		c.Dir, c.Phones, c.Cost, c.Log = filepath.Join(dir, c.Host), phones, cost, s.log
		s.hosts = append(s.hosts, c)
		s.hostNow = append(s.hostNow, c.start(t))
	}
	t.Cleanup(s.end)
	return s
}

func (s *scene) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range append(s.hostNow, s.hubNow) {
		p.signal(syscall.SIGCONT)
		p.end()
	}
}

// killHost kills a host, and starts it again with back.
func (s *scene) killHost(i int, back bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead[s.hostNow[i].cmd.Process.Pid] = true
	s.hostNow[i].kill()
	if back {
		s.hostNow[i] = s.hosts[i].start(s.t)
	}
}

// restartHub kills the hub and starts it again.
func (s *scene) restartHub() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hubNow.kill()
	s.hubNow = s.hub.start(s.t)
}

// TestChaos checks that a run continues, loses nothing and accepts nothing twice, while hosts are killed and suspended
// and the hub is restarted. A host that was suspended responds when its cases have run elsewhere. The whole form
// repeats this at random moments (make chaos); the short one restarts the hub and a host once.
func TestChaos(t *testing.T) {
	tests, rounds := 20, 1
	if !testing.Short() {
		tests, rounds = 150, 4
	}
	dir := suite(t, tests)
	local, _, cases := client(t, dir, "", &phones{host: "local", n: 4})
	var want []string
	for _, o := range local.All(t.Context(), cases) {
		want = append(want, fmt.Sprintf("%s %s", filepath.Base(o.Dir), o.Result()))
	}
	must(t, local.End())
	for round := range rounds {
		seed := rand.Uint64()
		t.Run(fmt.Sprintf("round %d, seed %d", round, seed), func(t *testing.T) {
			chaos(t, dir, want, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

func chaos(t *testing.T, dir string, want []string, r *rand.Rand) {
	s := newScene(t, 3, 3, 60*time.Millisecond)
	c, farm, cases := client(t, dir, "http://"+s.hub.Place.HTTP, nil)
	await(t, "all phones", func() bool { n, err := farm.Usable(t.Context(), dsl.Android); return err == nil && n == 9 })
	ended := make(chan struct{}, len(cases))
	var zombie sync.WaitGroup
	c.Observe = func(_ event.Case, e event.Event) {
		if e.Kind == event.CaseEnded {
			ended <- struct{}{}
		}
	}
	over := make(chan struct{})
	var trouble sync.WaitGroup
	trouble.Go(func() {
		after := func(n int) bool {
			for range n {
				select {
				case <-ended:
				case <-over:
					return false
				}
			}
			return true
		}
		if !after(1 + r.IntN(5)) {
			return
		}
		if testing.Short() { // whatever takes as long as a host may be silent is left to the whole form
			s.restartHub()
			if after(1 + r.IntN(6)) {
				s.killHost(1, true)
			}
			return
		}
		s.hostNow[0].signal(syscall.SIGSTOP) // it has cases, and responds when they have run elsewhere
		zombie.Go(func() {
			timer := time.NewTimer(deadAfter + time.Second)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-over:
			}
			s.hostNow[0].signal(syscall.SIGCONT)
		})
		if after(1 + r.IntN(6)) {
			s.restartHub()
		}
		if after(1 + r.IntN(6)) {
			s.killHost(1, true)
		}
		if after(1 + r.IntN(6)) {
			s.killHost(2, false)
		}
		for range 3 * len(want) / 100 { // in the whole form
			if after(1 + r.IntN(10)) {
				if r.IntN(2) == 0 {
					s.restartHub()
				} else {
					s.killHost(1, true)
				}
			}
		}
	})
	began := time.Now()
	outcomes := c.All(t.Context(), cases)
	took := time.Since(began)
	close(over)
	trouble.Wait()
	zombie.Wait()
	must(t, farm.Close())
	s.end()
	var homes []home
	for _, o := range outcomes {
		homes = append(homes, homeOf(o))
	}
	e := collect(t, s.hub.Place.Database, s.log, homes)
	e.want, e.dead = want, s.dead
	must(t, c.End())
	if wrong := e.check(); len(wrong) > 0 {
		t.Errorf("%s", strings.Join(wrong, "\n"))
	}
	t.Logf("%d cases in %v", len(cases), took)
}
