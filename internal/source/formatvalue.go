package source

import "strings"

// value writes the value behind a key or a dash, with all lines that it continues on.
func (l *formatting) value(b *strings.Builder, line string) {
	from := l.anchor(line)
	switch rest := line[from:]; {
	case rest == "":
		l.out = append(l.out, b.String()+strings.TrimRight(line, " \t"))
	case rest[0] == '|' || rest[0] == '>':
		l.out = append(l.out, b.String()+strings.TrimRight(line, " \t"))
		l.block(rest)
	case rest[0] == '"' || rest[0] == '\'':
		l.quoted(b.String(), line, from)
	case rest[0] == '[' || rest[0] == '{':
		l.flow(b.String(), line, from)
	default:
		l.out = append(l.out, b.String()+strings.TrimRight(line, " \t"))
		l.plain()
	}
}

// anchor is the place behind an anchor of a value.
func (l *formatting) anchor(line string) int {
	if !strings.HasPrefix(line, "&") {
		return 0
	}
	i := strings.IndexByte(line, ' ')
	if i < 0 {
		return len(line)
	}
	return len(line) - len(strings.TrimLeft(line[i:], " "))
}

// inner is the least column of what belongs to the innermost entry, before and after.
func (l *formatting) inner() (was, is int) {
	top := l.levels[len(l.levels)-1]
	return top.was + 1, top.is + 2
}

// block copies the lines of a | or > text, indented below their key.
func (l *formatting) block(header string) {
	l.open = true
	least, is := l.inner()
	header, _, _ = strings.Cut(header, " ")
	base := -1
	if i := strings.IndexAny(header, "123456789"); i >= 0 { // the file says how far it is indented
		base = least - 1 + int(header[i]-'0')
		is = l.levels[len(l.levels)-1].is + int(header[i]-'0')
	}
	for ; l.at < len(l.lines); l.at++ {
		line := l.lines[l.at]
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if indent == len(line) { // blank
			if base >= 0 && indent > base {
				l.out = append(l.out, spaces(is+indent-base))
			} else {
				l.out = append(l.out, "")
			}
			continue
		}
		if indent < least {
			return
		}
		if base < 0 {
			base = indent
		}
		l.out = append(l.out, spaces(is+indent-base)+line[indent:])
	}
}

// quoted copies a quoted text; the layout of its lines has no meaning, blank lines have.
func (l *formatting) quoted(before, line string, from int) {
	_, is := l.inner()
	q := line[from]
	end := quoteEnd(line, from+1, q)
	for end < 0 && l.at < len(l.lines) {
		l.out = append(l.out, strings.TrimRight(before+line, " "))
		line = strings.TrimLeft(l.lines[l.at], " ")
		if before = spaces(is); line == "" {
			before = ""
		}
		l.at++
		end = quoteEnd(line, 0, q)
	}
	l.out = append(l.out, before+strings.TrimRight(line, " \t"))
}

// flow copies a list or a map in brackets; its lines keep their places among each other.
func (l *formatting) flow(before, line string, from int) {
	_, is := l.inner()
	base := -1 // the column of the first further line
	s := flowScan{}
	s.line(line[from:])
	l.out = append(l.out, strings.TrimRight(before+line, " \t"))
	for s.depth > 0 && l.at < len(l.lines) {
		line = l.lines[l.at]
		l.at++
		body := strings.TrimLeft(line, " ")
		if base < 0 && body != "" {
			base = len(line) - len(body)
		}
		extra := max(len(line)-len(body)-base, 0)
		if strings.HasPrefix(body, "]") || strings.HasPrefix(body, "}") {
			extra = -2
		}
		if s.quote == 0 {
			body = strings.TrimRight(body, " \t")
		}
		s.line(body)
		if body == "" {
			l.out = append(l.out, "")
			continue
		}
		l.out = append(l.out, spaces(is+extra)+body)
	}
}

// flowScan counts brackets outside of quotes and comments.
type flowScan struct {
	depth int
	quote byte
}

func (s *flowScan) line(line string) {
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case s.quote != 0:
			end := quoteEnd(line, i, s.quote)
			if end < 0 {
				return
			}
			s.quote, i = 0, end-1
		case c == '#' && (i == 0 || line[i-1] == ' '):
			return
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" [{,:", line[i-1]) >= 0):
			s.quote = c
		case c == '[' || c == '{':
			s.depth++
		case c == ']' || c == '}':
			s.depth--
		}
	}
}

// plain copies the further lines of a text without quotes: everything that is indented below its entry.
func (l *formatting) plain() {
	least, is := l.inner()
	for n := l.at; n < len(l.lines); n++ {
		line := l.lines[n]
		body := strings.TrimLeft(line, " ")
		switch indent := len(line) - len(body); {
		case body == "":
			continue // blank lines inside count, those at the end do not
		case indent < least, strings.HasPrefix(body, "#"), indent == 0 &&
			(strings.HasPrefix(body, "---") || strings.HasPrefix(body, "...")):
			return
		}
		for ; l.at < n; l.at++ {
			l.out = append(l.out, "")
		}
		l.out = append(l.out, spaces(is)+strings.TrimRight(body, " \t"))
		l.at++
	}
}
