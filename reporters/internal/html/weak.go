package html

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// maxFolded is how many weak assertions, and how many repairs, the page of a run lists.
const maxFolded = 50

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
	if r.Applied != "" {
		return fmt.Sprintf("repair applied (score %d): %s was %s; the line is now: %s", r.Score, r.Evidence.Now,
			r.Evidence.Was, r.New)
	}
	return fmt.Sprintf("repair (score %d): %s was %s; write: %s", r.Score, r.Evidence.Now, r.Evidence.Was, r.New)
}

// repairSum sums up repairs that wait for an answer, and those that were applied.
func repairSum(offered, applied int) string {
	var parts []string
	if offered > 0 {
		parts = append(parts, phrase.Plural(offered, "repair")+" offered")
	}
	if applied > 0 {
		parts = append(parts, phrase.Plural(applied, "repair")+" applied")
	}
	return strings.Join(parts, ", ")
}

// foldData is a list that the page of a run shows when its summary is opened.
type foldData struct {
	Summary string
	Lines   []string
}

// foldsOf are the findings and repairs of a run, for its page.
func foldsOf(run *history.Run) []foldData {
	var list []foldData
	if n := len(run.Repairs); n > 0 {
		f, applied := foldData{}, 0
		for _, r := range run.Repairs {
			f.add(n, fmt.Sprintf("%s:%d: %s", r.File, r.Line, repairText(r)))
			if r.Applied != "" {
				applied++
			}
		}
		f.Summary = repairSum(n-applied, applied)
		if applied < n {
			f.Summary += ": taproot repair " + run.Name
		}
		list = append(list, f)
	}
	w := run.Weak
	if w == nil || len(w.Findings) == 0 {
		return list
	}
	f := foldData{Summary: fmt.Sprintf("%d of %s weak (strength %d of 100): taproot weak %s", w.Weak,
		phrase.Plural(w.Assertions, "assertion"), w.Strength, run.Name)}
	for _, one := range w.Findings {
		f.add(len(w.Findings), fmt.Sprintf("%s:%d: %s", one.File, one.Line, weakText(one)))
	}
	return append(list, f)
}

// add adds one of so many lines; those beyond the limit are counted.
func (f *foldData) add(of int, line string) {
	switch n := len(f.Lines); {
	case n < maxFolded:
		f.Lines = append(f.Lines, shown(line, maxText))
	case n == maxFolded:
		f.Lines = append(f.Lines, fmt.Sprintf("and %d more", of-maxFolded))
	}
}
