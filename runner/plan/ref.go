package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// Ref names a case, so that it is found again in a copy of its files on another machine.
type Ref struct {
	ID       string       `json:"id"`
	Pack     string       `json:"pack"` // that the case is to leave
	File     string       `json:"file"` // as messages show it, relative to the working folder
	Line     int          `json:"line"`
	Platform dsl.Platform `json:"platform"`
	Browser  string       `json:"browser,omitempty"`
	Row      int          `json:"row,omitempty"` // of the data, from 1
}

// RefOf names a case.
func RefOf(c Case) Ref {
	return Ref{ID: c.Test.ID, Pack: c.Pack, File: filepath.ToSlash(c.Test.Pos.File), Line: c.Test.Pos.Line,
		Platform: c.Platform, Browser: c.Browser, Row: c.Row.N}
}

// Find plans the case again. Of the options, Args, IDs, Inline, the filters and Choice are not asked; the files of
// tests that came from elsewhere must lie below Dir.
func (r Ref) Find(o Options) (Case, error) {
	o.Args, o.IDs, o.Inline, o.Labels, o.IncludeTags, o.ExcludeTags, o.Choice = nil, nil, nil, "", nil, nil, Choice{}
	if !filepath.IsLocal(filepath.FromSlash(r.File)) && !r.above(o.Dir) {
		return Case{}, fmt.Errorf("%s lies outside of the tests that were sent", r.File)
	}
	o.Args = []string{filepath.FromSlash(r.File)}
	o.Platform = r.Platform
	p, err := Build(o)
	if err != nil {
		return Case{}, err
	}
	i := slices.IndexFunc(p.Cases, func(c Case) bool {
		return c.Test.Pos.Line == r.Line && c.Platform == r.Platform && c.Browser == r.Browser && c.Row.N == r.Row
	})
	if i < 0 {
		return Case{}, fmt.Errorf("%s:%d: there is no such test among those that were sent", r.File, r.Line)
	}
	c := p.Cases[i]
	own := *c.Test
	own.ID = r.ID // of a flow, it hangs on what lies beside it
	c.Test, c.Pack = &own, r.Pack
	return c, nil
}

// above tells whether a file that lies beside the working folder lies in the project that holds both.
func (r Ref) above(dir string) bool {
	file := absolute(dir, r.File)
	root := newSuites(Options{Dir: dir}).root(absolute(dir, "."))
	return !filepath.IsAbs(filepath.FromSlash(r.File)) && strings.HasPrefix(file, root+string(filepath.Separator))
}
