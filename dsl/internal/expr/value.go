package expr

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Set saves a value, of any type that Value.Go can give; it overrides every other of the name.
func (s *Scope) Set(name string, value any) { s.saved[name] = value }

// Unset forgets a saved value: that of forEach's variable when the loop ends.
func (s *Scope) Unset(name string) {
	delete(s.saved, name)
	if s.ended == nil {
		s.ended = map[string]bool{}
	}
	s.ended[name] = true
}

// Saved returns the values that steps have saved. The map is the caller's.
func (s *Scope) Saved() map[string]any { return maps.Clone(s.saved) }

// Value returns a variable with its type; name may lead into it: answer.json.id or rows.0.
func (s *Scope) Value(name string) (any, bool) {
	x, missed := s.value(name)
	return x, missed == nil
}

func (s *Scope) value(name string) (any, *miss) {
	root, path, _ := strings.Cut(name, ".")
	x, known := s.saved[root]
	if !known {
		x, known = s.typed[root]
	}
	if !known {
		text, given := s.values[root]
		if !given {
			return nil, s.undefined(root)
		}
		x = text
	}
	for at := root; path != ""; {
		var part string
		part, path, _ = strings.Cut(path, ".")
		next, keys, ok := member(x, part)
		if !ok {
			hint := "it holds no list and no map"
			if near := phrase.Nearest(part, keys); near != "" {
				hint = fmt.Sprintf("did you mean ${%s.%s}?", at, near)
			} else if len(keys) > 0 {
				hint = "it has " + phrase.LimitRunes(strings.Join(keys, ", "), 60)
			}
			return nil, &miss{msg: fmt.Sprintf("${%s} has no %q", at, part), hint: hint, undefined: true}
		}
		x, at = next, at+"."+part
	}
	return x, nil
}

// member returns an entry of a map or of a list, and the keys that there are.
func member(x any, part string) (next any, keys []string, ok bool) {
	switch x := x.(type) {
	case map[string]any:
		next, ok = x[part]
		return next, slices.Sorted(maps.Keys(x)), ok
	case []any:
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n >= len(x) {
			return nil, nil, false
		}
		return x[n], nil, true
	case Open:
		return x, nil, true
	}
	return nil, nil, false
}

// Show writes a variable's value as ${NAME} prints it: a list or a map as JSON, nothing as an empty text.
func Show(x any) string {
	switch x := x.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case int:
		return strconv.Itoa(x)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case source.Numeral:
		return x.String()
	case Open:
		return "x"
	case Element:
		return source.Flow(x.Value)
	}
	data, err := json.Marshal(x)
	if err != nil {
		return fmt.Sprint(x)
	}
	return string(data)
}

// whole returns the value of the variable that is all of a text, when it is not a text itself.
func (s *Scope) whole(text string) any {
	if !strings.HasPrefix(text, "${") || strings.IndexByte(text, '}') != len(text)-1 {
		return nil
	}
	all, _, _, msg := Pieces(text)
	if msg != "" || len(all) != 1 || all[0].raw != text {
		return nil
	}
	x, _ := s.Value(all[0].Name)
	if _, isText := x.(string); isText {
		return nil
	}
	return x
}

// all returns every variable by its name.
func (s *Scope) all() map[string]any {
	env := make(map[string]any, len(s.values)+len(s.saved)+3)
	for name, text := range s.values {
		env[name] = text
	}
	maps.Copy(env, s.typed)
	maps.Copy(env, s.saved)
	return env
}

// Texts returns every variable in scope as a text.
func (s *Scope) Texts() map[string]string {
	texts := map[string]string{}
	for name, x := range s.all() {
		texts[name] = Show(x)
	}
	return texts
}

// Open is the value of a variable that only a run has, while its names are checked.
type Open struct{}

func isOpen(x any) bool {
	_, open := x.(Open)
	return open
}

// Element is the value of a parameter that names an element by a map of criteria: {id: email}. Where it is the whole
// text of a value, the map takes the text's place.
type Element struct{ Value source.Value }

// MarshalJSON writes the criteria as a map.
func (e Element) MarshalJSON() ([]byte, error) { return json.Marshal(e.Value.Go()) }

// element returns the element that is all of a text, with every part of it at the text's place.
func (s *Scope) element(v source.Value) (source.Value, bool) {
	if !strings.HasPrefix(v.Text, "${") {
		return v, false
	}
	all, _, _, msg := Pieces(v.Text)
	if msg != "" || len(all) != 1 || all[0].raw != v.Text {
		return v, false
	}
	x, _ := s.Value(all[0].Name)
	el, is := x.(Element)
	if !is {
		return v, false
	}
	return placed(el.Value, v.Pos), true
}

// placed is a value with all its parts at one place.
func placed(v source.Value, pos source.Pos) source.Value {
	v.Pos = pos
	v.Items, v.Fields = slices.Clone(v.Items), slices.Clone(v.Fields)
	for i := range v.Items {
		v.Items[i] = placed(v.Items[i], pos)
	}
	for i := range v.Fields {
		v.Fields[i].Pos, v.Fields[i].Value = pos, placed(v.Fields[i].Value, pos)
	}
	return v
}
