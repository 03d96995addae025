package chaos

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestFaults checks that nothing is lost and nothing is accepted twice on a farm of three hubs, a NATS cluster,
// PostgreSQL and six hosts, on which two projects run tests while every part fails at random moments. CHAOS_KILLS is
// how often processes are killed and started again (default: 3), CHAOS_LASTING how often the lasting faults happen
// (default: a tenth of that), CHAOS_DOWN how many seconds they last (default: 20). CHAOS_ONLY selects faults (a regular
// expression), CHAOS_SEED repeats the moments, CHAOS_OUT is the document for the table.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes twenty minutes: make chaos")
	}
	kills := number(t, "CHAOS_KILLS", 3)
	lasting := number(t, "CHAOS_LASTING", max(kills/10, 1))
	seed := uint64(number(t, "CHAOS_SEED", int(rand.Uint32())))
	only, err := regexp.Compile(os.Getenv("CHAOS_ONLY"))
	must(t, err)
	t.Logf("seed %d", seed)
	dir := suite(t, 60)
	want := localResults(t, dir)
	own := namespaces()
	if !own {
		t.Log("no network namespaces on this machine: connections are interrupted by proxies only")
	}
	g := newGrid(t, size{hosts: 6, phones: 3, cost: 300 * time.Millisecond, dead: 15 * time.Second, disks: true, own: own,
		clocks: []time.Duration{0, time.Hour, -time.Hour}})
	var rows []row
	for i, f := range append(faults(time.Duration(number(t, "CHAOS_DOWN", 20))*time.Second, own),
		fault{name: "client: kill -9, and another one", often: true}) {
		if !only.MatchString(f.name) {
			continue
		}
		times := lasting
		if f.often {
			times = kills
		}
		s := &sufferer{g: g, dir: dir, want: want, prefix: fmt.Sprintf("f%02d-", i),
			rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		t.Run(f.name, func(t *testing.T) {
			began := time.Now()
			r := s.suffer(t, f, times)
			t.Logf("%s (took %v)", r, time.Since(began).Round(time.Second))
			rows = append(rows, r)
		})
	}
	publish(t, "Faults", append([]string{rowHead}, texts(rows)...))
}

func number(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

func texts(rows []row) (list []string) {
	for _, r := range rows {
		list = append(list, r.String())
	}
	return list
}

// localResults returns the results of the suite on this machine alone.
func localResults(t testing.TB, dir string) (want []string) {
	t.Helper()
	local, _, cases := client(t, dir, "", &phones{host: "local", n: 4})
	for _, o := range local.All(t.Context(), cases) {
		want = append(want, fmt.Sprintf("%s %s", filepath.Base(o.Dir), o.Result()))
	}
	must(t, local.End())
	return want
}

// row is the measurements of one kind of fault.
type row struct {
	name          string
	times, cases  int
	lost, doubled int
	again         int             // attempts in addition to the accepted ones
	pauses, on    []time.Duration // between results; until the part works again
}

const rowHead = "| what happens | times | cases | lost | accepted twice | started again | longest pause of results, " +
	"median and most | works again after, median and most |\n|---|---|---|---|---|---|---|---|"

func (r row) String() string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %s | %s |", r.name, r.times, r.cases, r.lost, r.doubled, r.again,
		spread(r.pauses), spread(r.on))
}

func spread(of []time.Duration) string {
	if len(of) == 0 {
		return "-"
	}
	of = slices.Sorted(slices.Values(of))
	return fmt.Sprintf("%.1f s, %.1f s", of[len(of)/2].Seconds(), of[len(of)-1].Seconds())
}

// sufferer injects one kind of fault into a grid.
type sufferer struct {
	g      *grid
	dir    string
	want   []string // results of the suite
	prefix string
	rand   *rand.Rand

	mu      sync.Mutex
	all     []string // names of all packs, in the order of homes
	homes   []home
	results []time.Time
}

func (s *sufferer) suffer(t *testing.T, f fault, times int) row {
	s.g.t = t
	r := row{name: f.name, times: times}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	defer func() { stop(); clients.Wait() }()
	for i := range 2 {
		clients.Go(func() { s.load(t, ctx, i) })
	}
	await(t, "the first result", func() bool { return s.after(time.Time{}) })
	for range times {
		wait(t, time.Duration(s.rand.IntN(2000))*time.Millisecond)
		if f.hit == nil {
			r.on = append(r.on, s.killClient(t))
			continue
		}
		s.inject(t, f, &r)
	}
	stop()
	clients.Wait()
	s.judge(t, &r)
	return r
}

// wait waits: time is what a fault takes.
func wait(t *testing.T, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

// inject lets the fault happen once.
func (s *sufferer) inject(t *testing.T, f fault, r *row) {
	began := time.Now()
	h := f.hit(s.g, s.rand)
	from := began
	if f.lost {
		s.awaitOn(t, f.name, h.on)
		r.on = append(r.on, time.Since(from))
		h.heal()
	} else {
		wait(t, f.down)
		from = time.Now()
		if h.heal != nil {
			h.heal()
		}
		if h.on != nil {
			s.awaitOn(t, f.name, h.on)
			r.on = append(r.on, time.Since(from))
		}
	}
	healed := time.Now()
	s.awaitOn(t, f.name+": results", func() bool { return s.after(healed) })
	if h.on == nil {
		r.on = append(r.on, time.Since(from))
	}
	r.pauses = append(r.pauses, s.pause(began))
	s.awaitOn(t, f.name+": all hosts are back", s.g.everywhere)
}

func (s *sufferer) awaitOn(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(3 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s: not within three minutes", what)
		}
	}
}

// load runs the suite repeatedly.
func (s *sufferer) load(t *testing.T, ctx context.Context, which int) {
	for i := 0; ctx.Err() == nil; i++ {
		l := load{Suite: s.dir, Dir: t.TempDir(), URL: "http://" + s.g.front.address(), Project: fmt.Sprint("project", which),
			Prefix: fmt.Sprintf("%s%d-%03d-", s.prefix, which, i)}
		list, err := l.run(context.WithoutCancel(ctx), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.results = append(s.results, time.Now())
		})
		switch {
		case err != nil && list == nil: // it has not started, which its client reports within ten seconds
			wait(t, time.Second)
			continue
		case err != nil:
			t.Errorf("a run: %v", err)
		}
		s.came(l.Prefix, list)
	}
}

func (s *sufferer) came(prefix string, list []home) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.want {
		s.all = append(s.all, prefix+one)
	}
	s.homes = append(s.homes, list...)
}

// after reports whether there was a result after a moment.
func (s *sufferer) after(then time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.results) > 0 && s.results[len(s.results)-1].After(then)
}

// pause returns the longest time without results since a moment.
func (s *sufferer) pause(since time.Time) (most time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := since
	for _, at := range slices.SortedFunc(slices.Values(s.results), time.Time.Compare) {
		if at.After(since) {
			most, last = max(most, at.Sub(last)), at
		}
	}
	return most
}

// killClient kills a client at a random moment of its run, and returns how long another one took that started then.
func (s *sufferer) killClient(t *testing.T) time.Duration {
	s.mu.Lock()
	n := len(s.homes) + s.rand.IntN(1000)
	s.mu.Unlock()
	c := child{Role: "client", Run: load{Suite: s.dir, Dir: t.TempDir(), URL: "http://" + s.g.front.address(),
		Project: "project2"}}
	c.Run.Prefix = fmt.Sprintf("%sk%d-", s.prefix, n)
	first := c.start(t)
	wait(t, time.Duration(s.rand.IntN(4000))*time.Millisecond)
	first.kill()
	began := time.Now()
	c.Run.Prefix = fmt.Sprintf("%sn%d-", s.prefix, n)
	next := c.start(t)
	text, err := next.out.ReadString('\n')
	took := time.Since(began)
	next.end()
	var list []home
	if err == nil {
		err = json.Unmarshal([]byte(text), &list)
	}
	if err != nil {
		t.Errorf("the next client: %v", err)
	}
	s.came(c.Run.Prefix, list)
	return took
}

// judge compares what was received with what was expected.
func (s *sufferer) judge(t *testing.T, r *row) {
	e := s.evidence(t)
	// a host may still run a withdrawn case
	for until := time.Now().Add(3 * time.Minute); len(e.check()) > 0 && time.Now().Before(until); e = s.evidence(t) {
		wait(t, time.Second/2)
	}
	for _, w := range e.check() {
		t.Error(w)
	}
	r.cases = len(e.want)
	r.lost, r.doubled = lost(e), doubled(e)
	for _, l := range e.log {
		if strings.HasPrefix(l.Pack, s.prefix) && !l.End {
			r.again++
		}
	}
	for name := range e.accepted {
		if strings.HasPrefix(name, s.prefix) {
			r.again--
		}
	}
}

func (s *sufferer) evidence(t *testing.T) evidence {
	e := evidence{want: s.all, devices: map[string]string{}, accepted: map[string]int{}, by: map[string]string{},
		dead: s.g.gone()}
	for _, h := range s.homes {
		e.take(h)
	}
	must(t, e.readSQL(t.Context(), s.g.db))
	var err error
	e.log, err = readLog(s.g.log)
	must(t, err)
	return e
}

// publish writes lines as a section of the document CHAOS_OUT, with the machine and the date.
func publish(t *testing.T, name string, lines []string) {
	t.Helper()
	text := strings.Join(lines, "\n")
	t.Logf("\n%s", text)
	file := os.Getenv("CHAOS_OUT")
	if file == "" || t.Failed() || os.Getenv("CHAOS_ONLY") != "" {
		return
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join("..", "..", "..", file)
	}
	data, err := os.ReadFile(file)
	must(t, err)
	before, rest, ok := strings.Cut(string(data), "\n## "+name+"\n")
	if !ok {
		t.Fatalf("%s has no section %s", file, name)
	}
	_, after, more := strings.Cut(rest, "\n## ")
	if more {
		after = "\n## " + after
	}
	section := fmt.Sprintf("\n## %s\n\nMeasured on %s, %s.\n\n%s\n", name, time.Now().UTC().Format("2 January 2006"),
		machine(), text)
	must(t, os.WriteFile(file, []byte(before+section+after), 0o644))
}

// machine describes the machine of the measurements.
func machine() string {
	model := "?"
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		n := 0
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
				model, n = strings.TrimSpace(value), n+1
			}
		}
		return fmt.Sprintf("Linux, %d cores, %s", n, cmp.Or(model, "?"))
	}
	return model
}
