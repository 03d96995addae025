package report

import (
	"testing"
)

func TestBarLine(t *testing.T) {
	t.Parallel()
	for sent, want := range map[int64]string{0: "x [                        ]   0 % of 1.0 KB",
		512: "x [============            ]  50 % of 1.0 KB", 1024: "x [========================] 100 % of 1.0 KB"} {
		if got := barLine("x", sent, 1024); got != want {
			t.Errorf("%q", got)
		}
	}
}
