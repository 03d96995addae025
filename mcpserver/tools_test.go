package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// listed37 are the names of the tools in the specification.
const listed37 = `list_devices device_info set_device screenshot snapshot ocr record logs tap long_press swipe scroll_to
input press wait_stable wait_for assert assert_visual list_apps launch stop install uninstall clear_app set_permissions
open_link open_browser web_navigate web_snapshot
web_click web_type web_assert close_browser list_tests validate_test run_test get_report`

// TestToolList checks that there are exactly 37 tools, in at most 31,000 bytes, and compares their definitions with a
// golden file.
func TestToolList(t *testing.T) {
	t.Parallel()
	s := connect(t, newLab(t, 0).config(t))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	want := strings.Fields(listed37)
	slices.Sort(names)
	slices.Sort(want)
	if diff := cmp.Diff(want, names); diff != "" || len(names) != 37 {
		t.Errorf("%d tools (-want +got):\n%s", len(names), diff)
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("tools/list: %d bytes", len(data))
	if len(data) > 31_000 {
		t.Errorf("tools/list takes %d bytes, more than 31000", len(data))
	}
	testutil.Golden(t, "tools.json", indent(t, list.Tools))
}

func indent(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

// TestOperationsAreTheVocabulary checks that the tools are exactly the operations that MCP offers.
func TestOperationsAreTheVocabulary(t *testing.T) {
	t.Parallel()
	var have, want []string
	for _, tool := range tools() {
		if tool.def != nil {
			have = append(have, tool.def.Name)
		}
	}
	for _, def := range dsl.Vocabulary() {
		if def.Interfaces&dsl.MCP != 0 {
			want = append(want, def.Name)
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("tools and vocabulary differ:\n%s", diff)
	}
}

// TestSchemas checks that each schema has one type and rejects unknown keys, and that arguments that fit the schema are
// accepted.
func TestSchemas(t *testing.T) {
	t.Parallel()
	var look func(tool, path string, s map[string]any)
	look = func(tool, path string, s map[string]any) {
		if _, one := s["type"].(string); !one {
			t.Errorf("%s %s has no single type: %v", tool, path, s)
		}
		for _, key := range []string{"anyOf", "oneOf", "allOf", "$ref", "$defs"} {
			if s[key] != nil {
				t.Errorf("%s %s uses %s", tool, path, key)
			}
		}
		if properties, ok := s["properties"].(map[string]any); ok {
			if path == "" && s["additionalProperties"] != false {
				t.Errorf("%s accepts unknown keys", tool)
			}
			for name, inner := range properties {
				look(tool, path+"/"+name, inner.(map[string]any))
			}
		}
		if items, ok := s["items"].(map[string]any); ok {
			look(tool, path+"[]", items)
		}
	}
	for _, tool := range tools() {
		data := indent(t, tool.definition().InputSchema)
		var s map[string]any
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		look(tool.name, "", s)
	}
}

// TestAnnotations checks the hints: a read-only tool is not destructive, and the other way round. Assistants that trust
// the hints ask the user before a destructive call.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	for _, tool := range tools() {
		h := tool.hints
		if h.readOnly && h.destructive {
			t.Errorf("%s is read-only and destructive", tool.name)
		}
		removes := slices.Contains([]string{"uninstall", "clear_app", "install", "stop", "close_browser", "set_permissions"},
			tool.name)
		if removes && (!h.destructive || !h.idempotent || h.readOnly) {
			t.Errorf("%s: %+v", tool.name, h)
		}
		looks := strings.HasPrefix(tool.name, "list_") || strings.HasPrefix(tool.name, "assert") ||
			strings.HasPrefix(tool.name, "wait_") ||
			slices.Contains([]string{"snapshot", "screenshot", "ocr", "logs", "device_info", "web_snapshot", "web_assert",
				"validate_test"}, tool.name)
		if looks != h.readOnly {
			t.Errorf("%s: read-only is %v", tool.name, h.readOnly)
		}
	}
}

// TestInstructions checks that the instructions fit into a kilobyte, and that the reference can be read.
func TestInstructions(t *testing.T) {
	t.Parallel()
	s := connect(t, newLab(t, 0).config(t))
	if got := s.InitializeResult().Instructions; len(got) == 0 || len(got) > 1024 {
		t.Errorf("the instructions have %d bytes", len(got))
	}
	list, err := s.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "taproot://reference" {
		t.Fatalf("%+v, %v", list, err)
	}
	read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "taproot://reference"})
	if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != dsl.Reference() {
		t.Errorf("%v", err)
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///etc/passwd"}); err == nil {
		t.Error("a file can be read as a resource")
	}
}
