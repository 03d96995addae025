// Package testrun passes the test that a device is opened for to its driver, in a context.
package testrun

import "context"

// Test is the test that a device is opened for. Clouds name their sessions after it.
type Test struct {
	ID    string
	Build string // of the CI system, otherwise the run
}

type key struct{}

// With returns a context in which devices are opened for one test.
func With(ctx context.Context, t Test) context.Context { return context.WithValue(ctx, key{}, t) }

// Of returns the test of With; zero: there is none.
func Of(ctx context.Context) Test {
	t, _ := ctx.Value(key{}).(Test)
	return t
}
