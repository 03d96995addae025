// Package shorttest says what go test -short leaves to make test-full, and so to the night.
package shorttest

import "testing"

// Leave skips the test, or what is left of it, in the short mode; remains says what tries the like there, or why it is
// left out.
func Leave(t testing.TB, remains string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left to make test-full: " + remains)
	}
}

// Few gives every nth of some rows in the short mode, beginning with the first; otherwise it gives them all.
func Few[T any](nth int, rows []T) []T {
	if !testing.Short() {
		return rows
	}
	var list []T
	for i := 0; i < len(rows); i += nth {
		list = append(list, rows[i])
	}
	return list
}
