//go:build unix

package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/remote/order"
)

// load is a client that runs a suite on a farm.
type load struct {
	Suite, URL string
	Project    string
	Dir        string // for its reports, which are removed
	Prefix     string // of the names of packs, which identifies this run
}

// run runs the suite, and calls ended after each case.
func (l load) run(ctx context.Context, ended func()) (list []home, err error) {
	reports, err := os.MkdirTemp(l.Dir, "reports-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(reports)
	r, farm, cases, err := open(ctx, opened{dir: l.Suite, reports: reports, url: l.URL, key: l.Project})
	if err != nil {
		return nil, err
	}
	for i := range cases {
		cases[i].Pack = l.Prefix + cases[i].Pack
	}
	r.Observe = func(_ event.Case, e event.Event) {
		if e.Kind == event.CaseEnded && ended != nil {
			ended()
		}
	}
	for _, o := range r.All(ctx, cases) {
		list = append(list, homeOf(o))
	}
	return list, errors.Join(farm.Close(), r.End())
}

// child runs the client as a process: it prints a line when it starts, and one with the outcomes.
func (l load) child(ctx context.Context) error {
	fmt.Println("{}")
	list, err := l.run(ctx, nil)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(list)
}

// usable returns how many devices a hub has, or -1 when it does not respond.
func usable(ctx context.Context, hub string) int {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, hub+"/api/farm/usable?platform=android", nil)
	if err != nil {
		return -1
	}
	r.Header.Set("Authorization", "Bearer looks")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return -1
	}
	defer answer.Body.Close()
	var u order.Usable
	if json.NewDecoder(answer.Body).Decode(&u) != nil || answer.StatusCode != http.StatusOK {
		return -1
	}
	return u.Cases
}

// natsServer is a server of a cluster, with the configuration of taproot farm nats-config.
type natsServer struct {
	Config, Name, Store string
	Port                int
	Routes              []int // the ports of all servers for each other
	Mine                int   // which of them is its own
}

func (n natsServer) run(ctx context.Context) error {
	o, err := server.ProcessConfigFile(n.Config)
	if err != nil {
		return err
	}
	o.ServerName, o.Host, o.Port, o.StoreDir, o.NoLog, o.NoSigs = n.Name, "127.0.0.1", n.Port, n.Store, true, true
	// clients connect through their proxies only
	o.Cluster.Host, o.Cluster.Port, o.Cluster.NoAdvertise = "127.0.0.1", n.Routes[n.Mine], true
	o.Routes = nil
	for _, port := range n.Routes {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", User: url.UserPassword("route", o.Cluster.Password),
			Host: fmt.Sprint("127.0.0.1:", port)})
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return errors.New("the server does not respond")
	}
	fmt.Println("{}")
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}
