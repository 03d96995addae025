package replay

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// plainScalar is a text that YAML needs no quotes for.
var plainScalar = regexp.MustCompile(`^\pL[\pL\pN _./-]*$`)

// reserved are plain texts that YAML reads as something else.
var reserved = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)

func yamlText(text string) string {
	if plainScalar.MatchString(text) && !reserved.MatchString(text) && strings.TrimSpace(text) == text {
		return text
	}
	data, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(data)
}

// keyOf is the key of a selector that names its element, and its text.
func keyOf(sel dsl.Selector) (key, text string) {
	for _, k := range []struct{ key, text string }{{"label", sel.Label}, {"id", sel.ID}, {"testId", sel.TestID},
		{"text", sel.Text}, {"css", sel.CSS}} {
		if k.text != "" {
			return k.key, k.text
		}
	}
	return "", ""
}

// rewritten is the line of a step with another selector in the place of the one that it has; everything else, comments
// too, stays. ok is false where the line does not have the selector as it is, such as ${NAME}, or in several places.
func rewritten(line string, old, now dsl.Selector) (text string, ok bool) {
	oldKey, oldText := keyOf(old)
	key, value := keyOf(now)
	if oldKey == "" || key == "" {
		return "", false
	}
	form := `(?:` + regexp.QuoteMeta(oldText) + `|"` + regexp.QuoteMeta(oldText) + `"|'` +
		regexp.QuoteMeta(strings.ReplaceAll(oldText, "'", "''")) + `')`
	end := `(\s*(?:[,}].*|#.*)?)$`
	short := `{` + key + `: ` + yamlText(value) + `}`
	if key == "label" {
		short = yamlText(value)
	}
	for _, p := range []struct{ before, now string }{
		{`(.*[{,]\s*)` + oldKey + `:\s*`, key + ": " + yamlText(value)},
		{`(\s*(?:-\s+)?[A-Za-z]+:\s*|.*[{,]\s*(?:into|from|to|inside):\s*)`, short},
	} {
		re, err := regexp.Compile(`^` + p.before + form + end)
		if err != nil {
			return "", false
		}
		m := re.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		text = m[1] + p.now + m[2]
		return text, saysSelector(text, now)
	}
	return "", false
}

// saysSelector reports whether a line is a step that acts on what a selector picks.
func saysSelector(line string, sel dsl.Selector) bool {
	line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
	args, ok := parsedStep([]byte("steps:\n  - "+line+"\n"), "")
	if !ok {
		return false
	}
	name, _, _ := strings.Cut(line, ":")
	q, err := questionOf(name, args)
	if err != nil {
		return false
	}
	key, text := keyOf(sel)
	for _, t := range q.touch {
		if k, v := keyOf(t); k == key && v == text {
			return true
		}
	}
	return false
}
