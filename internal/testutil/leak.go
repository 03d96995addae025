package testutil

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is for goroutines that are about to end on a busy machine. goleak itself waits half a second.
const patience = time.Minute

// NoLeaks is the TestMain of a package without one of its own.
func NoLeaks(m *testing.M) { os.Exit(CheckLeaks(m.Run())) }

// CheckLeaks returns the exit code of tests that ended with code: a failure if goroutines are left.
func CheckLeaks(code int) int {
	if code != 0 {
		return code
	}
	return leaks(time.Now().Add(patience))
}

func leaks(until time.Time) int {
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
