package maestro

import (
	"slices"
	"strings"
	"testing"
)

func TestScriptsAsExpressions(t *testing.T) {
	for script, want := range map[string]string{
		"A == 'x'":                               `A == "x"`,
		"A === \"x\" ":                           `A == "x"`,
		"A != 'it\\'s'":                          `A != "it's"`,
		"A == 5":                                 `A == string(5)`,
		"output.n < 4":                           `output_n < 4`,
		"output.n == 4":                          `string(output_n) == string(4)`,
		"output.n === 4":                         `output_n == 4`,
		"maestro.copiedText.indexOf('a.b') != 0": `indexOf(copiedText, "a.b") != 0`,
		"maestro.platform == 'web' || A == 'b'":  `(platform == "web") or (A == "b")`,
		"!(A == 'b') && output.x == B":           `(not (A == "b")) and (string(output_x) == B)`,
		"A.toLowerCase().includes('b')":          `lower(A) contains "b"`,
		"A.length > 3":                           `len(A) > 3`,
		"A + output.n + 1":                       `(A + string(output_n)) + string(1)`,
		"output.n * 2 - 1":                       `(output_n * 2) - 1`,
		"'at ' + Date.now()":                     `"at " + string(now().UnixMilli())`,
		"'x'.repeat(3)":                          `repeat("x", 3)`,
		"String(output.n)":                       `string(output_n)`,
		"A.startsWith('b') == true":              `(A startsWith "b") == true`,
		"A == 'a\\n\\u00e9'":                     `A == "a\né"`,
		"output.n > 0x10":                        `output_n > 16`,
		"output.n > 1.50":                        `output_n > 1.5`,
		"A == 'größer'":                          `A == "größer"`,
		"(A /* in between */ == 'b')":            `A == "b"`,
		"A === 5":                                "",
		"A < B":                                  "",
		"A || 'x'":                               "",
		"A ? 1 : 2":                              "",
		"nobody()":                               "",
		"output.list[0]":                         "",
		"output.a.b":                             "",
		"A == undefined":                         "",
		"A = 'x'":                                "",
		"new Date()":                             "",
		"'a' - 1":                                "",
		"A == 'b'; output.x = 1":                 "",
		"'open":                                  "",
		"":                                       "",
	} {
		got, err := translate(script)
		if want == "" && err == nil || want != "" && (err != nil || got.text != want) {
			t.Errorf("%s: %q, %v; want %q", script, got.text, err, want)
		}
	}
}

func TestAssignmentsAsExpressions(t *testing.T) {
	for script, want := range map[string]string{
		"output.n = output.n + 1": "output_n = output_n + 1", "output.n++": "output_n = output_n + 1",
		"output.n -= 2;":  "output_n = output_n - 2",
		"output.t += 'x'": `output_t = string(output_t) + "x"`, "output.t = maestro.copiedText": "output_t = copiedText",
		"output.b = A == 'x'": `output_b = A == "x"`,
		"A = 1":               "", "output.a.b = 1": "", "output.n": "", "output.x = y = 1": "",
	} {
		name, value, err := assignment(script)
		if got := name + " = " + value.text; want == "" && err == nil || want != "" && (err != nil || got != want) {
			t.Errorf("%s: %q, %v; want %q", script, got, err, want)
		}
	}
}

func TestStatementsOfScripts(t *testing.T) {
	for script, want := range map[string][]string{
		"output.a = 1\noutput.b = 'x;y' // z; w\n": {"output.a = 1", "output.b = 'x;y'"},
		"/* first\n second */ output.a = \"//\";":  {`output.a = "//"`},
		"output.a = 'it\\'s; so'; output.a++":      {`output.a = 'it\'s; so'`, "output.a++"},
		"// nothing":                               nil,
		"output.a = `one\ntwo`\r\noutput.b = 2":    {"output.a = `one\ntwo`", "output.b = 2"},
		"output.a = 1 +\n 2":                       {"output.a = 1 +\n 2"},
		"output.a = 'größer'; output.b = 'é'":      {"output.a = 'größer'", "output.b = 'é'"},
		"output.a = 1; output.b = 2 /* open":       {"output.a = 1; output.b = 2 /* open"},
	} {
		if got := statements(script); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

// TestHostileScripts: a script that is nested without end, or long, has no translation.
func TestHostileScripts(t *testing.T) {
	for _, script := range []string{strings.Repeat("(", longestScript), strings.Repeat("!", longestScript) + "A",
		strings.Repeat("[", 5<<20), strings.Repeat("A+", longestScript) + "A"} {
		if got, err := translate(script); err == nil {
			t.Errorf("%.20q: %.20q", script, got.text)
		}
		if got := statements(script); len(got) != 1 {
			t.Errorf("%.20q: %d statements", script, len(got))
		}
	}
}
