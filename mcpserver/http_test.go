package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/internal/testutil"
)

const httpKey = "key-of-the-tests-1234567890abcdef"

// served starts `taproot serve --mcp` with authentication and returns its URL.
func (b *bench) served(t *testing.T, env ...string) string {
	t.Helper()
	cmd := exec.Command(program(t), "serve", "--mcp", "--addr", "127.0.0.1:0", "--allow-private", "--expose-env",
		"APP_PASSWORD")
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = b.dir, append(b.env, env...), &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Logf("the server: %v\n%s", err, said.String())
		}
		if t.Failed() {
			t.Log(said.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	site := regexp.MustCompile(`http://\S+`).FindString(line)
	if err != nil || site == "" {
		t.Fatalf("the server prints %q, and no URL: %v", line, err)
	}
	return site
}

func withKey() []string {
	return []string{"TAPROOT_AUTH_ENABLED=true", "TAPROOT_API_KEYS=" + httpKey + ",another-" + httpKey}
}

// keyed adds a credential to requests.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", k.key)
	return http.DefaultTransport.RoundTrip(r)
}

func dialHTTP(t *testing.T, site, key string) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: site + "/mcp", HTTPClient: &http.Client{Transport: keyed{key}}}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "http", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
	`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// TestHTTP checks that /mcp has the authentication of the API and lists its devices, and that a session accepts only
// the caller that started it.
func TestHTTP(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	site := b.served(t, withKey()...)
	post := func(header map[string]string, body string) (int, string, http.Header) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, site+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range header {
			r.Header.Set(name, value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(data), answer.Header
	}
	for _, c := range []struct {
		header map[string]string
		want   int
	}{{nil, 401}, {map[string]string{"X-API-Key": "wrong"}, 401},
		{map[string]string{"X-API-Key": httpKey, "Origin": "http://evil.example"}, 403},
		{map[string]string{"X-API-Key": httpKey, "Mcp-Session-Id": "made-up"}, 404},
		{map[string]string{"X-API-Key": httpKey, "Content-Type": "text/plain"}, 415}} {
		if code, text, _ := post(c.header, initialize); code != c.want {
			t.Errorf("%v: %d, want %d: %s", c.header, code, c.want, text)
		}
	}
	code, _, header := post(map[string]string{"X-API-Key": httpKey}, initialize)
	id := header.Get("Mcp-Session-Id")
	if code != 200 || id == "" {
		t.Fatalf("a session: %d, %q", code, id)
	}
	if code, text, _ := post(map[string]string{"X-API-Key": "another-" + httpKey, "Mcp-Session-Id": id},
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); code != 404 {
		t.Errorf("another caller's session: %d %s", code, text)
	}
	one, two := dialHTTP(t, site, httpKey), dialHTTP(t, site, "another-"+httpKey)
	callTool(t, one, "launch", `{"package": "com.example.list", "force": true}`)
	ask := func(s *mcp.ClientSession, tool, args string) (string, bool) {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
	if text, failed := ask(two, "snapshot", `{}`); !failed || !strings.Contains(text, "is held by") {
		t.Errorf("a phone of two: %v %s", failed, text)
	}
	if text, _ := ask(two, "list_devices", `{}`); !strings.Contains(text, `"used"`) {
		t.Errorf("no client uses it: %s", text)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	var until time.Time
	eventually(t, func() bool {
		text, failed := ask(two, "snapshot", `{}`)
		if _, end, held := strings.Cut(text, " until "); failed && held {
			end, _, _ = strings.Cut(end, "\n")
			if at, err := time.Parse(time.RFC3339, strings.TrimSpace(end)); err == nil {
				until = at
			}
		}
		return !failed
	})
	// half of the lease; a release takes milliseconds
	if !until.IsZero() && time.Until(until) < 30*time.Second {
		t.Errorf("the device was not released when its client disconnected, but near the end of its lease: %s", until)
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
}

// eventually waits until a condition is true.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it did not come about")
		}
	}
}

// TestHTTPClosedByDefault checks that /mcp does not exist without --mcp.
func TestHTTPClosedByDefault(t *testing.T) {
	t.Parallel()
	out, _ := newBench(t, 0).run(t, 0, program(t), "serve", "--help")
	if !strings.Contains(out, "--mcp") {
		t.Error("serve --help does not mention --mcp")
	}
}

// TestConformanceServed runs the official suite against `taproot serve --mcp`. testdata/conformance.yml lists the
// scenarios that need a server made for them.
func TestConformanceServed(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestConformance has the same suite, TestHTTP the same server")
	node, dir := node(t)
	b := newBench(t, 0)
	site := b.served(t) // the suite has no credentials
	baseline, err := filepath.Abs("testdata/conformance.yml")
	if err != nil {
		t.Fatal(err)
	}
	out, _ := b.run(t, 0, node, filepath.Join(dir, "node_modules", ".bin", "conformance"), "server", "--url", site+"/mcp",
		"--expected-failures", baseline, "-o", b.tmp)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	t.Log(lines[len(lines)-1])
}

// TestTypeScriptClientOverHTTP does over HTTP what TestTypeScriptClient does over stdio.
func TestTypeScriptClientOverHTTP(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "the same steps over stdio, and TestConformance over HTTP, are enough here")
	b := newBench(t, 1)
	url := b.served(t, withKey()...)
	got := typeScript(t, b, []string{"MCP_URL=" + url + "/mcp", "MCP_KEY=" + httpKey})
	for _, step := range []string{"tools", "tap", "devices", "image", "error", "argument", "abort", "run", "closed"} {
		if _, told := got[step]; !told {
			t.Errorf("%s was not reached", step)
		}
	}
	if got["tools"].Count != 37 || !got["abort"].Aborted || !strings.Contains(got["tap"].Text, "step: - tap: Sign in") {
		t.Errorf("%+v", got)
	}
}
