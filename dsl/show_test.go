package dsl

import (
	"fmt"
	"reflect"
	"strings"
)

// show writes a struct with what its pointers point to, and without its zero fields.
func show(x any) string {
	v := reflect.ValueOf(x)
	switch v.Kind() {
	case reflect.Pointer:
		return "&" + show(v.Elem().Interface())
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				parts = append(parts, v.Type().Field(i).Name+": "+show(f.Interface()))
			}
		}
		return v.Type().Name() + "{" + strings.Join(parts, ", ") + "}"
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	default:
		return fmt.Sprint(x)
	}
}
