package androidsim

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/agent"
	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/shell"
)

// runAgent starts a phone with an agent that runs until the test ends.
func runAgent(t *testing.T, o Options) *Phone {
	t.Helper()
	p := NewPhone(o)
	t.Cleanup(p.Close)
	p.PutAgent("10.6.6", 278, "a40da80a")
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	p.kernel.Work.Run(func() {
		var out strings.Builder
		p.Run(ctx, shell.Streams{In: strings.NewReader(""), Out: &out, Err: &out}, "am instrument -w "+agent.Runner)
	})
	for !p.AgentListens() {
		if !kernel.Pause(t.Context(), time.Millisecond) {
			t.Fatal("the agent does not listen")
		}
	}
	return p
}

// agentConn opens a port of the phone.
func agentConn(t *testing.T, p *Phone, port int) net.Conn {
	t.Helper()
	run, ok := p.TCPService(fmt.Sprint(port))
	if !ok {
		t.Fatalf("nothing listens on %d", port)
	}
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); ours.Close(); theirs.Close() })
	p.kernel.Work.Run(func() {
		run(ctx, theirs)
		theirs.Close()
	})
	return ours
}

// TestAgentClosesSilentConnections: a client that keeps one finds it dead.
func TestAgentClosesSilentConnections(t *testing.T) {
	t.Parallel()
	p := runAgent(t, Options{AgentIdle: 30 * time.Millisecond})
	c := agentConn(t, p, agent.AgentPort)
	if _, err := io.WriteString(c, "GET /status HTTP/1.1\r\nHost: phone\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	answer, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(said), `"ready":true`) {
		t.Errorf("%s, %v", said, err)
	}
	if _, err := r.ReadByte(); err == nil {
		t.Error("the connection stays")
	}
}

// TestAgentFilm: images come after any bytes of the client, with the delimiter as the agent writes it.
func TestAgentFilm(t *testing.T) {
	t.Parallel()
	p := runAgent(t, Small)
	c := agentConn(t, p, agent.AgentMJPEG)
	if _, err := io.WriteString(c, "x"); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 1024)
	n, err := io.ReadAtLeast(c, head, 300)
	if said := string(head[:n]); err != nil || !strings.Contains(said, "boundary=--BoundaryString\r\n") ||
		!strings.Contains(said, "\r\n--BoundaryString\r\nContent-type: image/jpg\r\n") {
		t.Errorf("%q, %v", said, err)
	}
}

// TestAgentTakesTheOneUiAutomation: a dump dies while it runs; one that comes second says that it is ready and opens no
// session.
func TestAgentTakesTheOneUiAutomation(t *testing.T) {
	t.Parallel()
	p := runAgent(t, Small)
	var out strings.Builder
	if code := p.Run(t.Context(), shell.Streams{In: strings.NewReader(""), Out: &out, Err: &out},
		"uiautomator dump"); code != 137 {
		t.Errorf("%d, %s", code, out.String())
	}
	p.KillAgent()
	if p.AgentListens() || !p.HoldAutomation(true) {
		t.Error("what ended still has its place")
	}
}
