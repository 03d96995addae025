// Package docs contains Taproot's documentation in Markdown, so that the program can print it without a network.
package docs

import (
	"embed"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Files are the documents; README.md lists the pages in their order.
//
//go:embed *.md ci
var Files embed.FS

// Site are the images, and the pages of the actions in the folder actions. Only the site reads them: the program prints
// no images, and writes the same text of an action from the vocabulary (taproot docs tap).
//
//go:embed actions images
var Site embed.FS

// introduction starts llms.txt.
const introduction = `# Taproot

> Taproot tests apps on phones (Android, iOS) and pages in browsers, with tests written in a few lines of YAML. Steps
> wait for their elements. The program taproot runs tests, records them, serves devices by REST and by the Model
> Context Protocol, and performs single actions from the shell.

- ` + "`taproot guide`" + ` explains how to drive a page or a phone from the shell, on one page.
- ` + "`taproot docs NAME`" + ` prints an action (tap) or one of these pages (waiting).
- ` + "`taproot validate`" + ` checks a test file and says how to correct it.
- ` + "`taproot schema`" + ` prints the JSON Schema of test files.
- ` + "`taproot find ''`" + ` lists the elements of the screen, each with a selector.
`

var listed = lazyregexp.New(`(?m)^(?:## .+|- \[[^\]]+\]\(([^)]+)\))`)

// LLMs returns llms.txt, the list of pages for AI assistants: README.md's own, with links below a URL.
func LLMs(url string) string {
	text, _ := Files.ReadFile("README.md") // it is embedded
	_, pages, _ := strings.Cut(string(text), "\n## ")
	return introduction + "\n## " + listed.ReplaceAllStringFunc(pages, func(line string) string {
		return strings.Replace(line, "](", "]("+url, 1)
	})
}
