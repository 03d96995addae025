package host

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// JSONIn reads the JSON object with a key, or without one the list, that starts a line of what a program printed.
// Others may precede it: Xcode reports there what it installs by the way, go-ios what it does.
func JSONIn(out []byte, key string, to any) error {
	opens := byte('{')
	if key == "" {
		opens = '['
	}
	missing := errors.New("what it says is not in its JSON")
	for rest := out; len(rest) > 0; {
		var value json.RawMessage
		if rest[0] == opens {
			err := json.NewDecoder(bytes.NewReader(rest)).Decode(&value)
			if err == nil && (key == "" || hasKey(value, key)) {
				return json.Unmarshal(value, to)
			}
			if err != nil {
				missing = err
			}
		}
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return missing
}

func hasKey(object json.RawMessage, key string) bool {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(object, &fields)
	_, ok := fields[key]
	return ok
}

// complaints takes the errors out of a log in lines of JSON, as go-ios writes it: its warnings, which it writes with
// every call, are not why a call failed. Any other text stays as it is.
func complaints(text string) string {
	errs := errorsIn(text)
	if len(errs) == 0 {
		return text
	}
	return strings.Join(errs, "\n")
}

// errorsIn are the errors in a log in lines of JSON.
func errorsIn(text string) (errs []string) {
	for line := range strings.Lines(text) {
		var entry struct{ Level, Msg, Err, Error string }
		if json.Unmarshal([]byte(line), &entry) == nil && slices.Contains([]string{"error", "fatal"},
			strings.ToLower(entry.Level)) {
			errs = append(errs, strings.TrimSuffix(entry.Msg+": "+cmp.Or(entry.Err, entry.Error), ": "))
		}
	}
	return errs
}

// failureText is what a program reported of its failure.
func failureText(errs, out string) string {
	if s := strings.TrimSpace(errs); s != "" {
		return complaints(s)
	}
	return complaints(strings.TrimSpace(out))
}

// capped keeps the first bytes of an output and reads on, so that the program never waits for us.
type capped struct {
	buf  bytes.Buffer
	full bool
}

func (c *capped) Write(p []byte) (int, error) {
	room := toolOutput - c.buf.Len()
	c.full = c.full || room < len(p)
	c.buf.Write(p[:min(max(room, 0), len(p))])
	return len(p), nil
}

// lastLines is the end of what a program printed, for a message.
func lastLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return phrase.LimitBytes(phrase.OneLine(strings.Join(lines[max(0, len(lines)-6):], " ")), 600)
}
