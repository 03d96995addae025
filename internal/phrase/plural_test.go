package phrase

import "testing"

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 cases", 1: "1 case", 2: "2 cases", 1234: "1234 cases"} {
		if got := Plural(n, "case"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOr(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := Or(words); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
