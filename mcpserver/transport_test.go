package mcpserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestMessages checks which lines are messages.
func TestMessages(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, c := range []struct {
		line string
		want int
	}{{ping, 1}, {"\ufeff" + ping, 1}, {" " + ping + "\r", 1}, {"[" + ping + `,{"jsonrpc":"2.0","method":"x"}]`, 2},
		{"[" + ping + "," + ping + "]", 1},
		{"", 0}, {"junk", 0}, {ping + ping, 0}, {"[]", 0}, {"[[" + ping + "]]", 0}, {"null", 0},
		{`{"jsonrpc":"2.0","id":1}`, 1}, {`{"jsonrpc":"2.0"}`, 0}, {`{"jsonrpc":2.0,"id":1,"method":"ping"}`, 0}} {
		in, out := strings.NewReader(c.line), io.Discard
		s := newStdio(in, out, quiet(), func() {})
		connection, err := s.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for {
			m, err := connection.Read(t.Context())
			if err != nil {
				break
			}
			got++
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
				if err := connection.Write(t.Context(), &jsonrpc.Response{ID: r.ID, Result: []byte("{}")}); err != nil {
					t.Error(err)
				}
			}
		}
		if got != c.want {
			t.Errorf("%q holds %d messages, want %d", c.line, got, c.want)
		}
	}
}

// TestAnswersAfterTheEnd checks that requests before the end of the input get a response, and that long calls are
// cancelled.
func TestAnswersAfterTheEnd(t *testing.T) {
	t.Parallel()
	conf := newLab(t, 0).config(t)
	var out bytes.Buffer
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if err := Serve(t.Context(), conf, strings.NewReader(in), &out); err != nil {
		t.Error(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 2 || !strings.Contains(out.String(), `"id":2`) {
		t.Errorf("%d answers", n)
	}
}

// TestAnswersThatKeepComing checks that after the end of the input each response restarts the limit for the next one,
// and that the wait ends with the limit.
func TestAnswersThatKeepComing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const asked, answered = 5, 4
		var in strings.Builder
		for id := range asked {
			fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"x"}`+"\n", id)
		}
		ended := make(chan struct{})
		s := newStdio(strings.NewReader(in.String()), io.Discard, quiet(), func() { close(ended) })
		connection, err := s.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var requests []*jsonrpc.Request
		for range asked {
			m, err := connection.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			requests = append(requests, m.(*jsonrpc.Request))
		}
		for _, r := range requests[:answered] {
			time.Sleep(lastAnswers * 4 / 5)
			if err := connection.Write(t.Context(), &jsonrpc.Response{ID: r.ID, Result: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ended:
				t.Fatalf("ended after %s, while answers came", time.Since(began))
			default:
			}
		}
		<-ended
		if took := time.Since(began); took < answered*lastAnswers*4/5 || took > (answered+1)*lastAnswers {
			t.Errorf("ended after %s", took)
		}
	})
}

// TestDeafClient checks that a client that reads nothing does not keep the server alive.
func TestDeafClient(t *testing.T) {
	t.Parallel()
	reader, writer := io.Pipe()
	defer reader.Close()
	began := time.Now()
	if err := Serve(t.Context(), newLab(t, 0).config(t), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
		writer); err != nil {
		t.Error(err)
	}
	t.Logf("ended after %s", time.Since(began))
}

// FuzzMessages checks that no line ends the session or causes a panic.
func FuzzMessages(f *testing.F) {
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "junk", "[{}]",
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"tap","arguments":{}}}`, "\x00"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		s := newStdio(strings.NewReader(""), io.Discard, quiet(), func() {})
		for _, m := range s.decode(bytes.TrimSpace(line)) {
			if err := s.Write(context.Background(), m); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	})
}
