package adb

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	reconnectLimit = 6 * time.Second // a phone that is switched off must not hold up the others
	reconnectPoll  = 50 * time.Millisecond
	// ReturnLimit is how long a phone may take to come back by itself: adb repeats a broken connection at once, a
	// cable that lost contact takes a second or two. One that restarts does not come back in that time.
	ReturnLimit = 5 * time.Second
	maxKnown    = 256
)

// byAddress reports whether a serial is the address by which adb reaches the device. A new adb server finds USB devices
// and emulators again by itself; those it has forgotten.
func byAddress(serial string) bool {
	host, port, err := net.SplitHostPort(serial)
	if err != nil || host == "" {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && n > 0 && n <= 65535
}

// knownDevices are the devices with an address that this process has seen or opened.
type knownDevices struct {
	mu  sync.Mutex
	all map[string]bool // false: missing, and one attempt to bring it back was made
}

func (a *knownDevices) meet(serial string) {
	if !byAddress(serial) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[string]bool{}
	}
	if _, known := a.all[serial]; known || len(a.all) < maxKnown {
		a.all[serial] = true
	}
}

func (a *knownDevices) know(serial string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, known := a.all[serial]
	return known
}

func (a *knownDevices) everybody() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []string
	for serial := range a.all {
		all = append(all, serial)
	}
	return all
}

// missing returns those that are not attached and were not returned before. The attached ones count as seen.
func (a *knownDevices) missing(attached []Attachment) []string {
	here := map[string]bool{}
	for _, one := range attached {
		here[one.Serial] = true
		a.meet(one.Serial)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var gone []string
	for serial, try := range a.all {
		if try && !here[serial] {
			gone = append(gone, serial)
			a.all[serial] = false
		}
	}
	return gone
}

// bringBack connects devices by their addresses and waits until they can be used, all at once and for a limited time.
// It never starts the server. A device that does not come back is for the next call to complain about.
func (s *Server) bringBack(ctx context.Context, serials []string) {
	if len(serials) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reconnectLimit)
	defer cancel()
	var all sync.WaitGroup
	for _, serial := range serials {
		all.Go(func() {
			state, said := s.bringBackOne(ctx, serial)
			s.Log.Info("connected a device again", "device", serial, "state", state, "adb", said)
		})
	}
	all.Wait()
}

func (s *Server) bringBackOne(ctx context.Context, serial string) (state drivers.State, said string) {
	if s.stateOf(ctx, serial) == "offline" {
		// adb says "already connected" and would try by itself only every ten seconds.
		_, _ = s.ask(ctx, "host:disconnect:"+serial, s.dialed)
	}
	said, err := s.ask(ctx, "host:connect:"+serial, s.dialed)
	if err != nil {
		return "", err.Error()
	}
	said = FirstLine(said)
	for {
		state = s.stateOf(ctx, serial)
		refused := strings.HasPrefix(said, "failed") || strings.HasPrefix(said, "cannot") || strings.HasPrefix(said, "unable")
		if state == drivers.Ready || state == "unauthorized" || refused || drivers.Pause(ctx, reconnectPoll) != nil {
			return state, said
		}
	}
}

// Attached returns adb's list. Devices with an address that were in it before are connected again, once, before they
// count as gone: the server may have been restarted by another program.
func (s *Server) Attached(ctx context.Context) ([]Attachment, error) {
	for {
		answer, err := s.query(ctx, "host:devices-l")
		if err != nil {
			return nil, err
		}
		list := ParseDevices(answer)
		gone := s.friends.missing(list)
		if len(gone) == 0 {
			return list, nil
		}
		s.bringBack(ctx, gone)
	}
}

// Reach makes sure that the device can be used. One with an address that was seen before is connected again.
func (l *Link) Reach(ctx context.Context) error {
	state, err := l.State(ctx)
	if l.Server.friends.know(l.Serial) && (errors.Is(err, drivers.ErrDeviceLost) || state == "offline") {
		l.Server.bringBack(ctx, []string{l.Serial})
		state, err = l.State(ctx)
	}
	if err != nil {
		return err
	}
	l.Server.friends.meet(l.Serial)
	if state != drivers.Ready {
		return l.NotReady(state)
	}
	return nil
}

// Returns waits for a device with a broken connection. A device for which that was in vain is not waited for again
// until it has answered.
func (l *Link) Returns(ctx context.Context) bool {
	l.mu.Lock()
	away := l.away
	l.mu.Unlock()
	if away {
		return false
	}
	asked := ctx
	ctx, cancel := context.WithTimeout(ctx, ReturnLimit)
	defer cancel()
	for first := true; drivers.Pause(ctx, reconnectPoll) == nil; first = false { // a while, for adb to take notice itself
		state, err := l.State(ctx)
		gone := state == "offline" || Dropped(err)
		switch {
		case state == drivers.Ready:
			return true
		case !gone && !transient(state):
			cancel()
		case first && l.Server.friends.know(l.Serial):
			l.Server.bringBack(ctx, []string{l.Serial})
		}
	}
	l.setAway(asked.Err() == nil)
	return false
}

func (l *Link) setAway(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
}

// transient reports whether a state is one through which a device goes when it is attached.
func transient(state drivers.State) bool { return state == "connecting" || state == "authorizing" }

// stateOf is "" for a device that the server does not know.
func (s *Server) stateOf(ctx context.Context, serial string) drivers.State {
	answer, err := s.ask(ctx, "host-serial:"+serial+":get-state", s.dialed)
	if err == nil {
		return drivers.State(strings.TrimSpace(answer))
	}
	if refused := new(refusal); errors.As(err, &refused) {
		for _, state := range []string{"unauthorized", "offline"} {
			if strings.Contains(refused.message, state) {
				return drivers.State(state)
			}
		}
	}
	return ""
}
