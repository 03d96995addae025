package script

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

const (
	maxDepth    = 5   // of nested lists and objects
	maxElements = 200 // of one of them
)

// spell writes a value as GraalJS prints a result: texts as they are, [] for an empty list, (2)[1, 2] for one of two,
// {a: 1} for an object.
func (e *Engine) spell(v goja.Value) (text string, err error) {
	if thrown := e.vm.Try(func() { text = e.write(v, 0) }); thrown != nil {
		return "", thrown
	}
	return text, nil
}

func (e *Engine) write(v goja.Value, depth int) string {
	if v == nil || goja.IsUndefined(v) {
		return "undefined"
	}
	if goja.IsNull(v) {
		return "null"
	}
	o, is := v.(*goja.Object)
	if !is {
		if text, is := v.Export().(string); is && depth > 0 {
			return strconv.Quote(text)
		}
		return v.String()
	}
	switch o.ClassName() {
	case "Array":
		return e.list(o, depth)
	case "Function":
		return v.String()
	case "Error":
		return v.String()
	case "Date":
		if iso, is := goja.AssertFunction(o.Get("toISOString")); is {
			if text, err := iso(o); err == nil {
				return text.String()
			}
		}
		return "Invalid Date"
	case "RegExp", "Symbol":
		return v.String()
	case "Number", "String", "Boolean":
		return v.String()
	}
	return e.object(o, depth)
}

func (e *Engine) list(o *goja.Object, depth int) string {
	length := int(o.Get("length").ToInteger())
	if length > 0 && depth >= maxDepth {
		return fmt.Sprintf("Array(%d)", length)
	}
	var b strings.Builder
	if depth == 0 && length >= 2 {
		fmt.Fprintf(&b, "(%d)", length)
	}
	b.WriteByte('[')
	for i := range length {
		if i > 0 {
			b.WriteString(", ")
		}
		if i >= maxElements {
			b.WriteString("...")
			break
		}
		b.WriteString(e.write(o.Get(strconv.Itoa(i)), depth+1))
	}
	b.WriteByte(']')
	return b.String()
}

func (e *Engine) object(o *goja.Object, depth int) string {
	keys := o.Keys()
	if len(keys) > 0 && depth >= maxDepth {
		return "{...}"
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			b.WriteString(", ")
		}
		if i >= maxElements {
			b.WriteString("...")
			break
		}
		b.WriteString(key + ": " + e.write(o.Get(key), depth+1))
	}
	b.WriteByte('}')
	return b.String()
}
