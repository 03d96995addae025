package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Filling replaces variables by their values.
type Filling struct {
	Scope    *Scope
	Source   *source.Source
	Promised map[string]bool // variables that steps before this one will have saved
	Errs     source.Errors
	// Elements means that a map of criteria has taken the place of a text: what holds it must be read again.
	Elements bool
}

// Value replaces the variables in all texts of a value. The keys of maps stay as they are.
func (f *Filling) Value(v source.Value) source.Value {
	switch v.Kind {
	case source.String:
		return f.text(v)
	case source.List:
		items := make([]source.Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = f.Value(item)
		}
		v.Items = items
	case source.Map:
		fields := make([]source.Field, 0, len(v.Fields))
		for _, x := range v.Fields {
			fields = append(fields, f.Field(x)...)
		}
		v.Fields = fields
	}
	return v
}

// Field replaces the variables in a field of a map. A label that is an element becomes the criteria of the element.
func (f *Filling) Field(x source.Field) []source.Field {
	text := x.Value.Kind == source.String
	x = source.Field{Key: x.Key, Pos: x.Pos, Value: f.Value(x.Value), Spelled: x.Spelled}
	if text && x.Key == "label" && x.Value.Kind == source.Map {
		return x.Value.Fields
	}
	return []source.Field{x}
}

func (f *Filling) text(v source.Value) source.Value {
	if !strings.Contains(v.Text, "${") {
		return v
	}
	if el, is := f.Scope.element(v); is {
		f.Elements = true
		return el
	}
	open := false
	text, err := f.Scope.expand(f.Source, v.Text, v.Pos, func(name string) (string, *miss) {
		if root, _, _ := strings.Cut(name, "."); f.Promised[root] {
			open = true
			return "x", nil
		}
		if x, known := f.Scope.Value(name); known && isOpen(x) {
			open = true
			return "x", nil
		}
		text, missed := f.Scope.lookup(name)
		if missed != nil && missed.undefined {
			f.suggest(name, missed)
		}
		return text, missed
	})
	switch {
	case err != nil:
		f.Errs = append(f.Errs, err)
	case open:
		v.Open = true
	case text != v.Text:
		v.Typed = f.Scope.whole(v.Text)
		v.Text, v.Written = text, v.Text
	}
	return v
}

// suggest names a variable that a step saves when it was probably meant.
func (f *Filling) suggest(name string, missed *miss) {
	root, _, _ := strings.Cut(name, ".")
	if _, known := f.Scope.Value(root); known {
		return
	}
	if near := phrase.Nearest(root, slices.Sorted(maps.Keys(f.Promised))); near != "" {
		missed.hint = fmt.Sprintf("did you mean ${%s}?", near+strings.TrimPrefix(name, root))
	}
}

// HoldsVariable reports whether any text of a value contains ${.
func HoldsVariable(v source.Value) bool {
	return v.Kind == source.String && strings.Contains(v.Text, "${") || slices.ContainsFunc(v.Items, HoldsVariable) ||
		slices.ContainsFunc(v.Fields, func(f source.Field) bool { return HoldsVariable(f.Value) })
}
