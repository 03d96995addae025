package source

import (
	"strings"
	"testing"
)

func TestErrorText(t *testing.T) {
	source := &Source{File: "a.yaml", Lines: []string{
		"  - tapp: Login",
		"\ttab:\tx",
		"日本: x",
		"e\u0301\u00e9: x",
		"\x1b[31m\u202e: x",
		strings.Repeat("a", 150) + "HERE" + strings.Repeat("b", 150),
		"",
	}}
	at := func(line, col, width int, hint string) *Error {
		return &Error{Pos: Pos{File: "a.yaml", Line: line, Col: col}, Msg: "wrong", Hint: hint, Width: width, Source: source}
	}
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{at(1, 5, 4, `did you mean "tap"?`),
			"a.yaml:1:5: wrong\n  1 |   - tapp: Login\n          ^^^^ did you mean \"tap\"?"},
		{at(2, 7, 1, ""), "a.yaml:2:7: wrong\n  2 | \ttab:\tx\n      \t    \t^"},
		{at(3, 1, 2, ""), "a.yaml:3:1: wrong\n  3 | 日本: x\n      ^^^^"},
		{at(3, 5, 1, ""), "a.yaml:3:5: wrong\n  3 | 日本: x\n            ^"},
		{at(4, 6, 1, ""), "a.yaml:4:6: wrong\n  4 | e\u0301\u00e9: x\n          ^"},
		{at(5, 9, 1, ""), "a.yaml:5:9: wrong\n  5 | \uFFFD[31m\uFFFD: x\n              ^"},
		{at(7, 1, 9, ""), "a.yaml:7:1: wrong\n  7 |\n      ^"},
		{at(7, 99, 1, ""), "a.yaml:7:99: wrong\n  7 |\n      ^"},
		{at(99, 1, 1, ""), "a.yaml:99:1: wrong\n 99 |\n      ^"},
		{at(1, 5, 4, strings.Repeat("long ", 30)), "a.yaml:1:5: wrong\n  1 |   - tapp: Login\n          ^^^^\n      " +
			strings.Repeat("long ", 30)},
		{&Error{Msg: "a \x1b[2J b"}, "a \uFFFD[2J b"},
		{&Error{Msg: "wrong", Hint: "mend it"}, "wrong (mend it)"},
		{&Error{Pos: Pos{File: "a\x07.yaml"}, Msg: "wrong"}, "a\uFFFD.yaml: wrong"},
		{&Error{Pos: Pos{File: "a.yaml", Line: 1, Col: 2}, Msg: "wrong", Hint: "mend it"},
			"a.yaml:1:2: wrong\n      mend it"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s\n%q", got, c.want, got)
		}
	}
	lines := strings.Split(at(6, 151, 4, "").Error(), "\n")
	if strings.Index(lines[1], "HERE") != strings.Index(lines[2], "^^^^")+len("…")-1 || len(lines[1]) > 120 ||
		!strings.HasSuffix(lines[1], "b…") || !strings.Contains(lines[1], "| …a") {
		t.Errorf("%s\n%s", lines[1], lines[2])
	}
}
