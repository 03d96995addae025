package dsl

import (
	"fmt"
	"github.com/taproot-dev/taproot/dsl/source"
	"math"
	"strings"
	"time"
)

// Millis is a time in milliseconds. In YAML it is a whole number, or a text with a unit: 500ms, 1.5s, 2m.
type Millis int

// maxMillis is an hour.
const maxMillis = 3_600_000

// Duration returns the time in Go's own unit.
func (m Millis) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

func (m *Millis) fromValue(d *decoding, v source.Value, name string) {
	const hint = "write milliseconds, or a text with its unit: 500ms, 1.5s or 2m"
	n, ok := 0, false
	switch {
	case v.Kind == source.Int, v.Kind == source.String && v.Written != "" && source.Resolve(v.Text) == source.Int:
		n, ok = source.Number(v.Text)
		ok = ok || !strings.HasPrefix(v.Text, "-")
	case v.Kind == source.String:
		took, err := time.ParseDuration(strings.ReplaceAll(v.Text, " ", ""))
		ok = err == nil && source.Resolve(v.Text) == source.String
		n = int(math.Ceil(float64(took) / float64(time.Millisecond)))
	}
	switch {
	case !ok:
		d.wrong(v, fmt.Sprintf("%q must be a time, not %s%s", name, describe(v), origin(v)), hint)
	case n < 0:
		d.wrong(v, fmt.Sprintf("%q must be at least 0%s", name, origin(v)), "")
	case n > maxMillis, n == 0 && strings.Trim(v.Text, "+0.smhxo") != "":
		d.wrong(v, fmt.Sprintf("%q must be at most %d, an hour%s", name, maxMillis, origin(v)), "")
	default:
		*m = Millis(n)
	}
}

func (Millis) schema(s *schemas) schema {
	number := schema{"type": "integer", "minimum": 0, "maximum": maxMillis}
	switch {
	case s.variables:
		return schema{"anyOf": []any{number, schema{"type": "string", "pattern": `\$\{|^[+]?[0-9. ]+(ms|s|m|h|us|µs|ns)`}}}
	case s.forms:
		return schema{
			"anyOf": []any{
				number, schema{"type": "string",
					"pattern": `^([0-9]{1,6}(\.[0-9]{1,3})?ms|[0-9]{1,3}(\.[0-9]{1,3})?s|[0-9](\.[0-9]{1,3})?m)$`}}}
	}
	return number
}

func (Millis) words() string { return "milliseconds, or a text such as 1.5s" }
