package client

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/live"
)

// Mine lists the open devices that are this client's: of a process with more clients than one, those that it holds.
func (s *Session) Mine() []live.Status {
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

// hold keeps a device that is used for this client, where there are others, and sets it up when it was opened anew.
func (s *Session) hold(ctx context.Context, device string) error {
	if !s.Shared {
		return nil
	}
	err := s.Live.Use(ctx, device, s.Who, func(_ context.Context, session *action.Session) error {
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

// goodbye is how long a device may take to be given back.
const goodbye = 10 * time.Second

// GiveBack ends the client's use of devices that others may use, too.
func (s *Session) GiveBack() {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	for _, st := range s.Mine() {
		if _, err := s.Live.Release(ctx, st.Info.ID, s.Who); err != nil {
			s.Log.Warn("give a device back", "device", st.Info.ID, "error", err)
		}
	}
}
