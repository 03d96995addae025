package source

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Resolve says what a scalar without quotes is, by the YAML 1.2 core schema: yes, 12:30, 1_000 and 2024-01-01 are text.
func Resolve(text string) Kind {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	case ".nan", ".NaN", ".NAN":
		return Float
	}
	unsigned := strings.TrimLeft(text, "+-")
	if len(text)-len(unsigned) > 1 {
		return String
	}
	switch unsigned {
	case ".inf", ".Inf", ".INF":
		return Float
	}
	switch {
	case isDigits(unsigned, "0123456789"):
		return Int
	case strings.HasPrefix(text, "0o") && isDigits(text[2:], "01234567"),
		strings.HasPrefix(text, "0x") && isDigits(text[2:], "0123456789abcdefABCDEF"):
		return Int
	case isFloat(unsigned):
		return Float
	default:
		return String
	}
}

func isDigits(s, digits string) bool {
	return s != "" && strings.Trim(s, digits) == ""
}

func isFloat(s string) bool {
	const digits = "0123456789"
	mantissa, exponent, scientific := strings.Cut(strings.Replace(s, "E", "e", 1), "e")
	if scientific && !isDigits(strings.TrimPrefix(strings.TrimPrefix(exponent, "-"), "+"), digits) ||
		strings.HasPrefix(exponent, "-+") {
		return false
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" {
		return isDigits(fraction, digits)
	}
	return isDigits(whole, digits) && (fraction == "" || isDigits(fraction, digits))
}

// Number reads the text of an Int.
func Number(text string) (int, bool) {
	base, digits := baseOf(text)
	n, err := strconv.ParseInt(digits, base, 64)
	return int(n), err == nil
}

// baseOf returns the base of an Int and its digits.
func baseOf(text string) (base int, digits string) {
	switch {
	case strings.HasPrefix(text, "0o"):
		return 8, text[2:]
	case strings.HasPrefix(text, "0x"):
		return 16, text[2:]
	}
	return 10, text
}

// Numeral is a number that Go's own types cannot hold as it is written: 01234, 1.10, 1e3, 0x1F, or a whole number
// of more than 64 bits. It is a number in JSON and in expressions, and its own spelling wherever it becomes text.
type Numeral struct{ text string }

// NumberOf returns a number as Go has it: an int or a float64 that is printed as the text, else a Numeral. The text
// is one that Resolve takes for an Int or a Float, or a number of JSON.
func NumberOf(text string) any {
	if n, fits := Number(text); fits && strconv.Itoa(n) == text {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == text &&
		strings.Contains(text, ".") {
		return f
	}
	return Numeral{text}
}

// NumeralOf returns a whole number of any size.
func NumeralOf(n *big.Int) any { return NumberOf(n.String()) }

// String returns the number as it is written.
func (n Numeral) String() string { return n.text }

// Plain returns the number to compute with: an int, a *big.Int when it is whole and larger, else a float64. It is
// exact for whole numbers.
func (n Numeral) Plain() any {
	if whole, is := n.whole(); is {
		if whole.IsInt64() {
			return int(whole.Int64())
		}
		return whole
	}
	return float(n.text)
}

// maxExponent bounds the digits of a number that is written with an exponent.
const maxExponent = 400

// whole returns the value of a whole number; one with a point or an exponent only counts when a float64 cannot hold
// it.
func (n Numeral) whole() (*big.Int, bool) {
	base, digits := baseOf(n.text)
	if whole, is := new(big.Int).SetString(digits, base); is {
		return whole, true
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(n.text), "e")
	if e, err := strconv.Atoi(exponent); exponent != "" && (err != nil || e > maxExponent || e < -maxExponent) {
		return nil, false
	}
	if !isFloat(strings.TrimLeft(n.text, "+-")) || len(mantissa) > 10*maxExponent {
		return nil, false
	}
	exact, is := new(big.Rat).SetString(strings.TrimSuffix(strings.Replace(n.text, ".e", "e", 1), "."))
	if !is || !exact.IsInt() || exact.Num().BitLen() <= 53 {
		return nil, false
	}
	return exact.Num(), true
}

// MarshalJSON writes the number as JSON has it: with its own digits, but without leading zeros.
func (n Numeral) MarshalJSON() ([]byte, error) {
	if isJSONNumber(n.text) {
		return []byte(n.text), nil
	}
	switch x := n.Plain().(type) {
	case int:
		return []byte(strconv.Itoa(x)), nil
	case *big.Int:
		return []byte(x.String()), nil
	case float64:
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			return []byte(strconv.FormatFloat(x, 'f', -1, 64)), nil
		}
	}
	return nil, errors.New("JSON has no number " + n.text)
}

// isJSONNumber reports whether a number is written as JSON writes numbers.
func isJSONNumber(text string) bool {
	unsigned := strings.TrimPrefix(text, "-")
	mantissa, _, _ := strings.Cut(strings.Replace(unsigned, "E", "e", 1), "e")
	whole, fraction, point := strings.Cut(mantissa, ".")
	return isFloat(unsigned) && whole != "" && (whole == "0" || whole[0] != '0') && (!point || fraction != "")
}
