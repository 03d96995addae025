package action

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// TestPagesSayWhatIsWaitedFor compares what the pages of the actions, and so the table of docs/waiting.md, say of
// waiting with the performers: which of the searches each of them can come to, by the calls in the code.
func TestPagesSayWhatIsWaitedFor(t *testing.T) {
	t.Parallel()
	calls, performs := callsOfPackage(t)
	// A search is a decide.Want with this purpose. The driver waits for elements of pages by selectors of their own.
	const acts, sees, state, misses, onPage = ".Act", ".See", ".State", ".Absent", ".at"
	// These search another element so: what they scroll, or cut out of a screenshot. paste types as input without into.
	others := []string{"scrollTo", "screenshot", "assertScreenshot", "paste"}
	checked := 0
	for _, def := range dsl.Vocabulary() {
		name := performs[def.Name]
		if def.Interfaces&dsl.YAML == 0 || def.Current != "" || name == "" {
			continue
		}
		checked++
		reached := reach(calls, name)
		var element []string
		for _, one := range def.Page().Element {
			element = append(element, string(one))
		}
		says := func(word string) bool { return slices.Contains(element, word) }
		if reached[acts] && !reached[onPage] && !slices.Contains(others, def.Name) {
			for _, word := range []string{"appears", "view", "still", "enabled", "touch"} {
				if !says(word) {
					t.Errorf("%s waits until its element can be touched, and its page does not say %q", def.Name, word)
				}
			}
		}
		if says("touch") && !reached[acts] && !reached[onPage] {
			t.Errorf("the page of %s says that the element receives the touch, and no search of it asks", def.Name)
		}
		if says("gone") && !reached[misses] && !reached[onPage] {
			t.Errorf("the page of %s says that the element is gone, and no search of it asks", def.Name)
		}
		some := reached[acts] || reached[sees] || reached[state] || reached[misses] || reached[onPage]
		if len(def.Page().Element) > 0 && !some {
			t.Errorf("the page of %s says that an element is waited for, and the performer searches none", def.Name)
		}
		if len(def.Page().Element) == 0 && (reached[acts] || reached[sees] || reached[onPage]) && def.Name != "paste" {
			t.Errorf("%s searches an element, and its page does not say what it waits for", def.Name)
		}
	}
	if checked < 60 {
		t.Errorf("only %d performers were checked", checked)
	}
}

// callsOfPackage returns the functions of the package that each function names, and the performer of each action.
func callsOfPackage(t *testing.T) (calls map[string][]string, performs map[string]string) {
	t.Helper()
	calls, performs = map[string][]string{}, map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	argument := map[string]string{} // of performers: the type
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if strings.HasPrefix(fn.Name.Name, "maestro") || ofMaestro(fn) {
				continue // commands of flows have no pages
			}
			if list := fn.Type.Params.List; len(list) == 3 {
				if s, ok := list[2].Type.(*ast.SelectorExpr); ok {
					argument[fn.Name.Name] = s.Sel.Name
				}
			}
			from := fn.Name.Name
			if fn.Recv != nil {
				from = "." + from
			}
			calls[from] = append(calls[from], namesIn(fn.Body)...)
		}
	}
	for _, def := range dsl.Vocabulary() {
		for function, typ := range argument {
			if strings.EqualFold(typ, def.Name) && strings.EqualFold(function, def.Name) {
				performs[def.Name] = function
			}
		}
	}
	return calls, performs
}

// namesIn returns the names of all functions in a body, and of methods with a dot before them.
func namesIn(body ast.Node) (names []string) {
	fields := map[*ast.Ident]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr: // comparing purposes does not search
			return n.Op != token.EQL && n.Op != token.NEQ && n.Op != token.LOR && n.Op != token.LAND
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "at" {
				names = append(names, ".at")
			}
		case *ast.SelectorExpr:
			if fields[n.Sel] = true; n.Sel.Name != "at" { // also the name of fields
				names = append(names, "."+n.Sel.Name)
			}
		case *ast.Ident:
			if !fields[n] && (n.Obj == nil || n.Obj.Kind == ast.Fun) { // not a variable
				names = append(names, n.Name)
			}
		}
		return true
	})
	return names
}

func ofMaestro(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return false
	}
	name, ok := fn.Recv.List[0].Type.(*ast.Ident)
	return ok && name.Name == "maestroPerformer"
}

// reach returns the functions that one can come to.
func reach(calls map[string][]string, from string) map[string]bool {
	seen := map[string]bool{}
	var walk func(string)
	walk = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, next := range calls[name] {
			walk(next)
		}
	}
	walk(from)
	return seen
}
