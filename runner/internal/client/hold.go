package client

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/live"
)

// Mine lists the open devices of this client: in a process with several clients, those that it has leased.
func (s *Client) Mine() []live.Status {
	all := s.Live.Open()
	if !s.Shared {
		return all
	}
	var own []live.Status
	for _, st := range all {
		if st.Hold != nil && st.Hold.Who == s.Who {
			own = append(own, st)
		}
	}
	return own
}

// lease leases a shared device for this client, and sets it up when it was opened again.
func (s *Client) lease(ctx context.Context, device string) error {
	if !s.Shared {
		return nil
	}
	err := s.Live.Use(ctx, device, s.Who, func(_ context.Context, session *action.Performer) error {
		s.mu.Lock()
		known := s.prepared[device] == session.Device
		s.prepared[device] = session.Device
		s.mu.Unlock()
		if known {
			return nil
		}
		if w, ok := session.Device.(drivers.WebPageMonitor); ok {
			w.KeepFront(true)
		}
		if s.Opened != nil {
			s.Opened(session)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = s.Live.Hold(ctx, device, s.Who, s.Idle)
	return err
}

// releaseTimeout limits how long releasing a device may take.
const releaseTimeout = 10 * time.Second

// GiveBack releases the shared devices of the client.
func (s *Client) GiveBack() {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	for _, st := range s.Mine() {
		if _, err := s.Live.Release(ctx, st.Info.ID, s.Who); err != nil {
			s.Log.Warn("cannot release a device", "device", st.Info.ID, "error", err)
		}
	}
}
