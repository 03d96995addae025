package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// assistant is an assistant, and the form of its configuration.
type assistant struct {
	name  string
	title string
	file  string // where the configuration goes
	key   string // the key of the servers in it; "" for TOML
	kind  string // the type of a server over stdio in its entries; "" if they have no type
	dir   string // the project's folder in its configuration; "" if servers are started there
	extra string // a command that writes the entry
}

// projectPlaceholder is the placeholder of the project's folder, which the user replaces, for clients without projects.
const projectPlaceholder = "/path/to/your/project"

func clients() []assistant {
	const workspace = "${workspaceFolder}"
	return []assistant{
		{name: "claude-code", title: "Claude Code", file: ".mcp.json in the project", key: "mcpServers", kind: "stdio",
			extra: "claude mcp add taproot -- %s"},
		{name: "claude-desktop", title: "Claude Desktop",
			file: "claude_desktop_config.json (Settings, Developer, Edit Config)", key: "mcpServers", dir: projectPlaceholder},
		{name: "cursor", title: "Cursor", file: ".cursor/mcp.json in the project", key: "mcpServers", dir: workspace},
		{name: "vscode", title: "VS Code", file: ".vscode/mcp.json in the project", key: "servers", kind: "stdio",
			dir: workspace},
		{name: "windsurf", title: "Windsurf", file: "~/.codeium/windsurf/mcp_config.json", key: "mcpServers",
			dir: projectPlaceholder},
		{name: "zed", title: "Zed", file: "settings.json of Zed", key: "context_servers", dir: projectPlaceholder},
		{name: "codex", title: "Codex", file: "~/.codex/config.toml", extra: "codex mcp add taproot -- %s"},
		{name: "gemini", title: "Gemini CLI", file: ".gemini/settings.json in the project", key: "mcpServers",
			extra: "gemini mcp add taproot %s"},
	}
}

// ClientNames lists the assistants with known configuration.
func ClientNames() string { return strings.Join(names(clients()), ", ") }

func names(of []assistant) (list []string) {
	for _, c := range of {
		list = append(list, c.name)
	}
	return list
}

// ClientConfig returns the entry with which an assistant starts the server (the program and its arguments), and a
// sentence with the file that it goes into and the command that writes it.
func ClientConfig(name, program string, args []string) (text, where string, err error) {
	all := clients()
	i := slices.IndexFunc(all, func(c assistant) bool { return c.name == strings.ToLower(name) })
	if i < 0 {
		hint := "known are: " + ClientNames()
		if near := dsl.Suggest(name, names(all)); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return "", "", fmt.Errorf("unknown assistant %q; %s", name, hint)
	}
	c := all[i]
	where = c.where(program, args)
	if c.dir != "" && !slices.Contains(args, "--dir") {
		args = append(slices.Clone(args), "--dir", c.dir)
	}
	if c.key == "" {
		return toml(program, args), where, nil
	}
	text, err = indented(map[string]any{c.key: map[string]any{"taproot": entry{c.kind, program, args}}})
	return text, where, err
}

// where describes the file for the entry, and the command that writes it.
func (c assistant) where(program string, args []string) string {
	text := "this goes into " + c.file
	if c.extra != "" {
		text += "; or run: " + fmt.Sprintf(c.extra, strings.Join(append([]string{program}, args...), " "))
	}
	if c.dir == projectPlaceholder {
		text += "; replace " + projectPlaceholder + " by your project's folder"
	}
	return text
}

// entry is a server in a client's configuration.
type entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func indented(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.String(), err
}

// toml returns the entry for clients with TOML configuration. Its strings are quoted as in JSON, which is valid TOML.
func toml(program string, args []string) string {
	quote := func(v any) string {
		text, err := indented(v)
		if err != nil {
			return `""`
		}
		return strings.TrimSpace(strings.NewReplacer("\n  ", " ", "\n", "").Replace(text))
	}
	return fmt.Sprintf("[mcp_servers.taproot]\ncommand = %s\nargs = %s\n", quote(program),
		strings.Replace(quote(args), "[ ", "[", 1))
}
