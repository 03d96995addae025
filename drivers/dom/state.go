package dom

import (
	"slices"
	"strings"
)

// State is the part of every answer of the script about its document.
type State struct {
	Doc string // an id of this document: a new one after each navigation
	// loading, interactive, complete; stopped: its loading was aborted a moment ago, and another document may replace it
	Ready string
	URL   string
}

// Failed reports whether the browser shows its own error page instead of the app's page.
func (s State) Failed() bool { return FailedDocument(s.URL) }

// FailedDocument reports whether a URL is that of a browser's error page, for a page that could not be loaded.
func FailedDocument(address string) bool {
	return slices.ContainsFunc([]string{"chrome-error", "about:neterror", "about:certerror", "about:httpsonlyerror"},
		func(prefix string) bool { return strings.HasPrefix(address, prefix) })
}
