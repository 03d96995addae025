package phrase

import (
	"strings"
	"testing"
)

// The last lines count: a program says at the end why it ends.
func TestTail(t *testing.T) {
	tail := &Tail{}
	if got := tail.String(); got != "" {
		t.Errorf("%q", got)
	}
	for range 100 {
		_, _ = tail.Write([]byte(strings.Repeat("x", 50) + "\n"))
	}
	_, _ = tail.Write([]byte("cannot open display: :7\x07\n"))
	got := tail.String()
	if len(tail.text) > tailBytes || len([]rune(got)) > 2*tailRunes {
		t.Errorf("%d bytes are kept, the message has %d characters", len(tail.text), len([]rune(got)))
	}
	if !strings.HasPrefix(got, ` (it prints "`) ||
		!strings.Contains(got, "cannot open display") || strings.ContainsAny(got, "\a\n") {
		t.Errorf("%q", got)
	}
}
