package dom

import (
	"crypto/rand"
	"embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed script
var scripts embed.FS

// Engine returns the script that reads pages, as an expression: an object with a method query(document, command), which
// returns an element with JSON as its text, as a selector engine of Playwright does. It is script/engine.js with the
// files that it includes.
var Engine = sync.OnceValue(func() string { return named(assemble("engine.js")) })

// Watch returns a script for the page's own world, to be run before the page's scripts. With it, Engine detects the
// pending work of the page, and blocks touches before any listener of the page. Without it, Engine works with less
// information.
var Watch = sync.OnceValue(func() string { return named(assemble("watch.js")) })

// OpenRoots returns a script for the page's own world, to be run before the page's scripts, in browsers that do not
// report closed shadow roots. Engine then finds those that scripts create, while pages see them as closed.
var OpenRoots = sync.OnceValue(func() string { return named(assemble("openroots.js")) })

// named inserts the name of the events between the scripts: a different one in each process, so that no page can know
// it.
func named(script string) string { return strings.ReplaceAll(script, "@watch@", secret()) }

// IsOwn reports whether a name is that of an event between the scripts.
func IsOwn(event string) bool { return strings.HasPrefix(event, secret()) }

var secret = sync.OnceValue(rand.Text)

// included matches a line that names a file to be inserted.
var included = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^// include (\S+)$`) })

// Assemble inserts the files of this package that a script names in lines of their own ("// include resting.js").
func Assemble(script string) string {
	return named(include(script))
}

func assemble(name string) string {
	source, err := scripts.ReadFile("script/" + name)
	if err != nil {
		return "" // embedded, so it cannot happen
	}
	return include(strings.TrimSpace(string(source)))
}

func include(script string) string {
	return included().ReplaceAllStringFunc(script, func(line string) string {
		return assemble(strings.TrimPrefix(line, "// include "))
	})
}
