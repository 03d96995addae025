// Package testutil helps tests of all packages: golden files, goroutines that are left, programs that tests start, and
// what the short mode leaves out. Helpers that need more than the standard library are in the tree that they test.
package testutil
