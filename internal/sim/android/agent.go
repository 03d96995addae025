package androidsim

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// The packages of the agent that a test may install: appium-uiautomator2-server, as it behaves.
const (
	AgentPackage     = "io.appium.uiautomator2.server"
	AgentTestPackage = "io.appium.uiautomator2.server.test"
	agentRunner      = AgentTestPackage + "/androidx.test.runner.AndroidJUnitRunner"

	agentPort  = 6790
	agentMJPEG = 7810
	agentAPI   = 26 // the least Android that it runs on
)

// AgentAPKs are the names and contents of package files that this phone takes for the agent's, in the version that is
// named.
func AgentAPKs(version string, code int) map[string]string {
	const certificate = "a40da80a"
	return map[string]string{
		"appium-uiautomator2-server-v" + version + ".apk":  AgentAPK(AgentPackage, version, code, certificate),
		"appium-uiautomator2-server-debug-androidTest.apk": AgentAPK(AgentTestPackage, "", 0, certificate),
	}
}

// AgentAPK is a package file of one of the agent's packages, signed with a certificate.
func AgentAPK(name, version string, code int, certificate string) string {
	return fmt.Sprintf("PK\x03\x04\npackage=%s\nversionName=%s\nversionCode=%d\ncertificate=%s\nminSdk=%d\n", name,
		version, code, certificate, agentAPI)
}

// agents is the agent of a phone, whether it runs or not.
type agents struct {
	sys    *system
	reboot func(takes time.Duration) // restarts the phone, as a fault can ask for

	faults agentFaults

	// the lock of sys guards what follows
	run  *agentRun // nil: none runs
	hung map[string]bool
}

// agentRun is the agent's process.
type agentRun struct {
	phone    *agents
	sys      *system
	pid      int
	version  string
	code     int
	conns    *pipeListener
	web      *http.Server
	ended    chan struct{}
	finish   func()
	suspends bool // the user's accessibility services
	calmly   bool // it was asked to leave

	settings agentSettings

	mu       sync.Mutex
	owns     bool // it has the phone's one UiAutomation
	orphan   bool // the shell that started it is gone
	stuck    bool // it does not respond any more
	session  string
	made     int
	elements map[string]foundElement
	lastRead uint32     // the foreground activity at its last read
	slow     sync.Mutex // one source at a time
}

// start starts a process; one that runs already is force-stopped, and one with a taken port dies. nil: it did
// not live.
func (p *agents) start(ctx context.Context, of *installed, suspends bool) *agentRun {
	if old := p.running(); old != nil {
		old.end()
		<-old.gone()
	}
	if !pause(ctx, p.sys.opts.Latency.AgentStart) || p.faults.stolen() {
		return nil
	}
	a := &agentRun{phone: p, sys: p.sys, pid: p.sys.procs.pid(), version: of.version, code: of.code, conns: newPipeListener(),
		ended: make(chan struct{}), suspends: suspends,
		settings: agentSettings{values: agentDefaults()}, elements: map[string]foundElement{}}
	a.finish = sync.OnceFunc(func() { close(a.ended) })
	a.web = &http.Server{Handler: a.routes(), IdleTimeout: p.sys.opts.AgentIdle}
	a.owns = p.sys.setDumping(true)
	p.sys.procs.add(&process{pid: a.pid, ppid: 512, user: "u0_a199", name: AgentPackage, args: AgentPackage})
	p.sys.mu.Lock()
	p.run, p.sys.ui.automated = a, a
	p.sys.mu.Unlock()
	p.sys.work.run(func() { _ = a.web.Serve(a.conns) })
	p.sys.work.run(a.watch)
	return a
}

// watch cleans up when the process ends.
func (a *agentRun) watch() {
	select {
	case <-a.ended:
	case <-a.sys.ctx.Done():
		a.end()
	}
	_ = a.web.Close()
	a.conns.Close()
	p := a.phone
	p.sys.procs.remove(a.pid)
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.owns {
		p.sys.dumping, a.owns = false, false
	}
	if p.run == a {
		p.run, p.sys.ui.automated = nil, nil
	}
	a.conns.markGone()
}

func (a *agentRun) gone() <-chan struct{} { return a.conns.gone }

// lostShell: the am process was what UiAutomation went through.
func (a *agentRun) lostShell() {
	a.sys.mu.Lock()
	defer a.sys.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.orphan = true
	if a.owns {
		a.sys.dumping, a.owns = false, false
	}
}

// running is the agent's process, nil when it does not run.
func (p *agents) running() *agentRun {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return p.run
}

// holds reports whether a running agent has the place for an automation service.
func (p *agents) holds() bool {
	a := p.running()
	return a != nil && a.works()
}

// works reports whether it can read and touch.
func (a *agentRun) works() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.owns && !a.orphan
}

// consistsOf reports whether the process ends with a package.
func (a *agentRun) consistsOf(pkg string) bool { return pkg == AgentPackage || pkg == AgentTestPackage }

// end ends the process.
func (a *agentRun) end() { a.finish() }

// tcpService is a port of the phone: only the agent listens.
func (p *agents) tcpService(port string) (serviceFunc, bool) {
	if p.faults.stolen() && port == fmt.Sprint(agentPort) {
		return strangersPort, true
	}
	a := p.running()
	if a == nil {
		return nil, false
	}
	select {
	case <-a.ended:
		return nil, false
	default:
	}
	switch port {
	case fmt.Sprint(agentPort):
		return a.serve, true
	case fmt.Sprint(agentMJPEG):
		return a.streamImages, true
	}
	return nil, false
}

// strangersPort is what another program says that listens there.
func strangersPort(_ context.Context, s session) {
	buf := make([]byte, 4096)
	if _, err := s.Read(buf); err == nil {
		_, _ = io.WriteString(s,
			"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\nConnection: close\r\n\r\nNot Found")
	}
}

// serve carries one connection to the HTTP server.
func (a *agentRun) serve(ctx context.Context, s session) {
	ours, theirs := net.Pipe()
	defer context.AfterFunc(ctx, func() { ours.Close() })()
	if !a.conns.push(theirs) {
		return
	}
	go func() {
		_, _ = io.Copy(ours, s)
		ours.Close()
	}()
	_, _ = io.Copy(s, ours)
	ours.Close()
}

// pipeListener provides an http.Server with the connections that services push.
type pipeListener struct {
	next   chan net.Conn
	closed chan struct{}
	gone   chan struct{}
	once   sync.Once
	left   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{next: make(chan net.Conn), closed: make(chan struct{}), gone: make(chan struct{})}
}

func (l *pipeListener) markGone() { l.left.Do(func() { close(l.gone) }) }

func (l *pipeListener) push(c net.Conn) bool {
	select {
	case l.next <- c:
		return true
	case <-l.closed:
		return false
	}
}

// Accept returns the next connection.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.next:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr is nowhere.
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv6zero, Port: agentPort} }

// AgentListens reports whether the agent's ports can be reached.
func (p *agents) AgentListens() bool {
	_, ok := p.tcpService(fmt.Sprint(agentPort))
	return ok
}

// KillAgent ends the agent's process, as a vendor's battery saver does.
func (p *agents) KillAgent() {
	if a := p.running(); a != nil {
		a.end()
		<-a.gone()
	}
}

// KillAgentShell ends the shell that the agent was started from, and leaves the agent alone.
func (p *agents) KillAgentShell() {
	for _, pr := range p.sys.procs.list() {
		if pr.kill != nil && strings.Contains(pr.args, "am instrument") && !slices.Contains([]string{"sh"}, pr.name) {
			pr.kill(sigKILL)
		}
	}
}

// HoldAutomation takes the one place for an automation service, as another tool does, or releases it. It is false
// when it is taken.
func (p *agents) HoldAutomation(on bool) bool { return p.sys.setDumping(on) }

// AgentSuspends reports whether the agent that runs keeps the user's accessibility services off.
func (p *agents) AgentSuspends() bool {
	a := p.running()
	return a != nil && a.suspends
}

// HangApp makes an app stop answering: its windows are there and have no elements.
func (p *agents) HangApp(pkg string, hung bool) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	if p.hung == nil {
		p.hung = map[string]bool{}
	}
	p.hung[pkg] = hung
}

// agentHungFor is how long the agent waits for the elements of a window of an app that hangs, when it waits at all.
const agentHungFor = 200 * time.Millisecond
