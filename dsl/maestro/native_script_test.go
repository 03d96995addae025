package maestro

import (
	"slices"
	"testing"
)

func TestStatementsOfScripts(t *testing.T) {
	for script, want := range map[string][]string{
		"output.a = 1\noutput.b = 'x;y' // z; w\n":      {"output.a = 1", "output.b = 'x;y'"},
		"/* first\n second */ output.a = \"//\";":       {`output.a = "//"`},
		"output.a = 'it\\'s; so'; output.a++":           {`output.a = 'it\'s; so'`, "output.a++"},
		"// nothing":                                    nil,
		"output.a = `one\ntwo`\r\noutput.b = 2 /* open": {"output.a = `one\ntwo`", "output.b = 2"},
	} {
		if got := statements(script); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}
