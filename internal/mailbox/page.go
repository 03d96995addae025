package mailbox

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// without are the elements of which the content is not shown.
var without = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Head: true, atom.Template: true,
	atom.Noscript: true}

// blocks are the elements that start on a line of their own.
var blocks = map[atom.Atom]bool{atom.P: true, atom.Div: true, atom.Br: true, atom.Tr: true, atom.Table: true,
	atom.Li: true, atom.Ul: true, atom.Ol: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.H5: true, atom.H6: true, atom.Blockquote: true, atom.Pre: true, atom.Hr: true, atom.Section: true,
	atom.Article: true, atom.Header: true, atom.Footer: true, atom.Center: true, atom.Dd: true, atom.Dt: true}

// pageText is the text of a page of HTML, with spaces as a browser shows them. The addresses of its links follow, one a
// line.
func pageText(page string) string {
	var text strings.Builder
	var links []string
	var hidden atom.Atom // the element of which the content is left out
	depth := 0
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken { // the end, also of a damaged page
			return tidy(text.String(), links)
		}
		token := tokens.Token()
		switch {
		case kind == html.StartTagToken && hidden == 0 && without[token.DataAtom]:
			hidden, depth = token.DataAtom, 1
		case kind == html.StartTagToken && hidden != 0 && token.DataAtom == hidden:
			depth++
		case kind == html.StartTagToken && hidden == atom.Head && token.DataAtom == atom.Body:
			hidden = 0 // a head that nothing closes
		case kind == html.EndTagToken && hidden != 0 && token.DataAtom == hidden:
			if depth--; depth == 0 {
				hidden = 0
			}
		case hidden != 0:
		case kind == html.TextToken:
			text.WriteString(token.Data)
		case blocks[token.DataAtom]:
			text.WriteByte('\v')
		case token.DataAtom == atom.Td || token.DataAtom == atom.Th:
			text.WriteByte(' ')
		}
		if hidden == 0 && kind == html.StartTagToken && token.DataAtom == atom.A {
			links = append(links, linksOf(token)...)
		}
	}
}

// linksOf is the address of a link that leads to another place.
func linksOf(token html.Token) []string {
	for _, a := range token.Attr {
		if to := strings.TrimSpace(a.Val); a.Key == "href" && to != "" && !strings.HasPrefix(to, "#") {
			return []string{to}
		}
	}
	return nil
}

// tidy puts each block on a line, with single spaces.
func tidy(text string, links []string) string {
	var all []string
	for line := range strings.SplitSeq(text, "\v") {
		if line = strings.Join(strings.Fields(line), " "); line != "" { // Fields takes \u00a0 for a space, too
			all = append(all, line)
		}
	}
	seen := map[string]bool{}
	for _, link := range links {
		if !seen[link] {
			seen[link] = true
			all = append(all, link)
		}
	}
	return strings.Join(all, "\n")
}
