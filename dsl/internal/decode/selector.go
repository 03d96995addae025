package decode

import (
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// ParseSelector reads a selector as a person writes it outside a test: YAML when it is a map with the keys of a
// selector, in braces or without ("{id: email, below: E-mail}"), otherwise the text itself as a label. The error is an
// Errors; its places are those of a file called name.
func ParseSelector(name, text string) (vocabulary.Selector, error) {
	braced := strings.HasPrefix(strings.TrimSpace(text), "{")
	v, err := readSelector(name, text)
	switch {
	case err != nil && braced:
		return vocabulary.Selector{}, err
	case err != nil || !braced && !isSelectorMap(v):
		v = source.Value{Pos: source.Pos{File: name, Line: 1, Col: 1}, Kind: source.String, Text: text}
	}
	d := &Decoding{}
	d.Source = &source.Source{File: name, Lines: strings.Split(text, "\n")}
	var s vocabulary.Selector
	v = d.Named(v, vocabulary.ShapeOf(vocabulary.SelectorType))
	d.Structure(reflect.ValueOf(&s).Elem(), v, Object{Name: "selector", At: v.Pos, Nested: true})
	return s, d.Errs.Err()
}

// readSelector reads the text as one YAML value.
func readSelector(name, text string) (source.Value, error) {
	text, src, bad := source.Readable(name, []byte(text))
	if bad != nil {
		return source.Value{}, source.Errors{bad}
	}
	values, err := source.Read(text, src)
	if err != nil {
		return source.Value{}, err
	}
	if len(values) != 1 {
		return source.Value{}, source.Errors{{Pos: source.Pos{File: name, Line: 1, Col: 1}, Source: src,
			Msg:  "this is not one selector",
			Hint: "give a label, or one map such as {id: email}"}}
	}
	return values[0], nil
}

// isSelectorMap reports whether a map without braces is meant as a selector: "Total: 5" is a label.
func isSelectorMap(v source.Value) bool {
	known := vocabulary.ShapeOf(vocabulary.SelectorType)
	return v.Kind == source.Map && len(v.Fields) > 0 && !slices.ContainsFunc(v.Fields, func(f source.Field) bool {
		return !known.Has(f.Key)
	})
}
