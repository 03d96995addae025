package source

import "fmt"

// Pos is a place in a YAML file. Line and Col count from 1; Col counts characters, as editors do. The zero Pos means
// that the value came from elsewhere (a REST body, a Go program).
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// String returns "file:line:col", which terminals and editors turn into a link.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}
