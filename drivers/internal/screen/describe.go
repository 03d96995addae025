package screen

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// Label is what a person would call the element: its text, else its description, its hint, its first inner text, its
// id. A field is called by its name, not by what it holds.
func (n *Node) Label() string {
	if own := n.ownLabel(); own != "" {
		return own
	}
	for _, c := range n.Children {
		if l := innerLabel(c); l != "" {
			return l
		}
	}
	return idSuffix(n.ID)
}

func (n *Node) ownLabel() string {
	text, desc, hint := strings.TrimSpace(n.Text), strings.TrimSpace(n.Desc), strings.TrimSpace(n.Hint)
	if n.Editable {
		return cmp.Or(desc, hint, text)
	}
	return cmp.Or(text, desc, hint)
}

func innerLabel(n *Node) string {
	if n.Hidden || n.Bounds.Dx() <= 0 || n.Bounds.Dy() <= 0 {
		return ""
	}
	if own := n.ownLabel(); own != "" {
		return own
	}
	for _, c := range n.Children {
		if l := innerLabel(c); l != "" {
			return l
		}
	}
	return ""
}

// String shows the element in a message: `Button "Sign in" [60,1200][1020,1330]`.
func (n *Node) String() string {
	kind := cmp.Or(n.Role, n.Type[strings.LastIndexAny(n.Type, ".$:")+1:], "element")
	label := ""
	if l := n.Label(); l != "" {
		label = " " + Quote(l)
	}
	return kind + label + " " + boundsText(n.Bounds)
}

// Quote shows foreign text in a message: quoted, control characters escaped, cut at 80 characters.
func Quote(s string) string {
	if r := []rune(s); len(r) > 80 {
		s = string(r[:79]) + "…"
	}
	return strconv.QuoteToGraphic(s) // a no-break space is a space to a reader
}

// Describe shows a selector in a message.
func Describe(s dsl.Selector) string {
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, key+value)
		}
	}
	for _, text := range []struct{ word, what string }{{"", s.Label}, {"text ", s.Text}, {"desc ", s.Desc},
		{"hint ", s.Hint}} {
		if text.what != "" {
			add(text.word, Quote(text.what))
		}
	}
	if s.Match != "" {
		add("match ", string(s.Match))
	}
	add("id ", s.ID)
	add("type ", s.Type)
	add("testId ", s.TestID)
	add("css ", s.CSS)
	add("xpath ", s.XPath)
	for _, seen := range []struct{ word, what string }{{"the text ", s.OCR}, {"the image ", s.Image},
		{"what is described as ", s.Describe}} {
		if seen.what != "" {
			add(seen.word, Quote(seen.what))
		}
	}
	if s.Point != nil {
		add("point ", pointText(*s.Point))
	}
	if s.Index != nil {
		add("index ", fmt.Sprint(*s.Index))
	}
	if s.First {
		parts = append(parts, "first")
	}
	for _, state := range []struct {
		word string
		want *bool
	}{{"enabled", s.Enabled}, {"checked", s.Checked}, {"selected", s.Selected}, {"focused", s.Focused},
		{"clickable", s.Clickable}} {
		if state.want != nil {
			add("", map[bool]string{true: "", false: "not "}[*state.want]+state.word)
		}
	}
	if s.Size != nil {
		add("", sizeText(*s.Size))
	}
	for _, rel := range []struct {
		word string
		to   *dsl.Selector
	}{{"not ", s.Not}, {"below ", s.Below}, {"above ", s.Above}, {"left of ", s.LeftOf}, {"right of ", s.RightOf},
		{"near ", s.Near},
		{"inside ", s.Inside}} {
		if rel.to != nil && (rel.to != s.Not || !ofDocument(s)) {
			add(rel.word, Describe(*rel.to))
		}
	}
	for _, held := range s.Contains {
		add("containing ", Describe(held))
	}
	return strings.Join(parts, ", ")
}

// ofDocument reports whether a selector leaves out the frames of its document, as those of actions on pages do by
// themselves.
func ofDocument(s dsl.Selector) bool {
	return s.CSS != "" && reflect.DeepEqual(s.Not, &dsl.Selector{Inside: &dsl.Selector{Type: "iframe", Inside: s.Inside}})
}

func sizeText(s dsl.Size) string {
	side := func(n *int) string {
		if n == nil {
			return "any"
		}
		return fmt.Sprint(*n)
	}
	text := "size " + side(s.Width) + "x" + side(s.Height)
	if s.Tolerance > 0 {
		text += fmt.Sprintf(" ± %d", s.Tolerance)
	}
	return text
}

// Texts returns what the visible elements show, in reading order, each once, at most limit.
func (t *Tree) Texts(limit int) []string { return t.texts(limit, false) }

// AllTexts is Texts without a limit, and with what can be brought into view by scrolling, as far as the tree has it.
func (t *Tree) AllTexts() []string { return t.texts(-1, true) }

func (t *Tree) texts(limit int, offscreen bool) []string {
	f := newFinder(t, Query{})
	var nodes []*Node
	for n := range t.All {
		if f.visible(n, offscreen) && n.ownLabel() != "" && !isRepeated(n) {
			nodes = append(nodes, n)
		}
	}
	slices.SortStableFunc(nodes, func(a, b *Node) int { return readingOrder(a.place(), b.place()) })
	seen := map[string]bool{}
	var texts []string
	for _, n := range nodes {
		if l := n.ownLabel(); Normalise(l) != "" && !seen[l] {
			seen[l] = true
			texts = append(texts, l)
		}
		if len(texts) == limit {
			break
		}
	}
	return texts
}

// isRepeated reports whether the element only repeats a text of something around it.
func isRepeated(n *Node) bool {
	if n.Quoted() {
		return true
	}
	own := fold(n.ownLabel())
	for a := range n.around {
		if a != n && fold(a.ownLabel()).shows(own) {
			return true
		}
	}
	return false
}

// Nearest returns the visible elements with labels that are most like the selector's label or id, best first, at most
// limit.
func (t *Tree) Nearest(s dsl.Selector, limit int) []*Node {
	want := Normalise(cmp.Or(s.Label, s.Text, s.Desc, s.Hint, s.ID, s.TestID))
	if want == "" {
		return nil
	}
	type scored struct {
		node  *Node
		score float64
	}
	var list []scored
	f := newFinder(t, Query{})
	for n := range t.All {
		if !f.visible(n, false) {
			continue
		}
		best := 0.0
		for _, have := range []string{n.Text, n.Desc, n.Hint, idSuffix(n.ID)} {
			best = max(best, likeness(Normalise(have), want))
		}
		if best >= 0.35 {
			list = append(list, scored{n, best})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var nodes []*Node
	for _, s := range list[:min(limit, len(list))] {
		nodes = append(nodes, s.node)
	}
	return nodes
}

// likeness is 1 for equal texts and falls to 0; a text that contains the other is rather like it.
func likeness(have, want string) float64 {
	if have == "" {
		return 0
	}
	if len(have) > 200 {
		have = have[:200]
	}
	a, b := []rune(have), []rune(want)
	if strings.Contains(have, want) || strings.Contains(want, have) {
		return 0.5 + 0.5*float64(min(len(a), len(b)))/float64(max(len(a), len(b)))
	}
	return 1 - float64(EditDistance(a, b))/float64(max(len(a), len(b)))
}

// EditDistance is Levenshtein's: how many characters have to be put in, taken out or replaced to make b of a.
func EditDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			substitute := diagonal
			if x != y {
				substitute++
			}
			diagonal, row[j+1] = row[j+1], min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func pointText(p dsl.Point) string {
	if p.Percent {
		return fmt.Sprintf("%g%%,%g%%", p.X, p.Y)
	}
	return fmt.Sprintf("%g,%g", p.X, p.Y)
}
