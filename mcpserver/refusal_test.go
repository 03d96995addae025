package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestErrorsSayWhatToDo checks that errors name the element that was not found, three candidates, and what to do.
func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	s.ok("launch", listApp)
	for _, c := range []struct{ tool, args, want string }{
		{"tap", `{"label": "Egde", "timeoutMs": 300}`, `"Egde" did not appear`},
		{"tap", `{"label": "zzzzzz", "timeoutMs": 300}`, `"zzzzzz" did not appear`},
		{"assert", `{"label": "Unpaid", "timeoutMs": 300}`, `"Unpaid" did not appear`},
	} {
		text := s.refused(c.tool, c.args, c.want, "nearest: ", "try: ")
		near, _, _ := strings.Cut(text[strings.Index(text, "nearest: "):], "\ntry:")
		if n := strings.Count(near, "["); n != 6 { // two brackets of bounds each
			t.Errorf("%s %s names %d corners\n%s", c.tool, c.args, n, text)
		}
	}
	for _, c := range []struct{ tool, args, want string }{
		{"tap", `{}`, "give one of label, ref, id, point, inside"},
		{"assert", `{"index": 1}`, "give one of label, ref, id, inside"},
		{"tap", `{"label": ""}`, "empty"},
		{"tap", `{"label": {"a": 1}}`, "must be a text"},
		{"tap", `{"label": "Edge", "count": 99}`, "at most 10"},
		{"tap", `{"label": "Edge", "device": "nobody"}`, `there is no device "nobody"`},
		{"tap", `{"label": "Edge", "device": ["SIM1"]}`, "must be the id"},
		{"tap", `{"label": "Edge", "css": "x"}`, `no argument "css"`},
		{"tap", `{"label": "Edge", "timeoutMs": -1}`, "timeoutMs"},
		{"device_info", `{"device": "web-9"}`, "web-9"},
		{"set_device", `{"device": "nobody"}`, `there is no device "nobody"`},
		{"set_device", `{}`, "device"},
		{"web_click", `{"selector": "#x"}`, "no page is open"},
		{"web_click", `{}`, "give one of selector, ref"},
		{"web_click", `{"selector": "#x", "device": "SIM1"}`, "does not work on SIM1"},
		{"web_snapshot", `{"device": "SIM1"}`, "is not a browser page"},
		{"launch", `{"package": "no.such.app"}`, "list_apps"},
		{"uninstall", `{"package": ""}`, "empty"},
		{"snapshot", `{"max": 0}`, "at least 1"},
		{"snapshot", `{"max": "many"}`, "number"},
		{"record", `{"action": "stop"}`, "nothing is being recorded"},
		{"record", `{"action": "pause"}`, "start"},
		{"get_report", `{"as": "yaml2"}`, "yaml"},
		{"get_report", `{}`, ""},
		{"run_test", `{}`, "steps, test or yaml"},
		{"run_test", `{"test": "no-such-test"}`, "no-such-test"},
		{"validate_test", `{"yaml": "id: x\nsteps:\n  - tapp: Login\n"}`, `did you mean "tap"?`},
		{"validate_test", `{"yaml": "a: [", "path": "x"}`, "either"},
		{"press", `{"keys": ["hyper+x"]}`, "hyper"},
		{"swipe", `{"direction": "sideways"}`, "sideways"},
		{"ocr", `{"find": "zzzzzz"}`, "no line that was read"},
	} {
		s.refused(c.tool, c.args, c.want)
	}
	for _, args := range []string{`[]`, `"x"`, `7`} {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "tap", Arguments: json.RawMessage(args)})
		if err == nil && !r.IsError {
			t.Errorf("arguments %s are accepted", args)
		}
	}
	if s.ok("tap", `{"label": "Edge", "index": null, "device": null, "inside": null}`) == "" {
		t.Error("null is no argument")
	}
}
