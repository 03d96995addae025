package run

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// Offered is the remote of Config.Remotes with a name; nil: there is none.
func (s Sessions) Offered(name string) *dsl.RemoteServer {
	for i := range s.config.Remotes {
		if r := &s.config.Remotes[i]; r.Name == name {
			return r
		}
	}
	return nil
}

// offers are the drivers of the remotes of which the devices are offered in addition to those of this machine.
func (s Sessions) offers() (list []drivers.Driver) {
	for i := range s.config.Remotes {
		of := s
		of.config.Remote = &s.config.Remotes[i]
		for _, d := range of.drivers() {
			list = append(list, newOffer(d, of.config.Remote.Name, s.config.logger()))
		}
	}
	return list
}

const (
	// offerEvery is how often the server of an offered remote is queried.
	offerEvery = 5 * time.Second
	// offerFirst is how long the lists of its devices wait for the first answer, from the start.
	offerFirst = 2 * time.Second
	// offerRest is how long its devices are not offered after one that could not be opened.
	offerRest = 15 * time.Second
)

// unreachable is the state of a device of a remote that does not respond, or opens no sessions.
const unreachable drivers.State = "offline"

// remotePlaces is a driver of remotes.
type remotePlaces interface {
	drivers.Driver
	// Places lists the devices without a request.
	Places() []drivers.Info
	// Usable reports whether sessions can be opened, as far as that is known without one.
	Usable(ctx context.Context) error
}

// offer is the driver of a remote of which a host of a farm offers the devices for as long as it runs. Its list does
// not wait for the server, which is queried from time to time: a server that does not respond must not delay other
// devices. The devices are listed all the same, with the reason why they cannot be used.
type offer struct {
	remotePlaces
	name  string
	log   *slog.Logger
	began time.Time

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	querying bool
	queried  time.Time // the end of the last request
	first    chan struct{}
	problem  string    // "": sessions can be opened
	closed   time.Time // no session is opened before
	refusal  string    // the reason
}

func newOffer(d drivers.Driver, name string, log *slog.Logger) drivers.Driver {
	places, is := d.(remotePlaces)
	if !is {
		return d
	}
	o := &offer{remotePlaces: places, name: name, log: log, began: time.Now(), first: make(chan struct{})}
	o.life, o.end = context.WithCancel(context.Background())
	o.query() // now, so that several servers that hang are waited for together
	return o
}

// Devices lists the places for sessions, as the server was at the last request.
func (o *offer) Devices(ctx context.Context) ([]drivers.Info, error) {
	o.query()
	wait := time.NewTimer(time.Until(o.began.Add(offerFirst)))
	defer wait.Stop()
	select {
	case <-o.first:
	case <-wait.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	list := o.Places()
	if why := o.why(); why != "" {
		for i := range list {
			list[i].State, list[i].Problem = unreachable, why
		}
	}
	return list, nil
}

// why is the reason for which no session can be opened now.
func (o *offer) why() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.problem != "":
		return o.problem
	case o.queried.IsZero():
		return "the remote " + o.name + " has not responded yet"
	case time.Now().Before(o.closed):
		return o.refusal
	}
	return ""
}

// query requests the state of the server, unless that was done just now.
func (o *offer) query() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.querying || o.life.Err() != nil || !o.queried.IsZero() && time.Since(o.queried) < offerEvery {
		return
	}
	o.querying = true
	o.work.Go(func() {
		err := o.Usable(o.life)
		o.mu.Lock()
		defer o.mu.Unlock()
		before, known := o.problem, !o.queried.IsZero()
		if o.querying = false; o.life.Err() != nil {
			return
		}
		o.problem, o.queried = problemOf(err), time.Now()
		switch {
		case o.problem != "" && o.problem != before:
			o.log.Warn("a remote cannot be used", "remote", o.name, "error", o.problem)
		case o.problem == "" && before != "":
			o.log.Info("a remote can be used again", "remote", o.name)
		}
		if !known {
			close(o.first)
		}
	})
}

// problemOf is what an error says to users of the devices.
func problemOf(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), drivers.ErrDeviceLost.Error()+": ")
}

// Open opens a session. After one that cannot be opened the devices are not offered for a while: the server would
// refuse the next tests, too.
func (o *offer) Open(ctx context.Context, id string) (drivers.Device, error) {
	dev, err := o.remotePlaces.Open(ctx, id)
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err == nil:
		o.closed = time.Time{}
	case ctx.Err() == nil && !errors.Is(err, context.Canceled):
		o.closed, o.refusal = time.Now().Add(offerRest), "no session can be opened: "+problemOf(err)
		o.log.Warn("a session at a remote cannot be opened", "remote", o.name, "device", id, "error", problemOf(err))
	}
	return dev, err
}

// Close ends the sessions.
func (o *offer) Close() error {
	o.end()
	o.work.Wait()
	return o.remotePlaces.Close()
}
