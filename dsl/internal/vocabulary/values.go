package vocabulary

import (
	"reflect"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
)

// Names are variables and their values, of any type.
type Names map[string]any

// Items are what forEach goes over: a list, or an expression that returns one.
type Items struct {
	List []any
	Expr *expr.Expr
}

// Exprs are variables and the expressions that give their values.
type Exprs map[string]expr.Expr

// KeepsVariables reports whether a text of the type is not looked at for variables.
func KeepsVariables(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == ExprType || t == ExprsType || t == StepsType || t == ItemsType || t == valueType
}
