package broker

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// configured starts servers with a configuration, on free ports.
func configured(t *testing.T, config string, names ...string) (urls []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var routes []*url.URL
	ports := make([]int, len(names))
	var held []net.Listener // until all are known
	for i := range names {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports[i] = l.Addr().(*net.TCPAddr).Port
		held = append(held, l)
	}
	var all []*server.Server
	for i, name := range names {
		o, err := server.ProcessConfigFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if o.MaxPayload != wire.MaxMessage || !o.SyncAlways || o.StoreDir != "/data" || len(o.Routes) != len(names) &&
			len(names) > 1 {
			t.Errorf("%s: %d bytes, always %v, in %s, %v", name, o.MaxPayload, o.SyncAlways, o.StoreDir, o.Routes)
		}
		o.ServerName, o.Host, o.Port, o.StoreDir, o.NoLog, o.NoSigs = name, "127.0.0.1", server.RANDOM_PORT, t.TempDir(),
			true, true
		if len(names) > 1 {
			for _, port := range ports[len(routes):] {
				routes = append(routes, &url.URL{Scheme: "nats", User: url.UserPassword("route", o.Cluster.Password),
					Host: fmt.Sprint("127.0.0.1:", port)})
			}
			o.Cluster.Host, o.Cluster.Port, o.Routes = "127.0.0.1", ports[i], routes
		}
		s, err := server.NewServer(o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	for _, l := range held {
		_ = l.Close()
	}
	for _, s := range all {
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	}
	for i, s := range all {
		if !s.ReadyForConnections(time.Minute) {
			t.Fatalf("%s does not start", names[i])
		}
		urls = append(urls, s.ClientURL())
	}
	for deadline := time.Now().Add(time.Minute); len(all) > 1 &&
		!slices.ContainsFunc(all, (*server.Server).JetStreamIsLeader); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the servers do not find each other")
		}
	}
	return urls
}

// TestOneServerOfOnesOwn checks that a server accepts the configuration of nats-config, and lets hubs and hosts connect
// with their permissions.
func TestOneServerOfOnesOwn(t *testing.T) {
	config, account, err := NewCluster(Cluster{Servers: []string{"nats"}, Store: "/data"})
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, Options{URL: configured(t, config, "nats")[0], Account: account})
	if b.Copies() != 1 {
		t.Errorf("%d copies", b.Copies())
	}
	join(t, b, "a")
	if _, err := wire.OpenJobs(t.Context(), b.Conn(), b.Copies(), time.Second); err != nil {
		t.Error(err)
	}
	if strings.Contains(config, account) {
		t.Error("the configuration contains the seed of the account")
	}
}

// TestThreeServersOfOnesOwn checks that each message is stored three times.
func TestThreeServersOfOnesOwn(t *testing.T) {
	names := []string{"nats-1", "nats-2", "nats-3"}
	config, account, err := NewCluster(Cluster{Servers: names, Store: "/data"})
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, Options{URL: strings.Join(configured(t, config, names...), ","), Account: account})
	if b.Copies() != 3 {
		t.Fatalf("%d copies", b.Copies())
	}
	if _, err := wire.OpenJobs(t.Context(), b.Conn(), b.Copies(), time.Second); err != nil {
		t.Fatal(err)
	}
	js, err := b.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	var info *jetstream.StreamInfo
	if s, err := js.Stream(t.Context(), wire.Stream); err != nil {
		t.Fatal(err)
	} else if info, err = s.Info(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info.Config.Replicas != 3 || info.Cluster == nil || len(info.Cluster.Replicas) != 2 {
		t.Errorf("%+v, %+v", info.Config, info.Cluster)
	}
}

func TestWrongClusters(t *testing.T) {
	for _, c := range []Cluster{{}, {Servers: []string{"a:4222"}}, {Servers: []string{"a b"}},
		{Servers: []string{"a"}, Store: "/x\"\n"}} {
		if _, _, err := NewCluster(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
