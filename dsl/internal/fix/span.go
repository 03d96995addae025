package fix

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/internal/source"
)

// lineStarts returns the offset of each line, as source.Readable counts them.
func lineStarts(src []byte) []int {
	start := 0
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		start = len("\ufeff")
	}
	starts := []int{start}
	for i := start; i < len(src); i++ {
		switch {
		case src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n':
			i++
		case src[i] != '\n' && src[i] != '\r':
			continue
		}
		starts = append(starts, i+1)
	}
	return starts
}

// offset is where a place is in the bytes; -1: it is in none.
func (p *page) offset(pos source.Pos) int {
	if pos.Line < 1 || pos.Line > len(p.lines) || pos.Col < 1 {
		return -1
	}
	at, end := p.lines[pos.Line-1], p.lineEnd(pos.Line)
	for range pos.Col - 1 {
		if at >= end {
			return -1
		}
		_, size := utf8.DecodeRune(p.src[at:])
		at += size
	}
	return at
}

// lineEnd is the offset behind the last character of a line.
func (p *page) lineEnd(line int) int {
	end := len(p.src)
	if line < len(p.lines) {
		end = p.lines[line]
	}
	for end > p.lines[line-1] && (p.src[end-1] == '\n' || p.src[end-1] == '\r') {
		end--
	}
	return end
}

// lineOf is the line of an offset, from 1.
func (p *page) lineOf(at int) int {
	low, high := 0, len(p.lines)
	for low+1 < high {
		if mid := (low + high) / 2; p.lines[mid] <= at {
			low = mid
		} else {
			high = mid
		}
	}
	return low + 1
}

// lineBreak is the one behind a line, for lines that are added.
func (p *page) lineBreak(line int) string {
	if line < len(p.lines) {
		if text := string(p.src[p.lineEnd(line):p.lines[line]]); text != "" {
			return text
		}
	}
	if line > 1 {
		return p.lineBreak(line - 1)
	}
	return "\n"
}

// key is where a key starts and ends, quotes included; ok is false when it is not found there.
func (p *page) key(f source.Field) (from, to int, ok bool) {
	from = p.offset(f.Pos)
	if from < 0 || from >= len(p.src) {
		return 0, 0, false
	}
	switch p.src[from] {
	case '"', '\'':
		to = p.quoteEnd(from)
	default:
		if to = from + len(f.Key); to > len(p.src) || string(p.src[from:to]) != f.Key {
			return 0, 0, false
		}
	}
	return from, to, to > 0
}

// colon is the offset behind the colon of a key that ends at an offset; 0: there is none.
func (p *page) colon(at int) int {
	for at < len(p.src) && p.src[at] == ' ' {
		at++
	}
	if at < len(p.src) && p.src[at] == ':' {
		return at + 1
	}
	return 0
}

// quoteEnd is the offset behind a text in quotes; 0: it does not end.
func (p *page) quoteEnd(at int) int {
	quote := p.src[at]
	for i := at + 1; i < len(p.src); i++ {
		switch {
		case quote == '"' && p.src[i] == '\\':
			i++
		case p.src[i] != quote:
		case quote == '\'' && i+1 < len(p.src) && p.src[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return 0
}

// span is where the text of a value is in the bytes.
type span struct{ from, to int }

// span finds the text of a value; indent is the column of the key that has it. ok is false when it is not found.
func (p *page) span(v source.Value, indent int) (s span, ok bool) {
	s.from = p.offset(v.Pos)
	if s.from < 0 || s.from >= len(p.src) {
		return s, false
	}
	switch c := p.src[s.from]; {
	case c == '{' || c == '[':
		s.to = p.bracketEnd(s.from)
	case v.Kind == source.Map || v.Kind == source.List:
		s.to = p.blockEnd(v, indent)
	case v.Kind == source.String && (c == '"' || c == '\''):
		s.to = p.quoteEnd(s.from)
	case v.Kind == source.String && (c == '|' || c == '>'):
		s.to = p.literalEnd(s.from, indent)
	default:
		s.to = p.plainEnd(s.from, v.Text)
	}
	return s, s.to > s.from
}

// bracketEnd is the offset behind a map or a list in brackets; 0: it does not end.
func (p *page) bracketEnd(at int) int {
	depth := 0
	for i := at; i < len(p.src); i++ {
		switch c := p.src[i]; c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			if !strings.ContainsRune(" \t\n\r[{,:", rune(p.src[i-1])) {
				continue // within a plain text
			}
			end := p.quoteEnd(i)
			if end == 0 {
				return 0
			}
			i = end - 1
		case '#':
			if i > 0 && strings.ContainsRune(" \t\n\r", rune(p.src[i-1])) {
				i = p.lineEnd(p.lineOf(i))
			}
		}
	}
	return 0
}

// blockEnd is the offset behind the last value of a map or a list without brackets.
func (p *page) blockEnd(v source.Value, indent int) int {
	end := 0
	for _, item := range v.Items {
		if s, ok := p.span(item, max(item.Pos.Col-2, 0)); ok {
			end = max(end, s.to)
		}
	}
	for _, f := range v.Fields {
		_, to, ok := p.key(f)
		if !ok {
			return 0
		}
		if to = p.colon(to); to == 0 {
			return 0
		}
		end = max(end, to)
		if f.Value.Pos == f.Pos {
			continue // it has no value
		}
		if s, ok := p.span(f.Value, f.Pos.Col-1); ok {
			end = max(end, s.to)
		}
	}
	return end
}

// literalEnd is the offset behind a block scalar, without the line break and the blank lines at its end.
func (p *page) literalEnd(at, indent int) int {
	line := p.lineOf(at)
	end := p.lineEnd(line)
	for n := line + 1; n <= len(p.lines); n++ {
		text := p.src[p.lines[n-1]:p.lineEnd(n)]
		trimmed := bytes.TrimLeft(text, " ")
		switch {
		case len(bytes.TrimSpace(text)) == 0:
			continue
		case len(text)-len(trimmed) <= indent:
			return end
		}
		end = p.lineEnd(n)
	}
	return end
}

// plainEnd is the offset behind a text without quotes, which may continue over several lines.
func (p *page) plainEnd(at int, text string) int {
	for _, word := range strings.Fields(text) {
		for at < len(p.src) && strings.ContainsRune(" \t\r\n", rune(p.src[at])) {
			at++
		}
		if !bytes.HasPrefix(p.src[at:], []byte(word)) {
			return 0
		}
		at += len(word)
	}
	return at
}

// comments reports whether the text of a span holds a comment: it is read with care for quotes, not for blocks.
func (p *page) comments(s span) bool {
	for i := s.from; i < s.to; i++ {
		switch c := p.src[i]; {
		case (c == '"' || c == '\'') && (i == s.from || strings.ContainsRune(" \t\n\r[{,:", rune(p.src[i-1]))):
			end := p.quoteEnd(i)
			if end == 0 {
				return true
			}
			i = end - 1
		case c == '#' && i > 0 && strings.ContainsRune(" \t\n\r", rune(p.src[i-1])):
			return true
		}
	}
	return false
}
