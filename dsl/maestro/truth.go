package maestro

import (
	"strconv"
	"strings"
)

// Truth reports whether a text from a script counts as true.
func Truth(text string) bool {
	if strings.TrimSpace(text) == "" || strings.EqualFold(text, "false") || text == "undefined" || text == "null" {
		return false
	}
	n, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(text), "fFdD"), 64)
	return err != nil || n != 0
}
