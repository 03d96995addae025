package phrase

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	words := []string{"tap", "doubleTap", "if", "waitFor", "press"}
	for word, want := range map[string]string{
		"tapp": "tap", "atp": "tap", "double-tap": "doubleTap", "DOUBLE_TAP": "doubleTap", "waitFro": "waitFor", "id": "",
		"": "", "swipe": "",
		strings.Repeat("x", 100_000): "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("%.20q: %q, want %q", word, got, want)
		}
	}
}
