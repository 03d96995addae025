package decide

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// Messages name a selector of an action on pages as the test says it.
func TestSelectorsInDocumentsAreNamedAsWritten(t *testing.T) {
	with := InDocument("#s", "")
	with.Not = &dsl.Selector{Inside: &dsl.Selector{Type: "list"}}
	for want, sel := range map[string]dsl.Selector{"css #s": InDocument("#s", ""),
		"css #s, inside css #f":          InDocument("#s", "#f"),
		"css #s, not inside type list":   with,
		"type x, not inside type iframe": {Type: "x", Not: InDocument("", "").Not}} {
		if got := screen.Describe(sel); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
