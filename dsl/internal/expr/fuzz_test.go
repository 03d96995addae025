package expr

import (
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/source"
)

func FuzzExpr(f *testing.F) {
	for _, s := range []string{"", "N", "N > 2", "visible(\"x\")", "device.id", "let a = 1; a", "filter([1], # > 0)",
		"${N}", "a.b?.c ?? 1", "\"\\u00e9", "1..5", "N matches '('",
		"{a: 1}.a", "[1,2][5]", "N |> len()", "`x`", "((((", "not", "N\n+\n", "x ? y : z", "#", "$env", "$env.N", "1/0",
		"get(N, 1)", "platform in [1]", "visible", "`\xa1\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 500)]
		src := &source.Source{File: "a.yaml", Lines: strings.Split("cond: "+text, "\n")}
		e := Expr{Text: text, Pos: source.Pos{File: "a.yaml", Line: 1, Col: 7}}
		s := &Scope{source: src, saved: map[string]any{"N": 3}, values: map[string]string{"A": "x"}, typed: map[string]any{}}
		_, err := s.EvalExpr(e, src, map[string]any{"visible": func(string) bool { return false }, "platform": "web",
			"device": map[string]any{"id": "x"}})
		var bad *source.Error
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%T", err)
		}
		if bad != nil && (bad.Msg == "" || bad.Pos.Line < 1 || bad.Pos.Line > len(src.Lines) || bad.Pos.Col < 1 ||
			bad.Pos.Col > len([]rune(src.Line(bad.Pos.Line)))+1) {
			t.Errorf("%q: %+v", text, bad)
		}
	})
}
