// Package treexml reads the XML of phones' element trees, even when it is broken, with limits on depth and size.
package treexml

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
	"unicode/utf8"
)

// clean fixes what devices write although XML forbids it: NULs, control characters, broken UTF-8, entities of such
// characters or of none, emoji as two entities of surrogate halves, a bare "&", a "<" in an attribute, and invalid tag
// names. An invalid character becomes ".", as in uiautomator's own dumps.
func clean(doc []byte) []byte {
	out := bytes.NewBuffer(make([]byte, 0, len(doc)))
	at := place{}
	for i := 0; i < len(doc); {
		if doc[i] == '&' {
			i += cleanEntity(out, doc[i:])
			continue
		}
		if skip := comment(doc[i:]); skip > 0 && at.quote == 0 {
			i += skip
			continue
		}
		if doc[i] == '<' && !at.tag && i+1 < len(doc) && (doc[i+1] == '?' || doc[i+1] == '!') {
			out.Write(doc[i : i+2])
			at.tag = true
			i += 2
			continue
		}
		r, size := utf8.DecodeRune(doc[i:])
		switch {
		case r == utf8.RuneError && size == 1, !legal(r):
			out.WriteByte('.')
		case at.quote != 0 && r == '<':
			out.WriteString("&lt;")
		case at.name && strings.ContainsRune(`$@#!?*+;,|\^~()[]{}`, r):
			out.WriteByte('_')
		default:
			out.Write(doc[i : i+size])
		}
		at.pass(r)
		i += size
	}
	return out.Bytes()
}

// place is the position of the reader within a tag.
type place struct {
	tag   bool
	name  bool // of the tag
	quote rune // that started the attribute; 0: outside of one
}

func (p *place) pass(r rune) {
	switch {
	case p.quote != 0:
		if r == p.quote {
			p.quote = 0
		}
	case !p.tag:
		p.tag, p.name = r == '<', r == '<'
	case r == '>':
		p.tag, p.name = false, false
	case r == '"' || r == '\'':
		p.quote, p.name = r, false
	case p.name && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
		p.name = false
	}
}

// comment returns the length of the comment that starts here. Comments are not part of the tree and may contain
// anything.
func comment(s []byte) int {
	if bytes.HasPrefix(s, []byte("<!--")) {
		if end := bytes.Index(s, []byte("-->")); end > 0 {
			return end + len("-->")
		}
	}
	return 0
}

// cleanEntity writes the entity at the start of s and returns its length in s.
func cleanEntity(out *bytes.Buffer, s []byte) int {
	body, size := entity(s)
	if size == 0 {
		out.WriteString("&amp;")
		return 1
	}
	if body[0] != '#' {
		if !named(string(body)) { // not an entity, so it is text
			out.WriteString("&amp;")
			return 1
		}
		out.Write(s[:size])
		return size
	}
	code := number(body)
	if isHigh(code) {
		if next, more := entity(s[size:]); more > 0 {
			if low := number(next); low >= 0xdc00 && low <= 0xdfff {
				out.WriteRune(0x10000 + (code-0xd800)<<10 + (low - 0xdc00))
				return size + more
			}
		}
	}
	switch {
	case code < 0 || !legal(code):
		out.WriteByte('.')
	case code < 0x80:
		out.Write(s[:size]) // it may be one that XML requires
	default:
		out.WriteRune(code)
	}
	return size
}

// named reports whether an entity's name is one of XML's or HTML's.
func named(name string) bool {
	switch name {
	case "amp", "lt", "gt", "quot", "apos":
		return true
	}
	_, ok := xml.HTMLEntity[name]
	return ok
}

// entity returns the text between "&" and ";" and the total length, or zero when s does not start with an entity.
func entity(s []byte) (body []byte, size int) {
	if len(s) == 0 || s[0] != '&' {
		return nil, 0
	}
	for i := 1; i < len(s) && i < 12; i++ {
		c := s[i]
		if c == ';' && i > 1 {
			return s[1:i], i + 1
		}
		if c != '#' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
	}
	return nil, 0
}

// number parses "#65" and "#x41"; -1 for anything else.
func number(body []byte) rune {
	if len(body) < 2 || body[0] != '#' {
		return -1
	}
	digits, base := string(body[1:]), 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 31)
	if err != nil || n > utf8.MaxRune {
		return -1
	}
	return rune(n)
}

func isHigh(r rune) bool { return r >= 0xd800 && r <= 0xdbff }

// legal reports whether XML 1.0 allows a character.
func legal(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return true
	case r < 0x20, r >= 0xd800 && r <= 0xdfff, r == 0xfffe, r == 0xffff:
		return false
	}
	return r <= utf8.MaxRune
}
