package agent

import (
	"bufio"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

// FaultKind is the way in which the agent fails.
type FaultKind int

// What may become of a request to the agent.
const (
	Kill      FaultKind = iota + 1 // its process ends
	Wedge                          // it does not respond any more, but takes connections
	Garbage                        // noise instead of HTTP
	Half                           // half of the answer, then the connection ends
	Silent                         // no answer for Delay, then what it should be
	Close                          // the connection ends without an answer
	Orphan                         // the shell that it was started from ends
	Refuse                         // 400 invalid element state, as of an injection that is not allowed
	Broken                         // 500 unknown error
	Stolen                         // its process ends, and another program listens on its port from then on
	Reinstall                      // another version is installed, which ends it
	Reboot                         // the phone restarts, and is back after Delay
)

// Fault is a failure of the agent at a request.
type Fault struct {
	Route string // a part of the method and path: "GET source", "POST actions"; empty matches all
	Nth   int    // the nth match fails, counted from 1 when the fault is set; 0 = every one
	Kind  FaultKind
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
	Fault
	seen int
}

// FailAgent arms a fault of the agent; HealAgent disarms all.
func (p *Agent) FailAgent(f Fault) {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.all = append(p.faults.all, &armedAgentFault{Fault: f})
}

// HealAgent disarms all faults of the agent.
func (p *Agent) HealAgent() {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.all, p.faults.taken = nil, false
}

// TakeAgentPort lets another program listen on the agent's port: an agent that starts cannot.
func (p *Agent) TakeAgentPort() {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.taken = true
}

// AgentAsked says how often the agent was asked, by method and the last part of the path: "GET source".
func (p *Agent) AgentAsked(route string) int {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	return p.faults.asked[route]
}

func (l *agentFaults) stolen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

func (l *agentFaults) match(route string) (Fault, bool) {
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
			return f.Fault, true
		}
	}
	return Fault{}, false
}

// kept holds an answer back.
type kept struct {
	head   http.Header
	status int
	body   []byte
}

func (k *kept) Header() http.Header { return k.head }

func (k *kept) WriteHeader(s int) { k.status = s }

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
func (a *Run) failing(w http.ResponseWriter, r *http.Request, do http.HandlerFunc) {
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
		defer a.sys.Busy.Work()()
		do(w, r)
		return
	}
	answer := &kept{head: http.Header{}, status: http.StatusOK}
	if f.After || f.Kind == Silent || f.Kind == Half {
		do(answer, r)
	}
	a.break_(w, r, f, answer)
}

func hasSession(r *http.Request) bool { return r.PathValue("id") != "" }

// hang waits until the client or the agent is gone.
func (a *Run) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-a.Ended:
	}
}

func (a *Run) break_(w http.ResponseWriter, r *http.Request, f Fault, answer *kept) {
	switch f.Kind {
	case Kill:
		a.End()
	case Stolen:
		a.phone.TakeAgentPort()
		a.End()
	case Reinstall:
		a.phone.PutAgent("10.6.7", 279, "a40da80a")
		a.End()
	case Reboot:
		go a.phone.Reboot(f.Delay)
		<-a.Ended
	case Wedge:
		a.mu.Lock()
		a.stuck = true
		a.mu.Unlock()
		a.hang(r)
	case Silent:
		if kernel.Pause(r.Context(), f.Delay) {
			answer.send(w)
			return
		}
	case Refuse:
		problem(w, http.StatusBadRequest, "invalid element state", "The touch down event injection has failed")
		return
	case Broken:
		problem(w, http.StatusInternalServerError, "unknown error",
			"java.lang.NullPointerException: Attempt to invoke a virtual method on a null object reference")
		return
	case Orphan:
		a.LostShell()
		problem(w, http.StatusInternalServerError, "unknown error",
			"java.lang.IllegalStateException: UiAutomation not connected!")
		return
	case Garbage, Half:
		raw(w, f.Kind, answer)
	}
	panic(http.ErrAbortHandler)
}

// raw writes past the HTTP server.
func raw(w http.ResponseWriter, kind FaultKind, answer *kept) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, out, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if kind == Garbage {
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
