// Package actions contains the pages of the actions for the site. The program does not contain them: it writes the same
// text from the vocabulary (taproot docs tap).
package actions

import "embed"

// Files are the pages, NAME.md.
//
//go:embed *.md
var Files embed.FS
