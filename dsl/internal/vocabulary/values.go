package vocabulary

import (
	"reflect"
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/source"
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
	return t == ExprType || t == ExprsType || t == StepsType || t == BranchesType || t == ItemsType || t == valueType ||
		t == TemplateType || t == reflect.TypeFor[AnyValue]()
}

// Block is what a run step runs: the vars and steps of a file, or of one of its named blocks.
type Block struct {
	File   string
	Name   string     // empty: the file's own steps
	Pos    source.Pos // of the name
	Vars   []expr.Var
	Steps  Steps
	Blocks Blocks // of its file
	Source *source.Source
}

// Blocks are the named blocks of a file.
type Blocks map[string]*Block

// Variables returns the block's own variables, and the file that they are in.
func (b *Block) Variables() (vars []expr.Var, from *source.Source) { return b.Vars, b.Source }

// Millis is a time in milliseconds.
type Millis int

// Duration returns the time in Go's own unit.
func (m Millis) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

// Point is a place on the screen, in pixels of the screenshot or in per cent of its size. In YAML it is a text,
// "120,340" or "50%,80%", or a map {x: 120, y: 340}.
type Point struct {
	X, Y    float64
	Percent bool
}

// Offset is a way on the screen in pixels of the screenshot, to the right and down: a text, "120,-40", or a map {x:
// 120, y: -40}.
type Offset struct{ X, Y int }

// MaxOffset is more than any screen.
const MaxOffset = 100000
