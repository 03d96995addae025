package androidsim

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

type faultList struct {
	mu    sync.Mutex
	all   []*armedFault
	acted int
}

type armedFault struct {
	Fault
	seen int
}

// Fail arms a fault; several may be armed at once, the first that matches acts.
func (p *Phone) Fail(f Fault) {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.all = append(p.faults.all, &armedFault{Fault: f})
}

// Failed says how often a fault has acted.
func (p *Phone) Failed() int {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	return p.faults.acted
}

// Heal disarms all faults.
func (p *Phone) Heal() {
	p.faults.mu.Lock()
	defer p.faults.mu.Unlock()
	p.faults.all = nil
}

// match returns the fault that acts on a service (command false) or on a shell command.
func (l *faultList) match(what string, command bool) (Fault, bool) {
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

// dropAway breaks all connections and keeps the phone away for as long as the fault says.
func (p *Phone) dropAway(away time.Duration) {
	if away == 0 {
		p.dropAll()
		return
	}
	before := p.State()
	p.SetState(StateAbsent)
	if away > 0 {
		p.work.run(func() {
			if pause(p.ctx, away) {
				p.SetState(before)
			}
		})
	}
}

// FillStorage fills the phone's storage up, or frees it: then every write fails, and files that are made stay empty.
func (p *Phone) FillStorage(full bool) {
	p.files.mu.Lock()
	defer p.files.mu.Unlock()
	p.files.full = full
}

func (f *fileSystem) isFull() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.full
}
