package source

import (
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
