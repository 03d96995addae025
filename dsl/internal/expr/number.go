package expr

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/vm/runtime"

	"github.com/taproot-dev/taproot/internal/source"
)

// Numbers in expressions are exact as long as they are whole, of any size, and compare by value: 1.10 equals 1.1,
// and a number of JSON is whole when it is written so. The expression library knows int and float64 only, so that
// its operators are replaced by those of this file.

// exprOperators are the operators by their names in the library.
var exprOperators = map[string]func(a, b any) any{
	"+": add, "-": subtract, "*": multiply, "/": divide, "%": remainder, "**": power, "^": power,
	"==": func(a, b any) any { return same(a, b) },
	"!=": func(a, b any) any { return !same(a, b) },
	"<":  func(a, b any) any { return ordered("<", a, b, runtime.Less, func(c int) bool { return c < 0 }) },
	"<=": func(a, b any) any {
		return ordered("<=", a, b, runtime.LessOrEqual, func(c int) bool { return c <= 0 })
	},
	">": func(a, b any) any { return ordered(">", a, b, runtime.More, func(c int) bool { return c > 0 }) },
	">=": func(a, b any) any {
		return ordered(">=", a, b, runtime.MoreOrEqual, func(c int) bool { return c >= 0 })
	},
	"in":         func(a, b any) any { return within(a, b) },
	"startsWith": func(a, b any) any { return texts("startsWith", a, b, strings.HasPrefix) },
	"endsWith":   func(a, b any) any { return texts("endsWith", a, b, strings.HasSuffix) },
	"contains":   func(a, b any) any { return texts("contains", a, b, strings.Contains) },
	"matches": func(a, b any) any {
		return texts("matches", a, b, func(text, pattern string) bool {
			form, err := regexp.Compile(pattern)
			if err != nil {
				panic(err)
			}
			return form.MatchString(text)
		})
	},
}

// plain returns a value as the operators take it: a Numeral as int, float64 or *big.Int.
func plain(x any) any {
	if n, is := x.(source.Numeral); is {
		return n.Plain()
	}
	return x
}

// flat is plain for the library's functions, which take no *big.Int.
func flat(x any) any {
	x = plain(x)
	if n, large := x.(*big.Int); large {
		panic(fmt.Errorf("%s is too large for a function; + - * %% and comparisons take it, and string(…) makes a text of it",
			n))
	}
	return x
}

// wholeIndex is flat for the places of a list and for ranges, which are whole.
func wholeIndex(x any) any {
	x = flat(x)
	if f, is := x.(float64); is {
		if f != math.Trunc(f) {
			panic(fmt.Errorf("a whole number is needed, and here is %s", Show(f)))
		}
		return int(f)
	}
	return x
}

// deep is flat for all values in lists and maps, too.
func deep(x any) any {
	switch x := x.(type) {
	case []any:
		all := make([]any, len(x))
		for i := range x {
			all[i] = deep(x[i])
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(x))
		for k := range x {
			all[k] = deep(x[k])
		}
		return all
	}
	return flat(x)
}

// wholes returns two whole numbers; false: they are not both whole.
func wholes(a, b any) (x, y *big.Int, both bool) {
	x, one := whole(a)
	y, other := whole(b)
	return x, y, one && other
}

func whole(x any) (*big.Int, bool) {
	switch x := x.(type) {
	case int:
		return big.NewInt(int64(x)), true
	case int64:
		return big.NewInt(x), true
	case *big.Int:
		return x, true
	}
	return nil, false
}

// approximate returns a value for the library's own operators: a whole number that an int does not hold as a float64.
func approximate(x any) any {
	if n, large := x.(*big.Int); large {
		f, _ := new(big.Float).SetInt(n).Float64()
		return f
	}
	return x
}

// arithmetic computes with whole numbers exactly, with all others as the library does.
func arithmetic(op string, a, b any, exact func(z, x, y *big.Int) *big.Int, library func(a, b any) any) any {
	a, b = plain(a), plain(b)
	if x, y, both := wholes(a, b); both {
		return source.NumeralOf(exact(new(big.Int), x, y))
	}
	mustFit(op, a, b)
	return library(approximate(a), approximate(b))
}

// mustFit stops an expression with an operator that does not take these values.
func mustFit(op string, a, b any) {
	if a == nil || b == nil {
		panic(fmt.Errorf("%s: %w", operation(op, a, b), errNoValue))
	}
	kinds := kindOfValue(a) + " " + kindOfValue(b)
	switch {
	case kinds == "a number a number", op == "+" && kinds == "a text a text":
	case kinds == "a time a time", kinds == "a time a duration", kinds == "a duration a time",
		kinds == "a duration a duration",
		kinds == "a duration a number", kinds == "a number a duration":
	case kinds == "a text a text" && strings.ContainsAny(op, "<>"):
	default:
		panic(errors.New(operation(op, a, b)))
	}
}

func operation(op string, a, b any) string { return doesNotWork(op, kindOfValue(a), kindOfValue(b)) }

// errNoValue is the cause of errors about something that is not there: what the app answered lacks it, perhaps.
var errNoValue = errors.New("one of them is missing")

// kindOfValue names a value in the words of test authors.
func kindOfValue(x any) string {
	if x == nil {
		return noValue
	}
	t := reflect.TypeOf(x)
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map:
		return "a map"
	}
	return typeInWords(t.String())
}

func add(a, b any) any { return arithmetic("+", a, b, (*big.Int).Add, runtime.Add) }

func subtract(a, b any) any { return arithmetic("-", a, b, (*big.Int).Sub, runtime.Subtract) }

func multiply(a, b any) any { return arithmetic("*", a, b, (*big.Int).Mul, runtime.Multiply) }

func divide(a, b any) any {
	a, b = plain(a), plain(b)
	mustFit("/", a, b)
	return runtime.Divide(approximate(a), approximate(b))
}

func power(a, b any) any {
	a, b = plain(a), plain(b)
	mustFit("**", a, b)
	return runtime.Exponent(approximate(a), approximate(b))
}

// remainder takes a number with a point or an exponent, too, when it is whole: 4.0 or 1e3.
func remainder(a, b any) any {
	a, b = plain(a), plain(b)
	mustFit("%", a, b)
	for _, x := range []*any{&a, &b} {
		f, is := (*x).(float64)
		if !is {
			continue
		}
		if f != math.Trunc(f) || math.IsInf(f, 0) {
			panic(fmt.Errorf("%% takes whole numbers, and %s is not one; int(…) cuts the rest off", Show(f)))
		}
		n, _ := big.NewFloat(f).Int(nil)
		*x = n
	}
	x, y, both := wholes(a, b)
	switch {
	case !both:
		panic(errors.New(operation("%", a, b)))
	case y.Sign() == 0:
		panic(errors.New("% 0: a remainder of nothing"))
	}
	return source.NumeralOf(new(big.Int).Rem(x, y))
}

// negative is the operator - before a value.
func negative(x any) any { return subtract(0, x) }

// positive is the operator + before a value.
func positive(x any) any { return add(0, x) }

// compare orders two numbers by their exact values; false: they are not both numbers.
func compare(a, b any) (order int, numbers bool) {
	if x, y, both := wholes(a, b); both {
		return x.Cmp(y), true
	}
	x, one := exactly(a)
	y, other := exactly(b)
	if !one || !other {
		return 0, false
	}
	return x.Cmp(y), true
}

// exactly returns the value of a finite number.
func exactly(x any) (*big.Rat, bool) {
	if n, is := whole(x); is {
		return new(big.Rat).SetInt(n), true
	}
	f, is := x.(float64)
	if !is || math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, false
	}
	return new(big.Rat).SetFloat64(f), true
}

// same compares two values: numbers by value, lists and maps by what they hold.
func same(a, b any) bool {
	a, b = plain(a), plain(b)
	if order, numbers := compare(a, b); numbers {
		return order == 0
	}
	if x, is := listIn(a); is {
		y, too := listIn(b)
		return too && slices.EqualFunc(x, y, same)
	}
	if x, is := a.(map[string]any); is {
		y, too := b.(map[string]any)
		return too && maps.EqualFunc(x, y, same)
	}
	return runtime.Equal(approximate(a), approximate(b))
}

// listIn returns the entries of a list of any type.
func listIn(x any) ([]any, bool) {
	if list, is := x.([]any); is {
		return list, true
	}
	v := reflect.ValueOf(x)
	if x == nil || v.Kind() != reflect.Slice {
		return nil, false
	}
	all := make([]any, v.Len())
	for i := range all {
		all[i] = v.Index(i).Interface()
	}
	return all, true
}

func ordered(op string, a, b any, library func(a, b any) bool, holds func(int) bool) bool {
	a, b = plain(a), plain(b)
	if order, numbers := compare(a, b); numbers {
		return holds(order)
	}
	mustFit(op, a, b)
	return library(approximate(a), approximate(b))
}

// within is the operator in: an entry of a list, or a key of a map.
func within(needle, all any) bool {
	if all == nil {
		return false
	}
	if list, is := listIn(all); is {
		return slices.ContainsFunc(list, func(x any) bool { return same(needle, x) })
	}
	m, is := all.(map[string]any)
	if !is {
		panic(fmt.Errorf(`"in" needs a list or a map, not %s`, kindOfValue(plain(all))))
	}
	key, is := needle.(string)
	_, known := m[key]
	return is && known
}

// texts is an operator between two texts.
func texts(op string, a, b any, holds func(a, b string) bool) bool {
	x, one := a.(string)
	y, other := b.(string)
	switch {
	case a == nil || b == nil:
		panic(fmt.Errorf("%s: %w", operation(op, plain(a), plain(b)), errNoValue))
	case !one || !other:
		panic(errors.New(operation(op, plain(a), plain(b)) + "; string(…) makes a text of a number"))
	}
	return holds(x, y)
}

// fromJSON reads a text as JSON, with its numbers as they are written.
func fromJSON(x any) any {
	text, is := x.(string)
	if !is {
		panic(fmt.Errorf("fromJSON does not take %s", kindOfValue(plain(x))))
	}
	v, err := source.ParseJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

// truthOf is where an expression needs true or false: next to and, or, not, and before a question mark.
func truthOf(x any) any {
	switch {
	case x == nil:
		panic(fmt.Errorf("true or false is needed, and here is %s: %w", noValue, errNoValue))
	case kindOfValue(x) != "a true/false value":
		panic(fmt.Errorf("true or false is needed, and here is %s", kindOfValue(plain(x))))
	}
	return x
}
