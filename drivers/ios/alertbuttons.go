package ios

import (
	"slices"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// buttonWords are what iOS (16 to 26, in English) and apps write on the buttons of their questions, the plainest answer
// first. The order of the buttons says nothing: it varies.
type buttonWords struct {
	yes, no  []string
	part     []string // allows less than was asked for
	isSwitch []string // is a switch in the question, and closes nothing
}

func knownButtons() buttonWords {
	return buttonWords{
		yes: []string{"Allow While Using App", "Allow Full Access", "Allow Access to All Photos", "Change to Always Allow",
			"Always Allow", "Allow", "Allow Once",
			"Allow Paste", "Open", "OK", "Yes", "Continue", "Accept", "Agree", "Join", "Trust"},
		no: []string{"Don't Allow", "Don't Allow Paste", "Keep Only While Using", "Ask App Not to Track", "Cancel", "Not Now",
			"No", "Deny", "Decline",
			"Don't Trust", "Close", "Dismiss"},
		part:     []string{"Limit Access...", "Select Photos..."},
		isSwitch: []string{"Precise: On", "Precise: Off"},
	}
}

// answersAmong returns which of an alert's buttons accept and dismiss, by their words; "" where that is unknown.
func answersAmong(buttons []string) (accept, dismiss string) {
	words := knownButtons()
	var open []string
	for _, b := range buttons {
		if rank(words.isSwitch, b) < 0 {
			open = append(open, b)
		}
	}
	if len(open) == 1 {
		return open[0], open[0]
	}
	accept, dismiss = best(words.yes, open), best(words.no, open)
	others := slices.DeleteFunc(slices.Clone(open), func(b string) bool {
		return rank(words.yes, b) >= 0 || rank(words.no, b) >= 0 || rank(words.part, b) >= 0
	})
	switch {
	case accept == "" && dismiss != "" && len(others) == 1: // Cancel and Delete
		accept = others[0]
	case dismiss == "" && accept != "" && len(others) == 1:
		dismiss = others[0]
	}
	return accept, dismiss
}

// best is the button with the word that comes first in a list.
func best(words, buttons []string) (found string) {
	least := len(words)
	for _, b := range buttons {
		if at := rank(words, b); at >= 0 && at < least {
			found, least = b, at
		}
	}
	return found
}

func rank(words []string, button string) int {
	return slices.IndexFunc(words, func(w string) bool { return screen.SameText(w, button) })
}
