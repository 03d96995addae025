package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// Ref names a case, so that it can be found again in a copy of its files on another machine.
type Ref struct {
	ID       string       `json:"id"`
	Pack     string       `json:"pack"` // of the case
	File     string       `json:"file"` // for messages, relative to the working folder
	Line     int          `json:"line"`
	Platform dsl.Platform `json:"platform"`
	Browser  string       `json:"browser,omitempty"`
	Row      int          `json:"row,omitempty"` // of the data, from 1
	Needed   bool         `json:"needed,omitempty"`
	Round    int          `json:"round,omitempty"`
	Values   []byte       `json:"values,omitempty"` // what it needs, encrypted
}

// RefOf names a case.
func RefOf(c Case) Ref {
	return Ref{ID: c.Test.ID, Pack: c.Pack, File: filepath.ToSlash(c.Test.Pos.File), Line: c.Test.Pos.Line,
		Platform: c.Platform, Browser: c.Browser, Row: c.Row.N, Needed: c.Needed, Round: c.Round}
}

// Find plans the case again. It ignores Args, IDs, Inline, the filters and Choice of the options. The files of uploaded
// tests must be below Dir.
func (r Ref) Find(o Options) (Case, error) {
	o.Args, o.IDs, o.Inline, o.Labels, o.IncludeTags, o.ExcludeTags, o.Choice = nil, nil, nil, "", nil, nil, Choice{}
	if !filepath.IsLocal(filepath.FromSlash(r.File)) && !r.above(o.Dir) {
		return Case{}, fmt.Errorf("%s is outside of the uploaded tests", r.File)
	}
	o.Args = []string{filepath.FromSlash(r.File)}
	o.Platform = r.Platform
	p, err := Build(o)
	if err != nil {
		return Case{}, err
	}
	i := slices.IndexFunc(p.roots, func(c Case) bool {
		return c.Test.Pos.Line == r.Line && c.Platform == r.Platform && c.Browser == r.Browser && c.Row.N == r.Row
	})
	if i < 0 {
		return Case{}, fmt.Errorf("%s:%d: there is no such test among the uploaded ones", r.File, r.Line)
	}
	c := p.roots[i]
	own := *c.Test
	own.ID = r.ID // the id of a flow depends on the files next to it
	c.Test, c.Pack, c.Needed, c.Round = &own, r.Pack, r.Needed, r.Round
	return c, nil
}

// above reports whether a file next to the working folder is in the project that contains both.
func (r Ref) above(dir string) bool {
	file := absolute(dir, r.File)
	root := newSuites(Options{Dir: dir}).root(absolute(dir, "."))
	return !filepath.IsAbs(filepath.FromSlash(r.File)) && strings.HasPrefix(file, root+string(filepath.Separator))
}
