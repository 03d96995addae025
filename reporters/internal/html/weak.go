package html

import (
	"fmt"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// maxWeak is how many weak assertions the page of a run lists.
const maxWeak = 50

// weakText is a finding in a sentence.
func weakText(f finding.Weak) string {
	if f.Kind == finding.NoAssertion || f.Kind == finding.ActionNotShown {
		return "weak test: " + f.Why
	}
	return "weak assertion: " + f.Why
}

// weakNotes are the findings about a test, for its page.
func weakNotes(list []finding.Weak) []warningData {
	var notes []warningData
	for _, f := range list {
		notes = append(notes, warningData{Step: f.Step, What: "note", Text: shown(weakText(f), maxText)})
	}
	return notes
}

// repairText is a repair in a sentence.
func repairText(r finding.Repair) string {
	return fmt.Sprintf("repair (score %d): %s was %s; write: %s", r.Score, r.Evidence.Now, r.Evidence.Was, r.New)
}

// weakOfRun are the findings and repairs of a run, for its page.
func weakOfRun(run *history.Run) []string {
	var list []string
	for _, r := range run.Repairs {
		list = append(list, fmt.Sprintf("%s:%d: %s", r.File, r.Line, repairText(r)))
	}
	w := run.Weak
	if w == nil || len(w.Findings) == 0 {
		return list
	}
	list = append(list, fmt.Sprintf("%d of %s weak (strength %d of 100): taproot weak %s", w.Weak,
		phrase.Plural(w.Assertions, "assertion"), w.Strength, run.Name))
	for i, f := range w.Findings {
		if i == maxWeak {
			list = append(list, fmt.Sprintf("and %d more", len(w.Findings)-maxWeak))
			break
		}
		list = append(list, fmt.Sprintf("%s:%d: %s", f.File, f.Line, weakText(f)))
	}
	return list
}
