package fix

import (
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/check"
	"github.com/taproot-dev/taproot/internal/source"
)

// plan says what to replace in the file for one step; why is set when it cannot.
func (p *page) plan(r check.Refusal) (edits []edit, why string) {
	steps := r.Fix.Steps
	if r.Step.Kind != source.Map || len(steps) > 1 {
		return p.replaced(r)
	}
	old := r.Step.Fields[0]
	c := &change{page: p, flow: p.inBrackets(r.Step)}
	if !c.field(old, steps[0]) {
		return nil, layout
	}
	return c.edits, ""
}

// inBrackets reports whether a step is in a list or a map in brackets.
func (p *page) inBrackets(step source.Value) bool {
	at := p.offset(step.Pos)
	return at >= 0 && at < len(p.src) && p.src[at] == '{' || !p.afterDash(step)
}

// afterDash reports whether a step starts behind the dash of a list.
func (p *page) afterDash(step source.Value) bool {
	at := p.offset(step.Pos)
	if at < 0 {
		return false
	}
	before := strings.TrimRight(string(p.src[p.lines[step.Pos.Line-1]:at]), " ")
	if before == "" { // the dash is on a line of its own, or its anchor
		return true
	}
	if i := strings.LastIndexByte(before, ' '); i >= 0 && strings.HasPrefix(before[i+1:], "&") {
		before = strings.TrimRight(before[:i], " ")
	}
	return strings.HasSuffix(before, "-") && strings.Trim(before, " -") == ""
}

// replaced writes a whole step: one that was a text alone, or that becomes several.
func (p *page) replaced(r check.Refusal) ([]edit, string) {
	at := r.Step
	s, ok := p.span(at, max(at.Pos.Col-2, 0))
	if !ok {
		return nil, layout
	}
	if at.Kind == source.Map && (p.comments(s) || len(at.Fields) > 1) {
		return nil, "there is a comment or another key within it"
	}
	flow := p.inBrackets(at)
	lines := make([]string, len(r.Fix.Steps))
	for i, f := range r.Fix.Steps {
		step := source.Value{Kind: source.Map, Fields: []source.Field{f}}
		if lines[i] = source.Flow(step); !flow {
			lines[i] = line(f)
		}
	}
	between := ", "
	if !flow {
		dash := strings.Repeat(" ", max(at.Pos.Col-3, 0))
		between = p.lineBreak(at.Pos.Line) + dash + "- "
	}
	return []edit{{s.from, s.to, strings.Join(lines, between)}}, ""
}

// line writes a step behind its dash.
func line(f source.Field) string {
	if f.Value.Kind == source.Null {
		return f.Key + ":"
	}
	return f.Key + ": " + source.Flow(f.Value)
}

// change collects the edits of one step.
type change struct {
	*page
	flow  bool // it is in brackets
	edits []edit
}

// field turns a key and its value into others.
func (c *change) field(old, now source.Field) bool {
	from, to, ok := c.key(old)
	if !ok {
		return false
	}
	if old.Key != now.Key {
		c.edits = append(c.edits, edit{from, to, source.Flow(source.Value{Kind: source.String, Text: now.Key})})
	}
	return c.value(old, now, to)
}

// value turns the value of a key, which ends at an offset, into another one.
func (c *change) value(old, now source.Field, keyEnd int) bool {
	if unchanged(old.Value, now.Value) {
		return true
	}
	colon := c.colon(keyEnd)
	if colon == 0 {
		return false
	}
	if old.Value.Kind == source.Null && old.Value.Pos == old.Pos {
		c.edits = append(c.edits, edit{colon, colon, " " + c.write(now.Value)})
		return true
	}
	if inPlace(old.Value, now.Value) {
		for i := range old.Value.Fields {
			if !c.field(old.Value.Fields[i], now.Value.Fields[i]) {
				return false
			}
		}
		return true
	}
	s, ok := c.span(old.Value, old.Pos.Col-1)
	if !ok || s.from < colon {
		return false
	}
	block := old.Value.Kind == source.Map && c.src[s.from] != '{'
	switch {
	case now.Value.Kind == source.Null:
		if c.lineOf(s.to) != c.lineOf(colon) {
			return false
		}
		c.edits = append(c.edits, edit{colon, s.to, ""})
		return true
	case !block && c.flat(old.Value, s):
		c.edits = append(c.edits, edit{s.from, s.to, c.write(now.Value)})
		return true
	case block:
		return c.block(old, now, s, colon)
	}
	return false
}

// flat reports whether the text of a value holds nothing that writing it in one line would lose.
func (c *change) flat(v source.Value, s span) bool {
	return v.Kind == source.String || !c.comments(s)
}

// write writes a value in one line.
func (c *change) write(v source.Value) string {
	if !c.flow {
		return source.Flow(v)
	}
	text := source.Flow(source.Value{Kind: source.List, Items: []source.Value{v}}) // what brackets need
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
}

// unchanged reports whether a value is the one of the file.
func unchanged(old, now source.Value) bool {
	if old.Kind == source.Null && now.Kind == source.Null {
		return true
	}
	if old.Kind != now.Kind || old.Text != now.Text || len(old.Items) != len(now.Items) ||
		len(old.Fields) != len(now.Fields) || old.Kind != source.Map && old.Pos != now.Pos {
		return false
	}
	for i := range old.Items {
		if !unchanged(old.Items[i], now.Items[i]) {
			return false
		}
	}
	for i, f := range old.Fields {
		if n := now.Fields[i]; f.Key != n.Key || f.Pos != n.Pos || !unchanged(f.Value, n.Value) {
			return false
		}
	}
	return true
}

// inPlace reports whether a map has the same entries in the same order, under other names perhaps.
func inPlace(old, now source.Value) bool {
	if old.Kind != source.Map || now.Kind != source.Map || len(old.Fields) != len(now.Fields) || len(old.Fields) == 0 {
		return false
	}
	for i := range old.Fields {
		if old.Fields[i].Pos != now.Fields[i].Pos {
			return false
		}
	}
	return true
}
