package webtest

import (
	"fmt"
	"html"
	"strings"
)

// maxNesting is how deep blocks are in blocks.
const maxNesting = 4

// block is something that starts and ends a line: at is what is known of the box around it.
func (m *sampleMaker) block(depth int, at sight) string {
	simple := []func(sight) string{m.paragraph, m.paragraph, m.breaks, m.breaks, m.table, m.list, m.form, m.form,
		m.ticks, m.floats, m.pre, m.tableless}
	nested := []func(int, sight) string{m.mixed, m.mixed, m.mixed, m.hidden, m.covered, m.scroller, m.shadow,
		m.frame, m.slotted}
	if depth >= maxNesting || m.room < 4 || m.r.IntN(5) < 2 {
		return simple[m.r.IntN(len(simple))](at)
	}
	return nested[m.r.IntN(len(nested))](depth+1, at)
}

// taken notes that n lines of the window are taken.
func (m *sampleMaker) taken(n int) { m.room -= n }

func (m *sampleMaker) paragraph(at sight) string {
	m.taken(1)
	form := m.pick("<p>%s</p>", "<div>%s</div>", "<h3>%s</h3>", "<section>\n  %s\n</section>",
		"<blockquote>%s</blockquote>", "<article><div>%s</div></article>")
	return fmt.Sprintf(form, m.line(at)) + "\n"
}

// breaks are lines that end in <br>.
func (m *sampleMaker) breaks(at sight) string {
	var b strings.Builder
	for range 2 + m.r.IntN(2) {
		m.taken(1)
		b.WriteString(m.line(at) + m.pick("<br>", "<br>\n", " <br> "))
	}
	form := m.pick("<p>%s</p>", "<div>%s</div>", "<address>%s</address>", "<div><span>%s</span></div>",
		"<table><tr><td>%s</table>", "<ul><li>%s</ul>")
	return fmt.Sprintf(form, b.String()) + "\n"
}

// mixed is bare text between blocks and controls.
func (m *sampleMaker) mixed(depth int, at sight) string {
	var b strings.Builder
	around := m.pick("<div>%s</div>", "<section>%s</section>", `<div style="display:flow-root">%s</div>`,
		"<main>%s</main>")
	bare := m.r.IntN(2) == 0
	for range 2 + m.r.IntN(3) {
		if m.room < 2 {
			break
		}
		switch {
		case bare && m.r.IntN(3) == 0:
			m.taken(1)
			b.WriteString(m.line(at) + m.control(at) + m.line(at))
		case bare:
			m.taken(1)
			b.WriteString(m.line(at) + "\n")
		default:
			b.WriteString(m.block(depth, at))
		}
		bare = !bare
	}
	return fmt.Sprintf(around, b.String()) + "\n"
}

// hidden is a box of which nothing is seen, or one that looks as if it were.
func (m *sampleMaker) hidden(depth int, at sight) string {
	shown := `<div></div><div style="%s">%s</div>`
	if m.r.IntN(3) == 0 {
		style := m.pick("opacity:.7", "transform:none", "overflow:hidden", "clip-path:inset(0)", "filter:none")
		return fmt.Sprintf(shown, style, m.block(depth, at))
	}
	room := m.room
	inner := m.block(depth, unseen)
	style := m.pick("display:none", "visibility:hidden", "opacity:0", "height:0;overflow:hidden",
		"position:absolute;left:-9999px",
		"clip-path:inset(50%)", "transform:scale(0)", "position:absolute;top:-5000px", "content-visibility:hidden",
		"filter:opacity(0)")
	switch m.r.IntN(6) {
	case 0:
		m.room = room - 1
		return "<details><summary>" + m.summary(at) + "</summary>" + inner + "</details>\n"
	case 1:
		return "<div></div><div hidden>" + inner + "</div>\n"
	}
	return fmt.Sprintf(shown, style, inner) + "\n"
}

func (m *sampleMaker) summary(at sight) string {
	key, text := m.key(), m.phrase(2)
	m.add(text, key, at, false)
	return fmt.Sprintf("<span data-k=%s>%s</span>", key, text)
}

// covered is a box with another one over all of it.
func (m *sampleMaker) covered(depth int, at sight) string {
	style, under := "background:#fff", unseen
	switch m.r.IntN(4) {
	case 0:
		style += ";pointer-events:none"
	case 1:
		style, under = "background:#fff8;pointer-events:none", at
	}
	return fmt.Sprintf(`<div style="position:relative">%s<div style="position:absolute;inset:0;%s"></div></div>`,
		m.block(depth, under), style) + "\n"
}

// scroller is a box of three lines that holds more and is scrolled by whole lines.
func (m *sampleMaker) scroller(_ int, at sight) string {
	const shown = 3
	m.taken(shown)
	lines := 5 + m.r.IntN(4)
	first := m.r.IntN(lines - shown + 1)
	var list []string
	for i := range lines {
		here := at
		if (i < first || i >= first+shown) && at == seen {
			here = away
		}
		list = append(list, m.line(here))
	}
	open, glue, end := `<div style="%s" data-scroll=%d>`, "<br>", "</div>"
	switch m.r.IntN(4) {
	case 0:
		open, glue, end = open+"<div>", "</div><div>", "</div></div>"
	case 1:
		open, glue, end = `<pre style="%s" data-scroll=%d>`, "\n", "</pre>"
	case 2:
		open, glue, end = open+"<ul style=padding:0;list-style:none><li>", "<li>", "</ul></div>"
	}
	return fmt.Sprintf(open, "height:60px;overflow:hidden auto;width:700px", 20*first) + strings.Join(list,
		glue) + end + "\n"
}

// shadow is a component that draws itself.
func (m *sampleMaker) shadow(depth int, at sight) string {
	return fmt.Sprintf(`<x-box data-shadow="%s" style="display:block"></x-box>`, html.EscapeString(m.block(depth,
		at)+m.bare(at))) + "\n"
}

// slotted is a component that puts what the page passes to it between its own texts.
func (m *sampleMaker) slotted(depth int, at sight) string {
	m.taken(1)
	own := "<div>" + m.line(at) + "</div><slot></slot>"
	return fmt.Sprintf(`<x-card data-shadow="%s" style="display:block">%s</x-card>`, html.EscapeString(own),
		m.bare(at)+m.block(depth, at)) + "\n"
}

func (m *sampleMaker) bare(at sight) string {
	m.taken(1)
	return m.line(at)
}

// frame is a page within the page, as high as its lines.
func (m *sampleMaker) frame(_ int, at sight) string {
	before := m.room
	inner := m.paragraph(at) + m.bare(at) + m.breaks(at)
	return fmt.Sprintf(`<iframe data-page="%s" style="height:%dpx"></iframe>`, html.EscapeString(inner),
		20*(before-m.room)) + "\n"
}
