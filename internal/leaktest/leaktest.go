// Package leaktest ends the tests of a package: their exit code goes in, and comes out as a failure when goroutines are
// left.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is for goroutines that are about to end on a machine that has no time for them; goleak itself waits half a
// second.
const patience = time.Minute

// Main is the TestMain of a package without one of its own.
func Main(m *testing.M) { os.Exit(Check(m.Run())) }

// Check gives the exit code of tests that ended with code.
func Check(code int) int {
	if code != 0 {
		return code
	}
	return check(time.Now().Add(patience))
}

func check(until time.Time) int {
	err := goleak.Find()
	for err != nil && time.Now().Before(until) {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
