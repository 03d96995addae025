// Package runner is the framework's Go API, and the only package that depends on Ginkgo: suites of YAML files become
// specs, and specs in Go use devices, each case on a leased device with its own report pack.
package runner
