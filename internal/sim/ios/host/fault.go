package host

import (
	"slices"
	"strings"
	"time"
)

// Kind is what goes wrong.
type Kind int

// The kinds of faults.
const (
	Hang Kind = iota // nothing comes until the caller stops
	Slow             // it takes For longer
	// Refuse: a program prints Text and exits with Code; a WebDriverAgent responds with the error Word with Text
	Refuse
	Garbage // something that is not a response
	Cut     // the answer ends in the middle
	Drop    // the connection breaks (WebDriverAgent)
	Die     // WebDriverAgent ends
	Forget  // WebDriverAgent loses its session, as when another client makes one
)

// Fault is something that goes wrong.
type Fault struct {
	Device string // UDID; "" is any
	Match  string // a part of the program's command line, or of "POST /wda/tap"
	Nth    int    // of the matching calls; 0: all
	Kind   Kind
	For    time.Duration
	Text   string
	Word   string // "stale element reference"
	Code   int

	seen   int
	Healed chan struct{} // closed when it is disarmed
}

// Fail arms a fault.
func (l *Host) Fail(f Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.Healed = make(chan struct{})
	l.faults = append(l.faults, &f)
}

// Heal disarms all faults.
func (l *Host) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.faults {
		close(f.Healed)
	}
	l.faults = nil
}

// HealDevice disarms the faults of one device.
func (l *Host) HealDevice(udid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = slices.DeleteFunc(l.faults, func(f *Fault) bool {
		if f.Device == udid {
			close(f.Healed)
		}
		return f.Device == udid
	})
}

// Fault returns the fault that acts on a call.
func (l *Host) Fault(call string) (Fault, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.faults {
		if !strings.Contains(call, f.Match) || !strings.Contains(call, f.Device) {
			continue
		}
		if f.seen++; f.Nth == 0 || f.Nth == f.seen {
			return *f, true
		}
	}
	return Fault{}, false
}
