// Package matchers has gomega matchers for tests in Go: they take devices and outcomes of tests, and their failure
// messages are as detailed as those of YAML tests.
package matchers
