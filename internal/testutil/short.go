package testutil

import "testing"

// Leave skips the test, or the rest of it, in the short mode. remains names a similar test that is not skipped, or the
// reason.
func Leave(t testing.TB, remains string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left to make test-full: " + remains)
	}
}

// Few returns every nth of some rows in the short mode, starting with the first; otherwise it returns all of them.
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
