package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/runner/pool"
)

// TestParallelCalls makes a hundred calls at once on four phones. Each is performed by its own phone, and no tap is
// lost or doubled.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	s := connect(t, l.config(t))
	for _, p := range l.phones {
		s.ok("launch", `{"package": "com.example.list", "force": true, "device": "`+p.Serial()+`"}`)
	}
	before := map[string]int{}
	for _, p := range l.phones {
		before[p.Serial()] = len(p.Taps()) + len(p.Keys())
	}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			serial := l.phones[i%4].Serial()
			tool, args := "press", `{"keys": ["volumeUp"], "device": "`+serial+`"}`
			switch i / 4 % 10 {
			case 1, 3:
				tool, args = "snapshot", `{"device": "`+serial+`"}`
			case 5:
				tool, args = "screenshot", `{"max_px": 64, "device": "`+serial+`"}`
			case 7:
				tool, args = "tap", `{"point": "50%,2%", "device": "`+serial+`"}`
			}
			r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
			if err != nil || r.IsError || !strings.Contains(words(r), serial) {
				t.Errorf("%s on %s: %v %s", tool, serial, err, words(r))
			}
		})
	}
	all.Wait()
	for _, p := range l.phones {
		if n := len(p.Taps()) + len(p.Keys()) - before[p.Serial()]; n != 17 {
			t.Errorf("%s was touched %d times, want 17", p.Serial(), n)
		}
	}
}

// TestPanicInEachTool checks that a panic of a tool becomes an error, and the session continues.
func TestPanicInEachTool(t *testing.T) {
	t.Parallel()
	s := connect(t, newLab(t, 0).config(t))
	for name, tool := range s.server.tools {
		tool.def, tool.args = nil, nothing{}
		tool.do = func(context.Context, *call) (*mcp.CallToolResult, error) { panic("broken " + name) }
	}
	for name := range s.server.tools {
		s.refused(name, `{}`, "taproot itself broke down", "broken "+name)
	}
	if _, err := s.ListTools(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// TestCancel checks that the phone is free after a call that the client cancelled.
func TestCancel(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	s.ok("launch", listApp)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "wait_for",
			Arguments: json.RawMessage(`{"visible": {"label": "Never there"}, "timeoutMs": 600000}`)})
		done <- err
	}()
	eventually(t, func() bool { return l.phones[0].Count("uiautomator") > 0 })
	cancel()
	began := time.Now()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	s.ok("press", `{"keys": ["back"]}`) // times out if the phone is not free
	t.Logf("the phone was free after %s", time.Since(began))
}

// TestTwoClients uses one phone from two clients: the lease decides, the other client's error names its owner, and no
// tap is sent to a stale reference.
func TestTwoClients(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	one, two := l.config(t), l.config(t)
	two.Idle = 50 * time.Millisecond
	one.Idle = 50 * time.Millisecond
	a, b := connect(t, one), connect(t, two)
	a.ok("launch", listApp)
	seen := a.ok("snapshot", `{}`)
	ref := refOf(t, seen, `"Edge"`)
	// Idle times are short here, so either client may lease the phone in between. In every round one of them has it.
	taps := len(l.phones[0].Taps())
	if lease, err := b.server.Pool.Take(t.Context(), "SIM1", "x"); err == nil {
		t.Log("the phone was idle already")
		lease.Release()
	} else if !errors.As(err, new(*pool.BusyError)) {
		t.Error(err)
	}
	eventually(t, func() bool {
		r := b.ask("launch", `{"package": "com.example.login", "force": true}`)
		return !r.IsError
	})
	eventually(t, func() bool { return !b.ask("wait_for", `{"visible": "E-mail"}`).IsError })
	eventually(t, func() bool {
		r := a.ask("tap", `{"ref": "`+ref+`", "timeoutMs": 500}`)
		if !r.IsError {
			t.Fatalf("a stale reference was tapped: %s", words(r))
		}
		return strings.Contains(words(r), "stale")
	})
	if n := len(l.phones[0].Taps()); n != taps {
		t.Errorf("%d taps", n-taps)
	}
}

// TestTheLease checks that a device is leased to a client from its first call on. The error of another client names it,
// until the first client is idle or disconnected.
func TestTheLease(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	a, b := connect(t, l.config(t)), connect(t, l.config(t))
	a.ok("launch", listApp)
	for _, tool := range []struct{ name, args string }{{"tap", `{"label": "Edge"}`}, {"snapshot", `{}`},
		{"assert", `{"label": "Edge"}`}, {"screenshot", `{}`}, {"record", `{"action": "start"}`}} {
		b.refused(tool.name, tool.args, "SIM1 is in use by process "+fmt.Sprint(os.Getpid()), "taproot mcp",
			"try: wait until it is free")
	}
	if n := len(l.phones[0].Taps()); n != 0 {
		t.Errorf("%d taps", n)
	}
	if err := a.server.Close(); err != nil {
		t.Error(err)
	}
	b.ok("tap", `{"label": "Edge"}`)
}
