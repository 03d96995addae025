package webdriver

import (
	"encoding/base64"
	"strings"
)

// LacksCommand reports whether a server does not have a command of BiDi.
func LacksCommand(err error) bool { return Is(err, UnknownCommand, UnknownMethod, Unsupported) }

// bidiText is a text as BiDi passes it.
func bidiText(text string) map[string]any { return map[string]any{"type": "string", "value": text} }

// Header is a header of a request or a response as BiDi passes it.
type Header struct {
	Name  string
	Value struct{ Type, Value string }
}

// Text is its value.
func (h Header) Text() string {
	if h.Value.Type != "base64" {
		return h.Value.Value
	}
	raw, err := base64.StdEncoding.DecodeString(h.Value.Value)
	if err != nil {
		return ""
	}
	return string(raw)
}

// Headers are headers by their names in lower case; those of one name are joined.
func Headers(list []Header) map[string]string {
	all := map[string]string{}
	for _, h := range list {
		name := strings.ToLower(h.Name)
		if had, is := all[name]; is {
			separator := ", "
			if name == "set-cookie" {
				separator = "\n"
			}
			all[name] = had + separator + h.Text()
			continue
		}
		all[name] = h.Text()
	}
	return all
}

// HeaderList is the form in which BiDi takes headers. A value with several lines becomes several headers.
func HeaderList(headers map[string]string) []any {
	list := []any{}
	for name, value := range headers {
		for line := range strings.SplitSeq(value, "\n") {
			list = append(list, map[string]any{"name": name, "value": bidiText(line)})
		}
	}
	return list
}
