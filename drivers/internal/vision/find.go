package vision

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Models are asked for one JSON object and nothing else, and many send more: their reasoning in <think> tags, a
// Markdown fence, a sentence before or after, properties that nothing asked for. findAnswer reads such a text leniently
// where only one reading is possible: exactly one complete object that has a property of the schema. Whatever could be
// read in two ways is an error, because a guess could turn a no into a yes.

// maxDepth bounds the nesting of an answer.
const maxDepth = 10

var (
	thought   = lazyregexp.New(`(?is)<(think|thinking|reasoning|thought)>.*?</(think|thinking|reasoning|thought)>`)
	thinks    = lazyregexp.New(`(?i)</?(think|thinking|reasoning|thought)>`)
	list      = lazyregexp.New(`^\[\s*[\[{]`)
	fenceLine = lazyregexp.New("(?m)^[ \\t]*```[A-Za-z0-9_-]*[ \\t]*\r?$")
)

// findAnswer returns the one object in a text that has any of the properties.
func findAnswer(text string, properties []string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("it is not UTF-8")
	}
	text = thought.ReplaceAllString(strings.TrimPrefix(text, "\ufeff"), " ")
	if tags := thinks.FindAllStringIndex(text, -1); len(tags) == 1 && text[tags[0][0]+1] == '/' {
		text = text[tags[0][1]:] // some endpoints leave the opening tag out
	}
	if thinks.MatchString(text) {
		return nil, errors.New("it ends within the model's thoughts")
	}
	text = strings.TrimSpace(fenceLine.ReplaceAllString(text, ""))
	if list.MatchString(text) {
		return nil, errors.New("it is not an object")
	}
	var found []byte
	for at := 0; at < len(text); {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 {
			break
		}
		at += next
		object, err := readObject(text[at:])
		switch {
		case errors.Is(err, errProse):
			at++
			continue
		case err != nil:
			return nil, err
		}
		if err := checkProperties(object, properties); err != nil {
			return nil, err
		}
		if hasAny(object, properties) {
			if found != nil && !bytes.Equal(found, object) {
				return nil, errors.New("it holds several responses: something follows the first")
			}
			found = object
		}
		at += len(object)
	}
	if found == nil {
		return nil, errors.New("it holds no JSON object with any of " + strings.Join(properties, ", "))
	}
	return found, nil
}

// errProse says that a brace does not open a JSON object.
var errProse = errors.New("not an object")

// readObject reads the JSON object at the start of a text. A brace that no property name follows belongs to prose.
func readObject(text string) ([]byte, error) {
	if rest := strings.TrimSpace(text[1:]); rest != "" && rest[0] != '"' && rest[0] != '}' {
		return nil, errProse
	}
	d := json.NewDecoder(strings.NewReader(text))
	err := checkValue(d, 0)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it ends in mid-sentence")
	case err != nil:
		return nil, err
	}
	return []byte(text[:d.InputOffset()]), nil
}

// checkValue reads one value and refuses what encoding/json accepts: a property that is given twice.
func checkValue(d *json.Decoder, depth int) error {
	if depth > maxDepth {
		return errors.New("it is nested too deeply")
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			if seen[strings.ToLower(name)] {
				return fmt.Errorf("%q is given twice", name)
			}
			seen[strings.ToLower(name)] = true
		}
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// checkProperties refuses a property of the schema in another spelling, which encoding/json would take for it.
func checkProperties(object []byte, properties []string) error {
	for name := range members(object) {
		for _, p := range properties {
			if name != p && strings.EqualFold(name, p) {
				return fmt.Errorf("%q is not a property of it; it is called %q", name, p)
			}
		}
	}
	return nil
}

func hasAny(object []byte, properties []string) bool {
	all := members(object)
	for _, p := range properties {
		if _, ok := all[p]; ok {
			return true
		}
	}
	return false
}

func members(object []byte) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil {
		return nil
	}
	return all
}

// propertiesOf returns the JSON names of a struct's fields, given a pointer to it.
func propertiesOf(into any) []string {
	t := reflect.TypeOf(into).Elem()
	var names []string
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("json"))
	}
	return names
}

// judged maps the names under which models repeat their judgement to whether true means a pass.
var judged = map[string]bool{"pass": true, "result": true, "verdict": true, "answer": true, "success": true,
	"successful": true,
	"valid":      true, "outcome": true, "fail": false, "failed": false, "failure": false}

// contradiction returns why an answer with further properties contradicts its own "passed", or "" if none
// does.
func contradiction(object []byte, passed bool) string {
	for name, value := range members(object) {
		positive, known := judged[strings.ToLower(name)]
		said, clear := asJudgement(value)
		if known && clear && (said == positive) != passed {
			return fmt.Sprintf("it says passed: %v and %s: %s", passed, name, value)
		}
	}
	return ""
}

// asJudgement reads true, false, or a word for one of them.
func asJudgement(value json.RawMessage) (said, clear bool) {
	switch strings.ToLower(strings.Trim(string(value), `" `)) {
	case "true", "yes", "pass", "passed", "ok", "success", "1":
		return true, true
	case "false", "no", "fail", "failed", "failure", "error", "0":
		return false, true
	}
	return false, false
}
