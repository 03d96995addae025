package source

import "strings"

// Read turns the text into one Value per document.
func Read(text string, source *Source) (values []Value, err error) {
	docs, bad := ParseYAML(text, source)
	if bad != nil {
		return nil, Errors{bad}
	}
	t := &Tree{Source: source, Behind: Pos{File: source.File, Line: 1, Col: 1}}
	t.Tabs = map[int]bool{}
	for i, line := range source.Lines {
		if strings.Contains(line, "\t") {
			t.Tabs[i+1] = true
		}
	}
	defer func() {
		if r := recover(); r != nil { // the library may build a tree with holes
			values, err = nil, Errors{{Pos: Pos{File: source.File, Line: 1, Col: 1}, Source: source,
				Msg: "the YAML in this file cannot be read", Hint: "look for a mistake in indentation, quotes or brackets"}}
		}
	}()
	for _, doc := range docs {
		t.anchors, t.open = map[string]anchor{}, map[string]bool{}
		v := t.value(doc, 1)
		if v.Kind != Null || v.Text != "" {
			values = append(values, v)
		}
	}
	return values, t.Errs.Err()
}
