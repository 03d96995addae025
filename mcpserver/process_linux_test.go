package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// raw is a client that writes lines of the protocol itself, valid and invalid ones.
type raw struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int
}

// startRaw starts the program and initializes the session.
func (b *bench) startRaw(t *testing.T, args ...string) *raw {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	cmd := exec.CommandContext(ctx, program(t), append([]string{"mcp"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = b.dir, b.env, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	r := &raw{t: t, cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	r.hello()
	return r
}

func (r *raw) hello() {
	r.t.Helper()
	r.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "raw", "version": "1"}})
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (r *raw) send(line string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, line+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

// ask sends a request and waits for its response.
func (r *raw) ask(method string, params any) json.RawMessage {
	r.t.Helper()
	id := r.begin(method, params)
	for {
		got := r.read()
		if got.ID == id {
			if got.Error != nil {
				r.t.Fatalf("%s: %s", method, got.Error)
			}
			return got.Result
		}
	}
}

func (r *raw) begin(method string, params any) int {
	r.t.Helper()
	r.next++
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.next, "method": method, "params": params})
	if err != nil {
		r.t.Fatal(err)
	}
	r.send(string(data))
	return r.next
}

type answer struct {
	ID            int
	Result, Error json.RawMessage
}

func (r *raw) read() answer {
	r.t.Helper()
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		r.t.Fatalf("read the program's answer: %v", err)
	}
	var got answer
	if err := json.Unmarshal(line, &got); err != nil {
		r.t.Fatalf("not a message on stdout: %v: %.300s", err, line)
	}
	return got
}

// tool calls a tool and returns its text.
func (r *raw) tool(name string, args any) (text string, failed bool) {
	r.t.Helper()
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(r.ask("tools/call", map[string]any{"name": name, "arguments": args}), &result); err != nil {
		r.t.Fatal(err)
	}
	for _, c := range result.Content {
		text += c.Text
	}
	return text, result.IsError
}

func (r *raw) works(name string, args any) string {
	r.t.Helper()
	text, failed := r.tool(name, args)
	if failed {
		r.t.Fatalf("%s: %s", name, text)
	}
	return text
}

// ends closes the program's input and waits for its end.
func (r *raw) ends() {
	r.t.Helper()
	family := drivertest.Descendants(r.cmd.Process.Pid)
	began := time.Now()
	if err := r.in.Close(); err != nil {
		r.t.Fatal(err)
	}
	if err := r.cmd.Wait(); err != nil {
		r.t.Errorf("the program ended with %v", err)
	}
	r.t.Logf("ended %d ms after the end of its input", time.Since(began).Milliseconds())
	gone(r.t, family)
}

// TestJunk checks that lines that are not messages are ignored.
func TestJunk(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	r := b.startRaw(t)
	odd := []string{"junk", "{", `{"jsonrpc":"2.0"}`, "[]", "[1,2]", "null", "42", `"x"`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, "\x00\xff\xfe", "{}{}",
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":9999,"result":{}}`,
		`{"jsonrpc":"2.0","method":"no/such"}`, "", " \t", strings.Repeat("[", 5000),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":7}`}
	go func() {
		for i := range 10_000 {
			r.send(odd[i%len(odd)])
		}
		r.send(`{"jsonrpc":"2.0","id":777,"method":"tools/list"}`)
	}()
	for got := r.read(); got.ID != 777; got = r.read() {
		if got.ID != 0 && !strings.Contains(string(got.Error), "-32600") {
			t.Errorf("a response to junk: %+v", got)
		}
	}
	if text, failed := r.tool("list_tests", map[string]any{"path": "nowhere"}); !failed ||
		!strings.Contains(text, "nowhere") {
		t.Errorf("list_tests says %q", text)
	}
	r.ends()
	b.clean(t)
}

// TestLargeArguments checks that an argument of five megabytes is rejected with an error, and the session continues.
func TestLargeArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	r := b.startRaw(t)
	if text, failed := r.tool("tap", map[string]any{"label": strings.Repeat("x", 5<<20)}); !failed ||
		!strings.Contains(text, "larger than") || len(text) > 1000 {
		t.Errorf("%v, %.300s", failed, text)
	}
	r.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"tap","arguments":{"label":"` +
		strings.Repeat("x", 17<<20) + `"}}}`)
	if !strings.Contains(r.works("device_info", nil), "SIM1") {
		t.Error("the session is broken")
	}
	r.ends()
	b.clean(t)
}

// TestEndDuringRecording ends the input during a recording and a call: the phone is released, its recorder ends, and no
// file is left.
func TestEndDuringRecording(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	r := b.startRaw(t)
	r.works("launch", map[string]any{"package": "com.example.list"})
	if text := r.works("record", map[string]any{"action": "start"}); !strings.Contains(text, `"state":"recording"`) {
		t.Errorf("record says %s", text)
	}
	if list := b.running(t, "SIM1"); !strings.Contains(list, "screenrecord") {
		t.Errorf("no recording is running:\n%s", list)
	}
	r.begin("tools/call", map[string]any{"name": "wait_for", "arguments": map[string]any{
		"visible": map[string]any{"label": "Never there"}, "timeoutMs": 60000}})
	r.ends()
	b.clean(t)
	b.quiet(t)
}

// TestKilledClient kills the client: the program, its browser and the phone's recorder end.
func TestKilledClient(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestEndDuringRecording ends the program's input")
	site := webtest.New(t)
	b := newBench(t, 1)
	client := exec.Command("mcpclient")
	client.Dir, client.Env, client.Stderr = b.dir, append(b.env, "SITE="+site.Page("list.html")), os.Stderr
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Process.Kill(); _ = client.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	var pid int
	if n, scanErr := fmt.Sscanf(line, "server %d", &pid); n != 1 {
		t.Fatalf("the client says %q (%v, %v)", line, err, scanErr)
	}
	family := drivertest.Descendants(client.Process.Pid)
	if len(family) < 4 {
		t.Errorf("only %d processes under the client: the server, node and Chromium's are missing", len(family))
	}
	if err := client.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = client.Wait()
	gone(t, family)
	b.clean(t)
	b.quiet(t)
}

// running lists the processes of a phone.
func (b *bench) running(t *testing.T, serial string) string {
	t.Helper()
	driver := android.New(android.Options{NotesDir: t.TempDir(), Getenv: func(name string) string {
		for _, entry := range b.env {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}})
	dev, err := driver.Open(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := dev.(drivers.System).Shell(t.Context(), "ps -A")
	if err = errors.Join(err, dev.Close(), driver.Close()); err != nil {
		t.Fatal(err)
	}
	return list
}

// quiet waits until no recording and no reader of a log runs on the phones.
func (b *bench) quiet(t *testing.T) {
	t.Helper()
	for _, p := range b.phones {
		for end := time.Now().Add(time.Minute); ; {
			list := b.running(t, p.Serial())
			if !strings.Contains(list, "screenrecord") && !strings.Contains(list, "logcat") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("still running on %s:\n%s", p.Serial(), list)
			}
		}
	}
}

// gone waits until none of the processes runs.
func gone(t *testing.T, family []drivertest.Process) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		left := drivertest.Alive(family)
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("still running: %q", left)
		}
	}
}
