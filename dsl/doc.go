// Package dsl is Taproot's test language: YAML bytes go in; tests whose every node knows its file, line and column,
// or all errors of the file, come out.
package dsl
