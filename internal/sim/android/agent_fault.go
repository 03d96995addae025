package androidsim

import (
	"bufio"
	"net/http"
	"strings"
	"sync"
	"time"
)

// AgentFaultKind is the way in which the agent fails.
type AgentFaultKind int

// What may become of a request to the agent.
const (
	AgentKill      AgentFaultKind = iota + 1 // its process ends
	AgentWedge                               // it does not respond any more, but takes connections
	AgentGarbage                             // noise instead of HTTP
	AgentHalf                                // half of the answer, then the connection ends
	AgentSilent                              // no answer for Delay, then what it should be
	AgentClose                               // the connection ends without an answer
	AgentOrphan                              // the shell that it was started from ends
	AgentRefuse                              // 400 invalid element state, as of an injection that is not allowed
	AgentBroken                              // 500 unknown error
	AgentStolen                              // its process ends, and another program listens on its port from then on
	AgentReinstall                           // another version is installed, which ends it
	AgentReboot                              // the phone restarts, and is back after Delay
)

// AgentFault is a failure of the agent at a request.
type AgentFault struct {
	Route string // a part of the method and path: "GET source", "POST actions"; empty matches all
	Nth   int    // the nth match fails, counted from 1 when the fault is set; 0 = every one
	Kind  AgentFaultKind
	After bool // the request is performed, and its response fails
	Delay time.Duration
}

type agentFaults struct {
	mu    sync.Mutex
	all   []*armedAgentFault
	taken bool // its port
	asked map[string]int
}

type armedAgentFault struct {
	AgentFault
	seen int
}

// FailAgent arms a fault of the agent; HealAgent disarms all.
func (p *agents) FailAgent(f AgentFault) {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.all = append(p.faults.all, &armedAgentFault{AgentFault: f})
}

// HealAgent disarms all faults of the agent.
func (p *agents) HealAgent() {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.all, p.faults.taken = nil, false
}

// TakeAgentPort lets another program listen on the agent's port: an agent that starts cannot.
func (p *agents) TakeAgentPort() {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.taken = true
}

// AgentAsked says how often the agent was asked, by method and the last part of the path: "GET source".
func (p *agents) AgentAsked(route string) int {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	return p.faults.asked[route]
}

func (l *agentFaults) stolen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

func (l *agentFaults) match(route string) (AgentFault, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked == nil {
		l.asked = map[string]int{}
	}
	l.asked[route]++
	for _, f := range l.all {
		if !strings.Contains(route, f.Route) {
			continue
		}
		f.seen++
		if f.Nth == 0 || f.seen == f.Nth {
			return f.AgentFault, true
		}
	}
	return AgentFault{}, false
}

// kept holds an answer back.
type kept struct {
	head   http.Header
	status int
	body   []byte
}

func (k *kept) Header() http.Header { return k.head }
func (k *kept) WriteHeader(s int)   { k.status = s }
func (k *kept) Write(b []byte) (int, error) {
	k.body = append(k.body, b...)
	return len(b), nil
}

func (k *kept) send(w http.ResponseWriter) {
	for name, values := range k.head {
		w.Header()[name] = values
	}
	w.WriteHeader(k.status)
	_, _ = w.Write(k.body)
}

// failing runs a handler with the faults that are armed.
func (a *agentRun) failing(w http.ResponseWriter, r *http.Request, do http.HandlerFunc) {
	path := r.URL.Path
	if hasSession(r) {
		path = strings.TrimPrefix(path, "/session/"+r.PathValue("id"))
	}
	route := r.Method + " " + path[strings.LastIndex(path, "/")+1:]
	a.mu.Lock()
	stuck := a.stuck
	a.mu.Unlock()
	if stuck {
		a.hang(r)
		panic(http.ErrAbortHandler)
	}
	f, found := a.phone.faults.match(route)
	if !found {
		defer a.sys.busy.work()()
		do(w, r)
		return
	}
	answer := &kept{head: http.Header{}, status: http.StatusOK}
	if f.After || f.Kind == AgentSilent || f.Kind == AgentHalf {
		do(answer, r)
	}
	a.break_(w, r, f, answer)
}

func hasSession(r *http.Request) bool { return r.PathValue("id") != "" }

// hang waits until the client or the agent is gone.
func (a *agentRun) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-a.ended:
	}
}

func (a *agentRun) break_(w http.ResponseWriter, r *http.Request, f AgentFault, answer *kept) {
	switch f.Kind {
	case AgentKill:
		a.end()
	case AgentStolen:
		a.phone.TakeAgentPort()
		a.end()
	case AgentReinstall:
		a.phone.PutAgent("10.6.7", 279, "a40da80a")
		a.end()
	case AgentReboot:
		go a.phone.reboot(f.Delay)
		<-a.ended
	case AgentWedge:
		a.mu.Lock()
		a.stuck = true
		a.mu.Unlock()
		a.hang(r)
	case AgentSilent:
		if pause(r.Context(), f.Delay) {
			answer.send(w)
			return
		}
	case AgentRefuse:
		problem(w, http.StatusBadRequest, "invalid element state", "The touch down event injection has failed")
		return
	case AgentBroken:
		problem(w, http.StatusInternalServerError, "unknown error",
			"java.lang.NullPointerException: Attempt to invoke a virtual method on a null object reference")
		return
	case AgentOrphan:
		a.lostShell()
		problem(w, http.StatusInternalServerError, "unknown error",
			"java.lang.IllegalStateException: UiAutomation not connected!")
		return
	case AgentGarbage, AgentHalf:
		raw(w, f.Kind, answer)
	}
	panic(http.ErrAbortHandler)
}

// raw writes past the HTTP server.
func raw(w http.ResponseWriter, kind AgentFaultKind, answer *kept) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, out, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if kind == AgentGarbage {
		_, _ = out.WriteString("\x00\x01\x02 not HTTP at all \xff\xfe\r\n\r\n")
	} else {
		half(out, answer.body)
	}
	_ = out.Flush()
}

// half announces a whole body and sends half of it.
func half(out *bufio.ReadWriter, body []byte) {
	_, _ = out.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: " +
		itoa(len(body)) + "\r\n\r\n")
	_, _ = out.Write(body[:len(body)/2])
}
