package fix

import (
	"sort"
	"strings"

	"github.com/taproot-dev/taproot/internal/source"
)

// block writes a map without brackets again, when its entries come from several maps, or some are added or left out.
// Entries that stay keep their lines, moved to the right or to the left, with their comments; the comments of other
// lines go to lines of their own.
func (c *change) block(old, now source.Field, s span, colon int) bool {
	first := old.Value.Fields[0].Pos
	w := &blockWriter{change: c, entries: map[source.Pos]entry{}, kept: map[int]bool{}}
	if !w.collect(old.Value) {
		return false
	}
	w.first, w.last = c.lineOf(colon)+1, c.lineOf(s.to)
	if first.Line < w.first || strings.TrimSpace(string(c.src[c.lines[first.Line-1]:s.from])) != "" {
		return false
	}
	indent := first.Col - 1
	if now.Value.Kind != source.Map { // it fits behind the colon
		if w.anyComment() {
			return false
		}
		c.edits = append(c.edits, edit{colon, s.to, " " + c.write(now.Value)})
		return true
	}
	w.mark(now.Value)
	if !w.write(now.Value, indent) {
		return false
	}
	w.flush(1<<30, indent)
	c.edits = append(c.edits, edit{c.lines[w.first-1], c.lineEnd(w.last),
		strings.Join(w.out, c.lineBreak(first.Line))})
	return true
}

// blockWriter writes the lines of a map.
type blockWriter struct {
	*change
	entries     map[source.Pos]entry // of the old map and of those inside of it, by the places of their keys
	first, last int                  // its lines
	kept        map[int]bool         // the lines that are written as they are
	flushed     int                  // the comments up to this line are written
	out         []string
}

// entry is a key with its value, as the file has it.
type entry struct {
	field    source.Field
	keyEnd   int
	lastLine int
}

// collect finds the lines of all entries.
func (w *blockWriter) collect(v source.Value) bool {
	for _, f := range v.Fields {
		_, to, ok := w.key(f)
		if !ok {
			return false
		}
		e := entry{field: f, keyEnd: to, lastLine: f.Pos.Line}
		if f.Value.Pos != f.Pos {
			s, ok := w.span(f.Value, f.Pos.Col-1)
			if !ok {
				return false
			}
			e.lastLine = w.lineOf(s.to - 1)
			if f.Value.Kind == source.Map && w.src[s.from] != '{' && !w.collect(f.Value) {
				return false
			}
		}
		w.entries[f.Pos] = e
	}
	return true
}

// mark notes the lines that stay, so that their comments stay in them.
func (w *blockWriter) mark(v source.Value) {
	for _, f := range v.Fields {
		e, old := w.entries[f.Pos]
		switch {
		case !old:
		case unchanged(e.field.Value, f.Value):
			for n := f.Pos.Line; n <= e.lastLine; n++ {
				w.kept[n] = true
			}
		default:
			w.kept[f.Pos.Line] = true
			if w.nested(e, f) {
				w.mark(f.Value)
			}
		}
	}
}

// nested reports whether the value of an entry is a map on lines of its own.
func (w *blockWriter) nested(e entry, now source.Field) bool {
	return e.field.Value.Kind == source.Map && now.Value.Kind == source.Map && e.lastLine > e.field.Pos.Line
}

// write writes the entries of a map.
func (w *blockWriter) write(v source.Value, indent int) bool {
	for _, f := range v.Fields {
		e, old := w.entries[f.Pos]
		if !old {
			w.out = append(w.out, strings.Repeat(" ", indent)+line(f))
			continue
		}
		w.flush(f.Pos.Line, indent)
		head := strings.Repeat(" ", indent) + source.Flow(source.Value{Kind: source.String, Text: f.Key})
		rest := string(w.src[e.keyEnd:w.lineEnd(f.Pos.Line)])
		switch {
		case unchanged(e.field.Value, f.Value):
			w.out = append(w.out, head+rest)
			if !w.moved(e, indent) {
				return false
			}
		case w.nested(e, f):
			w.out = append(w.out, head+rest)
			if !w.write(f.Value, indent+2) {
				return false
			}
		default:
			s, ok := w.span(e.field.Value, f.Pos.Col-1)
			if !ok || e.lastLine != f.Pos.Line {
				return false
			}
			w.out = append(w.out, head+string(w.src[e.keyEnd:s.from])+w.change.write(f.Value)+
				string(w.src[s.to:w.lineEnd(f.Pos.Line)]))
		}
		w.flushed = max(w.flushed, e.lastLine)
	}
	return true
}

// moved writes the further lines of an entry as they are, but for their indentation.
func (w *blockWriter) moved(e entry, indent int) bool {
	by := indent - (e.field.Pos.Col - 1)
	for n := e.field.Pos.Line + 1; n <= e.lastLine; n++ {
		text := string(w.src[w.lines[n-1]:w.lineEnd(n)])
		switch {
		case strings.TrimSpace(text) == "":
		case by >= 0:
			text = strings.Repeat(" ", by) + text
		case !strings.HasPrefix(text, strings.Repeat(" ", -by)):
			return false
		default:
			text = text[-by:]
		}
		w.out = append(w.out, text)
	}
	return true
}

// flush writes the comments of lines before one that are not part of a line that stays.
func (w *blockWriter) flush(line, indent int) {
	for n := max(w.first, w.flushed+1); n < min(line, w.last+1); n++ {
		if w.flushed = n; w.kept[n] {
			continue
		}
		if text := w.comment(n); text != "" {
			w.out = append(w.out, strings.Repeat(" ", indent)+text)
		}
	}
}

// comment returns the comment of a line.
func (w *blockWriter) comment(n int) string {
	text := string(w.src[w.lines[n-1]:w.lineEnd(n)])
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "#") {
		return trimmed
	}
	from := w.lines[n-1]
	keys := make([]int, 0, 1)
	for _, e := range w.entries {
		if e.field.Pos.Line == n {
			keys = append(keys, e.keyEnd)
		}
	}
	sort.Ints(keys)
	if len(keys) > 0 {
		from = keys[len(keys)-1]
	}
	for i := from; i < w.lineEnd(n); i++ {
		switch ch := w.src[i]; {
		case ch == '"' || ch == '\'':
			if end := w.quoteEnd(i); end > 0 {
				i = end - 1
			}
		case ch == '#' && i > from && (w.src[i-1] == ' ' || w.src[i-1] == '\t'):
			return string(w.src[i:w.lineEnd(n)])
		}
	}
	return ""
}

// anyComment reports whether the map holds a comment.
func (w *blockWriter) anyComment() bool {
	for n := w.first; n <= w.last; n++ {
		if w.comment(n) != "" {
			return true
		}
	}
	return false
}
