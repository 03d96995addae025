package mcpserver

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/run"
)

// listApp are the arguments that launch the app with the list.
const listApp = `{"package": "com.example.list", "force": true}`

// lab is a set of simulated phones, with what a server needs to find them.
type lab struct {
	phones []*androidsim.Phone
	env    map[string]string
}

func (l *lab) getenv(name string) string { return l.env[name] }

// newLab starts small phones without delays.
func newLab(t testing.TB, n int) *lab {
	t.Helper()
	kind := androidsim.Options{Width: 360, Height: 800, Density: 140, LoginLoading: 1, LoginSpinner: 1, IdleQuiet: 1}
	server, phones := androidsim.Start(t, slices.Repeat([]androidsim.Options{kind}, n)...)
	l := &lab{phones: phones}
	host, port, err := net.SplitHostPort(server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	l.env = map[string]string{"ANDROID_ADB_SERVER_ADDRESS": host, "ANDROID_ADB_SERVER_PORT": port,
		"XDG_RUNTIME_DIR": t.TempDir(), "XDG_CACHE_HOME": t.TempDir(), "PATH": os.Getenv("PATH")}
	return l
}

// config configures a server that uses only the lab's phones, and keeps them on a slow machine, too.
func (l *lab) config(t testing.TB) Config {
	dir := t.TempDir()
	return Config{Version: "test", Idle: time.Hour, Runner: run.Config{Dir: dir, Reports: dir + "/reports",
		Getenv: l.getenv, NoVideo: true},
		Drivers: []drivers.Driver{android.New(android.Options{Getenv: l.getenv, NotesDir: t.TempDir()})}}
}

// browser is shared by all tests of pages. A server that closes it closes only its own pages.
var browser = sync.OnceValue(func() *web.Driver { return web.New(web.Options{Slots: 4}) })

type sharedPages struct{ *web.Driver }

func (sharedPages) Close() error { return nil }

// pages returns the drivers of a server on pages.
func pages() []drivers.Driver { return []drivers.Driver{sharedPages{browser()}} }

// CloseBrowser ends the browser after all tests.
func CloseBrowser() error { return browser().Close() }

// session is a client of a server in this process.
type session struct {
	*mcp.ClientSession
	t      testing.TB
	server *clientSession
	heard  chan *mcp.ProgressNotificationParams
}

// connect starts a server and connects a client to it.
func connect(t testing.TB, c Config) *session {
	t.Helper()
	s, err := newClientSession(c)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := s.MCP().Connect(ctx, theirs, nil); err != nil {
		t.Fatal(err)
	}
	heard := make(chan *mcp.ProgressNotificationParams, 1000)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard <- r.Params }})
	session1, err := client.Connect(ctx, ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session1.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		cancel()
	})
	return &session{session1, t, s, heard}
}

// ask calls a tool; arguments are JSON.
func (s *session) ask(tool, args string) *mcp.CallToolResult {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		s.t.Fatalf("%s %s: %v", tool, args, err)
	}
	return r
}

// ok calls a tool that has to succeed and returns its text.
func (s *session) ok(tool, args string) string {
	s.t.Helper()
	r := s.ask(tool, args)
	if r.IsError {
		s.t.Fatalf("%s %s failed: %s", tool, args, words(r))
	}
	return words(r)
}

// refused calls a tool that has to fail with an error that contains these words and no structured content.
func (s *session) refused(tool, args string, want ...string) string {
	s.t.Helper()
	r := s.ask(tool, args)
	text := words(r)
	if !r.IsError {
		s.t.Errorf("%s %s succeeded: %s", tool, args, text)
	}
	if r.StructuredContent != nil {
		s.t.Errorf("%s %s: an error with structured content", tool, args)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			s.t.Errorf("%s %s says\n%s\nwithout %q", tool, args, text, w)
		}
	}
	return text
}

// words returns the text of a response.
func words(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// refOf returns the reference in the line of a snapshot that contains the words.
func refOf(t testing.TB, snapshot string, words ...string) string {
	t.Helper()
next:
	for line := range strings.Lines(snapshot) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue next
			}
		}
		return strings.TrimLeft(strings.Fields(line)[0], "+~ ")
	}
	t.Fatalf("no line with %q in\n%s", words, snapshot)
	return ""
}

// appPassword is the password of the only account of the simulated app.
const appPassword = "lovelace"

func quotedJSON(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(data)
}

// eventually waits until a condition is true.
func eventually(t testing.TB, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it did not come about")
		}
	}
}

// bare returns a response without the marks around text of the app.
func bare(answer string) string {
	return regexp.MustCompile(`</?x[a-z0-9]{4}>`).ReplaceAllString(answer, "")
}
