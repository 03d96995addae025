package phrase

import (
	"strconv"
	"sync"
)

// Tail keeps the end of what a program prints, for messages. The zero value is empty. Safe for concurrent use.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

// tailBytes is how much of an output a Tail keeps, tailRunes how much of that is in messages.
const tailBytes, tailRunes = 2000, 300

// Write keeps the end of the output; it never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String is for the end of a message: empty, or a space and the output in parentheses.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	runes := []rune(OneLine(string(t.text)))
	if len(runes) == 0 {
		return ""
	}
	mark := ""
	if over := len(runes) - tailRunes; over > 0 {
		mark, runes = Mark, runes[over:]
	}
	return " (it prints " + strconv.QuoteToGraphic(mark+string(runes)) + ")"
}
