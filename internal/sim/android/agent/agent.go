// Package agent is the UiAutomator2 server of a simulated phone, as Appium's behaves.
package agent

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

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
)

// The packages of the agent that a test may install: appium-uiautomator2-server, as it behaves.
const (
	Package     = "io.appium.uiautomator2.server"
	TestPackage = "io.appium.uiautomator2.server.test"
	Runner      = TestPackage + "/androidx.test.runner.AndroidJUnitRunner"

	AgentPort  = 6790
	AgentMJPEG = 7810
	agentAPI   = 26 // the least Android that it runs on
)

// APKs are the names and contents of package files that this phone takes for the agent's, in the version that is
// named.
func APKs(version string, code int) map[string]string {
	const certificate = "a40da80a"
	return map[string]string{
		"appium-uiautomator2-server-v" + version + ".apk":  APK(Package, version, code, certificate),
		"appium-uiautomator2-server-debug-androidTest.apk": APK(TestPackage, "", 0, certificate),
	}
}

// APK is a package file of one of the agent's packages, signed with a certificate.
func APK(name, version string, code int, certificate string) string {
	return fmt.Sprintf("PK\x03\x04\npackage=%s\nversionName=%s\nversionCode=%d\ncertificate=%s\nminSdk=%d\n", name,
		version, code, certificate, agentAPI)
}

// Agent is the agent of a phone, whether it runs or not.
type Agent struct {
	Sys    *system.System
	Reboot func(takes time.Duration) // restarts the phone, as a fault can ask for

	faults agentFaults

	// the lock of sys guards what follows
	run  *Run // nil: none runs
	hung map[string]bool
}

// Run is the agent's process.
type Run struct {
	reader
	pid      int
	version  string
	code     int
	conns    *pipeListener
	web      *http.Server
	Ended    chan struct{}
	finish   func()
	suspends bool // the user's accessibility services
	Calmly   bool // it was asked to leave

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

// Start starts a process; one that runs already is force-stopped, and one with a taken port dies. nil: it did
// not live.
func (p *Agent) Start(ctx context.Context, of *system.Package, suspends bool) *Run {
	if old := p.running(); old != nil {
		old.End()
		<-old.gone()
	}
	if !kernel.Pause(ctx, p.Sys.Opts.Latency.AgentStart) || p.faults.stolen() {
		return nil
	}
	settings := agentSettings{values: agentDefaults()}
	a := &Run{
		reader:   reader{phone: p, sys: p.Sys, settings: &settings},
		pid:      p.Sys.Procs.PID(),
		version:  of.Version,
		code:     of.Code,
		conns:    newPipeListener(),
		Ended:    make(chan struct{}),
		suspends: suspends,
		elements: map[string]foundElement{},
	}
	a.finish = sync.OnceFunc(func() { close(a.Ended) })
	a.web = &http.Server{Handler: a.routes(), IdleTimeout: p.Sys.Opts.AgentIdle}
	a.owns = p.Sys.SetDumping(true)
	p.Sys.Procs.Add(&kernel.Process{PID: a.pid, PPID: 512, User: "u0_a199", Name: Package, Args: Package})
	p.Sys.Mu.Lock()
	p.run, p.Sys.UI.Automated = a, a
	p.Sys.Mu.Unlock()
	p.Sys.Work.Run(func() { _ = a.web.Serve(a.conns) })
	p.Sys.Work.Run(a.watch)
	return a
}

// watch cleans up when the process ends.
func (a *Run) watch() {
	select {
	case <-a.Ended:
	case <-a.sys.Ctx.Done():
		a.End()
	}
	_ = a.web.Close()
	a.conns.Close()
	p := a.phone
	p.Sys.Procs.Remove(a.pid)
	p.Sys.Mu.Lock()
	defer p.Sys.Mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.owns {
		p.Sys.Dumping, a.owns = false, false
	}
	if p.run == a {
		p.run, p.Sys.UI.Automated = nil, nil
	}
	a.conns.markGone()
}

func (a *Run) gone() <-chan struct{} { return a.conns.gone }

// LostShell: the am process was what UiAutomation went through.
func (a *Run) LostShell() {
	a.sys.Mu.Lock()
	defer a.sys.Mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.orphan = true
	if a.owns {
		a.sys.Dumping, a.owns = false, false
	}
}

// running is the agent's process, nil when it does not run.
func (p *Agent) running() *Run {
	p.Sys.Mu.Lock()
	defer p.Sys.Mu.Unlock()
	return p.run
}

// Holds reports whether a running agent has the place for an automation service.
func (p *Agent) Holds() bool {
	a := p.running()
	return a != nil && a.Works()
}

// Works reports whether it can read and touch.
func (a *Run) Works() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.owns && !a.orphan
}

// ConsistsOf reports whether the process ends with a package.
func (a *Run) ConsistsOf(pkg string) bool { return pkg == Package || pkg == TestPackage }

// End ends the process.
func (a *Run) End() { a.finish() }

// TCPService is a port of the phone: only the agent listens.
func (p *Agent) TCPService(port string) (kernel.ServiceFunc, bool) {
	if p.faults.stolen() && port == fmt.Sprint(AgentPort) {
		return strangersPort, true
	}
	a := p.running()
	if a == nil {
		return nil, false
	}
	select {
	case <-a.Ended:
		return nil, false
	default:
	}
	switch port {
	case fmt.Sprint(AgentPort):
		return a.serve, true
	case fmt.Sprint(AgentMJPEG):
		return a.streamImages, true
	}
	return nil, false
}

// strangersPort is what another program says that listens there.
func strangersPort(_ context.Context, s kernel.Stream) {
	buf := make([]byte, 4096)
	if _, err := s.Read(buf); err == nil {
		_, _ = io.WriteString(s,
			"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\nConnection: close\r\n\r\nNot Found")
	}
}

// serve carries one connection to the HTTP server.
func (a *Run) serve(ctx context.Context, s kernel.Stream) {
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
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv6zero, Port: AgentPort} }

// AgentListens reports whether the agent's ports can be reached.
func (p *Agent) AgentListens() bool {
	_, ok := p.TCPService(fmt.Sprint(AgentPort))
	return ok
}

// KillAgent ends the agent's process, as a vendor's battery saver does.
func (p *Agent) KillAgent() {
	if a := p.running(); a != nil {
		a.End()
		<-a.gone()
	}
}

// KillAgentShell ends the shell that the agent was started from, and leaves the agent alone.
func (p *Agent) KillAgentShell() {
	for _, pr := range p.Sys.Procs.List() {
		if pr.Kill != nil && strings.Contains(pr.Args, "am instrument") && !slices.Contains([]string{"sh"}, pr.Name) {
			pr.Kill(kernel.SigKILL)
		}
	}
}

// HoldAutomation takes the one place for an automation service, as another tool does, or releases it. It is false
// when it is taken.
func (p *Agent) HoldAutomation(on bool) bool { return p.Sys.SetDumping(on) }

// AgentSuspends reports whether the agent that runs keeps the user's accessibility services off.
func (p *Agent) AgentSuspends() bool {
	a := p.running()
	return a != nil && a.suspends
}

// HangApp makes an app stop answering: its windows are there and have no elements.
func (p *Agent) HangApp(pkg string, hung bool) {
	p.Sys.Mu.Lock()
	defer p.Sys.Mu.Unlock()
	if p.hung == nil {
		p.hung = map[string]bool{}
	}
	p.hung[pkg] = hung
}

// agentHungFor is how long the agent waits for the elements of a window of an app that hangs, when it waits at all.
const agentHungFor = 200 * time.Millisecond

// PutAgent installs the agent without asking, as a user did before the test.
func (p *Agent) PutAgent(version string, code int, certificate string) {
	p.Sys.Mu.Lock()
	defer p.Sys.Mu.Unlock()
	for _, name := range []string{Package, TestPackage} {
		one := &system.Package{Name: name, Label: name, UID: 10300 + len(p.Sys.Packages), Signed: certificate,
			Granted: map[string]bool{}, Data: map[string]string{}}
		if name == Package {
			one.Version, one.Code = version, code
		}
		p.Sys.Packages[name] = one
	}
}

// SignAgentTests signs the package that starts the agent with a certificate of its own, as one who built one does
// of the two.
func (p *Agent) SignAgentTests(certificate string) {
	p.Sys.Mu.Lock()
	defer p.Sys.Mu.Unlock()
	p.Sys.Packages[TestPackage].Signed = certificate
}
