// Command assistants does the same tasks through Taproot's MCP server and through playwright-mcp, counts the calls and
// the bytes in both directions, and runs the test that Taproot made of each. make bench-assistants runs it.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

//go:embed package.json package-lock.json
var files embed.FS

func main() {
	taproot := flag.String("taproot", "bin/taproot", "the `program` to measure")
	pages := flag.String("pages", "bench/peers/pages", "the `folder` of the pages")
	alone := flag.Bool("alone", false, "leave playwright-mcp out")
	flag.Parse()
	if err := all(context.Background(), *taproot, *pages, *alone); err != nil {
		fmt.Fprintln(os.Stderr, "assistants:", err)
		os.Exit(1)
	}
}

// cost is what a task took.
type cost struct {
	calls, bytes int
	wall         time.Duration
	failed       string // why it failed
}

func (c cost) String() string {
	if c.calls == 0 {
		return "cannot"
	}
	text := fmt.Sprintf("%d calls, %d bytes, %.1f s", c.calls, c.bytes, c.wall.Seconds())
	if c.failed != "" {
		text += ", failed: " + c.failed
	}
	return text
}

func all(ctx context.Context, program, pages string, alone bool) (err error) {
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	site := httptest.NewServer(http.FileServer(http.Dir(pages)))
	defer site.Close()
	dir, err := os.MkdirTemp("", "assistants-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var peer []string
	if !alone {
		if peer, err = installed(ctx, dir); err != nil {
			return err
		}
	}
	phone := simulated(ctx, program, dir)
	fmt.Printf("| task | Taproot | playwright-mcp | the test that Taproot made |\n|---|---|---|---|\n")
	var failed []string
	for _, t := range tasks() {
		if t.phone && phone == "" {
			fmt.Printf("| %s | no phone: run it under taproot sim | | |\n", t.name)
			continue
		}
		fill := strings.NewReplacer("SITE", site.URL, "PHONE", phone)
		ours, yaml := session(ctx, exec.Command(program, "mcp", "--dir", dir), t.ours, fill)
		var theirs cost
		if len(t.theirs) > 0 && peer != nil {
			theirs, _ = session(ctx, exec.Command(peer[0], peer[1:]...), t.theirs, fill)
		}
		replay := "passes"
		if err := replays(dir, program, yaml); err != nil {
			replay = err.Error()
		}
		fmt.Printf("| %s | %s | %s | %s |\n", t.name, ours, theirs, replay)
		if ours.failed != "" || replay != "passes" {
			failed = append(failed, t.name)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("not done: %s", strings.Join(failed, ", "))
	}
	return nil
}

// simulated returns the phone that is attached, or "".
func simulated(ctx context.Context, program, dir string) string {
	var id string
	session(ctx, exec.Command(program, "mcp", "--dir", dir), []call{{"list_devices", `{}`, ""}}, strings.NewReplacer(),
		func(answer string) {
			var list struct {
				Devices []struct{ ID, Platform, State string }
			}
			if json.Unmarshal([]byte(answer), &list) != nil {
				return
			}
			for _, d := range list.Devices {
				if d.Platform == "android" && d.State == "device" {
					id = d.ID
				}
			}
		})
	return id
}

// installed returns the command of playwright-mcp, which npm installs in the version of package.json.
func installed(ctx context.Context, dir string) ([]string, error) {
	setup, err := toolchain.Playwright(ctx, toolchain.System())
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return nil, err
	}
	install := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	install.Dir = dir
	if output, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("install playwright-mcp: %w\n%s", err, output)
	}
	command := []string{setup.Node, filepath.Join(dir, "node_modules", "@playwright", "mcp", "cli.js"), "--headless",
		"--isolated", "--executable-path", setup.Chromium,
		"--output-dir", filepath.Join(dir, "out")}
	if !setup.Sandbox {
		command = append(command, "--no-sandbox")
	}
	return command, nil
}

// patience is how long one task may take.
const patience = 5 * time.Minute

// session does a task with a server, and returns the session as a test if the server supports that.
func session(ctx context.Context, server *exec.Cmd, calls []call, fill *strings.Replacer, hear ...func(string)) (c cost,
	yaml string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{
		Command: server}, nil)
	if err != nil {
		return cost{failed: err.Error()}, ""
	}
	defer func() { _ = s.Close() }() // the process ends
	began := time.Now()
	snapshot := ""
	for _, one := range calls {
		args := found(fill.Replace(one.args), snapshot)
		r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: one.tool, Arguments: json.RawMessage(args)})
		if err != nil {
			c.failed = err.Error()
			break
		}
		text := words(r)
		c.calls++
		for _, h := range hear {
			h(text)
		}
		c.bytes += len(one.tool) + len(args) + len(text)
		if strings.Contains(text, "[ref=") {
			snapshot = text
		}
		if r.IsError || !strings.Contains(text, one.want) {
			c.failed = fmt.Sprintf("%s %s: %.300s", one.tool, args, text)
			break
		}
	}
	c.wall = time.Since(began)
	if r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "get_report",
		Arguments: json.RawMessage(`{"as": "yaml"}`)}); err == nil && !r.IsError {
		yaml = words(r)
	}
	return c, yaml
}

func words(r *mcp.CallToolResult) string {
	var parts []string
	for _, content := range r.Content {
		if t, ok := content.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// named is an element in a call of playwright-mcp.
var named = regexp.MustCompile(`\{(\w+) \\"(.*?)\\"\}`)

// found replaces elements by their references in the last snapshot.
func found(args, snapshot string) string {
	return named.ReplaceAllStringFunc(args, func(what string) string {
		m := named.FindStringSubmatch(what)
		for line := range strings.Lines(snapshot) {
			if strings.Contains(line, m[1]+` "`+m[2]+`"`) {
				if _, ref, ok := strings.Cut(line, "[ref="); ok {
					ref, _, _ = strings.Cut(ref, "]")
					return ref
				}
			}
		}
		return what
	})
}

// replays runs the test that was made of a session. Passwords come from the environment.
func replays(dir, program, yaml string) error {
	if yaml == "" {
		return errors.New("there is none")
	}
	path := filepath.Join(dir, "session.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		return err
	}
	args := []string{"run", "--no-video", "--no-trace", "--reports", filepath.Join(dir, "reports"), path}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), passwords(yaml))
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fails: %w: %s", err, strings.ReplaceAll(string(output), "\n", " "))
	}
	return nil
}

// passwords returns the passwords that the tasks type, by their variables.
func passwords(yaml string) []string {
	second := "enigma"
	if strings.Contains(yaml, "platform: android") {
		second = "lovelace"
	}
	return []string{"PASSWORD=wrong", "PASSWORD_2=" + second}
}
