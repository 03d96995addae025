package web

import (
	"encoding/json"
	"strings"
)

// scoped is a selector inside a frame, in Playwright's own words.
func scoped(frame, selector string) string {
	if frame == "" {
		return translated(selector)
	}
	return strings.ReplaceAll(translated(frame), " >> ", enterFrame) + enterFrame + translated(selector)
}

// translated puts the engines that have names of ours (label=, placeholder=, alt=, title=, testId=) into Playwright's
// words, which it keeps to itself. What follows may be in quotes: then it must be the whole text, case and all.
func translated(selector string) string {
	if !strings.Contains(selector, "=") {
		return selector
	}
	parts := strings.Split(selector, " >> ")
	for i, part := range parts {
		name, text, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			continue
		}
		exact := len(text) >= 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0]
		if exact {
			text = text[1 : len(text)-1]
		}
		switch name {
		case "label":
			parts[i] = "internal:label=" + quoted(text, exact)
		case "placeholder", "alt", "title":
			parts[i] = "internal:attr=[" + name + "=" + quoted(text, exact) + "]"
		case "testId":
			parts[i] = "internal:testid=[data-testid=" + quoted(text, true) + "]"
		}
	}
	return strings.Join(parts, " >> ")
}

// quoted is a text as Playwright's engines read it: s is for the whole text, i for a part of it in any case.
func quoted(text string, exact bool) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	if exact {
		return strings.TrimSpace(b.String()) + "s"
	}
	return strings.TrimSpace(b.String()) + "i"
}
