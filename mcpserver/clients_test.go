package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestClientConfigs checks the entry of each assistant: the program and its arguments, in the form that it reads.
func TestClientConfigs(t *testing.T) {
	t.Parallel()
	const program = `C:\Program Files\taproot.exe`
	for name := range strings.SplitSeq(ClientNames(), ", ") {
		text, where, err := ClientConfig(name, program, []string{"mcp", "--expose-env", "PASS"})
		if err != nil || !strings.Contains(where, "this goes into ") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "codex" {
			if text != "[mcp_servers.taproot]\ncommand = \"C:\\\\Program Files\\\\taproot.exe\"\nargs = [\"mcp\", "+
				"\"--expose-env\", "+
				"\"PASS\"]\n" {
				t.Errorf("codex:\n%s", text)
			}
			continue
		}
		var all map[string]map[string]struct {
			Type, Command string
			Args          []string
		}
		if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) != 1 {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		for key, servers := range all {
			own := servers["taproot"]
			if own.Command != program || len(own.Args) < 3 || own.Args[0] != "mcp" || (name == "vscode") != (key == "servers") ||
				(name == "zed") != (key == "context_servers") {
				t.Errorf("%s:\n%s", name, text)
			}
		}
	}
	if _, _, err := ClientConfig("cursr", program, nil); err == nil ||
		!strings.Contains(err.Error(), `did you mean "cursor"?`) {
		t.Errorf("%v", err)
	}
}
