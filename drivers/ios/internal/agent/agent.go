// Package agent starts WebDriverAgents: a device goes in, the URL of one that responds there comes out.
package agent

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

const (
	agentLimit = 3 * time.Minute // for WebDriverAgent to start: the first time, Xcode installs it
	imageLimit = 5 * time.Minute // for a developer image to be downloaded
	agentPoll  = 300 * time.Millisecond
	agentPort  = "8100" // on a phone
	streamPort = "9100"
)

// Agent is the WebDriverAgent of one device.
type Agent struct {
	URL, Film string
	starting  sync.Mutex

	mu   sync.Mutex
	runs []*host.Process // what we started for it
}

// Agents are the WebDriverAgents of the devices, also those that run already; what it starts runs on until Close. It is
// safe for concurrent use.
type Agents struct {
	tools  host.Tools
	getenv func(string) string
	home   string
	http   *http.Client
	log    *slog.Logger

	mu     sync.Mutex
	agents map[string]*Agent // by device
	closed bool
}

// New returns Agents; client makes the requests for their status. Nothing is started.
func New(t host.Tools, getenv func(string) string, client *http.Client) *Agents {
	return &Agents{tools: t, getenv: getenv, home: getenv("HOME"), http: client, log: t.Log, agents: map[string]*Agent{}}
}

// Refuse has every later start fail.
func (s *Agents) Refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *Agents) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close ends the WebDriverAgents that were started, and waits for that.
func (s *Agents) Close() {
	s.mu.Lock()
	s.closed = true
	agents := s.agents
	s.agents = map[string]*Agent{}
	s.mu.Unlock()
	var ending sync.WaitGroup
	for _, a := range agents {
		ending.Go(a.stop)
	}
	ending.Wait()
}

// Of returns a WebDriverAgent that responds: the one that the environment names, the one that was started before, or
// a new one.
func (s *Agents) Of(ctx context.Context, f host.Found) (*Agent, error) {
	if f.URL != "" {
		return &Agent{URL: f.URL, Film: onPort(f.URL, streamPort)}, nil
	}
	s.mu.Lock()
	a := s.agents[f.Info.ID]
	if a == nil {
		a = &Agent{}
		s.agents[f.Info.ID] = a
	}
	s.mu.Unlock()
	a.starting.Lock()
	defer a.starting.Unlock()
	if a.URL != "" {
		if _, err := (&wda.Client{ID: f.Info.ID, Base: a.URL, HTTP: s.http}).Status(ctx); err == nil {
			return a, nil
		}
		s.log.Warn("WebDriverAgent died and is started again", "device", f.Info.ID)
		a.stop()
	}
	err := s.startAgent(ctx, f, a)
	if err == nil && s.isClosed() { // Close may have come before there was something to end
		err = drivers.ErrClosed
	}
	if err != nil {
		a.stop()
		return nil, fmt.Errorf("%w: device %s: WebDriverAgent could not be started: %w", drivers.ErrDeviceLost,
			f.Info.ID, err)
	}
	return a, nil
}

// stop ends what was started.
func (a *Agent) stop() {
	a.mu.Lock()
	runs := a.runs
	a.runs, a.URL = nil, ""
	a.mu.Unlock()
	var ending sync.WaitGroup
	for _, b := range runs {
		ending.Go(func() { b.Stop(host.StopGrace) })
	}
	ending.Wait()
}

// Ended reports whether a program that we started for it runs no more.
func (a *Agent) Ended() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.runs {
		select {
		case <-b.Done:
			return true
		default:
		}
	}
	return len(a.runs) == 0
}

func (a *Agent) keep(b *host.Process) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs = append(a.runs, b)
}

// Addresses are those of the servers that devices have, by UDID; "" is one that names no device.
type Addresses struct {
	By   map[string]string
	List []string // UDIDs in the order in which they were written
	Err  error
}

// ReadAddresses reads "http://host:8100", or "UDID=http://host:8100,UDID=…".
func ReadAddresses(text string) Addresses {
	a := Addresses{By: map[string]string{}}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		udid, address := "", part
		if id, rest, named := strings.Cut(part, "="); named && !strings.Contains(id, "/") {
			udid, address = strings.TrimSpace(id), strings.TrimSpace(rest)
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			a.Err = fmt.Errorf("%q is not an address: write http://HOST:8100, or UDID=http://HOST:8100,UDID=http://HOST:8101",
				part)
			return a
		}
		if _, twice := a.By[udid]; !twice {
			a.List = append(a.List, udid)
		}
		a.By[udid] = strings.TrimRight(address, "/")
	}
	return a
}

// onPort returns the address of another port of the same machine.
func onPort(address, port string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return "http://" + host + ":" + port
}
