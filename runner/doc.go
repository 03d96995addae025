// Package runner is the framework's face, and alone knows Ginkgo: suites of YAML files become specs, and specs in Go
// get devices, each case on a leased device with a report pack of its own.
package runner
