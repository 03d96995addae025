package source

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// jsonElement is an element in the JSON form of a source. Its booleans come as true, 1, "1" or "true".
type jsonElement struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Identifier  string          `json:"rawIdentifier"`
	Label       string          `json:"label"`
	Value       json.RawMessage `json:"value"`
	Placeholder string          `json:"placeholderValue"`
	Traits      *string         `json:"traits"`
	Enabled     any             `json:"isEnabled"`
	Visible     any             `json:"isVisible"`
	Accessible  any             `json:"isAccessible"`
	Rect        struct {
		X, Y, Width, Height json.Number
	} `json:"rect"`
	Children []*jsonElement `json:"children"`
}

// jsonForm returns the root of a source in JSON, bare or in the envelope of an answer; nil for anything else.
func jsonForm(data []byte) *jsonElement {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(data) > sourceBytes || !bytes.HasPrefix(data, []byte("{")) {
		return nil
	}
	root := new(jsonElement)
	if json.Unmarshal(data, root) != nil {
		return nil
	}
	if root.Type == "" {
		inner := new(jsonElement)
		if json.Unmarshal(root.Value, inner) != nil || inner.Type == "" {
			return nil
		}
		root = inner
	}
	return root
}

func (j *jsonElement) node(r *sourceReader, depth int) (*screen.Node, error) {
	if r.count++; r.count > sourceElements || depth > sourceDepth {
		return nil, fmt.Errorf("%w: it has more than %d elements, or more than %d inside one another", errSource,
			sourceElements, sourceDepth)
	}
	e := sourceElement{kind: strings.TrimPrefix(j.Type, Prefix), name: meant(cmp.Or(j.Identifier, j.Name)),
		label: meant(j.Label),
		value: meant(scalar(j.Value)), placeholder: meant(j.Placeholder), accessible: on(j.Accessible, false),
		disabled: !on(j.Enabled, true), hidden: !on(j.Visible, true)}
	if j.Traits != nil {
		e.traits, e.told, r.traits = *j.Traits, true, true
	}
	n := r.make(e)
	x, y := number(j.Rect.X.String()), number(j.Rect.Y.String())
	n.Bounds = image.Rect(Whole(x), Whole(y), Whole(x+number(j.Rect.Width.String())),
		Whole(y+number(j.Rect.Height.String())))
	for _, c := range j.Children {
		if c == nil {
			continue
		}
		child, err := c.node(r, depth+1)
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, child)
	}
	return n, nil
}

// scalar is a JSON text or number as text, "" for anything else.
func scalar(raw json.RawMessage) string {
	var text string
	var n json.Number
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return text
	case json.Unmarshal(raw, &n) == nil:
		return n.String()
	}
	return ""
}

func on(v any, otherwise bool) bool {
	switch v := v.(type) {
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v == "1" || v == "true"
	}
	return otherwise
}
