package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
)

// TestThousandDevices compares 20,000 trivial cases on 1,000 devices of twenty hosts, with three hubs, a NATS cluster
// and PostgreSQL, with as many on this machine alone: none may be lost or accepted twice, and order and results must be
// those of the local run. CHAOS_CASES sets the number.
func TestThousandDevices(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some minutes: make chaos")
	}
	n := number(t, "CHAOS_CASES", 20_000)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "pass.yaml"),
		[]byte("id: pass\nplatform: android\nsteps:\n  - assert: {label: Ready, timeoutMs: 0}\n"), 0o644))
	local, _, cases := client(t, dir, "", &phones{host: "local", n: 50})
	used, began := cpu(os.Getpid()), time.Now()
	var want []string
	for _, o := range local.All(t.Context(), many(cases[0], "", n)) {
		want = append(want, fmt.Sprintf("%s %s", filepath.Base(o.Dir), o.Result()))
	}
	alone := measurements{n: n, took: time.Since(began), cpu: cpu(os.Getpid()) - used}
	must(t, local.End())

	g := newGrid(t, size{hosts: 20, phones: 50, dead: 15 * time.Second, direct: true})
	few, _ := g.many(t, dir, "few-", 500, 4)
	farm, homes := g.many(t, dir, "", n, 0)
	e := evidence{want: want, devices: map[string]string{}, accepted: map[string]int{}, by: map[string]string{},
		dead: g.gone()}
	for _, h := range homes {
		e.take(h)
	}
	must(t, e.readSQL(t.Context(), g.db))
	var err error
	e.log, err = readLog(g.log)
	must(t, err)
	for _, w := range e.check() {
		t.Error(w)
	}
	hub, host := g.memory(g.hubs), g.memory(g.hosts)
	publish(t, "Measurements", []string{
		fmt.Sprintf(
			"| %d trivial cases | on this machine alone, 50 devices | farm: 1,000 devices, 20 hosts, 3 hubs, 3 NATS "+
				"servers, PostgreSQL |\n|---|---|---|", n),
		fmt.Sprintf("| lost, accepted twice | | %d, %d |", lost(e), doubled(e)),
		fmt.Sprintf("| cases a second | %.0f | %.0f |", alone.rate(), farm.rate()),
		fmt.Sprintf("| time for a case | %.2f ms | %.2f ms |", 1e3/alone.rate(), 1e3/farm.rate()),
		fmt.Sprintf("| processor time of a case | %.2f ms | %.2f ms |", alone.each(), farm.each()),
		fmt.Sprintf("| from the client's request to the device, all devices in use: median, 99th percentile | | %s |",
			g.dispatch(t, e, "pass")),
		fmt.Sprintf("| the same, four cases at once | | %s |", g.dispatch(t, e, "few-")),
		fmt.Sprintf("| cases a second, four at once | | %.0f |", few.rate()),
		fmt.Sprintf("| memory of a hub, of a host (the largest) | | %d MB, %d MB |", hub, host),
	})
}

// many makes n cases of one.
func many(c plan.Case, prefix string, n int) (list []plan.Case) {
	for i := range n {
		c.Pack = fmt.Sprintf("%spass--%05d", prefix, i)
		list = append(list, c)
	}
	return list
}

// measurements are the measurements of a run.
type measurements struct {
	n    int
	took time.Duration
	cpu  time.Duration // of all processes
}

func (f measurements) rate() float64 { return float64(f.n) / f.took.Seconds() }
func (f measurements) each() float64 { return f.cpu.Seconds() * 1e3 / float64(f.n) }

// many runs cases on the grid, at most atOnce of them at the same time.
func (g *grid) many(t *testing.T, dir, prefix string, n, atOnce int) (measurements, []home) {
	r, farm, cases := client(t, dir, "http://"+g.front.address(), nil)
	r.Config.Parallel = atOnce
	await(t, "all devices", func() bool {
		n, err := farm.Usable(t.Context(), dsl.Android)
		return err == nil &&
			n == g.phones()
	})
	used, began := g.cpu(), time.Now()
	var homes []home
	for _, o := range r.All(t.Context(), many(cases[0], prefix, n)) {
		homes = append(homes, homeOf(o))
	}
	f := measurements{n: n, took: time.Since(began), cpu: g.cpu() - used}
	must(t, farm.Close())
	must(t, r.End())
	return f, homes
}

// dispatch returns how long cases took from the hub that received them to their device.
func (g *grid) dispatch(t *testing.T, e evidence, prefix string) string {
	created := map[string]int64{}
	must(t, g.db.Each(t.Context(), "SELECT what, created FROM chaos_accepted", nil, func(scan func(...any) error) error {
		var text string
		var at int64
		var what struct{ Pack string }
		if err := scan(&text, &at); err != nil {
			return err
		}
		err := json.Unmarshal([]byte(text), &what)
		created[what.Pack] = at
		return err
	}))
	var took []int64
	for _, l := range e.log {
		if strings.HasPrefix(l.Pack, prefix) && !l.End {
			took = append(took, l.Micros-created[l.Pack])
		}
	}
	slices.Sort(took)
	if len(took) == 0 {
		return "-"
	}
	return fmt.Sprintf("%d ms, %d ms", took[len(took)/2]/1000, took[len(took)*99/100]/1000)
}

// cpu returns the processor time of all processes of the grid, and of this one.
func (g *grid) cpu() time.Duration {
	all := cpu(os.Getpid()) + cpu(g.pg.PID())
	for _, pid := range children(g.pg.PID()) {
		all += cpu(pid)
	}
	for _, list := range [][]*node{g.nats, g.hubs, g.hosts} {
		for _, n := range list {
			all += cpu(n.pid())
		}
	}
	return all
}

func cpu(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // hundredths of a second, as Linux counts them everywhere
}

// memory returns the maximum memory of one of the processes, in megabytes.
func (g *grid) memory(of []*node) (most int) {
	for _, n := range of {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.pid()))
		for line := range strings.Lines(string(data)) {
			if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				kilobytes, _ := strconv.Atoi(strings.Fields(text)[0])
				most = max(most, kilobytes/1000)
			}
		}
	}
	return most
}

// lost counts expected results that are missing.
func lost(e evidence) (n int) {
	have := map[string]bool{}
	for _, text := range e.got {
		have[text] = true
	}
	for _, text := range e.want {
		if !have[text] {
			n++
		}
	}
	return n
}

// doubled counts results that were accepted in addition to another one.
func doubled(e evidence) (n int) {
	for _, times := range e.accepted {
		n += times - 1
	}
	return n
}
