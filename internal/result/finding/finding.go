// Package finding has what report packs show when they are evaluated after a run: weak assertions, and repairs of steps
// with elements that were not found.
package finding

const (
	// WeakFile is where a run keeps its weak assertions.
	WeakFile = "weak.json"
	// RepairFile is where a run keeps the repairs that it offers.
	RepairFile = "repairs.json"
)

// Weakness is which assertions of the passed tests of a run cannot fail: weak.json.
type Weakness struct {
	Format     string     `json:"format,omitempty"`
	Findings   []Weak     `json:"findings"`
	Strength   int        `json:"strength"` // the share of assertions that are not weak, in percent
	Assertions int        `json:"assertions"`
	Weak       int        `json:"weak"`
	Unjudged   []Unjudged `json:"unjudged,omitempty"` // they count as not weak
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
	Old      string   `json:"old"`   // the line, or lines, of the file
	New      string   `json:"new"`   // what to write instead
	Score    int      `json:"score"` // 0 to 100
	Evidence Evidence `json:"evidence"`
}

// Evidence is why an element is the one that a step used before.
type Evidence struct {
	Test    string   `json:"test"`
	Pack    string   `json:"pack"`
	Step    int      `json:"step"`
	Was     string   `json:"was"` // the element, in the last report that passed
	Now     string   `json:"now"`
	Why     []string `json:"why"`
	Before  string   `json:"before,omitempty"`  // the screenshot of the report that passed
	Current string   `json:"current,omitempty"` // the screenshot of the report that failed
}
