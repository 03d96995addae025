package phrase

import (
	"strconv"
	"strings"
)

// Plural formats a number with a noun, which gets an s unless the number is 1.
func Plural(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return strconv.Itoa(n) + " " + one
}

// Or joins words: "tap", "tap or input", "tap, input or press".
func Or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
