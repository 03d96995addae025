package source

import (
	"bytes"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Format lays a file out: two spaces for each level, entries of lists below their key, one space behind dashes and
// colons, no blanks at the ends of lines, no more than one blank line in a row. Comments, quotes, anchors and the order
// of everything stay. What it means stays the same, and formatting twice changes nothing; a layout for which that
// cannot be made sure is left as it is. The error is that of a file that is not YAML, an Errors.
func Format(file string, src []byte) ([]byte, error) {
	text, source, bad := Readable(file, src)
	if bad != nil {
		return nil, Errors{bad}
	}
	values, err := Read(text, source)
	if err != nil {
		return nil, err
	}
	before := src
	for range 3 {
		after := layOut(before)
		if bytes.Equal(after, before) {
			break
		}
		before = after
	}
	if !bytes.Equal(layOut(before), before) || !sameMeaning(file, before, values) ||
		!slices.Equal(comments(src), comments(before)) {
		return src, nil
	}
	return before, nil
}

// sameMeaning parses the text and compares.
func sameMeaning(file string, src []byte, want []Value) bool {
	text, source, bad := Readable(file, src)
	if bad != nil {
		return false
	}
	got, err := Read(text, source)
	return err == nil && slices.EqualFunc(got, want, equal)
}

// equal compares values without their places.
func equal(a, b Value) bool {
	return a.Kind == b.Kind && a.Text == b.Text && slices.EqualFunc(a.Items, b.Items, equal) &&
		slices.EqualFunc(a.Fields, b.Fields, func(x, y Field) bool { return x.Key == y.Key && equal(x.Value, y.Value) })
}

// comments returns the text after the # of each line with a comment, as far as single lines show it; it is the
// same before and after a change of the layout.
func comments(src []byte) []string {
	var all []string
	for line := range strings.Lines(strings.TrimPrefix(string(src), "\ufeff")) {
		if _, comment, found := strings.Cut(line, "#"); found {
			all = append(all, strings.TrimRight(comment, " \r\n"))
		}
	}
	return all
}

func layOut(src []byte) []byte {
	text := strings.TrimPrefix(string(src), "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	l := formatting{lines: strings.Split(text, "\n")}
	for l.at < len(l.lines) {
		l.line()
	}
	out := strings.TrimLeft(strings.Join(l.out, "\n"), "\n")
	if l.open { // blank lines at the end of a block text may belong to it
		return []byte(strings.TrimSuffix(out, "\n") + "\n")
	}
	if out = strings.TrimRight(out, "\n"); out == "" {
		return nil
	}
	return []byte(out + "\n")
}

// formatting rewrites a text line by line.
type formatting struct {
	lines  []string
	at     int
	out    []string
	levels []level
	open   bool // the last thing was a block text
	ahead  int  // no line before it and behind this one holds more than a comment
}

// level is a list or a map that is open: the column of its entries, before and after.
type level struct {
	was, is int
	list    bool
}

// line writes the next line, and those that its value continues on.
func (l *formatting) line() {
	raw := l.lines[l.at]
	line := strings.TrimLeft(raw, " ")
	indent := len(raw) - len(line)
	body := strings.TrimRight(line, " \t")
	l.at++
	switch {
	case body == "":
		if n := len(l.out); n > 0 && l.out[n-1] != "" {
			l.out = append(l.out, "")
		}
		return
	case strings.HasPrefix(body, "#"):
		l.out = append(l.out, spaces(l.comment(indent, body))+body)
		return
	case indent == 0 && documentMark(body):
		l.levels, l.open = nil, false
		l.out = append(l.out, body)
		return
	}
	l.open = false
	l.entry(indent, line)
}

// entry writes a line that starts an entry of a list or of a map, or a text on a line of its own.
func (l *formatting) entry(indent int, line string) {
	var b strings.Builder
	at, first := indent, true
	for {
		dash := strings.HasPrefix(line, "- ") || line == "-"
		is := l.place(at, dash, first)
		if first {
			b.WriteString(spaces(is))
			first = false
		}
		if !dash {
			break
		}
		b.WriteString("-")
		rest := strings.TrimLeft(line[1:], " ")
		if strings.TrimRight(rest, " \t") == "" || strings.HasPrefix(rest, "#") {
			if rest = strings.TrimRight(rest, " \t"); rest != "" {
				b.WriteString(" " + rest)
			}
			l.out = append(l.out, b.String())
			return
		}
		b.WriteString(" ")
		at += len(line) - len(rest)
		line = rest
		if !strings.HasPrefix(line, "- ") && line != "-" && keyEnd(line) < 0 {
			l.value(&b, line)
			return
		}
	}
	if end := keyEnd(line); end >= 0 {
		b.WriteString(line[:end+1])
		rest := strings.TrimLeft(line[end+1:], " ")
		if rest == "" {
			l.out = append(l.out, b.String())
			return
		}
		if gap := len(line[end+1:]) - len(rest); strings.HasPrefix(rest, "#") {
			b.WriteString(spaces(gap))
		} else {
			b.WriteString(" ")
		}
		line = rest
	}
	l.value(&b, line)
}

// place finds the new column of an entry that was at a column, and opens and closes levels. inner: the entry is behind
// a dash.
func (l *formatting) place(at int, list, first bool) int {
	for n := len(l.levels); n > 0 && first; n = len(l.levels) {
		top := l.levels[n-1]
		if top.was < at || top.was == at && (top.list == list || list && !top.list) {
			break
		}
		l.levels = l.levels[:n-1]
	}
	n := len(l.levels)
	switch {
	case n == 0:
		l.levels = append(l.levels, level{at, 0, list})
	case l.levels[n-1].was == at && l.levels[n-1].list == list:
	case l.levels[n-1].list && !first: // behind a dash
		l.levels = append(l.levels, level{at, l.levels[n-1].is + 2, list})
	default:
		l.levels = append(l.levels, level{at, l.levels[n-1].is + 2, list})
	}
	return l.levels[len(l.levels)-1].is
}

// comment finds the column of a comment on a line of its own. It belongs to the open level at the column of which it
// starts: a last entry that was commented out stays in its list. Where no level starts there, it belongs to the line
// that follows when that one is indented at least as far, else below the innermost level to the left of it.
func (l *formatting) comment(at int, text string) int {
	next, indent, more := l.next()
	open := slices.DeleteFunc(slices.Clone(l.levels), func(v level) bool { return v.was != at })
	switch {
	case len(open) > 1 && entryForm.MatchString(text): // a list below its key in the same column
		return open[len(open)-1].is
	case len(open) > 0 && !(more && indent == at):
		return open[0].is
	case more && indent >= at:
		return l.preview(indent, next)
	case len(open) > 0:
		return open[0].is
	}
	for i := len(l.levels) - 1; i >= 0; i-- {
		if l.levels[i].was < at {
			return l.levels[i].is + 2
		}
	}
	return 0
}

// entryForm is an entry of a list that was commented out.
var entryForm = lazyregexp.New(`^#+ *-( |$)`)

// next is the line that follows and holds more than a comment, without its indentation.
func (l *formatting) next() (line string, indent int, more bool) {
	for ; l.ahead < len(l.lines); l.ahead++ {
		line = strings.TrimLeft(l.lines[l.ahead], " ")
		if l.ahead >= l.at && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			break
		}
	}
	if l.ahead == len(l.lines) || documentMark(l.lines[l.ahead]) {
		return "", 0, false
	}
	return line, len(l.lines[l.ahead]) - len(line), true
}

// documentMark reports whether a line starts or ends a document.
func documentMark(line string) bool { return isMarker(strings.TrimRight(line, " \t")) }

// preview is the column that an entry will get.
func (l *formatting) preview(indent int, line string) int {
	try := formatting{levels: slices.Clone(l.levels)}
	return try.place(indent, strings.HasPrefix(line, "- ") || strings.TrimRight(line, " ") == "-", true)
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

// keyEnd is the place of the colon behind a key at the beginning of the line; -1: there is none.
func keyEnd(line string) int {
	if line == "" || strings.ContainsRune("[{#|>", rune(line[0])) {
		return -1
	}
	from := 0
	if q := line[0]; q == '"' || q == '\'' {
		end := quoteEnd(line, 1, q)
		if end < 0 {
			return -1
		}
		if rest := strings.TrimLeft(line[end:], " "); strings.HasPrefix(rest, ":") {
			from = len(line) - len(rest)
			if from+1 == len(line) || line[from+1] == ' ' {
				return from
			}
		}
		return -1
	}
	for i := from; i < len(line); i++ {
		switch {
		case line[i] == '#' && i > 0 && line[i-1] == ' ':
			return -1
		case line[i] == ':' && (i+1 == len(line) || line[i+1] == ' '):
			return i
		}
	}
	return -1
}

// quoteEnd is the place behind the closing quote; -1: it is not on this line.
func quoteEnd(line string, from int, q byte) int {
	for i := from; i < len(line); i++ {
		switch {
		case q == '"' && line[i] == '\\':
			i++
		case line[i] == q && q == '\'' && i+1 < len(line) && line[i+1] == q:
			i++
		case line[i] == q:
			return i + 1
		}
	}
	return -1
}
