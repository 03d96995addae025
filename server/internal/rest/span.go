package rest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// Span is a duration in the body of a request: a number of milliseconds, or a text such as 1m30s.
type Span struct{ text string }

// UnmarshalJSON keeps what was sent. Within reports what is wrong with it, by the name of its key.
func (s *Span) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &s.text)
	}
	s.text = string(data)
	return nil
}

// MarshalJSON writes what was sent as a text.
func (s Span) MarshalJSON() ([]byte, error) { return json.Marshal(s.text) }

// Schema describes a Span. Its limits are not in it: no pattern can compare durations.
func (Span) Schema(huma.Registry) *huma.Schema {
	zero := 0.
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeInteger, Minimum: &zero}, {Type: huma.TypeString}},
		Examples: []any{"1m30s"}}
}

// Within returns the duration of a key of the body, between two limits.
func (s Span) Within(key string, least, most time.Duration) (time.Duration, error) {
	d, near, ok := phrase.ParseDuration(strings.TrimSuffix(s.text, ".0"))
	switch {
	case !ok && near != "":
		return 0, Invalid(fmt.Sprintf("body.%s: %.50q is not a time; write %s", key, s.text, near))
	case !ok:
		return 0, Invalid(fmt.Sprintf("body.%s: %.50q is not a time; write 5s, 1m30s, or milliseconds", key, s.text))
	case d < least:
		return 0, Invalid(fmt.Sprintf("body.%s: at least %s", key, phrase.Duration(least)))
	case d > most:
		return 0, Invalid(fmt.Sprintf("body.%s: at most %s", key, phrase.Duration(most)))
	}
	return d, nil
}

// SpanOr returns a duration that a body may give under two names: as a Span, or as a number of units; 0 without any.
func SpanOr(key string, s *Span, old string, n int, unit time.Duration, most time.Duration) (time.Duration, error) {
	switch {
	case s != nil && n != 0:
		return 0, Invalid(fmt.Sprintf("body: %q and %q are the same: remove one of the two", key, old))
	case s != nil:
		return s.Within(key, min(unit, time.Second), most)
	case time.Duration(n)*unit > most:
		return 0, Invalid(fmt.Sprintf("body.%s: at most %s", old, phrase.Duration(most)))
	}
	return time.Duration(n) * unit, nil
}
