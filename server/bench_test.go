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
