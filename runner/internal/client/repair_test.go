package client_test

import (
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/client"
)

// TestRepairs: for a step that found no element, or several, corrections with similar elements are offered; its other
// arguments do not change.
func TestRepairs(t *testing.T) {
	node := func(kind, text, id string, top int) *screen.Node {
		return &screen.Node{Type: kind, Text: text, ID: id, Clickable: true, Editable: kind == "EditText",
			Bounds: image.Rect(0, top, 300, top+50)}
	}
	root := &screen.Node{Type: "root", Bounds: image.Rect(0, 0, 300, 600), Children: []*screen.Node{
		node("Button", "Sign in", "in", 0), node("Button", "Sign out", "out", 100), node("EditText", "", "email", 200),
		node("Button", "More", "a", 300), node("Button", "More", "b", 400)}}
	tree := screen.NewTree([]*screen.Node{root}, image.Pt(300, 600), time.Now())
	for step, want := range map[string][]string{
		"tap: Sing in":                                         {"tap: Sign in", "tap: Sign out"},
		"tap: {label: Sing in, timeoutMs: 0}":                  {"tap: {label: Sign in, timeout: 0}"},
		"tap: {label: Sing in, below: More}":                   {"tap: Sign in"},
		"waitFor: {visible: Sing in}":                          {"waitFor: Sign in"},
		"assertElement: {label: Sing in, is: {enabled: true}}": {"assertElement: {label: Sign in, is: {enabled: true}}"},
		"input: {into: emial, text: x}":                        {},
		"input: {into: {id: emial}, text: x}":                  {"input: {into: {id: email}, text: x}"},
		"tap: More":                                            {"tap: {id: a}", "tap: {id: b}"},
		"tap: ${WHAT}":                                         nil,
		"tap: {point: \"1,1\"}":                                nil,
		"press: back":                                          nil,
		"waitFor: {gone: Sing in}":                             nil,
	} {
		tests, err := dsl.Parse("x.yaml", []byte("id: x\nplatform: android\nvars: {WHAT: x}\nsteps:\n  - "+step+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, r := range client.Repairs(tree, tests[0].Steps[0], false) {
			lines = append(lines, r.Line)
		}
		for _, line := range want {
			if !strings.Contains("\n"+strings.Join(lines, "\n")+"\n", "\n"+line+"\n") {
				t.Errorf("%s: %q is not among %q", step, line, lines)
			}
		}
		if want == nil && lines != nil {
			t.Errorf("%s: %q", step, lines)
		}
	}
}
