package android

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/shellerr"
)

// agentShell is the shell on the phone that the agent runs in.
type agentShell struct {
	phone *phone
	plain bool // this phone's am knows none of the options that can be left out

	mu     sync.Mutex
	ended  chan struct{} // closed when the shell has ended
	output *capped       // what it printed
	proc   *process
}

// start runs the agent's instrumentation.
func (s *agentShell) start(ctx context.Context) error {
	line := "am instrument -w "
	if !s.plain {
		line += "--no-window-animation "
	}
	line += "-e DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES true -e disableAnalytics true "
	if !s.plain && s.phone.info.APILevel >= hiddenAPI {
		line += "--no-hidden-api-checks "
	}
	p, err := s.phone.stream(ctx, command{name: "am instrument", line: line + agentRunner})
	if err != nil {
		return err
	}
	ended, said := make(chan struct{}), &capped{max: agentOutputBytes, quiet: true}
	s.mu.Lock()
	s.proc, s.ended, s.output = p, ended, said
	s.mu.Unlock()
	if err := s.phone.life.Go(func() {
		defer close(ended)
		_, _ = p.wait(said, said)
	}); err != nil {
		p.close()
		return err
	}
	return nil
}

// hasEnded reports whether the shell was started and has ended.
func (s *agentShell) hasEnded() bool {
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
func (s *agentShell) stop(ctx context.Context) {
	if _, err := s.phone.run(ctx, command{name: "stop the agent", line: stopAgentLine}); err != nil {
		s.phone.log.Debug("the agent was not stopped yet", "error", err)
	}
}

// end closes the shell, and waits for it.
func (s *agentShell) end() {
	s.mu.Lock()
	p, ended := s.proc, s.ended
	s.proc = nil
	s.mu.Unlock()
	if p != nil {
		p.close()
		<-ended
	}
}

// awaitStatus polls until the agent reports that it is ready. That does not mean yet that it works.
func (s *agentShell) awaitStatus(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, agentStartLimit, s.phone.link.tooSlow("the start of the agent",
		agentStartLimit))
	defer cancel()
	for {
		var status struct {
			Ready bool
			Build struct{ Version string }
		}
		err := request(ctx, s.phone.link, agentRequest{method: "GET", path: "/status"}, &status)
		if err == nil && status.Ready {
			return status.Build.Version, nil
		}
		if s.hasEnded() {
			return "", fmt.Errorf("device %s: the agent ended at once: %s", s.phone.link.serial, s.lastOutput())
		}
		if err := drivers.Pause(ctx, agentStartPoll); err != nil {
			return "", s.phone.link.fault(ctx, "start the agent", err)
		}
	}
}

// lastOutput are what the shell of the agent printed.
func (s *agentShell) lastOutput() string {
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
