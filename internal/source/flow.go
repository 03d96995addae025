package source

import (
	"fmt"
	"strings"
	"unicode"
)

// Flow writes the value as one line of YAML, with quotes only where they are needed. Parsed again as the argument of an
// action it is the same value.
func Flow(v Value) string {
	var b strings.Builder
	flow(&b, v, false)
	return b.String()
}

func flow(b *strings.Builder, v Value, inside bool) {
	switch v.Kind {
	case Null:
		if inside {
			b.WriteString("null")
		}
	case String:
		if kind := Resolve(v.Text); v.Written != "" && (kind == Int || kind == Float) {
			b.WriteString(v.Text) // it came out of a variable and fits where a number is wanted, too
		} else if plain(v.Text, inside) {
			b.WriteString(v.Text)
		} else {
			b.WriteString(Quote(v.Text))
		}
	case List:
		b.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			flow(b, item, true)
		}
		b.WriteByte(']')
	case Map:
		b.WriteByte('{')
		for i, f := range v.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			flow(b, Value{Kind: String, Text: f.Word()}, true)
			b.WriteString(": ")
			flow(b, f.Value, true)
		}
		b.WriteByte('}')
	default:
		b.WriteString(v.Text)
	}
}

// plain reports whether the text can be written without quotes: on its own, or inside brackets.
func plain(s string, inside bool) bool {
	if s == "" || Resolve(s) != String || s != strings.TrimSpace(s) || strings.HasSuffix(s, "<<") {
		return false
	}
	if strings.ContainsRune("-?:,[]{}#&*!|>'\"%@`=", rune(s[0])) {
		return false
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.HasSuffix(s, ":") || strings.HasPrefix(s, "...") {
		return false
	}
	if inside && strings.ContainsAny(s, ",[]{}:\"'#") {
		return false
	}
	for _, r := range s {
		if r != ' ' && !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// Quote writes the text in double quotes, on one line.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
