package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
	"github.com/taproot-dev/taproot/internal/shellerr"
)

// Shell is the shell on the phone that the agent runs in.
type Shell struct {
	Phone *phone.Phone
	plain bool // this phone's am knows none of the options that can be left out

	mu     sync.Mutex
	ended  chan struct{} // closed when the shell has ended
	output *adb.Capped   // what it printed
	proc   *adb.Process
}

// start runs the agent's instrumentation.
func (s *Shell) start(ctx context.Context) error {
	line := "am instrument -w "
	if !s.plain {
		line += "--no-window-animation "
	}
	line += "-e DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES true -e disableAnalytics true "
	if !s.plain && s.Phone.Info.APILevel >= hiddenAPI {
		line += "--no-hidden-api-checks "
	}
	p, err := s.Phone.Stream(ctx, adb.Command{Name: "am instrument", Line: line + agentRunner})
	if err != nil {
		return err
	}
	ended, said := make(chan struct{}), &adb.Capped{Max: agentOutputBytes, Quiet: true}
	s.mu.Lock()
	s.proc, s.ended, s.output = p, ended, said
	s.mu.Unlock()
	if err := s.Phone.Life.Go(func() {
		defer close(ended)
		_, _ = p.Wait(said, said)
	}); err != nil {
		p.Close()
		return err
	}
	return nil
}

// HasEnded reports whether the shell was started and has ended.
func (s *Shell) HasEnded() bool {
	s.mu.Lock()
	ended := s.ended
	s.mu.Unlock()
	select {
	case <-ended:
		return true
	default:
		return false
	}
}

// stop ends what runs of the agent. It is tried again when the device is closed.
func (s *Shell) stop(ctx context.Context) {
	if _, err := s.Phone.Run(ctx, adb.Command{Name: "stop the agent", Line: restore.StopAgent}); err != nil {
		s.Phone.Log.Debug("the agent was not stopped yet", "error", err)
	}
}

// end closes the shell, and waits for it.
func (s *Shell) end() {
	s.mu.Lock()
	p, ended := s.proc, s.ended
	s.proc = nil
	s.mu.Unlock()
	if p != nil {
		p.Close()
		<-ended
	}
}

// awaitStatus polls until the agent reports that it is ready. That does not mean yet that it works.
func (s *Shell) awaitStatus(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, agentStartLimit, s.Phone.Link.TooSlow("the start of the agent",
		agentStartLimit))
	defer cancel()
	for {
		var status struct {
			Ready bool
			Build struct{ Version string }
		}
		err := Send(ctx, s.Phone.Link, Request{Method: "GET", Path: "/status"}, &status)
		if err == nil && status.Ready {
			return status.Build.Version, nil
		}
		if s.HasEnded() {
			return "", fmt.Errorf("device %s: the agent ended at once: %s", s.Phone.Link.Serial, s.lastOutput())
		}
		if err := drivers.Pause(ctx, agentStartPoll); err != nil {
			return "", s.Phone.Link.Fault(ctx, "start the agent", err)
		}
	}
}

// lastOutput are what the shell of the agent printed.
func (s *Shell) lastOutput() string {
	for line := range strings.Lines(string(s.output.Bytes())) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"Error=", "shortMsg=", signedApart, "Unknown option"} {
			if i := strings.Index(line, mark); i >= 0 {
				return strings.TrimPrefix(strings.TrimPrefix(line[i:], "Error="), "shortMsg=")
			}
		}
	}
	if line := shellerr.Line(string(s.output.Bytes())); line != "" {
		return line
	}
	return "it printed nothing"
}
