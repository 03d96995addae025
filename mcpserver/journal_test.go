package mcpserver

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// TestSessionAsTest checks that the session as a test contains exactly the actions that succeeded.
func TestSessionAsTest(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	s.refused("get_report", `{"as": "yaml"}`, "nothing was done")
	s.ok("launch", listApp)
	s.ok("tap", `{"label": "Edge", "timeoutMs": 5000, "index": 0}`)
	s.refused("tap", `{"label": "Egde", "timeoutMs": 100}`)
	s.ok("press", `{"keys": ["back"]}`)
	s.ok("wait_stable", `{}`)
	s.ok("wait_for", `{"gone": "Loading: 5 %"}`)
	s.ok("snapshot", `{}`)
	yaml := s.ok("get_report", `{"as": "yaml"}`)
	want := "platform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n  - tap: {label: Edge, " +
		"timeout: 5s, index: 0}\n" +
		"  - press: back\n  - waitStable:\n  - waitFor: {notVisible: \"Loading: 5 %\"}\n"
	if _, steps, _ := strings.Cut(yaml, "\n"); steps != want {
		t.Errorf("the session as a test:\n%s", yaml)
	}
	if _, err := dsl.Parse("x.yaml", []byte(yaml)); err != nil {
		t.Error(err)
	}
}
