package dom

import (
	"embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed script
var scripts embed.FS

// Engine is the expression of the script that reads pages: an object whose query(document, command) answers a command with an element whose
// text is JSON, as a selector engine of Playwright does. It is script/engine.js with the files that it includes.
var Engine = sync.OnceValue(func() string { return assemble("engine.js") })

// included is a line that names a file to put in its place.
var included = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^// include (\S+)$`) })

// assemble puts the files that a script names in lines of its own ("// include paint.js") in their places.
func assemble(name string) string {
	source, err := scripts.ReadFile("script/" + name)
	if err != nil {
		return "" // embedded, so it cannot happen
	}
	return included().ReplaceAllStringFunc(strings.TrimSpace(string(source)), func(line string) string {
		return assemble(strings.TrimPrefix(line, "// include "))
	})
}
