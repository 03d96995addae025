package maestro

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Scalars without quotes are YAML 1.1's in Maestro's files: a yes is true, 1.50 is 1.5, 007 is 7. Whether a command
// sees that or the text as it is written depends on the command.

var (
	boolForm = lazyregexp.New(`^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)
	intForm  = lazyregexp.New(`^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+)$`)
	realForm = lazyregexp.New(
		`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?)$`)
	nullForm = lazyregexp.New(`^(?:~|null|Null|NULL)$`)
)

// scalar is what YAML 1.1 makes of a value: a string, bool, int64, float64, or nil.
func scalar(v source.Raw) any {
	text := v.Text
	switch {
	case v.Kind == source.Null:
		return nil
	case v.Quoted:
		return text
	case nullForm.MatchString(text):
		return nil
	case boolForm.MatchString(text):
		return strings.ContainsAny(text[:1], "yYtT") || strings.EqualFold(text, "on")
	case intForm.MatchString(text):
		if n, ok := wholeNumber(text); ok {
			return n
		}
	case realForm.MatchString(text):
		if f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil {
			return f
		}
	}
	return text
}

// wholeNumber reads a number of YAML 1.1: with underscores, in base 2, 8 (a leading zero), 10 or 16.
func wholeNumber(text string) (int64, bool) {
	digits := strings.ReplaceAll(text, "_", "")
	sign := ""
	if strings.HasPrefix(digits, "-") || strings.HasPrefix(digits, "+") {
		sign, digits = strings.TrimPrefix(digits[:1], "+"), digits[1:]
	}
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"):
		base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	}
	n, err := strconv.ParseInt(sign+digits, base, 64)
	return n, err == nil
}

// yamlText is the text of a value after YAML 1.1 has read it.
func yamlText(v source.Raw) string {
	switch x := scalar(v).(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return javaFloat(x)
	case string:
		return x
	}
	return v.Text
}

// javaFloat writes a number as Java does: 1.5, 100.0, 1.0E10.
func javaFloat(f float64) string {
	size := math.Abs(f)
	if size != 0 && (size < 1e-3 || size >= 1e7) {
		text := strconv.FormatFloat(f, 'E', -1, 64)
		mantissa, exponent, _ := strings.Cut(text, "E")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		negative := strings.HasPrefix(exponent, "-")
		exponent = strings.TrimLeft(strings.TrimLeft(exponent, "+-"), "0")
		if negative {
			exponent = "-" + exponent
		}
		return mantissa + "E" + exponent
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// resolved is the text of a field as YAML 1.1 reads it; nil: it is none, which is reported, or nothing.
func (r *reader) resolved(f source.RawField) *string {
	if !r.isScalar(f) || scalar(f.Value) == nil {
		return nil
	}
	text := yamlText(f.Value)
	return &text
}

// written is the text of a field as it is written.
func (r *reader) written(f source.RawField) *string {
	if !r.isScalar(f) || f.Value.Kind == source.Null || !f.Value.Quoted && nullForm.MatchString(f.Value.Text) {
		return nil
	}
	text := f.Value.Text
	return &text
}

func (r *reader) isScalar(f source.RawField) bool {
	if f.Value.Kind == source.List || f.Value.Kind == source.Map {
		r.fail(f.Value.Pos, 0, fmt.Sprintf("%q must be a text, not a %s", f.Key, kindName(f.Value)),
			"put the text behind it in quotes")
		return false
	}
	return true
}

func kindName(v source.Raw) string {
	switch v.Kind {
	case source.List:
		return "list"
	case source.Map:
		return "map"
	case source.Null:
		return "nothing"
	}
	return "text"
}

// whole reads a whole number, quoted or not; nil: there is none.
func (r *reader) whole(f source.RawField) *int {
	if !r.isScalar(f) {
		return nil
	}
	var n int64
	switch x := scalar(f.Value).(type) {
	case nil:
		return nil
	case int64:
		n = x
	case float64:
		n = int64(x)
	case string:
		parsed, err := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
		if err != nil {
			r.notWhole(f)
			return nil
		}
		n = parsed
	default:
		r.notWhole(f)
		return nil
	}
	if n != int64(int32(n)) {
		r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q is too large a number", f.Key), "")
		return nil
	}
	small := int(n)
	return &small
}

func (r *reader) notWhole(f source.RawField) {
	hint := ""
	if strings.Contains(f.Value.Text, "${") {
		hint = "Maestro fills in no ${…} here"
	}
	r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q must be a whole number, not %q", f.Key, short(f.Value.Text)), hint)
}

// truth reads true or false.
func (r *reader) truth(f source.RawField, otherwise bool) bool {
	if !r.isScalar(f) {
		return otherwise
	}
	switch x := scalar(f.Value).(type) {
	case nil:
		return otherwise
	case bool:
		return x
	case int64:
		return x != 0
	case string:
		switch strings.TrimSpace(x) {
		case "true", "True", "TRUE":
			return true
		case "false", "False", "FALSE":
			return false
		}
	}
	r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q must be true or false, not %q", f.Key, short(f.Value.Text)), "")
	return otherwise
}

func short(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

func words(list string) []string { return strings.Fields(list) }
