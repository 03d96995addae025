// Package dsl reads Taproot's test files: YAML bytes go in; tests with the file, line and column of every node,
// or all errors of the file, come out.
package dsl
