package auth

import (
	"encoding/json"
	"errors"
	"strings"
)

// list is a claim that is a text with blanks between its words, or a list of texts.
type list []string

// UnmarshalJSON reads either form.
func (l *list) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l = strings.Fields(text)
		return nil
	}
	var words []string
	if json.Unmarshal(data, &words) != nil {
		return errors.New("scopes are a text or a list of texts")
	}
	*l = words
	return nil
}
