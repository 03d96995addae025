package action_test

import (
	"image"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// An empty field of a phone reports its hint as its text, with an attribute for it and without; a password's hint is
// not a row of dots.
func TestAHintIsNoText(t *testing.T) {
	all := func(_ int, text string) string { return text }
	for _, test := range []struct {
		name, hint string
		attribute  bool // the tree has one for hints
		unsure     bool // the driver says that it cannot distinguish the two
		secret     bool
		before     string // of the field's own
		text       string
		replace    bool
		take       func(int, string) string
		holds      string
		fail       string
		warning    string
	}{
		{name: "a text equal to the hint", hint: "you@example.com", attribute: true, text: "you@example.com", take: all,
			holds: "you@example.com", warning: "may be its hint"},
		{name: "a text equal to the hint, and the driver says so", hint: "you@example.com", attribute: true, unsure: true,
			text: "you@example.com", take: all, holds: "you@example.com", warning: "may be its hint"},
		{name: "another text than the hint, where they cannot be distinguished", hint: "you@example.com", attribute: true,
			unsure: true, text: "ada@example.com", take: all, holds: "ada@example.com"},
		{name: "nothing arrives, where they cannot be distinguished", hint: "you@example.com", attribute: true, unsure: true,
			text: "ada@example.com", take: func(int, string) string { return "" }, fail: "typed"},
		{name: "a text equal to the hint, without the attribute", hint: "1", text: "1", take: all, holds: "1",
			warning: "may be its hint"},
		{name: "a hint that goes", hint: "Your name", text: "Ada", take: all, holds: "Ada"},
		{name: "behind a text of its own", hint: "Name", attribute: true, before: "Ada", text: " L", take: all,
			holds: "Ada L"},
		{name: "a text of its own, nothing arrives", hint: "Name", attribute: true, before: "Ada", text: "Ada",
			take: func(int, string) string { return "" }, fail: "typed"},
		{name: "a password with a hint", hint: "Password", attribute: true, secret: true, text: "s3cret pass", take: all,
			holds: "s3cret pass", warning: "its length"},
		{name: "a password with a hint, without the attribute", hint: "Password", secret: true, text: "s3cret pass",
			take: all, holds: "s3cret pass", warning: "its length"},
		{name: "a password that loses one, always", hint: "Password", secret: true, text: "s3cret",
			take: func(_ int, s string) string { return strings.ReplaceAll(s, "3", "") }, fail: "typed"},
		{name: "replaced over a hint", hint: "Name", text: "Ada", replace: true, take: all, holds: "Ada"},
		{name: "a field that one cannot empty", before: "old", text: "new", replace: true, take: all, fail: "oldnew"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &eraser{fake: &fake{began: time.Now(), treeCost: 40 * time.Millisecond, typed: test.before}, take: test.take}
				f.stuck = test.before == "old"
				f.show = func(time.Duration, []image.Point) []*screen.Node {
					n := edit(f.typed, true)
					n.Password = test.secret
					switch {
					case f.typed == "":
						n.Text = test.hint
					case test.secret:
						n.Text = dots(f.typed)
					}
					if test.attribute {
						n.Hint = test.hint
					}
					if test.unsure && n.Text == n.Hint {
						n.Text, n.HintUnsure = "", true
					}
					return []*screen.Node{n}
				}
				s := &action.Performer{Device: f, Timeout: 5 * time.Second}
				err := action.Perform(t.Context(), s, dsl.Input{Text: test.text, Replace: test.replace})
				if test.fail != "" {
					wantFail(t, err, false, test.fail)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if f.typed != test.holds {
					t.Errorf("it holds %q", f.typed)
				}
				if warnings := strings.Join(s.Detail.Warnings, ";"); !strings.Contains(warnings, test.warning) {
					t.Errorf("warnings %q", warnings)
				}
			})
		})
	}
}
