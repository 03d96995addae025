// Package start runs the servers of the app (start in taproot.yaml): it starts them, waits until they are ready, keeps
// their logs, and ends their whole process groups. A record on disk lets the next process end what a killed one left.
package start

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Options say where servers leave their files.
type Options struct {
	Records string   // the folder of the records of running servers
	Logs    string   // the folder of their logs
	Environ []string // the environment of the servers, without their own variables
}

// Group is servers that were started together. Stop ends them.
type Group struct {
	servers []*server
	values  map[string]map[string]any // by the servers' keys
}

// Error says why servers did not start. Its text names the first of them, with the last lines of its log.
type Error struct {
	Name string // of the server
	Log  string // the name of its log; empty without one
	err  error
}

func (e *Error) Error() string { return fmt.Sprintf("start %s: %v", e.Name, e.err) }
func (e *Error) Unwrap() error { return e.err }

// Start starts the servers at once and waits until all are ready. If one does not become ready, all are stopped, and
// the error is an *Error, or that of ctx.
func Start(ctx context.Context, servers []plan.Server, o Options) (*Group, error) {
	g := &Group{values: map[string]map[string]any{}}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	names := logNames(servers)
	values, errs := make([]map[string]any, len(servers)), make([]error, len(servers))
	var work sync.WaitGroup
	for i, s := range servers {
		one := &server{Server: s, log: filepath.Join(o.Logs, names[i])}
		g.servers = append(g.servers, one)
		work.Go(func() {
			if values[i], errs[i] = one.start(ctx, o); errs[i] != nil {
				cancel(errs[i])
			}
		})
	}
	work.Wait()
	err := context.Cause(ctx)
	if err == nil {
		err = errors.Join(errs...)
	}
	if err != nil {
		g.Stop()
		return nil, err
	}
	for i, s := range servers {
		g.values[s.Key] = values[i]
	}
	return g, nil
}

// logNames names the logs after the servers; two suites may have servers of one name.
func logNames(servers []plan.Server) []string {
	names := make([]string, len(servers))
	taken := map[string]int{}
	for i, s := range servers {
		key := strings.ToLower(s.Name)
		taken[key]++
		names[i] = "start-" + s.Name + ".log"
		if n := taken[key]; n > 1 {
			names[i] = "start-" + s.Name + "-" + strconv.Itoa(n) + ".log"
		}
	}
	return names
}

// Values are the values of ${start.NAME}, by the keys of the servers.
func (g *Group) Values() map[string]map[string]any {
	if g == nil {
		return nil
	}
	return maps.Clone(g.values)
}

// Stop ends all servers with their process groups: a request to end, and after five seconds a kill. Nil is fine.
func (g *Group) Stop() {
	if g == nil {
		return
	}
	var work sync.WaitGroup
	for _, s := range g.servers {
		work.Go(s.stop)
	}
	work.Wait()
}

// Died names the servers that have ended by themselves.
func (g *Group) Died() (names []string) {
	if g == nil {
		return nil
	}
	for _, s := range g.servers {
		if s.cmd != nil && !s.alive() {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Fill sets the values of the run that the cases may use: ${start.shop.port}.
func Fill(cases []plan.Case, values map[string]map[string]any) {
	for i := range cases {
		cases[i].GiveStart(func(s plan.Server) map[string]any { return values[s.Key] })
	}
}
