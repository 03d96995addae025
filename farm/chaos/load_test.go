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

	"github.com/taproot-dev/taproot/farm/order"
	"github.com/taproot-dev/taproot/reporters/event"
)

// load is a run of a suite on a farm.
type load struct {
	Suite, URL string
	Project    string
	Dir        string // for its reports; they are removed
	Prefix     string // of the packs' names, by which this run's are known
}

// run runs the suite, and tells whenever a case has ended.
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

// child is a client of its own: it says a line when it begins, and one with what came home.
func (l load) child(ctx context.Context) error {
	fmt.Println("{}")
	list, err := l.run(ctx, nil)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(list)
}

// usable is how many devices a hub knows; -1 when it does not answer.
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

// natsServer is one of a cluster, as an operator starts it with what taproot farm nats-config wrote.
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
	// clients come by their wires only
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
		return errors.New("the server does not answer")
	}
	fmt.Println("{}")
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}
