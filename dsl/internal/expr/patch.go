package expr

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

// Names of the functions that replace operators; no expression can call them, as a name cannot contain a colon.
const (
	operatorPrefix = "operator:"
	flatName       = "value:flat"
	indexName      = "value:index"
	deepName       = "value:deep"
	truthName      = "value:truth"
	textName       = "value:text"
	jsonName       = "value:json"
)

// exactNumbers are the options of the expression library under which numbers keep their spelling and whole ones are
// exact.
func exactNumbers() []expr.Option {
	one := func(name string, f func(any) any) expr.Option {
		return expr.Function(name, func(args ...any) (any, error) { return f(args[0]), nil }, new(func(any) any))
	}
	options := []expr.Option{expr.Patch(exactPatch{}), one(flatName, flat), one(indexName, wholeIndex),
		one(deepName, deep),
		one(truthName, truthOf), one(textName, func(x any) any { return Show(x) }), one(jsonName, fromJSON),
		one(operatorPrefix+"negative", negative), one(operatorPrefix+"positive", positive)}
	for name, f := range exprOperators {
		options = append(options, expr.Function(operatorPrefix+name,
			func(args ...any) (any, error) { return f(args[0], args[1]), nil }, new(func(a, b any) any)))
	}
	return options
}

// exactPatch replaces operators by those of exprOperators, and makes the arguments of the library's functions
// numbers that the library knows. What an expression only passes on, such as an entry of a list, keeps its
// spelling.
type exactPatch struct{}

// Visit is called for each node, for those inside of it first.
func (p exactPatch) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		p.binary(node, n)
	case *ast.UnaryNode:
		switch n.Operator {
		case "-":
			ast.Patch(node, call(operatorPrefix+"negative", n.Node))
		case "+":
			ast.Patch(node, call(operatorPrefix+"positive", n.Node))
		default:
			n.Node = wrap(truthName, n.Node)
		}
	case *ast.ConditionalNode:
		n.Cond = wrap(truthName, n.Cond)
	case *ast.MemberNode:
		n.Property = wrap(indexName, n.Property)
	case *ast.SliceNode:
		n.From, n.To = wrap(indexName, n.From), wrap(indexName, n.To)
	case *ast.BuiltinNode:
		p.builtin(node, n)
	case *ast.CallNode:
		if name, is := n.Callee.(*ast.IdentifierNode); is && !strings.Contains(name.Value, ":") {
			for i := range n.Arguments {
				n.Arguments[i] = wrap(flatName, n.Arguments[i])
			}
		}
	}
}

func (exactPatch) binary(node *ast.Node, n *ast.BinaryNode) {
	switch n.Operator {
	case "and", "or", "&&", "||":
		n.Left, n.Right = wrap(truthName, n.Left), wrap(truthName, n.Right)
	case "..":
		n.Left, n.Right = wrap(indexName, n.Left), wrap(indexName, n.Right)
	default:
		if exprOperators[n.Operator] != nil {
			ast.Patch(node, call(operatorPrefix+n.Operator, n.Left, n.Right))
		}
	}
}

// Functions of the library by what they do with their first argument: they pass its entries on, or ask a condition
// about each.
var (
	passesOn = strings.Fields(
		"first last get take keys values toPairs fromPairs reverse concat flatten len toJSON map filter find " +
			"findIndex findLast findLastIndex count all any none one groupBy sortBy")
	asksEach = strings.Fields("filter find findIndex findLast findLastIndex count all any none one")
)

func (exactPatch) builtin(node *ast.Node, n *ast.BuiltinNode) {
	if own := map[string]string{"string": textName, "fromJSON": jsonName}[n.Name]; own != "" && len(n.Arguments) == 1 {
		ast.Patch(node, call(own, n.Arguments[0]))
		return
	}
	for i, arg := range n.Arguments {
		body, predicate := arg.(*ast.PredicateNode)
		switch {
		case predicate && slices.Contains(asksEach, n.Name):
			body.Node = wrap(truthName, body.Node)
		case predicate && n.Name != "map":
			body.Node = wrap(flatName, body.Node)
		case predicate:
		case slices.Contains(passesOn, n.Name) && (i == 0 || n.Name == "concat"):
			if n.Name != "toJSON" {
				n.Arguments[i] = wrap(flatName, arg)
			}
		default:
			n.Arguments[i] = wrap(deepName, arg)
		}
	}
}

// wrap makes a call of what is not a plain constant.
func wrap(name string, node ast.Node) ast.Node {
	switch node.(type) {
	case nil, *ast.IntegerNode, *ast.StringNode, *ast.BoolNode, *ast.PredicateNode:
		return node
	}
	wrapped := call(name, node)
	wrapped.SetLocation(node.Location())
	return wrapped
}

func call(name string, args ...ast.Node) *ast.CallNode {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args}
}
