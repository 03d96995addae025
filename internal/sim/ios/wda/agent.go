package wda

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/host"
	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// performer has the routes of a WebDriverAgent that act on the device alone.
type performer struct {
	*device.Hands
	shot shot // the last screenshot
}

// Agent is the WebDriverAgent of a device, whether it runs or not.
type Agent struct {
	*device.Hands
	*client
	*performer

	queue    chan struct{} // of calls, of which one is answered at a time
	server   *http.Server
	changing sync.Mutex   // it starts, or ends
	calls    net.Listener // it runs as long as there is a server
	Films    net.Listener
	Port     string
	killed   chan struct{} // closed when it ends
}

// New returns a WebDriverAgent that does not run yet.
func New(d *device.Device) *Agent {
	h := &device.Hands{Device: d}
	return &Agent{Hands: h, client: &client{Hands: h, settings: map[string]any{}, elements: map[string]*ui.View{}},
		performer: &performer{Hands: h}, queue: make(chan struct{}, 1)}
}

// StartAgent starts WebDriverAgent by hand, as a user would, and returns its address.
func (d *Agent) StartAgent() string {
	if _, err := d.startAgent("0", "0"); err != nil {
		return ""
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	return "http://127.0.0.1:" + d.Port
}

// StreamAddress is where the agent sends its images.
func (d *Agent) StreamAddress() string {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if d.Films == nil {
		return ""
	}
	return "http://" + d.Films.Addr().String()
}

// startAgent starts WebDriverAgent, and returns the channel that is closed when it ends.
func (d *Agent) startAgent(port, film string) (chan struct{}, error) {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.Mu.Lock()
	host := cmp.Or(d.Address, "127.0.0.1")
	d.Mu.Unlock()
	l, err := d.listen(host + ":" + port)
	if err != nil {
		return nil, err
	}
	films, err := d.listen(host + ":" + film)
	if err != nil {
		l.Close()
		return nil, err
	}
	killed := make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(d.answerHTTP), ReadHeaderTimeout: time.Minute}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	d.Mu.Lock()
	d.server, d.calls, d.Films, d.Port, d.killed, d.session = server, l, films, port, killed, ""
	d.bound, d.settings = binding{}, map[string]any{}
	d.Mu.Unlock()
	d.Host.Work.Go(func() { _ = server.Serve(l) })
	d.Host.Work.Go(func() { d.project(films) })
	return killed, nil
}

// listen waits until the port of a WebDriverAgent that ended is free: a program of this machine that is just being
// started has a copy of what listened there, until it runs.
func (d *Agent) listen(address string) (net.Listener, error) {
	for end := time.Now().Add(5 * time.Second); ; {
		l, err := net.Listen("tcp", address)
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(end) || !d.Host.Rest(d.Host.Ctx, 5*time.Millisecond) {
			return l, err
		}
	}
}

// StopAgent ends WebDriverAgent, if it runs. Its ports are free when it returns, whatever else ends it at the same
// time.
func (d *Agent) StopAgent() {
	d.Mu.Lock()
	killed := d.killed
	d.Mu.Unlock()
	d.stopThis(killed)
}

// stopThis ends the WebDriverAgent that has this channel, if it still runs: another may have taken its place.
func (d *Agent) stopThis(agent chan struct{}) {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.Mu.Lock()
	server, calls, films, runs := d.server, d.calls, d.Films, d.server != nil && d.killed == agent
	if runs {
		d.server, d.calls, d.Films = nil, nil, nil
	}
	d.Mu.Unlock()
	if !runs {
		return
	}
	close(agent)
	films.Close()
	calls.Close() // the server does not close it yet if it has only just started
	server.Close()
}

// AgentRuns reports whether WebDriverAgent runs.
func (d *Agent) AgentRuns() bool {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	return d.server != nil
}

// RunAgent is WebDriverAgent as a process of xcodebuild or go-ios: it runs until it is interrupted, killed, or dies.
func (d *Agent) RunAgent(ctx context.Context, p *host.Program, port, film string) int {
	d.StopAgent()
	if d.Opts.PortTaken && port == "8100" {
		p.Warn("Failed to start web server on port %s with error Address already in use\n", port)
		return 65 // abort()
	}
	killed, err := d.startAgent(port, film)
	if err != nil {
		p.Warn("Failed to start web server on port %s with error %v\n", port, err)
		return 65
	}
	d.Mu.Lock()
	port = d.Port
	d.Mu.Unlock()
	p.Print("    t =     0.00s Start Test at 2026-01-02 03:04:05.000\n2026-01-02 03:04:05 "+
		"WebDriverAgentRunner-Runner[1:2] ServerURLHere->http://127.0.0.1:%s<-ServerURLHere\n", port)
	select {
	case <-p.Signals:
		d.stopThis(killed)
		return 0
	case <-ctx.Done():
		d.stopThis(killed)
		return 0
	case <-killed:
		p.Print("Test Suite 'All tests' failed\n** TEST EXECUTE FAILED **\n")
		return 65
	}
}

// RestartAgent ends the WebDriverAgent that StartAgent started and starts one on the same port after a while.
func (d *Agent) RestartAgent(away time.Duration) {
	d.Mu.Lock()
	port := d.Port
	d.Mu.Unlock()
	d.StopAgent()
	d.Host.Work.Go(func() {
		if d.Host.Rest(d.Host.Ctx, away) {
			_, _ = d.startAgent(port, "0")
		}
	})
}
