// Package finding has what report packs show when they are evaluated after a run: weak assertions, and repairs of steps
// with elements that were not found.
package finding

import "strings"

const (
	// WeakFile is where a run keeps its weak assertions.
	WeakFile = "weak.json"
	// RepairFile is where a run keeps the repairs that it offers.
	RepairFile = "repairs.json"
	// PatchFile has the repairs of a run as a patch (taproot run --repair suggest).
	PatchFile = "repairs.patch"
)

// Weakness is which assertions of the passed tests of a run cannot fail: weak.json.
type Weakness struct {
	Format     string     `json:"format,omitempty"`
	Findings   []Weak     `json:"findings"`
	Strength   int        `json:"strength"` // the share of assertions that are not weak, in percent
	Assertions int        `json:"assertions"`
	Weak       int        `json:"weak"`
	Unjudged   []Unjudged `json:"unjudged,omitempty"` // they count as not weak
	TookMS     int64      `json:"took_ms,omitempty"`  // at the end of the run
}

// Kinds of findings about a test and not about one assertion.
const (
	NoAssertion    = "no-assertion"     // nothing is asserted after the last action
	ActionNotShown = "action-not-shown" // the test would pass without its last action
)

// Weak is a weak assertion, or a test that does not test its last action.
type Weak struct {
	Kind  string `json:"kind"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	Test  string `json:"test"`
	Step  int    `json:"step"`
	Why   string `json:"why"`
	Frame string `json:"frame"` // which proves it: a file of a report pack, and the step
}

// Unjudged is an assertion of which it is not known whether it can fail.
type Unjudged struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// Repairs are the repairs that a run offers: repairs.json.
type Repairs struct {
	Format  string   `json:"format,omitempty"`
	Repairs []Repair `json:"repairs"`
}

// Repair is a changed line for a step that did not find its element.
type Repair struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Old      string   `json:"old"`   // the line of the file: that of the step, or of its selector below it
	New      string   `json:"new"`   // what to write instead
	Score    int      `json:"score"` // 0 to 100
	Evidence Evidence `json:"evidence"`
	Applied  string   `json:"applied,omitempty"` // when taproot repair changed the line; empty: it did not
}

// Apply returns the text of the file with the changed line; ok is false if the line is another one by now.
func (r Repair) Apply(text string) (changed string, ok bool) {
	lines := strings.SplitAfter(text, "\n")
	if r.Line < 1 || r.Line > len(lines) || strings.TrimSpace(lines[r.Line-1]) != r.Old {
		return text, false
	}
	lines[r.Line-1] = strings.Replace(lines[r.Line-1], r.Old, r.New, 1)
	return strings.Join(lines, ""), true
}

// Evidence is why an element is the one that a step used before.
type Evidence struct {
	Test    string   `json:"test"`
	Run     string   `json:"run,omitempty"`
	Pack    string   `json:"pack"`
	Step    int      `json:"step"`
	Was     string   `json:"was"` // the element, in the last report that passed
	Now     string   `json:"now"`
	Why     []string `json:"why"`
	Before  string   `json:"before,omitempty"`  // the screenshot of the report that passed
	Current string   `json:"current,omitempty"` // the screenshot of the report that failed
}
