package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// grid is a large farm of separate processes: three hubs behind a load balancer, a NATS cluster of three servers,
// PostgreSQL, and hosts. The connection between any two of them can be interrupted.
type grid struct {
	t        testing.TB
	dir, log string
	dead     time.Duration // how long hosts may be silent
	disks    bool
	pg       *storetest.Server
	db       *store.DB
	account  string
	nats     []*node
	hubs     []*node
	hosts    []*node
	front    *proxy       // the load balancer for clients
	dbWires  []*proxy     // of the hubs to the database
	hubWires [][]*proxy   // of the hubs to each NATS server
	wires    [][]*proxy   // of the hosts
	nets     []*namespace // of the hosts; empty if this machine does not permit them
	conn     *broker.Broker

	mu   sync.Mutex
	died map[int]bool // processes of hosts that were killed
}

// node is a process that can be killed and started again.
type node struct {
	child
	mu  sync.Mutex
	now *process
}

// size is the size and the settings of a grid.
type size struct {
	hosts, phones int
	cost          time.Duration   // of each screen read
	dead          time.Duration   // how long hosts may be silent
	clocks        []time.Duration // how wrong the clocks of the hubs are
	disks         bool            // give processes small disks of their own
	own           bool            // give hosts networks of their own
	direct        bool            // no proxies between hosts and NATS
}

const local = "127.0.0.1"

func newGrid(t testing.TB, of size) *grid {
	dir := t.TempDir()
	g := &grid{t: t, dir: dir, dead: of.dead, log: filepath.Join(dir, "devices.log"), died: map[int]bool{},
		disks: of.disks, pg: storetest.NewServer(t)}
	database := g.pg.Database(t)
	watchAccepted(t, database)
	var err error
	g.db, err = store.Open(t.Context(), database)
	must(t, err)
	t.Cleanup(g.end)
	servers := g.startNATS()
	wires := func(ip string) (list []*proxy, urls string) {
		var all []string
		for _, s := range servers {
			p := newProxy(t, ip+":0", target{"tcp", s})
			list = append(list, p)
			all = append(all, "nats://"+p.address())
		}
		return list, strings.Join(all, ",")
	}
	g.disk(filepath.Join(dir, "bucket"))
	bucket := filepath.Join(dir, "bucket", "files")
	must(t, os.MkdirAll(bucket, 0o700))
	var front []target
	for i := range 3 {
		list, urls := wires(local)
		g.hubWires = append(g.hubWires, list)
		wire := newProxy(t, "127.0.0.1:0", target{"unix", g.pg.Socket()})
		g.dbWires = append(g.dbWires, wire)
		p := place{Dir: filepath.Join(dir, fmt.Sprint("hub", i)), Database: strings.Split(database, "?")[0] +
			"?sslmode=disable&" + hostAndPort(wire.address()), NATS: urls, Account: g.account, HTTP: freePorts(t, 1)[0],
			Bucket: bucket, Dead: of.dead}
		if i < len(of.clocks) {
			p.Clock = of.clocks[i]
		}
		front = append(front, target{"tcp", p.HTTP})
		g.disk(p.Dir)
		c := child{Role: "hub", Place: p}
		if i == 0 {
			c.Hosts = of.hosts
		}
		g.hubs = append(g.hubs, g.node(c))
		g.hubs[i].Hosts = 0 // the hosts have joined already
	}
	g.front = newProxy(t, "127.0.0.1:0", front...)
	var info ready
	must(t, json.Unmarshal([]byte(g.hubs[0].now.first), &info))
	for i := range of.hosts {
		c := info.Hosts[fmt.Sprintf("host%d", i)]
		ip := local
		if of.own {
			n := newNamespace(t, i)
			g.nets, ip, c.Namespace = append(g.nets, n), n.ip[0], n.name
		}
		c.At.URL = "nats://" + strings.Join(servers, ",nats://")
		if !of.direct {
			list, urls := wires(ip)
			g.wires = append(g.wires, list)
			c.At.URL = urls
		}
		c.Dir, c.Phones, c.Cost, c.Log = filepath.Join(dir, c.Host), of.phones, of.cost, g.log
		g.disk(c.Dir)
		g.hosts = append(g.hosts, g.node(c))
	}
	g.conn, err = broker.Open(broker.Options{URL: "nats://" + strings.Join(servers, ",nats://"), Account: g.account})
	must(t, err)
	await(t, "all phones", func() bool { return g.usable(0) == of.hosts*of.phones })
	return g
}

func hostAndPort(address string) string {
	host, port, _ := net.SplitHostPort(address)
	return "host=" + host + "&port=" + port
}

// startNATS starts the three servers, and returns their addresses.
func (g *grid) startNATS() (servers []string) {
	config, account, err := broker.NewCluster(broker.Cluster{Servers: []string{"nats-1", "nats-2", "nats-3"},
		Store: "/data"})
	must(g.t, err)
	g.account = account
	file := filepath.Join(g.dir, "nats.conf")
	must(g.t, os.WriteFile(file, []byte(config), 0o600))
	var ports []int
	var held []net.Listener
	for range 6 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(g.t, err)
		ports, held = append(ports, l.Addr().(*net.TCPAddr).Port), append(held, l)
	}
	for _, l := range held {
		must(g.t, l.Close())
	}
	g.nats = make([]*node, 3)
	var all sync.WaitGroup
	for i := range 3 {
		servers = append(servers, fmt.Sprint("127.0.0.1:", ports[i]))
		n := natsServer{Config: file, Name: fmt.Sprint("nats-", i+1), Store: filepath.Join(g.dir, fmt.Sprint("nats", i)),
			Port: ports[i], Routes: ports[3:], Mine: i}
		g.disk(n.Store)
		all.Go(func() { g.nats[i] = g.node(child{Role: "nats", NATS: n}) })
	}
	all.Wait()
	return servers
}

// node starts a process.
func (g *grid) node(c child) *node {
	if dir := os.Getenv("CHAOS_LOGS"); dir != "" {
		c.Words = filepath.Join(dir, c.Role+c.Host+filepath.Base(c.Place.Dir)+".log")
	}
	n := &node{child: c}
	n.start(g.t)
	return n
}

func (n *node) start(t testing.TB) {
	t.Helper()
	p := n.child.start(t)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now = p
}

func (n *node) pid() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now.cmd.Process.Pid
}

func (n *node) process() *process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

// kill kills a process.
func (g *grid) kill(n *node) {
	if n.Role == "host" {
		g.mu.Lock()
		g.died[n.pid()] = true
		g.mu.Unlock()
	}
	n.process().kill()
}

func (g *grid) gone() map[int]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := map[int]bool{}
	for pid := range g.died {
		all[pid] = true
	}
	return all
}

func (g *grid) end() {
	for _, list := range [][]*node{g.hosts, g.hubs, g.nats} {
		for _, n := range list {
			if n != nil && n.now != nil {
				n.process().signal(syscall.SIGCONT)
				n.process().end()
			}
		}
	}
	if g.conn != nil {
		_ = g.conn.Close()
	}
	for _, list := range append(append(g.hubWires, g.wires...), g.dbWires, []*proxy{g.front}) {
		for _, p := range list {
			if p != nil {
				p.close()
			}
		}
	}
	_ = g.db.Close()
}

// usable returns how many devices a hub has, or -1 when it does not respond.
func (g *grid) usable(hub int) int {
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Second)
	defer cancel()
	return usable(ctx, "http://"+g.hubs[hub].Place.HTTP)
}

// leader returns the server that leads the stream of cases, or -1 without a leader.
func (g *grid) leader() int {
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Second)
	defer cancel()
	js, err := g.conn.JetStream()
	if err != nil {
		return -1
	}
	s, err := js.Stream(ctx, wire.Stream)
	if err != nil || s.CachedInfo().Cluster == nil {
		return -1
	}
	for i, n := range g.nats {
		if n.NATS.Name == s.CachedInfo().Cluster.Leader {
			return i
		}
	}
	return -1
}

// synced reports whether all three servers have the same messages.
func (g *grid) synced() bool {
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Second)
	defer cancel()
	js, err := g.conn.JetStream()
	if err != nil {
		return false
	}
	s, err := js.Stream(ctx, wire.Stream)
	if err != nil || s.CachedInfo().Cluster == nil {
		return false
	}
	n := 0
	for _, r := range s.CachedInfo().Cluster.Replicas {
		if r.Current && !r.Offline {
			n++
		}
	}
	return n == 2
}

// underWay returns the attempts of a host according to the database.
func (g *grid) underWay(host string) (list [][3]any) {
	_ = g.db.Each(g.t.Context(), "SELECT run, n, attempt FROM farm_cases WHERE state = 'running' AND host = $1",
		[]any{host}, func(scan func(...any) error) error {
			var run string
			var n, attempt int
			err := scan(&run, &n, &attempt)
			list = append(list, [3]any{run, n, attempt})
			return err
		})
	return list
}

// moved reports whether each of the attempts has ended or was superseded.
func (g *grid) moved(list [][3]any) bool {
	for _, a := range list {
		var n int
		if err := g.db.One(g.t.Context(),
			"SELECT COUNT(*) FROM farm_cases WHERE run = $1 AND n = $2 AND attempt = $3 AND state IN ('running', 'waiting') "+
				"OR run = $1 AND n = $2 AND state = 'waiting'", a[:], &n); err != nil || n > 0 {
			return false
		}
	}
	return true
}
