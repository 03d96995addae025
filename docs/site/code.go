package main

import (
	"html"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// codeRenderer writes blocks of code: a box that can be scrolled with keys, with comments in a weak colour, and in YAML
// with keys in a strong one.
type codeRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer. Comments of the documents are for tests, not for readers.
func (c codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.block)
	r.Register(ast.KindCodeBlock, c.block)
	r.Register(ast.KindCodeSpan, c.span)
	nothing := func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkSkipChildren, nil }
	r.Register(ast.KindHTMLBlock, nothing)
}

func (c codeRenderer) block(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if f, ok := n.(*ast.FencedCodeBlock); ok {
		language = string(f.Language(src))
	}
	_, err := w.WriteString(`<pre tabindex="0"><code>` + paint(language, string(n.Lines().Value(src))) + "</code></pre>\n")
	return ast.WalkContinue, err
}

// span writes code within a text. A browser breaks lines after each hyphen, also between the two of a flag, so short
// words are not broken.
func (c codeRenderer) span(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	text := ""
	for part := n.FirstChild(); part != nil; part = part.NextSibling() {
		if t, ok := part.(*ast.Text); ok { // a code span contains only text
			text += strings.ReplaceAll(string(t.Segment.Value(src)), "\n", " ")
		}
	}
	class := ""
	if len(text) <= longestWord && !strings.Contains(text, " ") {
		class = ` class="word"`
	}
	_, err := w.WriteString("<code" + class + ">" + html.EscapeString(text) + "</code>")
	return ast.WalkSkipChildren, err
}

// longestWord is the length, in bytes, of a word of code that is never broken, even on a phone.
const longestWord = 22

var (
	yamlKey = lazyregexp.New(`^(\s*(?:- +)*)([A-Za-z_$][\w.-]*)(:)(\s|$)`)
	comment = lazyregexp.New(`(^|\s)(#\s.*)$`)
)

// paint highlights a block's lines. It has no grammar: anything but keys and comments stays unchanged.
func paint(language, code string) string {
	if language != "yaml" && language != "sh" {
		return html.EscapeString(code)
	}
	var b strings.Builder
	for line := range strings.Lines(code) {
		text, end := strings.TrimSuffix(line, "\n"), ""
		if at := comment.FindStringSubmatchIndex(text); at != nil {
			end = `<span class="comment">` + html.EscapeString(text[at[4]:]) + "</span>"
			text = text[:at[4]]
		}
		if at := yamlKey.FindStringSubmatchIndex(text); at != nil && language == "yaml" {
			b.WriteString(text[:at[3]] + `<span class="key">` + text[at[4]:at[5]] + "</span>")
			text = text[at[5]:]
		}
		b.WriteString(html.EscapeString(text) + end + "\n")
	}
	return b.String()
}
