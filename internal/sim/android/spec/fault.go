package spec

import (
	"strings"
	"sync"
	"time"
)

// FaultKind is the way in which a call fails.
type FaultKind int

// Drop to Slow act on a service that the host opened; Error acts on a command inside the device's shell.
const (
	Drop    FaultKind = iota + 1 // the whole connection to the phone breaks, after Bytes of the reply
	Hang                         // the service is opened and never responds
	Cut                          // the service is closed after Bytes of the reply, without an exit code
	Garbage                      // the service responds with Bytes (default: 64) of noise, then closes
	Slow                         // the service starts after Delay
	Error                        // the command writes Output to stderr and ends with Code
	Refuse                       // the service is refused
)

// Fault is a failure of the phone. Error matches the command line inside the shell, the other kinds the name of the
// service as adb sends it ("shell,v2,raw:uiautomator dump …", "exec:screencap", "sync:").
type Fault struct {
	Match  string // a part of the service or command; empty matches all
	Nth    int    // the nth match fails, counted from 1 when the fault is set; 0 = every one
	Kind   FaultKind
	Delay  time.Duration // Slow
	Bytes  int
	Output string
	Code   int
	Away   time.Duration // Drop: the phone stays unplugged so long; negative = until Reconnect
}

// Faults are the faults that are armed.
type Faults struct {
	mu    sync.Mutex
	all   []*armedFault
	acted int
}

type armedFault struct {
	Fault
	seen int
}

// Fail arms a fault; several may be armed at once, the first that matches acts.
func (l *Faults) Fail(f Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, &armedFault{Fault: f})
}

// Failed says how often a fault has acted.
func (l *Faults) Failed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acted
}

// Heal disarms all faults.
func (l *Faults) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = nil
}

// Match returns the fault that acts on a service (command false) or on a shell command.
func (l *Faults) Match(what string, command bool) (Fault, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.all {
		if (f.Kind == Error) != command || !strings.Contains(what, f.Match) {
			continue
		}
		f.seen++
		if f.Nth == 0 || f.seen == f.Nth {
			l.acted++
			return f.Fault, true
		}
	}
	return Fault{}, false
}
