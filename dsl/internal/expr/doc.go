// Package expr computes expressions, and replaces the variables in texts and values: a Scope and a text go in, a value
// or an error at its place comes out.
package expr
