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

// Engine is the expression of the script that reads pages: an object whose query(document, command) answers a command
// with an element whose text is JSON, as a selector engine of Playwright does. It is script/engine.js with the files
// that it includes.
var Engine = sync.OnceValue(func() string { return named(assemble("engine.js")) })

// Watch is a script for a page's own world, to be run before the page's scripts: with it, Engine knows what the page
// has set going, and holds touches back before any listener of the page. Without it, Engine does what it can.
var Watch = sync.OnceValue(func() string { return named(assemble("watch.js")) })

// OpenRoots is a script for a page's own world, to be run before the page's scripts, in browsers that tell nobody of
// closed shadow roots: Engine finds those that scripts make, and pages see them as closed.
var OpenRoots = sync.OnceValue(func() string { return named(assemble("openroots.js")) })

// named puts in the name by which the two scripts know each other's events: another one in each process, so that no
// page knows it.
func named(script string) string { return strings.ReplaceAll(script, "@watch@", secret()) }

// IsOwn reports whether an event of this name is one of those by which the scripts know each other.
func IsOwn(event string) bool { return strings.HasPrefix(event, secret()) }

var secret = sync.OnceValue(rand.Text)

// included is a line that names a file to put in its place.
var included = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^// include (\S+)$`) })

// Assemble puts the files of this package that a script names in lines of their own ("// include resting.js") in their
// places.
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
