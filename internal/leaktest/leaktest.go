// Package leaktest makes the tests of a package fail when goroutines are left at their end.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is for goroutines that are about to end on a busy machine. goleak itself waits half a second.
const patience = time.Minute

// Main is the TestMain of a package without one of its own.
func Main(m *testing.M) { os.Exit(Check(m.Run())) }

// Check returns the exit code of tests that ended with code: a failure if goroutines are left.
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
