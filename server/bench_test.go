package server_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/server"
)

var (
	wrkRequests = regexp.MustCompile(`(\d+) requests in`)
	wrkRate     = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	wrkP99      = regexp.MustCompile(`99%\s+(\S+)`)
	wrkBad      = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)`)
)

// BenchmarkServer sends over a million requests with wrk (a Debian package), and taps for ten seconds on eight phones;
// memory must not grow.
func BenchmarkServer(b *testing.B) {
	if _, err := exec.LookPath("wrk"); err != nil {
		b.Fatal("wrk is not installed: apt-get install wrk")
	}
	l := newLab(b, 8, func(o *server.Options) { o.Log = nil }) // a log that is kept in memory would grow
	wrk := func(seconds int, path, script string) (requests int, said string) {
		b.Helper()
		args := []string{"-t2", "-c64", fmt.Sprintf("-d%ds", seconds), "--latency"}
		if script != "" {
			file := filepath.Join(b.TempDir(), "wrk.lua")
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				b.Fatal(err)
			}
			args = append(args, "-s", file)
		}
		out, err := exec.CommandContext(b.Context(), "wrk", append(args, l.http.URL+path)...).CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		if bad := wrkBad.FindSubmatch(out); bad != nil {
			b.Errorf("%s answers were no success:\n%s", bad[1], out)
		}
		requests, _ = strconv.Atoi(number(wrkRequests, string(out)))
		return requests, fmt.Sprintf("%s requests/s, p99 %s", number(wrkRate, string(out)), number(wrkP99, string(out)))
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before := len(l.taps())
		n, said := wrk(10, "/", `local i = 0
request = function() i = i + 1; return wrk.format("POST", "/devices/SIM" .. (i % 8 + 1) .. "/tap", {["Content-Type"] `+
			`= "application/json"}, '{"point": "50%,50%"}') end`)
		// Includes the requests that wrk had sent but not finished when its time ended.
		if made := len(l.taps()) - before; made < n || made > n+64 {
			b.Errorf("%d taps were made, %d were answered", made, n)
		}
		b.Logf("POST tap on 8 phones: %s", said)
		total, first := 0, uint64(0)
		for total < 1_000_000 {
			n, said := wrk(20, "/devices", "")
			total += n
			if first == 0 {
				first = heap()
			}
			b.Logf("GET /devices: %s; %d in all, %d MB of heap", said, total, heap()>>20)
		}
		if last := heap(); last > 2*first {
			b.Errorf("%d bytes of heap, then %d", first, last)
		}
	}
}

func number(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1])
	}
	return "?"
}

// taps returns the taps of all phones.
func (l *lab) taps() (all []string) {
	for _, p := range l.phones {
		for _, t := range p.Taps() {
			all = append(all, fmt.Sprint(t))
		}
	}
	return all
}

// watchedImage is an image that a watcher received.
type watchedImage struct {
	at   time.Time
	id   string // when it was taken, as the server says it
	jpeg []byte
}

// follow watches a device until ctx ends; then the channel is closed. An image that does not fit into the channel is
// dropped.
func (l *lab) follow(ctx context.Context, device string, room int) <-chan watchedImage {
	l.t.Helper()
	res, err := l.client.Do(l.request("GET", "/devices/"+device+"/live", nil).WithContext(ctx))
	if err != nil {
		l.t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		l.t.Fatalf("status %d: %v", res.StatusCode, err)
	}
	seen := make(chan watchedImage, room)
	go func() {
		defer close(seen)
		defer res.Body.Close()
		for parts := multipart.NewReader(res.Body, params["boundary"]); ; {
			part, err := parts.NextPart()
			if err != nil {
				return
			}
			data, err := io.ReadAll(part)
			if err != nil {
				return
			}
			select {
			case seen <- watchedImage{time.Now(), part.Header.Get("X-Time"), data}:
			default:
			}
		}
	}()
	return seen
}

func milliseconds(list []time.Duration, at float64) float64 {
	slices.Sort(list)
	return float64(list[min(int(at*float64(len(list))), len(list)-1)].Microseconds()) / 1000
}

// BenchmarkLive measures the time from a change on a device to its image at a watcher on this machine, and the cost of
// twenty watchers.
func BenchmarkLive(b *testing.B) {
	b.Run("page", benchmarkPage)
	b.Run("phone", benchmarkPhone)
	b.Run("watchers", benchmarkWatchers)
}

// benchmarkPage opens a page that reports when it changes to another grey.
func benchmarkPage(b *testing.B) {
	var mu sync.Mutex
	turned := map[int]time.Time{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/turn/")); err == nil {
			mu.Lock()
			defer mu.Unlock()
			turned[n] = time.Now()
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w,
			`<!doctype html><title>grey</title><script>let n = 0; setInterval(async () => { const next = ++n; await `+
				`fetch("/turn/" + next); const g = 20 * (next % 10) + 30; document.documentElement.style.background = "rgb(" + `+
				`[g, g, g] + ")"; }, 500)</script>`)
	}))
	defer site.Close()
	l := newLab(b, 0, func(o *server.Options) { o.Pages = 1 })
	conn, _, err := l.dial("web-1")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	if a := l.sendMessage(conn, `{"id": 1, "do": {"openBrowser": {"url": "`+site.URL+`"}}}`); a["outcome"] == nil {
		b.Fatal(a)
	}
	seen := l.follow(ctx, "web-1", 100)
	var took []time.Duration
	for b.Loop() {
		last := 0
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
			p := <-seen
			img, err := jpeg.Decode(bytes.NewReader(p.jpeg))
			if err != nil {
				b.Fatal(err)
			}
			grey, _, _, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
			mu.Lock()
			for n, at := range turned {
				if n > last && (n > last+1 || last > 0) && n%10 == (int(grey>>8)-25)/20 && p.at.Sub(at) < 4*time.Second {
					took = append(took, p.at.Sub(at))
					last = n
				} else if last == 0 {
					last = n
				}
			}
			mu.Unlock()
		}
	}
	b.ReportMetric(milliseconds(took, 0.5), "ms-median")
	b.ReportMetric(milliseconds(took, 0.95), "ms-p95")
	b.ReportMetric(float64(len(took)), "changes")
	b.ReportMetric(0, "ns/op")
}

// benchmarkPhone shows the clock of a phone's status bar, which changes every second.
func benchmarkPhone(b *testing.B) {
	l := newLab(b, 1)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	seen := l.follow(ctx, "SIM1", 100)
	<-seen
	var took []time.Duration
	before, began := captures(l.phones[0]), time.Now()
	for b.Loop() {
		for range 20 {
			p := <-seen
			took = append(took, p.at.Sub(p.at.Truncate(time.Second)))
		}
	}
	b.ReportMetric(milliseconds(took, 0.5), "ms-median")
	b.ReportMetric(milliseconds(took, 0.95), "ms-p95")
	b.ReportMetric(float64(captures(l.phones[0])-before)/time.Since(began).Seconds(), "captures/s")
	b.ReportMetric(0, "ns/op")
}

// captures counts the screenshots that were taken of a phone.
func captures(p *androidsim.Phone) (n int) {
	for command, times := range p.Counts() {
		if strings.Contains(command, "screencap") || strings.Contains(command, "framebuffer") {
			n += times
		}
	}
	return n
}

// benchmarkWatchers compares one watcher with twenty: the number of screenshots is the same, and memory does not grow.
func benchmarkWatchers(b *testing.B) {
	l := newLab(b, 1, func(o *server.Options) { o.Log = nil })
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	for b.Loop() {
		for _, watchers := range []int{1, 20} {
			ctx, cancel := context.WithCancel(b.Context())
			var all []<-chan watchedImage
			for range watchers {
				all = append(all, l.follow(ctx, "SIM1", 1000))
			}
			ids := map[string]bool{}
			<-all[0]
			before, began, first := captures(l.phones[0]), time.Now(), 0.0
			for n := range 20 {
				if n == 5 { // all are there
					first = heap()
				}
				for _, seen := range all {
					p, ok := <-seen
					if !ok {
						b.Fatal(errors.New("a watcher was left"))
					}
					ids[p.id] = true
				}
			}
			b.ReportMetric(float64(captures(l.phones[0])-before)/time.Since(began).Seconds(),
				fmt.Sprintf("captures/s-of-%d", watchers))
			b.ReportMetric(heap()-first, fmt.Sprintf("MB-grown-of-%d", watchers))
			if len(ids) > 25 {
				b.Errorf("%d watchers got %d different pictures in the time of 20: there is more than one stream", watchers,
					len(ids))
			}
			cancel()
			for _, seen := range all {
				for range seen { // until it has ended
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}
