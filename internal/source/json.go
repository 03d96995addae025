package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// FromJSON reads one JSON value, strictly: no repeated keys, nothing after it, UTF-8 only, 1 MiB and 100 levels at
// most. The Values have no place. Errors name what is wrong in a few words, fit for the body of an answer.
func FromJSON(data []byte) (Value, error) {
	switch {
	case len(data) > MaxBytes:
		return Value{}, fmt.Errorf("the JSON is larger than %d bytes", MaxBytes)
	case !utf8.Valid(data):
		return Value{}, fmt.Errorf("the JSON is not UTF-8")
	}
	if !json.Valid(data) {
		var any json.RawMessage
		if err := json.Unmarshal(data, &any); err != nil {
			return Value{}, fmt.Errorf("read JSON: %w", err)
		}
		return Value{}, fmt.Errorf("the JSON is broken")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	r := jsonReader{dec: dec}
	return r.value(1)
}

// ParseJSON returns the value of a JSON text as Value.Go does, with numbers as they are written. It is as lenient as
// encoding/json.
func ParseJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read JSON: more than one value")
	}
	return withNumbers(v), nil
}

// withNumbers replaces the numbers of encoding/json in a value.
func withNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return NumberOf(v.String())
	case []any:
		for i := range v {
			v[i] = withNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = withNumbers(v[k])
		}
	}
	return v
}

type jsonReader struct {
	dec   *json.Decoder
	count int
}

func (r *jsonReader) value(depth int) (Value, error) {
	t, err := r.dec.Token()
	if err != nil {
		return Value{}, fmt.Errorf("read JSON: %w", err)
	}
	r.count++
	switch {
	case depth > MaxDepth:
		return Value{}, fmt.Errorf("the JSON is nested deeper than %d levels", MaxDepth)
	case r.count > MaxValues:
		return Value{}, fmt.Errorf("the JSON holds more than %d values", MaxValues)
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return r.list(depth)
		}
		return r.object(depth)
	case bool:
		return Value{Kind: Bool, Text: fmt.Sprint(t)}, nil
	case json.Number:
		if _, err := t.Float64(); err != nil { // 1e999: JSON can write it, and no machine can hold it
			return Value{}, fmt.Errorf("the number %.40s is too large", t)
		}
		return Value{Kind: Resolve(t.String()), Text: t.String()}, nil
	case string:
		return Value{Kind: String, Text: t}, nil
	default:
		return Value{Text: "null"}, nil
	}
}

func (r *jsonReader) list(depth int) (Value, error) {
	v := Value{Kind: List}
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := r.dec.Token()
	return v, err
}

func (r *jsonReader) object(depth int) (Value, error) {
	v := Value{Kind: Map}
	seen := map[string]bool{}
	for r.dec.More() {
		t, err := r.dec.Token()
		if err != nil {
			return Value{}, fmt.Errorf("read JSON: %w", err)
		}
		key, _ := t.(string)
		if seen[key] {
			return Value{}, fmt.Errorf("the key %q is given twice", phrase.LimitRunes(key, 60))
		}
		seen[key] = true
		value, err := r.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Fields = append(v.Fields, Field{Key: key, Value: value})
	}
	_, err := r.dec.Token()
	return v, err
}
