package run

import (
	"context"
	"errors"
	"os"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// StartServers starts the servers that the suites of the cases name (start in taproot.yaml), waits until they are
// ready, and adds their values to the cases. Call it for trusted projects only: it runs programs. StopServers ends
// them. The error is a *start.Error when a server is wrong.
func (r *Runner) StartServers(ctx context.Context, cases []plan.Case) error {
	servers := (&plan.Plan{Cases: cases}).Servers()
	if len(servers) == 0 {
		return nil
	}
	shared := r.Config.servers
	if shared == nil {
		shared = &start.Shared{}
	}
	running, err := shared.Start(ctx, servers, start.Options{Records: pool.LeaseDir(r.Config.getenv()),
		Logs: r.Dir.Path(), Environ: os.Environ()})
	if err != nil {
		return err
	}
	r.servers, r.Config.Started = running, running.Values()
	start.Fill(cases, r.Config.Started)
	return nil
}

// FillStarted adds the values of the servers that run, here or on another machine, to a case.
func (c Config) FillStarted(one *plan.Case) {
	cases := []plan.Case{*one}
	start.Fill(cases, c.Started)
	*one = cases[0]
}

// StopServers ends the servers of StartServers, and warns of those that had ended before.
func (r *Runner) StopServers() {
	if r.servers == nil {
		return
	}
	for _, name := range r.servers.Died() {
		r.warn("the server %s ended while the tests ran: see its log in the report", name)
	}
	r.servers.Stop()
	r.servers = nil
}

// NotServed writes the packs of cases that do not run because of an error of StartServers.
func (r *Runner) NotServed(ctx context.Context, cases []plan.Case, err error) []Outcome {
	outcomes := make([]Outcome, len(cases))
	why := "not run: " + err.Error()
	var server *start.Error
	if errors.As(err, &server) {
		why = "not run, because the server " + server.Name + " did not start"
		if server.Log != "" {
			why += ": see " + server.Log
		}
	}
	for i, c := range cases {
		outcomes[i].Case = c
		if ctx.Err() == nil {
			outcomes[i] = r.without(ctx, c, notRun{result: event.Error, why: why})
		}
	}
	return outcomes
}

// ReapServers ends servers that killed processes of Taproot have left, and returns their names.
func (c Config) ReapServers() ([]string, error) { return start.Reap(pool.LeaseDir(c.getenv())) }

// ShareServers lets runs of this process that overlap use the same servers of the app, and allows those of clients to
// start them.
func (c *Config) ShareServers() { c.AllowStart, c.servers = true, &start.Shared{} }
