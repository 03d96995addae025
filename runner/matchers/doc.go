// Package matchers has gomega matchers for tests that are written in Go: devices and outcomes of tests go in, and
// failure messages as good as those of YAML tests come out.
package matchers
