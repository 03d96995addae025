package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"io"
	"os"
	"slices"
	"strconv"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/limit"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// TestNoTapIsLostOrDoubled: 200 clients on 8 phones; the phones count the taps.
func TestNoTapIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	const phones, each = 8, 1
	clients := 200
	if testing.Short() {
		clients = 80
	}
	l := newLab(t, phones)
	l.client.Transport.(*http.Transport).MaxConnsPerHost = 0
	var passed [phones]atomic.Int64
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for range each {
				a := l.ask("POST", fmt.Sprintf("/devices/SIM%d/tap", c%phones+1), map[string]any{"point": "50%,50%"})
				if a.status != 200 {
					t.Errorf("client %d: %s", c, a)
					continue
				}
				passed[c%phones].Add(1)
			}
		})
	}
	all.Wait()
	for i, p := range l.phones {
		if made, said := len(p.Taps()), passed[i].Load(); int64(made) != said || said != int64(clients/phones*each) {
			t.Errorf("phone %d: %d taps were made, %d were answered, %d were sent", i+1, made, said, clients/phones*each)
		}
	}
}

// TestClientsThatGiveUp: a call of a client that disconnected is either made or not, and blocks no other client.
func TestClientsThatGiveUp(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			res, err := l.client.Do(l.request("POST", "/devices/SIM1/wait-for",
				map[string]any{"visible": map[string]any{"label": "Nothing"}}).WithContext(ctx))
			if err == nil {
				_ = res.Body.Close()
			}
		})
	}
	all.Wait()
	if a := l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "Login"}); a.status != 200 {
		t.Error(a)
	}
}

// TestSlowClients: a client that sends or reads slowly does not occupy a device.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	addr := strings.TrimPrefix(l.http.URL, "http://")
	var held []net.Conn
	defer func() {
		for _, c := range held {
			_ = c.Close()
		}
	}()
	for i := range 60 {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
		switch i % 3 {
		case 0: // never ends its headers
			_, err = fmt.Fprint(c, "POST /devices/SIM1/tap HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
		case 1: // never ends its body
			_, err = fmt.Fprint(c,
				"POST /devices/SIM1/tap HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"+
					"\r\n"+
					"{\"label\": ")
		case 2: // never reads the answer
			_, err = fmt.Fprint(c, "GET /devices/SIM1/screenshot HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if a := l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "Login"}); a.status != 200 {
		t.Error(a)
	}
	if n := len(l.phones[0].Taps()); n != 1 {
		t.Errorf("%d taps", n)
	}
}

// TestLogs: the log of a phone is streamed as it is written, and the phone can be used meanwhile.
func TestLogs(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, err := l.client.Do(l.request("GET", "/devices/SIM1/logs", nil).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(res.Body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	if a := l.ask("POST", "/devices/SIM1/launch", map[string]any{"package": "com.example.login",
		"force": true}); a.status != 200 {
		t.Fatal(a)
	}
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatal("the log ended")
			}
			if !strings.Contains(line, "com.example.login") {
				continue
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("the log does not tell of the app")
		}
		break
	}
	cancel()
	for range lines { // until the connection is closed
	}
	if a := l.ask("GET", "/devices/NOBODY/logs", nil); a.status != 404 {
		t.Error(a)
	}
}

// counted allows a number of requests to each name, independent of the time.
type counted struct {
	mu   sync.Mutex
	most int
	n    map[string]int
}

func allow(n int) *counted { return &counted{most: n, n: map[string]int{}} }

func (c *counted) Take(_ context.Context, who string) (limit.Quota, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[who]++
	left := c.most - c.n[who]
	return limit.Quota{Allowed: left >= 0, Limit: c.most, Window: time.Minute, Remaining: max(left, 0), Reset: time.Minute,
		RetryAfter: 12 * time.Second}, nil
}

// TestLimits: a client that sends too many requests has to wait as long as Retry-After says, and blocks no other
// client.
func TestLimits(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0, withAuth, func(o *server.Options) { o.Limiter, o.Guesses, o.MaxBusy = allow(5), allow(3), 2 })
	for i := range 5 {
		a := l.ask("GET", "/runs", nil, "X-API-Key", key)
		if a.status != 200 || a.header.Get("RateLimit-Limit") != "5" || a.header.Get("RateLimit-Remaining") != fmt.Sprint(
			4-i) || a.header.Get("RateLimit-Reset") == "" {
			t.Errorf("request %d: %d, %v", i+1, a.status, a.header)
		}
	}
	a := l.ask("GET", "/runs", nil, "X-API-Key", key)
	if a.status != 429 || a.code() != "rate_limited" || a.header.Get("Retry-After") != "12" {
		t.Errorf("%s, Retry-After %q", a, a.header.Get("Retry-After"))
	}
	if a := l.ask("GET", "/runs", nil, "X-API-Key", other); a.status != 200 {
		t.Errorf("another one: %s", a)
	}
	for range 20 {
		if a := l.ask("GET", "/healthz", nil); a.status != 200 {
			t.Fatal(a)
		}
	}
	for i := range 4 {
		a := l.ask("GET", "/runs", nil, "X-API-Key", "wrong")
		if want := map[bool]int{true: 401, false: 429}[i < 3]; a.status != want {
			t.Errorf("guess %d: %s", i+1, a)
		}
	}
}

// TestBusy: one client cannot use up the server.
func TestBusy(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, func(o *server.Options) { o.MaxBusy = 2 })
	id, _ := l.ask("POST", "/runs", map[string]any{"yaml": endless}).json(t)["id"].(string)
	ctx, cancel := context.WithCancel(t.Context())
	var open []*http.Response
	for range 2 {
		res, err := l.client.Do(l.request("GET", "/runs/"+id+"/events", nil).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, res)
	}
	if a := l.ask("GET", "/runs", nil); a.status != 429 || a.header.Get("Retry-After") == "" {
		t.Error(a)
	}
	cancel()
	for _, res := range open {
		_ = res.Body.Close()
	}
	eventually(t, "the places are free again", func() bool {
		res, err := l.client.Do(l.request("GET", "/runs", nil))
		if err != nil {
			t.Fatal(err)
		}
		return res.Body.Close() == nil && res.StatusCode == 200
	})
}

// TestMemoryIsFlat: a thousand more requests do not increase the memory.
func TestMemoryIsFlat(t *testing.T) {
	l := newLab(t, 1)
	round := func() uint64 {
		for i := range 500 {
			res, err := l.client.Do(l.request("GET", []string{"/devices", "/nothing/" + fmt.Sprint(i), "/devices/X" +
				fmt.Sprint(i)}[i%3], nil))
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	round()
	before, after := round(), round()
	if after > before+before/2+4<<20 {
		t.Errorf("%d bytes, then %d", before, after)
	}
}

// TestServiceUnderLoad: requests with a key, each counted, alternate with as many on a server without accounts, by
// eight clients: none is lost or miscounted, and memory does not grow. The time of the slowest percent on each is
// logged, not checked, because it depends on the machine.
func TestServiceUnderLoad(t *testing.T) {
	for name, address := range map[string]func() string{"sqlite": func() string { return storetest.SQLite(t) },
		"postgres": func() string { return storetest.Postgres(t) }} {
		if testing.Short() && name == "postgres" { // service.TestRateIsExact counts on it
			continue
		}
		t.Run(name, func(t *testing.T) { underLoad(t, address()) })
	}
}

func underLoad(t *testing.T, address string) {
	requests := 8_000
	if text := os.Getenv("LOAD_REQUESTS"); text != "" {
		var err error
		if requests, err = strconv.Atoi(text); err != nil {
			t.Fatalf("LOAD_REQUESTS: %v", err)
		}
	}
	clients, rounds := 8, 10
	if testing.Short() {
		requests, rounds = 384, 4
	}
	each := requests / rounds / clients
	s, with := withService(t, address)
	p, _ := newAccount(t, s, "ada@example.com")
	if err := s.Operator().SetPlan(t.Context(), service.PlanChange{Account: p.Account.ID, Plan: service.PlanEnterprise,
		PerMinute: 1_000_000}); err != nil {
		t.Fatal(err)
	}
	project, err := p.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	made, err := project.CreateKey(t.Context(), service.NewKey{Name: "load", Scopes: []string{"runs:read"}})
	if err != nil {
		t.Fatal(err)
	}
	labs := map[string]*lab{"service": newLab(t, 0, with, quiet), "plain": newLab(t, 0, quiet)}
	labs["service"].header.Set("X-API-Key", made.Secret)
	took := map[string][]time.Duration{}
	var heap []uint64
	for range rounds {
		for name, l := range labs {
			took[name] = append(took[name], l.hammer(clients, each, "/runs")...)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heap = append(heap, m.HeapAlloc-uint64(cap(took["service"])+cap(took["plain"]))*8)
	}
	if first, last := heap[1], heap[rounds-1]; last > first+first/2+8<<20 {
		t.Errorf("the memory that stays grows: %d", heap)
	}
	for name, list := range took {
		slices.Sort(list)
		t.Logf("%s: %d requests, half within %s, p99 %s", name, len(list), list[len(list)/2], list[len(list)*99/100])
	}
	usage, err := project.Usage(t.Context(), "")
	if want := clients * rounds * each; err != nil || usage.Used != want {
		t.Errorf("%d requests were counted of %d: %v", usage.Used, want, err)
	}
}

// hammer lets clients request a path repeatedly, and returns how long each response took.
func (l *lab) hammer(clients, each int, path string) (took []time.Duration) {
	l.t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			own := make([]time.Duration, 0, each)
			for range each {
				began := time.Now()
				err := l.good(path)
				if own = append(own, time.Since(began)); err != nil {
					l.t.Error(err)
					return
				}
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
		})
	}
	all.Wait()
	return took
}

// good requests a path and expects 200.
func (l *lab) good(path string) error {
	res, err := l.client.Do(l.request("GET", path, nil))
	if err != nil {
		return err
	}
	defer res.Body.Close() // it is read
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %w", path, res.StatusCode, err)
	}
	return nil
}
