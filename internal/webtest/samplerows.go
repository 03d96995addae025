package webtest

import (
	"fmt"
	"strings"
)

func (m *sampleMaker) table(at sight) string {
	var b strings.Builder
	b.WriteString("<table>")
	for range 1 + m.r.IntN(2) {
		b.WriteString("<tr>")
		high := 1
		for range 2 + m.r.IntN(2) {
			cell := m.line(at)
			switch m.r.IntN(5) {
			case 0:
				high = 2
				cell += "<br>" + m.line(at)
			case 1:
				cell += " " + m.control(at)
			case 2:
				high = 2
				cell += "<div>" + m.line(at) + "</div>"
			}
			b.WriteString("<td>" + cell + "</td>")
		}
		m.taken(high)
	}
	return b.String() + "</table>\n"
}

func (m *sampleMaker) list(at sight) string {
	var b strings.Builder
	tag := m.pick("ul", "ol", "dl")
	item := "li"
	for i := range 2 + m.r.IntN(2) {
		if tag == "dl" {
			item = []string{"dt", "dd"}[i%2]
		}
		m.taken(1)
		text := m.line(at)
		switch m.r.IntN(4) {
		case 0:
			m.taken(1)
			text += "<ul><li>" + m.line(at) + "</ul>"
		case 1:
			text += m.control(at)
		}
		fmt.Fprintf(&b, "<%s>%s", item, text)
	}
	return "<" + tag + ">" + b.String() + "</" + tag + ">\n"
}

// form is bare text before, between and behind fields.
func (m *sampleMaker) form(at sight) string {
	m.taken(1)
	parts := []string{m.line(at)}
	for range 1 + m.r.IntN(2) {
		field := m.pick("<input size=6>", "<textarea></textarea>", "<input type=number>",
			"<select><option></select>")
		parts = append(parts, field, m.line(at))
	}
	if m.r.IntN(2) == 0 {
		parts = append(parts, m.control(at))
	}
	around := m.pick("<form>%s</form>", "<div>%s</div>", "<fieldset style=border:0;padding:0>%s</fieldset>",
		"<form><p>%s</p></form>")
	head := ""
	if m.r.IntN(3) == 0 {
		m.taken(1)
		head = "<div></div>" + m.line(at)
	}
	return head + fmt.Sprintf(around, strings.Join(parts, " ")) + "\n"
}

// ticks are check boxes and radio buttons with words behind them that are not labels.
func (m *sampleMaker) ticks(at sight) string {
	kind := m.pick("checkbox", "radio")
	end := m.pick("<br>", "", "<input size=4> ")
	var b strings.Builder
	for range 2 + m.r.IntN(2) {
		fmt.Fprintf(&b, "<input type=%s> %s %s", kind, m.line(at), end)
		if end == "<br>" {
			m.taken(1)
		}
	}
	m.taken(1)
	return "<div>" + b.String() + "</div>\n"
}

// floats are boxes out of the flow next to a text.
func (m *sampleMaker) floats(at sight) string {
	m.taken(1)
	out := m.pick(`<div style="float:right">%s</div>`, `<span style="float:left">%s</span>`,
		`<div style="position:absolute;left:800px">%s</div>`,
		`<span style="position:absolute;right:9px">%s</span>`)
	return `<div style="position:relative;overflow:hidden">` + fmt.Sprintf(out,
		m.line(at)) + m.line(at) + "</div>\n"
}

// pre is text of which the line ends are kept.
func (m *sampleMaker) pre(at sight) string {
	form := m.pick("<pre>%s</pre>", `<div style="white-space:pre-line">%s</div>`,
		`<p style="white-space:pre-wrap">%s</p>`, `<div style="white-space:break-spaces">%s</div>`)
	var list []string
	for range 2 + m.r.IntN(2) {
		m.taken(1)
		list = append(list, m.line(at))
	}
	return fmt.Sprintf(form, strings.Join(list, "\n")) + "\n"
}

// tableless are tables, rows and flexible boxes that the style alone makes.
func (m *sampleMaker) tableless(at sight) string {
	m.taken(1)
	switch m.r.IntN(3) {
	case 0:
		row := `<div style="display:table-row"><div style="display:table-cell">` + m.bare(at) + "</div></div>"
		return `<div style="display:table">` + m.line(at) + row + "</div>\n"
	case 1:
		return `<div style="display:flex;gap:9px">` + m.line2(at) + "<div>" + m.line(at) + "</div>" + m.line2(at) + "</div>\n"
	}
	return `<div style="display:grid;grid-template-columns:auto auto">` + m.line2(at) + "<p>" + m.line(at) + "</p></div>\n"
}

// line2 is a text without elements: in a flexible box every element is a box of its own.
func (m *sampleMaker) line2(at sight) string {
	text := m.phrase(3)
	m.add(text, "", at, true)
	return text
}
