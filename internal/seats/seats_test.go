package seats_test

import (
	"slices"
	"testing"

	"github.com/taproot-dev/taproot/internal/seats"
)

func TestAssign(t *testing.T) {
	for _, c := range []struct {
		choices [][]string
		want    []int
	}{
		{[][]string{{"a", "b"}, {"a", "b"}}, []int{0, 1}},
		{[][]string{{"a", "b"}, {"a"}}, []int{1, 0}},
		{[][]string{{"a", "b"}, {"b", "c"}, {"a"}}, []int{1, 1, 0}},
		{[][]string{{"a"}, {"a"}}, []int{0, -1}},
		{[][]string{{}, {"a"}}, []int{-1, 0}},
		{nil, []int{}},
	} {
		if got := seats.Assign(c.choices, func(s string) string { return s }); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.choices, got, c.want)
		}
	}
}
