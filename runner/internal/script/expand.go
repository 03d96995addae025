package script

import (
	"context"
	"strings"
)

// Expand fills in the ${…} of a text. A place ends at the last brace before the next dollar sign, so that ${a} and {b}
// in one text are one script. \${ is written without the backslash and not filled in. A blank place is an empty text.
func (e *Engine) Expand(ctx context.Context, text string, at Where) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		from := strings.Index(text[i:], "${")
		if from < 0 {
			b.WriteString(text[i:])
			break
		}
		from += i
		code, end := place(text, from)
		if end < 0 || from > 0 && text[from-1] == '\\' {
			b.WriteString(text[i : from+2])
			i = from + 2
			continue
		}
		b.WriteString(text[i:from])
		if strings.TrimSpace(code) != "" {
			value, err := e.Run(ctx, code, at)
			if err != nil {
				return "", err
			}
			b.WriteString(value)
		}
		i = end
	}
	return unescape(b.String()), nil
}

// place is the script after ${ at from, and the index at which the text continues; end < 0: there is none.
func place(text string, from int) (code string, end int) {
	rest := text[from+2:]
	if i := strings.IndexByte(rest, '$'); i >= 0 {
		rest = rest[:i]
	}
	last := strings.LastIndexByte(rest, '}')
	if last < 0 {
		return "", -1
	}
	return rest[:last], from + 2 + last + 1
}

// unescape removes the backslash from \${…}.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		from := strings.Index(text[i:], `\${`)
		if from < 0 {
			b.WriteString(text[i:])
			break
		}
		from += i
		if _, end := place(text, from+1); end >= 0 {
			b.WriteString(text[i:from] + text[from+1:end])
			i = end
			continue
		}
		b.WriteString(text[i : from+3])
		i = from + 3
	}
	return b.String()
}
