package markdown

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
)

var hostile = []string{
	"a|b", `a\|b`, `a\\|b`, `\`, `x\`, "|", "||||", "`", "``", "`|`", "``|`", "` `", "a\nb", "a\r\n| x | y | z | p | q |",
	"\n\n## Steps\n\n",
	"<b>x</b>", "<script>alert(1)</script>", "<!-- ", "]]>", "<https://x.y>", "&lt;&amp;", "&#124;",
	"![x](http://x.y/z.png)", "[x](javascript:y)", "[x]: y",
	"\u202eabc\u202c", "\u200f", "\u2028|\u2029", "\ufeff", "\x00\x07\x1b[31m\x7f\u0085", "\t", " ", "  x  ", "", "- x",
	"1. x", "1) x", "# x", "---", "===", "```", "~~~",
	"*x*", "_x_", "a_b_c", "__init__", "~~x~~", "$x$", "a\xffb", strings.Repeat("x", 5000), strings.Repeat("|", 5000),
	strings.Repeat("`", 999),
	strings.Repeat("é", 199) + "|`", "    code", "> quote", "| a |\n|---|", "👩‍👩‍👧", "日本語 | 🎉", "\\`", "`\\|`",
	"x`\\", "\\\\", "<", "a<b|c>d`e",
	// found by fuzzing: markup after spaces; a mark beyond the cut
	" #", "  1. x", "  x" + strings.Repeat("|", 300) + `\|`,
}

func hostileResult(s string) *event.CaseResult {
	at := source.Pos{File: s, Line: 3, Col: 2}
	c := event.Case{ID: "x", Pack: "x", Name: s, Platform: event.Platform(s), Solver: s, Tags: []string{s}, Place: at,
		Device: s, Model: s}
	for n := 1; n <= 3; n++ {
		c.Steps = append(c.Steps, event.Step{N: n, Action: s, Name: s, Args: s, Place: at, Source: s, In: s})
	}
	p := &event.Problem{Message: s, Expected: s, Actual: s, Candidates: []string{s, s}, Stack: s}
	now := time.Unix(1e9, 0)
	return event.Fold([]event.Event{
		{Time: now, Kind: event.CaseStarted, Case: &c}, {Time: now, Kind: event.StepStarted, Step: 1},
		{Time: now, Kind: event.Logged, Message: s},
		{Time: now, Kind: event.Attached, Step: 1, Attachment: &event.Attachment{Path: "screenshots/" + s, Type: s,
			Kind: event.KindFailure}},
		{Time: now, Kind: event.Attached, Attachment: &event.Attachment{Path: s, Type: s, Kind: event.KindArtifact}},
		{Time: now, Kind: event.StepEnded, Step: 1, Result: event.Fail, Problem: p, Detail: &event.Detail{
			Notes: []string{s}}},
		{Time: now, Kind: event.CaseEnded, Result: event.Fail, Problem: p},
		{Time: now, Kind: event.Recorded, Recording: &event.Recording{Kind: event.NativeRecording, Why: s}},
	})
}

// checkMarkdown reads run.md as a viewer does: one table of one row per step, Taproot's headings and no others, and no
// HTML, image or link but Taproot's.
func checkMarkdown(t *testing.T, s string) {
	t.Helper()
	res := hostileResult(s)
	src := RunMarkdown(res)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(
		text.NewReader(src))
	var headings []string
	tables, rows, images := 0, 0, 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			headings = append(headings, string(n.Lines().Value(src)))
		case *ast.HTMLBlock, *ast.RawHTML, *ast.AutoLink, *ast.Blockquote, *ast.ThematicBreak, *east.Strikethrough:
			t.Errorf("%q: a %s", s, n.Kind())
		case *ast.Image:
			images++
			checkHref(t, s, string(n.Destination))
		case *ast.Link:
			checkHref(t, s, string(n.Destination))
		case *east.Table:
			tables++
		case *east.TableRow:
			rows++
			if n.ChildCount() != 5 {
				t.Errorf("%q: %d cells in a row", s, n.ChildCount())
			}
			// A cell too many is cut off by the parser, so the last one must be what we wrote.
			if last := plain(n.LastChild(), src); !strings.HasSuffix(last, "ms") && last != "–" {
				t.Errorf("%q: the last cell is %q", s, last)
			}
			if got, want := plain(n.FirstChild().NextSibling().NextSibling(), src), shown(s); got != want {
				t.Errorf("%q: the args are shown as %q", want, got)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"x", "Steps", "What went wrong", "Warnings", "Files"}; !slices.Equal(headings, want) {
		t.Errorf("%q: headings %q", s, headings)
	}
	if tables != 1 || rows != 3 || images > 1 {
		t.Errorf("%q: %d tables, %d rows, %d images", s, tables, rows, images)
	}
	if t.Failed() {
		t.Logf("%s", src)
	}
}

func checkHref(t *testing.T, s, href string) {
	t.Helper()
	if strings.HasPrefix(href, "screenshots/") && !strings.Contains(href, "..") || href == event.RecordingFile ||
		href == event.EventsFile {
		return
	}
	if strings.Contains(href, ":") || strings.HasPrefix(href, "/") {
		t.Errorf("%q: link to %q", s, href)
	}
}

// plain is the text that a viewer shows of a cell.
func plain(n ast.Node, src []byte) string {
	var b bytes.Buffer
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			v := n.Segment.Value(src)
			if _, inCode := n.Parent().(*ast.CodeSpan); !inCode {
				v = unescape(v)
			}
			b.Write(v)
		case *ast.String:
			b.Write(n.Value)
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func unescape(v []byte) []byte {
	var out []byte
	for i := 0; i < len(v); i++ {
		if v[i] == '\\' && i+1 < len(v) {
			i++
		}
		out = append(out, v[i])
	}
	return out
}

// shown is what of the args may be seen in a cell: nothing lost but the ends' spaces.
func shown(s string) string {
	s = Printable(s, MaxArg)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	if strings.Contains(s, `\|`) {
		return strings.Trim(s, " ")
	}
	return s
}

func TestMarkdownHostile(t *testing.T) {
	for _, s := range hostile {
		checkMarkdown(t, s)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkMarkdown(t, s) })
}

func TestMarkdownLongArgs(t *testing.T) {
	md := string(RunMarkdown(hostileResult(strings.Repeat("語", 1000))))
	if strings.Contains(md, "| `"+strings.Repeat("語", MaxArg+1)) ||
		!strings.Contains(md, "`"+strings.Repeat("語", MaxArg)+"…`") {
		t.Error("the args are not cut")
	}
}

// TestRoundsAreDistinguished: steps of a loop or a group say which round they were.
func TestRoundsAreDistinguished(t *testing.T) {
	r := hostileResult("x")
	for i, in := range []string{"group Cart › forEach 1/2: Milk", "group Cart › forEach 2/2: Bread", ""} {
		r.Steps[i].Action, r.Steps[i].Name, r.Steps[i].In = "assert", "", in
	}
	for _, row := range []string{"| 1 | assert (group Cart › forEach 1/2: Milk) | ",
		"| 2 | assert (group Cart › forEach 2/2: Bread) | ", "| 3 | assert | "} {
		if src := string(RunMarkdown(r)); !strings.Contains(src, row) {
			t.Errorf("no row %q in\n%s", row, src)
		}
	}
}

func TestStepTime(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0ms", 999 * time.Millisecond: "999ms", time.Second: "1.0s", 12_345 * time.Millisecond: "12.3s",
		90 * time.Second: "90.0s",
	} {
		if got := StepTime(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		col          int
		source, word string
		want         string
	}{
		{5, "  - tap: x", "tap", "   7 |   - tap: x\n           ^^^"},
		{5, "  - tap: x", "assert", "   7 |   - tap: x\n           ^"},
		{3, "語\ttap", "tap", "   7 | 語\ttap\n         \t^^^"},
		{99, "  - tap: x", "tap", "   7 |   - tap: x"},
	} {
		if got := Excerpt(source.Pos{Line: 7, Col: c.col}, c.source, c.word); got != c.want {
			t.Errorf("%q\n%q", got, c.want)
		}
	}
}

func TestNotesSayWhatReadTheScreen(t *testing.T) {
	r := hostileResult("x")
	r.ScreenRead, r.Notes = "The screen was read with the agent.", nil
	if md := string(RunMarkdown(r)); !strings.Contains(md, "## Warnings\n\n- The screen was read with the agent.\n") {
		t.Error(md)
	}
}
