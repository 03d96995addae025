package mcpserver_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/taproot-dev/taproot/cli"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/mcpserver"
)

// This test program is also called under the name taproot, for clients that start it.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"taproot":   func() { os.Exit(cli.Main(cli.SystemEnv())) },
		"mcpclient": func() { os.Exit(clientMain()) },
	})
}

// clientMain is a client that will be killed: it records a phone, opens a page, waits for an element that never
// appears, and prints the process id of the server.
func clientMain() int {
	ctx := context.Background()
	server := exec.Command("taproot", "mcp")
	server.Stderr = os.Stderr
	session, err := mcp.NewClient(&mcp.Implementation{Name: "killed", Version: "1"}, nil).Connect(ctx,
		&mcp.CommandTransport{Command: server}, nil)
	for _, call := range []mcp.CallToolParams{
		{Name: "launch", Arguments: map[string]any{"package": "com.example.list"}},
		{Name: "record", Arguments: map[string]any{"action": "start", "device": "SIM1"}},
		{Name: "open_browser", Arguments: map[string]any{"url": os.Getenv("SITE")}},
	} {
		var r *mcp.CallToolResult
		if err == nil {
			r, err = session.CallTool(ctx, &call)
		}
		if err != nil || r.IsError {
			fmt.Println("error", call.Name, err)
			return 1
		}
	}
	fmt.Println("server", server.Process.Pid)
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "wait_for", Arguments: map[string]any{"device": "SIM1",
		"visible": map[string]any{"label": "Never there"}, "timeoutMs": 100_000}})
	fmt.Println("ended", err)
	return 1
}

type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	code := l.m.Run()
	if err := mcpserver.CloseBrowser(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return testutil.CheckLeaks(code)
}
