package decode

import (
	"fmt"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// Named returns a map in which keys have their documented names. How the author spells them stays in the fields. What
// reads the arguments of a step may rely on the names. Two spellings of one key are an error.
func (d *Decoding) Named(v source.Value, shapes ...*vocabulary.Shape) source.Value {
	v = vocabulary.NamedBy(v, shapes...)
	d.twoSpellings(v)
	return v
}

// twoSpellings reports keys that are given in two spellings.
func (d *Decoding) twoSpellings(v source.Value) {
	for i, f := range v.Fields {
		if f.Spelled != "" {
			for j, other := range v.Fields {
				if other.Key == f.Key && i != j && (other.Spelled == "" || j < i) {
					d.Fail(f.Pos, len([]rune(f.Spelled)), fmt.Sprintf("%q and %q are the same", other.Word(), f.Spelled),
						"remove one of the two")
				}
			}
		}
		if f.Value.Kind == source.Map {
			d.twoSpellings(f.Value)
		}
		for _, item := range f.Value.Items {
			d.twoSpellings(item)
		}
	}
}
