package maestro

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// selectorFields writes a selector as the arguments of a step.
func selectorFields(s *Selector) ([]field, error) {
	var fields []field
	var broken error
	put := func(key, value string, err error) {
		fields = append(fields, field{key, value})
		if err != nil {
			broken = err
		}
	}
	if s.Text != nil {
		value, err := str(pattern(s.Text))
		put("label", value, err)
	}
	if s.ID != nil {
		value, err := str(pattern(s.ID))
		put("id", value, err)
	}
	if s.CSS != nil {
		value, err := str(*s.CSS)
		put("css", value, err)
	}
	fields = append(fields, field{"match", "maestro"})
	if s.Index != nil {
		n, err := strconv.ParseFloat(*s.Index, 64)
		if err != nil {
			broken = fmt.Errorf("the index %q", short(*s.Index))
		}
		put("index", strconv.Itoa(int(n)), nil)
	}
	if s.Width != nil && *s.Width < 0 || s.Height != nil && *s.Height < 0 {
		broken = fmt.Errorf("a size below 0")
	}
	if s.Width != nil || s.Height != nil {
		var size []string
		if s.Width != nil {
			size = append(size, fmt.Sprintf("width: %d", *s.Width))
		}
		if s.Height != nil {
			size = append(size, fmt.Sprintf("height: %d", *s.Height))
		}
		if s.Tolerance > 0 {
			size = append(size, fmt.Sprintf("tolerance: %d", s.Tolerance))
		}
		put("size", "{"+strings.Join(size, ", ")+"}", nil)
	}
	if len(s.Traits) > 0 {
		put("traits", "["+strings.Join(s.Traits, ", ")+"]", nil)
	}
	for _, state := range []struct {
		key  string
		want *bool
	}{{"enabled", s.Enabled}, {"checked", s.Checked}, {"selected", s.Selected}, {"focused", s.Focused}} {
		if state.want != nil {
			put(state.key, strconv.FormatBool(*state.want), nil)
		}
	}
	for _, r := range []struct {
		key string
		of  *Selector
	}{{"below", s.Below}, {"above", s.Above}, {"leftOf", s.LeftOf}, {"rightOf", s.RightOf}, {"child", s.Child},
		{"inside", s.ChildOf}} {
		if r.of != nil {
			value, err := selectorMap(r.of)
			put(r.key, value, err)
		}
	}
	if len(s.Descendants) > 0 {
		var all []string
		for _, d := range s.Descendants {
			value, err := selectorMap(d)
			if err != nil {
				broken = err
			}
			all = append(all, value)
		}
		put("contains", "["+strings.Join(all, ", ")+"]", nil)
	}
	if asks := slices.DeleteFunc(slices.Clone(fields), func(f field) bool {
		return f.key == "match" ||
			f.key == "index"
	}); len(asks) == 0 {
		broken = fmt.Errorf("a selector that only counts: it names no text and no id")
	}
	if !s.names() {
		broken = fmt.Errorf("a selector without a condition")
	}
	return fields, broken
}

func selectorMap(s *Selector) (string, error) {
	fields, err := selectorFields(s)
	var parts []string
	for _, f := range fields {
		parts = append(parts, f.key+": "+f.value)
	}
	return "{" + strings.Join(parts, ", ") + "}", err
}

// on writes a step with a selector.
func (w *writer) on(s *dsl.Step, c *Command, action string, sel *Selector, more ...field) {
	fields, err := selectorFields(sel)
	if err != nil {
		w.dropped(s, c, err.Error())
		return
	}
	w.step(c, action, append(fields, more...)...)
}
