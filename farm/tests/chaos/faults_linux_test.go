package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// fault is a kind of failure of a part of a grid.
type fault struct {
	name  string
	often bool          // repeated CHAOS_KILLS times, otherwise CHAOS_LASTING times
	down  time.Duration // how long it lasts
	lost  bool          // the part counts as dead before it continues
	hit   func(*grid, *rand.Rand) hit
}

// hit is a fault that has just happened.
type hit struct {
	heal func()      // nil: it heals by itself
	on   func() bool // reports whether the part works again; nil: with the next result
}

// faults returns all kinds. down is how long the lasting ones last. own: hosts have networks of their own.
func faults(down time.Duration, own bool) []fault {
	list := []fault{
		{name: "hub: kill -9, started again", often: true, hit: killed(anyHub, hubBack)},
		{name: "host: kill -9, started again", often: true, hit: killed(anyHost, nil)},
		{name: "host: kill -9, gone", lost: true, hit: gone},
		{name: "host: ended by SIGTERM, started again", often: true, hit: ended},
		{name: "NATS server: kill -9, started again", often: true, hit: killed(anyNATS, nil)},
		{name: "NATS leader: kill -9, gone 10 s", down: 10 * time.Second, hit: killed(leader, nil)},
		{name: "PostgreSQL: kill -9, started again", often: true, hit: func(g *grid, _ *rand.Rand) hit {
			g.crash()
			return hit{heal: g.pg.Start}
		}},
		{name: "PostgreSQL: restarted", often: true, hit: func(g *grid, _ *rand.Rand) hit {
			g.pg.Kill()
			return hit{heal: g.pg.Start}
		}},
		{name: "PostgreSQL: gone", down: 2 * down, hit: func(g *grid, _ *rand.Rand) hit {
			g.crash()
			return hit{heal: g.pg.Start}
		}},
		{name: "hub: SIGSTOP", down: down, hit: stopped(anyHub, hubBack)},
		{name: "host: SIGSTOP", down: down, hit: stopped(anyHost, nil)},
		{name: "NATS server: SIGSTOP", down: down, hit: stopped(anyNATS, nil)},
		{name: "PostgreSQL: SIGSTOP", down: down, hit: func(g *grid, _ *rand.Rand) hit {
			g.signalPG(syscall.SIGSTOP)
			return hit{heal: func() { g.signalPG(syscall.SIGCONT) }}
		}},
		{name: "all hubs: kill -9, gone", down: 2 * down, hit: func(g *grid, _ *rand.Rand) hit {
			for _, n := range g.hubs {
				g.kill(n)
			}
			return hit{heal: func() {
				for _, n := range g.hubs {
					n.start(g.t)
				}
			}, on: func() bool { return hubBack(g, g.hubs[0]) }}
		}},
	}
	list = append(list, fault{name: "all hosts: kill -9, gone", down: 2 * down, hit: func(g *grid, _ *rand.Rand) hit {
		for _, n := range g.hosts {
			g.kill(n)
		}
		return hit{heal: func() {
			for _, n := range g.hosts {
				n.start(g.t)
			}
		}, on: g.everywhere}
	}})
	for _, ways := range []struct {
		name string
		cut  []int
	}{{"both ways", []int{forth, back}}, {"only towards", []int{forth}}, {"only from", []int{back}}} {
		list = append(list,
			fault{name: "host and NATS: cut, " + ways.name + " NATS", down: down,
				hit: cut(func(g *grid, r *rand.Rand) []cable { return cables(g.wires[r.IntN(len(g.wires))]) }, ways.cut)},
			fault{name: "hub and NATS: cut, " + ways.name + " NATS", down: down,
				hit: cut(func(g *grid, r *rand.Rand) []cable { return cables(g.hubWires[r.IntN(3)]) }, ways.cut)},
			fault{name: "hub and PostgreSQL: cut, " + ways.name + " PostgreSQL", down: down,
				hit: cut(func(g *grid, r *rand.Rand) []cable { return []cable{g.dbWires[r.IntN(3)]} }, ways.cut)},
			fault{name: "clients and hubs: cut, " + ways.name + " the hubs", down: down,
				hit: cut(func(g *grid, _ *rand.Rand) []cable { return []cable{g.front} }, ways.cut)})
		if own {
			list = append(list, fault{name: "host in a network of its own: cut, " + ways.name + " NATS", down: down,
				hit: cut(func(g *grid, r *rand.Rand) []cable { return []cable{g.nets[r.IntN(len(g.nets))]} }, ways.cut)})
		}
	}
	for i := range list {
		list[i].name = strings.Replace(list[i].name, "both ways NATS", "both ways", 1)
		list[i].name = strings.Replace(list[i].name, "both ways PostgreSQL", "both ways", 1)
		list[i].name = strings.Replace(list[i].name, "both ways the hubs", "both ways", 1)
	}
	if os.Getuid() != 0 {
		return list // small disks need root
	}
	return append(list,
		fault{name: "host: its disk is full", down: down,
			hit: full(func(g *grid, r *rand.Rand) string { return g.hosts[r.IntN(len(g.hosts))].Dir })},
		fault{name: "hub: its disk is full", down: down,
			hit: full(func(g *grid, r *rand.Rand) string { return g.hubs[r.IntN(3)].Place.Dir })},
		fault{name: "bucket: full", down: down,
			hit: full(func(g *grid, _ *rand.Rand) string { return filepath.Join(g.dir, "bucket") })},
		fault{name: "NATS server: its disk is full", down: down, hit: fullNATS},
		fault{name: "bucket: gone", down: 2 * down, hit: func(g *grid, _ *rand.Rand) hit {
			at := filepath.Join(g.dir, "bucket", "files")
			must(g.t, os.Rename(at, at+".away"))
			return hit{heal: func() { must(g.t, errors.Join(os.RemoveAll(at), os.Rename(at+".away", at))) }}
		}},
	)
}

func anyHub(g *grid, r *rand.Rand) *node  { return g.hubs[r.IntN(len(g.hubs))] }
func anyHost(g *grid, r *rand.Rand) *node { return g.hosts[r.IntN(len(g.hosts))] }
func anyNATS(g *grid, r *rand.Rand) *node { return g.nats[r.IntN(len(g.nats))] }

// leader returns the NATS server that leads the stream of cases.
func leader(g *grid, _ *rand.Rand) *node {
	i := -1
	await(g.t, "a leader", func() bool { i = g.leader(); return i >= 0 })
	return g.nats[i]
}

// hubBack reports whether a hub receives the beats of all hosts.
func hubBack(g *grid, n *node) bool {
	for i, one := range g.hubs {
		if one == n {
			return g.usable(i) == g.phones()
		}
	}
	return true
}

func (g *grid) phones() (n int) {
	for _, h := range g.hosts {
		n += h.Phones
	}
	return n
}

// killed kills a process, and starts it again to heal.
func killed(which func(*grid, *rand.Rand) *node, back func(*grid, *node) bool) func(*grid, *rand.Rand) hit {
	return func(g *grid, r *rand.Rand) hit {
		n := which(g, r)
		left := g.underWay(n.Host)
		g.kill(n)
		h := hit{heal: func() { n.start(g.t) }}
		switch {
		case back != nil:
			h.on = func() bool { return back(g, n) }
		case n.Role == "host":
			h.on = func() bool { return g.moved(left) }
		case n.Role == "nats":
			h.on = g.synced
		}
		return h
	}
}

// gone kills a host, which is started again after its cases run elsewhere.
func gone(g *grid, r *rand.Rand) hit {
	n := anyHost(g, r)
	left := g.underWay(n.Host)
	g.kill(n)
	return hit{on: func() bool { return g.moved(left) }, heal: func() { n.start(g.t) }}
}

// ended lets a host shut down, which interrupts its cases, and starts it again.
func ended(g *grid, r *rand.Rand) hit {
	n := anyHost(g, r)
	left := g.underWay(n.Host)
	n.process().signal(syscall.SIGTERM)
	_ = n.process().cmd.Wait()
	g.mu.Lock()
	g.died[n.pid()] = true
	g.mu.Unlock()
	return hit{heal: func() { n.start(g.t) }, on: func() bool { return g.moved(left) }}
}

// stopped suspends a process. When it continues, it may send results that were superseded.
func stopped(which func(*grid, *rand.Rand) *node, back func(*grid, *node) bool) func(*grid, *rand.Rand) hit {
	return func(g *grid, r *rand.Rand) hit {
		n := which(g, r)
		n.process().signal(syscall.SIGSTOP)
		h := hit{heal: func() { n.process().signal(syscall.SIGCONT) }}
		switch {
		case back != nil:
			h.on = func() bool { return back(g, n) }
		case n.Role == "host":
			h.on = func() bool { return g.everywhere() }
		case n.Role == "nats":
			h.on = g.synced
		}
		return h
	}
}

// everywhere reports whether every hub receives the beats of all hosts.
func (g *grid) everywhere() bool {
	for _, n := range g.hubs {
		if !hubBack(g, n) {
			return false
		}
	}
	return true
}

// cut interrupts connections.
func cut(which func(*grid, *rand.Rand) []cable, ways []int) func(*grid, *rand.Rand) hit {
	return func(g *grid, r *rand.Rand) hit {
		wires := which(g, r)
		for _, w := range wires {
			w.set(true, ways...)
		}
		return hit{heal: func() {
			for _, w := range wires {
				w.set(false, ways...)
			}
		}, on: g.everywhere}
	}
}

func cables(of []*proxy) (list []cable) {
	for _, p := range of {
		list = append(list, p)
	}
	return list
}

// disk makes a folder, on a small disk of its own if disks are to be filled. That requires root.
func (g *grid) disk(dir string) {
	must(g.t, os.MkdirAll(dir, 0o700))
	if !g.disks || os.Getuid() != 0 {
		return
	}
	must(g.t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=48m"))
	g.t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// full fills a small disk, including space that is freed meanwhile.
func full(which func(*grid, *rand.Rand) string) func(*grid, *rand.Rand) hit {
	return func(g *grid, r *rand.Rand) hit {
		file := filepath.Join(which(g, r), "filler")
		f, err := os.Create(file)
		must(g.t, err)
		block := make([]byte, 4096)
		fill := func() error {
			for {
				if _, err := f.Write(block); err != nil {
					return err
				}
			}
		}
		if err := fill(); !errors.Is(err, syscall.ENOSPC) {
			g.t.Errorf("the disk is not full: %v", err)
		}
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			tick := time.NewTicker(2 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C:
					_ = fill()
				}
			}
		}()
		return hit{heal: func() {
			close(stop)
			<-stopped
			must(g.t, errors.Join(f.Close(), os.Remove(file)))
		}, on: g.everywhere}
	}
}

// fullNATS fills the disk of a NATS server. NATS then stores nothing more until the server is restarted.
func fullNATS(g *grid, r *rand.Rand) hit {
	n := anyNATS(g, r)
	h := full(func(*grid, *rand.Rand) string { return n.NATS.Store })(g, r)
	return hit{heal: func() {
		h.heal()
		g.kill(n)
		n.start(g.t)
	}, on: g.synced}
}

// signalPG signals all processes of PostgreSQL.
func (g *grid) signalPG(s syscall.Signal) (pids []int) {
	first := g.pg.PID()
	// it must start no process while its children are listed: one that remains prevents the next start
	_ = syscall.Kill(first, syscall.SIGSTOP)
	pids = children(first) // must be listed before the parent ends
	for _, pid := range append([]int{first}, pids...) {
		_ = syscall.Kill(pid, s)
	}
	return pids
}

// crash kills all processes of PostgreSQL at once.
func (g *grid) crash() {
	pids := g.signalPG(syscall.SIGKILL)
	g.pg.Kill()
	await(g.t, "the processes of PostgreSQL are gone", func() bool {
		for _, pid := range pids {
			if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil &&
				!strings.Contains(string(data), ") Z ") {
				return false
			}
		}
		return true
	})
}

// children returns the child processes of a process.
func children(of int) (list []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(data), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(of) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			list = append(list, pid)
		}
	}
	return list
}
