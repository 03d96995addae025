package source

// Source is the text that a test was read from, kept to show the lines that messages speak of.
type Source struct {
	File  string
	Lines []string

	long map[int][]rune // the characters of long lines: many messages about one line stay cheap
}

// Line returns line n, counted from 1, or "".
func (s *Source) Line(n int) string {
	if s == nil || n < 1 || n > len(s.Lines) {
		return ""
	}
	return s.Lines[n-1]
}

// Chars returns the characters of line n. Do not change them.
func (s *Source) Chars(n int) []rune {
	if s != nil && s.long[n] != nil {
		return s.long[n]
	}
	return []rune(s.Line(n))
}
