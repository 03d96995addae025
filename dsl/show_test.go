package dsl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// show writes a struct with what its pointers point to, and without its zero fields.
func show(x any) string {
	v := reflect.ValueOf(x)
	if x == nil {
		return "nil"
	}
	if step, ok := x.(*Step); ok {
		return fmt.Sprintf("%s@%d:%d", step.Def.Name, step.Pos.Line, step.Pos.Col)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return "&" + show(v.Elem().Interface())
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			if f := v.Field(i); v.Type().Field(i).IsExported() && !f.IsZero() {
				parts = append(parts, v.Type().Field(i).Name+": "+show(f.Interface()))
			}
		}
		return v.Type().Name() + "{" + strings.Join(parts, ", ") + "}"
	case reflect.Map:
		var parts []string
		for _, key := range v.MapKeys() {
			parts = append(parts, fmt.Sprint(key)+": "+show(v.MapIndex(key).Interface()))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = show(v.Index(i).Interface())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	default:
		return fmt.Sprint(x)
	}
}
