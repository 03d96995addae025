package urlpattern

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// MaxLength is the longest pattern, in bytes. Go's regular expressions take time in proportion to their length.
const MaxLength = 2000

// errPattern says that a text is not a pattern.
var errPattern = errors.New("not a pattern of URLs")

// Compile makes a matcher of URLs from a pattern.
func Compile(pattern string) (*regexp.Regexp, error) {
	if pattern == "" || len(pattern) > MaxLength {
		return nil, errPattern
	}
	if inner, ok := Slashed(pattern); ok {
		re, err := regexp.Compile(inner)
		if err != nil {
			return nil, fmt.Errorf("the regular expression is not valid: %w", err)
		}
		return re, nil
	}
	head, tail := "", ""
	if strings.HasPrefix(pattern, "/") { // a path of any site
		head = `[a-z][a-z0-9+.-]*://[^/]*`
	}
	if !strings.Contains(pattern, "#") {
		tail = `(#.*)?`
	}
	if head != "" && !strings.Contains(pattern, "?") {
		tail = `(\?[^#]*)?` + tail
	}
	re, err := regexp.Compile(`^` + head + glob(pattern) + tail + `$`)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not valid: %w", err)
	}
	return re, nil
}

// Slashed returns what is between the slashes of /regex/. "/cart/" is a path only if it
// is written as a part of a URL; a pattern that starts and ends with a slash is a regular expression.
func Slashed(pattern string) (string, bool) {
	if len(pattern) < 3 || pattern[0] != '/' || pattern[len(pattern)-1] != '/' {
		return "", false
	}
	return pattern[1 : len(pattern)-1], true
}

// glob turns ** into anything, * into anything but a slash, {a,b} into a choice; the rest is literal.
func glob(pattern string) string {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*' && strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(`.*`)
			for i+1 < len(pattern) && pattern[i+1] == '*' {
				i++
			}
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '{' && strings.Contains(pattern[i:], "}"):
			b.WriteString(`(?:`)
			depth++
		case c == '}' && depth > 0:
			b.WriteString(`)`)
			depth--
		case c == ',' && depth > 0:
			b.WriteString(`|`)
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	b.WriteString(strings.Repeat(`)`, depth))
	return b.String()
}
