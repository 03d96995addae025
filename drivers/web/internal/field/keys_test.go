package field

import (
	"strings"
	"testing"
)

func TestSplitKeys(t *testing.T) {
	for key, want := range map[string]string{
		"a": "a", "Control+A": "Control,A", "+": "+", "Control++": "Control,+", "Control+Shift+F1": "Control,Shift,F1",
		"": "", "++": ",,",
	} {
		if got := strings.Join(SplitKeys(key), ","); got != want {
			t.Errorf("%q is %q", key, got)
		}
	}
}
