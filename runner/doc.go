// Package runner is the framework's face: suites of YAML files go in and run, as Ginkgo specs or from the command line, each case on
// a leased device with a report pack of its own.
package runner
