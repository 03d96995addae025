package cli

import (
	"testing"

	"github.com/taproot-dev/taproot/dsl/source"
)

// TestWrittenKeepsAllOfTheText reads values of the command line: YAML takes # for a comment and --- for the end of a
// value.
func TestWrittenKeepsAllOfTheText(t *testing.T) {
	for text, want := range map[string]source.Value{
		"5":          {Kind: source.Int, Text: "5"},
		"#menu":      {Kind: source.String, Text: "#menu"},
		"Row #4":     {Kind: source.String, Text: "Row #4"},
		"Row # 4":    {Kind: source.String, Text: "Row # 4"},
		"":           {Kind: source.String},
		`"a" # note`: {Kind: source.String, Text: "a"},
	} {
		got, err := written("--value", text)
		if err != nil || got.Kind != want.Kind || got.Text != want.Text {
			t.Errorf("%q: %v %q, %v", text, got.Kind, got.Text, err)
		}
	}
	if v, err := written("--value", "a\n---\nb"); err == nil {
		t.Errorf("two documents are %+v", v)
	}
}
