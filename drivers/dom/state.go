package dom

import (
	"slices"
	"strings"
)

// State is what every answer of the script says about its document.
type State struct {
	Doc string // an id of this very document: a new one after each navigation
	// loading, interactive, complete; stopped: its loading was broken off a moment ago, and another one may come in its
	// place
	Ready string
	URL   string
}

// Failed tells whether the browser shows its own error page in place of the app's.
func (s State) Failed() bool { return FailedDocument(s.URL) }

// FailedDocument tells whether an address is that of a browser's own page in place of one that could not be reached.
func FailedDocument(address string) bool {
	return slices.ContainsFunc([]string{"chrome-error", "about:neterror", "about:certerror", "about:httpsonlyerror"},
		func(prefix string) bool { return strings.HasPrefix(address, prefix) })
}
