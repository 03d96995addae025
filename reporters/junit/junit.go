// Package junit turns a run into junit.xml, which validates against the schemas of Jenkins and of Maven Surefire. The
// code is in reporters/internal/junit; this is what other folders need of it.
package junit

import (
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/reporters/internal/junit"
)

// Write returns the bytes of junit.xml. An interrupted case is an error. Earlier attempts of a case are its reruns, or
// its flaky failures when the case passed in the end.
func Write(r *history.Run) ([]byte, error) {
	return junit.Write(r)
}
