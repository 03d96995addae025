package decide

import (
	"bytes"
	"encoding/json"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// LacksMasked is why a search with secrets cannot be decided again: what decided it is masked.
const LacksMasked = "a secret that decided it is masked in the report"

// masked is a line without secrets, and whether it had some. Only texts are masked: a secret such as 100 is not the
// place of an element.
func (w *Writer) masked(l line) (data []byte, masked bool, err error) {
	if data, err = l.bytes(); err != nil || w.Mask == nil {
		return data, false, err
	}
	if text := string(data); w.Mask(text) == text {
		return data, false, nil
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, true, err
	}
	w.masks = true
	data, err = json.Marshal(w.texts(value))
	return data, true, err
}

// texts masks the texts of a decoded value.
func (w *Writer) texts(value any) any {
	switch v := value.(type) {
	case string:
		return w.Mask(v)
	case []any:
		for i := range v {
			v[i] = w.texts(v[i])
		}
	case map[string]any:
		masked := make(map[string]any, len(v))
		for key, of := range v {
			if len(key) > 0 && key[0] == '{' { // a question, with its text
				key = w.Mask(key)
			}
			masked[key] = w.texts(of)
		}
		return masked
	}
	return value
}

// hidden reports whether a secret was masked in a tree of a search.
func (w *Writer) hidden(l line, now map[string][]byte) bool {
	if l.Search == nil || !w.masks {
		return false
	}
	for _, id := range l.Search.trees() {
		data := now[id]
		if data == nil {
			data = w.trees[id]
		}
		if bytes.Contains(data, []byte(Masked)) {
			return true
		}
	}
	return false
}

// Masked is what a secret is replaced by, as event.Hidden has it.
const Masked = "•••"

// again reports whether a masked line leads to its result.
func (w *Writer) again(data []byte, now map[string][]byte) bool {
	var l line
	if json.Unmarshal(data, &l) != nil {
		return false
	}
	if l.Page != nil && l.Result != nil {
		return l.Page.Result().Equal(*l.Result)
	}
	if l.Search == nil {
		return true
	}
	trees := map[string]*screen.Tree{}
	for _, id := range l.Search.trees() {
		text := now[id]
		if text == nil {
			text = w.trees[id]
		}
		var of line
		if json.Unmarshal(text, &of) != nil {
			return false
		}
		tree, err := screen.ReadRecorded(of.Data)
		if err != nil {
			return false
		}
		trees[id] = tree
	}
	r, err := l.Search.recording(trees)
	return err == nil && r.Again().Equal(r.Result)
}

// trees are the ids of the trees that a search names.
func (r *recorded) trees() []string {
	var ids []string
	for _, id := range []string{r.Earlier, r.Touched} {
		if id != "" {
			ids = append(ids, id)
		}
	}
	for _, f := range r.Frames {
		if f.Tree != "" {
			ids = append(ids, f.Tree)
		}
	}
	return ids
}
