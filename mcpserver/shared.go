package mcpserver

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/live"
)

// mine lists the open devices that are this client's: of a process with more clients than one, those that it holds.
func (s *Server) mine() []live.Status {
	all := s.live.Open()
	if s.conf.Devices == nil {
		return all
	}
	var own []live.Status
	for _, st := range all {
		if st.Hold != nil && st.Hold.Who == s.who {
			own = append(own, st)
		}
	}
	return own
}

// hold keeps a device that is used for this client, where there are others, and sets it up when it was opened anew.
func (s *Server) hold(ctx context.Context, device string) error {
	if s.conf.Devices == nil {
		return nil
	}
	err := s.live.Use(ctx, device, s.who, func(_ context.Context, session *action.Session) error {
		s.mu.Lock()
		known := s.prepared[device] == session.Device
		s.prepared[device] = session.Device
		s.mu.Unlock()
		if known {
			return nil
		}
		if w, ok := session.Device.(drivers.WebWitness); ok {
			w.KeepFront(true)
		}
		s.keepLog(session)
		return nil
	})
	if err != nil {
		return err
	}
	_, err = s.live.Hold(ctx, device, s.who, s.conf.Idle)
	return err
}

// goodbye is how long a device may take to be given back.
const goodbye = 10 * time.Second

// giveBack ends the client's use of devices that others may use, too.
func (s *Server) giveBack() {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	for _, st := range s.mine() {
		if _, err := s.live.Release(ctx, st.Info.ID, s.who); err != nil {
			s.log.Warn("give a device back", "device", st.Info.ID, "error", err)
		}
	}
}
