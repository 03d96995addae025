package wire

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// Beats sends the state of a host to the hubs at an interval and after each change.
type Beats struct {
	Conn  *nats.Conn
	Host  string
	Every time.Duration // default: BeatEvery
	Wake  chan struct{} // of capacity one: a token requests the next beat now
	// Next makes a beat; Protocol, Boot and State are filled in. While Next takes longer than a beat, for example because
	// a phone hangs, the state before is confirmed.
	Next   func(context.Context) Beat
	OnSent func(b Beat, err error) // receives each beat, and why no hub took it; may be nil
	Clock  *Clock                  // receives the hub's time; may be nil
}

// BeatReply is the response to a beat.
type BeatReply struct {
	Now time.Time `json:"now"` // by the hub's clock
}

// Clock is the hub's clock, for a host with a clock that may be wrong. The zero value returns the time of this machine.
// Safe for concurrent use.
type Clock struct{ ahead atomic.Int64 }

// Now returns the time on the hub.
func (c *Clock) Now() time.Time { return time.Now().Add(c.Ahead()) }

// Ahead returns how much the hub's clock is ahead of this machine's. A difference below a second counts as zero.
func (c *Clock) Ahead() time.Duration { return time.Duration(c.ahead.Load()) }

// reckon sets the clock from the hub's time, which was read between two moments.
func (c *Clock) reckon(now, from, to time.Time) {
	ahead := now.Sub(from.Add(to.Sub(from) / 2)).Round(time.Second)
	if c != nil && !now.IsZero() && (ahead-c.Ahead()).Abs() > time.Second {
		c.ahead.Store(int64(ahead))
	}
}

// Run sends beats until the context ends, and then a last one.
func (s Beats) Run(ctx context.Context) error {
	if s.Every == 0 {
		s.Every = BeatEvery
	}
	var requested atomic.Bool
	stop, err := Serve(s.Conn, ToHost(s.Host, again), "", func(string, []byte) (any, error) {
		requested.Store(true)
		signal(s.Wake)
		return nil, nil
	})
	if err != nil {
		return err
	}
	defer stop()
	made, making := make(chan Beat, 1), false
	defer func() {
		if making {
			<-made
		}
	}()
	tick := time.NewTicker(s.Every)
	defer tick.Stop()
	boot, last, text := rand.Text(), Beat{}, ""
	for {
		if !making {
			making = true
			go func() { made <- s.Next(ctx) }()
		}
		news := false
		select {
		case b := <-made:
			making = false
			b.Protocol, b.Boot = Version, boot
			if encoded, err := json.Marshal(b); err != nil || string(encoded) != text {
				b.State, text, news = last.State+1, string(encoded), true
			} else {
				b.State = last.State
			}
			last = b
		case <-time.After(s.Every):
		}
		if last.State > 0 {
			out := Beat{Protocol: Version, Boot: boot, State: last.State, Same: true}
			if requested.Swap(false) || news {
				out = last
			}
			err := s.send(ctx, out)
			if err != nil {
				requested.Store(true) // a hub may or may not have received it
			}
			if s.OnSent != nil {
				s.OnSent(last, err)
			}
		}
		select {
		case <-ctx.Done():
			bye, cancel := context.WithTimeout(context.Background(), max(s.Every, BeatEvery))
			defer cancel()
			// a hub that misses this notices the silence
			_ = s.send(bye, Beat{Protocol: Version, Boot: boot, State: last.State, Ending: true})
			return nil
		case <-s.Wake:
		case <-tick.C:
		}
	}
}

// send sends a beat. Every hub receives it; one responds.
func (s Beats) send(ctx context.Context, b Beat) error {
	ctx, cancel := context.WithTimeout(ctx, 2*max(s.Every, BeatEvery))
	defer cancel()
	var reply BeatReply
	began := time.Now()
	err := Ask(ctx, s.Conn, ToHub(s.Host, BeatSubject), b, &reply)
	s.Clock.reckon(reply.Now, began, time.Now())
	return err
}
