package screen

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// selectorText writes a selector as a test does: the keys in the order of the test syntax, a relation to a label as its
// text alone.
func selectorText(s dsl.Selector) string {
	var fields []string
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if text := valueText(v.Field(i)); text != "" {
			fields = append(fields, key+": "+text)
		}
	}
	return written(fields...)
}

// valueText is one value of a selector, "" for one that is not given.
func valueText(v reflect.Value) string {
	if v.IsZero() {
		return ""
	}
	switch x := v.Interface().(type) {
	case dsl.Selector:
		if reflect.DeepEqual(x, dsl.Selector{Label: x.Label}) {
			return yamlText(x.Label)
		}
		return selectorText(x)
	case dsl.Point:
		return yamlText(pointText(x))
	case dsl.Size:
		var fields []string
		for _, side := range []struct {
			key string
			n   *int
		}{{"width", x.Width}, {"height", x.Height}} {
			if side.n != nil {
				fields = append(fields, side.key+": "+strconv.Itoa(*side.n))
			}
		}
		if x.Tolerance > 0 {
			fields = append(fields, "tolerance: "+strconv.Itoa(x.Tolerance))
		}
		return written(fields...)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Elem().Kind() == reflect.Struct {
			return valueText(v.Elem())
		}
		return fmt.Sprint(v.Elem().Interface())
	case reflect.Slice:
		var list []string
		for i := range v.Len() {
			list = append(list, valueText(v.Index(i)))
		}
		if len(list) == 1 {
			return list[0]
		}
		return "[" + strings.Join(list, ", ") + "]"
	case reflect.String:
		return yamlText(v.String())
	}
	return fmt.Sprint(v.Interface())
}

func written(fields ...string) string { return "{" + strings.Join(fields, ", ") + "}" }

// plainText is what YAML reads as a text also within braces, without quotes.
var plainText = lazyregexp.New(`^[\pL_][\pL\pN_ ./+-]*[\pL\pN_.+]$|^[\pL_]$`)

// yamlText writes a text as YAML within braces.
func yamlText(s string) string {
	if plainText.MatchString(s) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"},
		strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}
