package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// open starts the program as an assistant does.
func (b *bench) open(t testing.TB) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(program(t), "mcp")
	cmd.Dir, cmd.Env, cmd.Stderr = b.dir, b.env, os.Stderr
	s, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func callTool(t testing.TB, s *mcp.ClientSession, name, args string) string {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			said = append(said, text.Text)
		}
	}
	if r.IsError {
		t.Fatalf("%s: %s", name, said)
	}
	return strings.Join(said, "\n")
}

// BenchmarkStart measures the time from the start of the process to the list of tools.
func BenchmarkStart(b *testing.B) {
	machine := newBench(b, 0)
	for b.Loop() {
		s := machine.open(b)
		if list, err := s.ListTools(b.Context(), nil); err != nil || len(list.Tools) != 37 {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkCalls measures calls over stdio: of the protocol alone, and on a phone that responds at once.
func BenchmarkCalls(b *testing.B) {
	machine := newBench(b, 1)
	s := machine.open(b)
	defer s.Close()
	callTool(b, s, "launch", `{"package": "com.example.list", "force": true}`)
	for _, c := range []struct{ name, tool, args string }{
		{"protocol", "validate_test", `{"yaml": "id: x\nplatform: web\nsteps:\n  - log: x\n"}`},
		{"device_info", "device_info", `{}`}, {"snapshot", "snapshot", `{}`}, {"screenshot", "screenshot", `{}`},
		{"press", "press", `{"keys": ["volumeUp"]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				callTool(b, s, c.tool, c.args)
			}
		})
	}
}

// BenchmarkSnapshotSize compares the snapshot of a page of a hundred rows, each with a name, a price, a check box and
// two buttons, with its HTML: in characters, and in tokens of four characters each.
func BenchmarkSnapshotSize(b *testing.B) {
	html := hundredRows()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, html) }))
	defer site.Close()
	machine := newBench(b, 0)
	s := machine.open(b)
	defer s.Close()
	callTool(b, s, "open_browser", `{"url": "`+site.URL+`"}`)
	var whole, diff, found string
	for b.Loop() {
		whole = callTool(b, s, "web_snapshot", `{"max": 2000}`)
	}
	diff = callTool(b, s, "web_snapshot", `{"diff": true}`)
	found = callTool(b, s, "web_snapshot", `{"find": "Product 42"}`)
	b.ReportMetric(float64(len(html)), "html-bytes")
	b.ReportMetric(float64(len(whole)), "snapshot-bytes")
	b.ReportMetric(float64(len(whole))/4, "tokens")
	b.ReportMetric(float64(len(diff))/4, "tokens-unchanged")
	b.ReportMetric(float64(len(found))/4, "tokens-find")
	b.ReportMetric(float64(strings.Count(whole, "\n")-1), "elements")
}

func hundredRows() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Products</title><h1>Products</h1><table>`)
	for i := range 100 {
		fmt.Fprintf(&b,
			`<tr class="row product-row striped" data-id="%d"><td class="cell name"><a href="/product/%d">Product %d</a></td>`+
				`<td class="cell price">%d.99 €</td>`+
				`<td class="cell"><label><input type="checkbox" name="pick-%d"> Pick %d</label></td>`+
				`<td class="cell"><button type="button" class="btn btn-primary">Buy %d</button>`+
				`<button type="button" class="btn">Details %d</button></td></tr>`, i, i, i, i, i, i, i, i)
	}
	b.WriteString(`</table>`)
	return b.String()
}
