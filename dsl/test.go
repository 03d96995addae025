package dsl

// Test is one YAML document.
type Test struct {
	Pos      Pos // of the document's first key
	ID       string
	IDPos    Pos
	Name     string // for people; empty: the id
	Platform Platform
	Tags     []string
	Vars     []Var
	Steps    []*Step
	Source   *Source
}

// Var is one entry of a test's vars, in the order of the file.
type Var struct {
	Name  string
	Value string // may hold ${NAME}
	Pos   Pos    // of the value
}

// Step is one action of a test, with what every step can have.
type Step struct {
	Pos     Pos // of the action's name
	Def     *Def
	Args    Value // checked by Parse; ${NAME} still in place
	Options StepOptions
}

// StepOptions are the keys that every step takes beside its own arguments.
type StepOptions struct {
	Name      string `json:"name,omitempty" minLength:"1" doc:"What reports call the step."`
	TimeoutMs *int   `json:"timeoutMs,omitempty" minimum:"0" maximum:"3600000" doc:"How long to wait, in milliseconds. Default: 10000."`
}

// Source is the text that a test was read from, kept to show the lines that messages speak of.
type Source struct {
	File  string
	Lines []string

	long map[int][]rune // the characters of long lines: many messages about one line stay cheap
}

// Line gives line n, counted from 1, or "".
func (s *Source) Line(n int) string {
	if s == nil || n < 1 || n > len(s.Lines) {
		return ""
	}
	return s.Lines[n-1]
}

// chars gives the characters of line n. Do not change them.
func (s *Source) chars(n int) []rune {
	if s != nil && s.long[n] != nil {
		return s.long[n]
	}
	return []rune(s.Line(n))
}
