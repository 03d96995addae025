package replay

import (
	"strconv"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

// maxValues is how many combinations of values an expression is evaluated with.
const maxValues = 4000

var literals = lazyregexp.New(`"([^"\\]*)"|'([^'\\]*)'|\b\d+(?:\.\d+)?\b`)

// alwaysHolds says why an expression cannot be false: it is true, or no value, for all values of its variables that
// were tried; "" when a value makes it false, or it depends on the screen.
func alwaysHolds(e dsl.Expr) string {
	names := map[string]bool{}
	for _, n := range e.Names() {
		names[n.Name] = true
	}
	var free []string
	for name := range names {
		free = append(free, name)
	}
	values := candidates(e.Text)
	combinations := 1
	for range free {
		if combinations *= len(values); combinations > maxValues {
			combinations = maxValues
			break
		}
	}
	ever := false
	for _, word := range []string{"", "x", "android"} {
		extra := map[string]any{"platform": word, "device": deviceOf(word),
			"visible": func(string) (bool, error) { return word == "x", nil }}
		for n := range combinations {
			scope, err := dsl.NewScope(&dsl.Test{}, nil, nil)
			if err != nil {
				return ""
			}
			for i, at := 0, n; i < len(free); i++ {
				scope.Set(free[i], values[at%len(values)])
				at /= len(values)
			}
			got, err := scope.Eval(e.Text, source.Pos{}, extra)
			if err == nil && got == false {
				return ""
			}
			ever = ever || err == nil && got == true
		}
	}
	switch {
	case !ever:
		return ""
	case len(free) == 0:
		return "depends on no variable: it is always true"
	}
	return "is true whatever its variables are"
}

// deviceOf is a device of which all properties are a word.
func deviceOf(word string) map[string]any {
	device := map[string]any{}
	for _, name := range []string{"id", "model", "os"} {
		device[name] = word
	}
	return device
}

// candidates are values to try in an expression: those that it names, those around its numbers, and one of each type.
func candidates(text string) []any {
	list := []any{"", "x", 0, 1, -1, 1e9, true, false, []any{}, []any{"x", "y"}}
	for _, m := range literals.FindAllStringSubmatch(text, 8) {
		if n, err := strconv.ParseFloat(m[0], 64); err == nil {
			if whole := int(n); float64(whole) == n {
				list = append(list, whole, whole-1, whole+1, strconv.Itoa(whole), strconv.Itoa(whole-1), strconv.Itoa(whole+1))
			} else {
				list = append(list, n, n-1, n+1)
			}
			continue
		}
		list = append(list, m[1]+m[2])
	}
	return list
}
