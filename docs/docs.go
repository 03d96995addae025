// Package docs contains Taproot's documentation in Markdown, so that the program can print it without a network.
package docs

import (
	"embed"
	"strings"
	"unicode"
)

// Files are the documents and the images in them; README.md lists the pages in their order.
//
//go:embed *.md ci images
var Files embed.FS

// Actions are the pages of the actions, in the folder actions. Only the site reads them: the program writes the same
// text from the vocabulary (taproot docs tap).
//
//go:embed actions
var Actions embed.FS

// Anchor returns the fragment by which links refer to a heading.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}
