package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/mcpserver"
	"github.com/taproot-dev/taproot/runner/run"
)

// Clients by other authors. They need Node 22 or newer, so it is one of the packages.
func node(t testing.TB) (program, dir string) {
	t.Helper()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	dir = runtest.NPMInstall(t, fmt.Sprintf("node-%s-%s@22.23.3", runtime.GOOS, arch),
		"@modelcontextprotocol/inspector@2.12.0",
		"@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/sdk@1.32.2")
	return filepath.Join(dir, "node_modules", fmt.Sprintf("node-%s-%s", runtime.GOOS, arch), "bin", "node"), dir
}

// bench is an environment of its own for a test: home folder, variables and devices.
type bench struct {
	dir, tmp, locks string
	phones          []*androidsim.Phone
	env             []string
}

func newBench(t testing.TB, phones int) *bench {
	t.Helper()
	root := t.TempDir()
	b := &bench{dir: filepath.Join(root, "project"), tmp: filepath.Join(root, "tmp"), locks: filepath.Join(root, "run")}
	for _, dir := range []string{b.dir, b.tmp, b.locks} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	server, list := androidsim.Start(t, slices.Repeat([]androidsim.Options{{Width: 360, Height: 800, Density: 140}},
		phones)...)
	b.phones = list
	b.env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "TAPROOT_") && name != "TAPROOT_CHROMIUM" || strings.HasPrefix(name, "ANDROID_") ||
			slices.Contains([]string{"ADB_SERVER_SOCKET", "TMPDIR", "XDG_RUNTIME_DIR"}, name)
	})
	b.env = append(b.env, "ADB_SERVER_SOCKET=tcp:"+server.Addr(), "TMPDIR="+b.tmp, "XDG_RUNTIME_DIR="+b.locks,
		"TAPROOT_NO_VIDEO=true",
		"APP_PASSWORD="+webtest.Password)
	return b
}

// program is the path of taproot.
func program(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("taproot")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs a command of the bench and returns its output; the command has to end with that exit code.
func (b *bench) run(t *testing.T, code int, name string, args ...string) (stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = b.dir, b.env, &out, &errs, 5*time.Second
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%s %v: %v, want exit code %d\n%s\n%s", filepath.Base(name), args, err, code, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// report is a line of client.mjs.
type report struct {
	Step         string
	Text         string
	IsError      bool
	Structured   json.RawMessage
	Count        int
	Instructions int
	MimeType     string
	Bytes        int
	Devices      []string
	Aborted      bool
	Heard, Steps int
	After, Free  int
}

// typeScript runs the official TypeScript SDK as a client, and returns its report.
func typeScript(t *testing.T, b *bench, env []string, args ...string) map[string]report {
	t.Helper()
	node, dir := node(t)
	site := webtest.New(t)
	script, err := os.CreateTemp(dir, "taproot-client-*.mjs") // next to node_modules, where its imports are found
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(script.Name()) })
	data, err := os.ReadFile("testdata/client.mjs")
	if err == nil {
		_, err = script.Write(data)
	}
	if err := errors.Join(err, script.Close()); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, append(env, "SITE="+site.URL)...)
	out, errs := b.run(t, 0, node, append([]string{script.Name()}, args...)...)
	got := map[string]report{}
	for line := range strings.Lines(out) {
		var r report
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		got[r.Step] = r
	}
	if strings.Contains(out+errs, webtest.Password) {
		t.Error("the password is in an answer")
	}
	return got
}

// TestTypeScriptClient checks that the official TypeScript SDK signs in on a phone and on a page, waits, receives
// images, errors and progress, and cancels.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	var env []string
	if testing.Short() { // a phone only; other tests cover pages
		env = []string{"WITHOUT_PAGES=yes"}
	}
	got := typeScript(t, b, env, program(t), "mcp", "--expose-env", "APP_PASSWORD")
	check := func(step string, ok func(report) bool) {
		t.Helper()
		if r, told := got[step]; !told || !ok(r) {
			t.Errorf("%s: %+v", step, r)
		}
	}
	check("tools", func(r report) bool { return r.Count == 37 && r.Instructions > 100 })
	check("tap", func(r report) bool { return strings.HasSuffix(r.Text, "step: - tap: Sign in") })
	check("devices", func(r report) bool {
		return slices.Contains(r.Devices, "SIM1") &&
			slices.Contains(r.Devices, "web-1")
	})
	check("image", func(r report) bool {
		return r.MimeType == "image/png" && r.Bytes > 500 && strings.Contains(r.Text, "180x400") &&
			strings.Contains(r.Text, "factor 2") && string(r.Structured) == "null"
	})
	check("error", func(r report) bool {
		return r.IsError && string(r.Structured) == "null" && strings.Contains(r.Text, "nearest:") &&
			strings.Contains(r.Text, "try:")
	})
	check("argument", func(r report) bool { return r.IsError && strings.Contains(r.Text, `did you mean "label"?`) })
	check("unknown", func(r report) bool { return r.IsError })
	check("abort", func(r report) bool { return r.Aborted && r.Heard >= 1 })
	check("run", func(r report) bool { return r.Steps > 5 && (r.IsError || len(r.Structured) > 10) })
	t.Logf("aborted after %d ms, the phone was free %d ms later; %s", got["abort"].After, got["abort"].Free,
		got["run"].Text)
	check("closed", func(report) bool { return true })
	b.clean(t)
}

// clean checks that the program has left no lease and no temporary file.
func (b *bench) clean(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(b.tmp, "*"))
	if err != nil {
		t.Fatal(err)
	}
	left = slices.DeleteFunc(left, func(name string) bool { return filepath.Base(name) == "node-compile-cache" })
	if len(left) > 0 {
		t.Errorf("temporary files are left: %q", left)
	}
	locks, err := filepath.Glob(filepath.Join(b.locks, "taproot", "*.lock"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range locks {
		lock := flock.New(path)
		if ok, err := lock.TryLock(); err != nil || !ok {
			t.Errorf("%s is still leased: %v", filepath.Base(path), err)
		}
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestInspector checks that MCP Inspector reports no error and no warning, and that its exit code reports failures.
func TestInspector(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestConformance and TestTypeScriptClient read the list of tools as clients do")
	program := program(t)
	node, dir := node(t)
	b := newBench(t, 1)
	inspector := filepath.Join(dir, "node_modules", ".bin", "mcp-inspector")
	out, errs := b.run(t, 0, node, inspector, "--cli", program, "mcp", "--method", "tools/list", "--strict")
	if strings.TrimSpace(errs) != "" {
		t.Errorf("the inspector says\n%s", errs)
	}
	var list mcp.ListToolsResult
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Tools) != 37 {
		t.Errorf("%d tools, %v", len(list.Tools), err)
	}
	const failed = 5
	call := func(code int, args ...string) string {
		t.Helper()
		all := []string{inspector, "--cli", program, "mcp", "--method", "tools/call"}
		for _, entry := range b.env { // the inspector does not pass on its environment by itself
			for _, name := range []string{"ADB_SERVER_SOCKET=", "TMPDIR=", "XDG_RUNTIME_DIR="} {
				if strings.HasPrefix(entry, name) {
					all = append(all, "-e", entry)
				}
			}
		}
		out, _ := b.run(t, code, node, append(all, args...)...)
		return out
	}
	call(failed, "--tool-name", "tap", "--tool-arg", "label=Nothing like it", "timeoutMs=200")
	out = call(0, "--tool-name", "device_info")
	if !strings.Contains(out, "SIM1") {
		t.Errorf("device_info says\n%s", out)
	}
}

// TestConformance runs the official suite over HTTP, which only this test serves. testdata/conformance.yml lists the
// scenarios that need a server made for them.
func TestConformance(t *testing.T) {
	t.Parallel()
	node, dir := node(t)
	b := newBench(t, 0)
	s, err := mcpserver.NewClientSession(mcpserver.Config{Version: "test",
		Runner: run.Config{Dir: b.dir, Reports: filepath.Join(b.dir, "reports")}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.MCP() }, nil))
	defer web.Close()
	defer func() { // the suite leaves it open
		for _, session := range slices.Collect(s.MCP().Sessions()) {
			_ = session.Close()
		}
	}()
	baseline, err := filepath.Abs("testdata/conformance.yml")
	if err != nil {
		t.Fatal(err)
	}
	out, _ := b.run(t, 0, node, filepath.Join(dir, "node_modules", ".bin", "conformance"), "server", "--url", web.URL,
		"--expected-failures", baseline, "-o", b.tmp)
	last := ""
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		if strings.TrimSpace(lines.Text()) != "" {
			last = lines.Text()
		}
	}
	t.Log(last)
}
