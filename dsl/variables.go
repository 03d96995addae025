package dsl

import (
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/source"
)

// Fill fills in the variables of all texts in a value that did not come from a file. The error is an *Error.
func Fill(v source.Value, s *Scope) (source.Value, error) {
	return expr.Fill(v, s)
}

// Expr is an expression in the syntax of github.com/expr-lang/expr. It names variables without ${ }.
type Expr = expr.Expr

// Scope holds the values of a test's variables while it runs: those saved by steps, then those given by the caller,
// then those of the data row, then the test's own, then the suite's. It belongs to one run of one test; it is not safe
// for concurrent use.
type Scope = expr.Scope

// ScopeOptions are where a test's variables get their values from.
type ScopeOptions = expr.ScopeOptions

// Row is one row of data.
type Row = expr.Row

// Var is one entry of a test's vars, in the order of the file.
type Var = expr.Var

// Show writes a variable's value as ${NAME} prints it: a list or a map as JSON, nothing as an empty text.
func Show(x any) string {
	return expr.Show(x)
}
