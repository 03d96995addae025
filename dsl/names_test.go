package dsl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// mostNames is how many actions one literal, switch or call may name.
const mostNames = 7

// mayListNames are the tables that list names of actions on purpose: the table of actions itself, what browsers can do,
// the performers, foreign words, the commands of Maestro, and the sessions that benchmarks play.
var mayListNames = []string{
	"dsl/internal/vocabulary/",
	"runner/internal/action/perform",
	"dsl/internal/foreign/",
	"runner/internal/syntax/maestro/", "bench/",
}

// TestActionsAreListedOnce: what is true of an action is a field of its row in the table. Nothing else lists the names
// of eight or more actions, as their argument structs or as texts, in camel case, snake case or with hyphens.
func TestActionsAreListedOnce(t *testing.T) {
	names := map[string]bool{}
	for _, d := range Vocabulary() {
		names[d.Name] = true
	}
	files, root := 0, ".."
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && file != root || slices.Contains([]string{"testdata", "node_modules", "bin"},
				d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "../")
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			slices.ContainsFunc(mayListNames, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return nil
		}
		files++
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.CompositeLit, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CallExpr, *ast.GenDecl:
				if all := actionsIn(n, names); len(all) > mostNames {
					t.Errorf("%s names %d actions: %s; make it a field of their rows in dsl/internal/vocabulary",
						set.Position(n.Pos()), len(all), strings.Join(all, ", "))
					return false
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 300 {
		t.Errorf("only %d files", files)
	}
}

// actionsIn returns the actions that a part of a program names.
func actionsIn(n ast.Node, names map[string]bool) []string {
	found := map[string]bool{}
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.BasicLit:
			text, err := strconv.Unquote(x.Value)
			if x.Kind != token.STRING || err != nil {
				return true
			}
			words := strings.Fields(text)
			for _, word := range words {
				// sentences use the same words: a list has names alone
				if name := camelCase(word); names[name] && (len(words) == 1 || areNames(words, names)) {
					found[name] = true
				}
			}
		case *ast.SelectorExpr:
			if pkg, is := x.X.(*ast.Ident); is && (pkg.Name == "dsl" || pkg.Name == "vocabulary") {
				if name := lowerFirst(x.Sel.Name); names[name] {
					found[name] = true
				}
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(found))
}

// areNames reports whether most of the words are names of actions.
func areNames(words []string, names map[string]bool) bool {
	n := 0
	for _, word := range words {
		if names[camelCase(word)] {
			n++
		}
	}
	return n*2 > len(words)
}

func lowerFirst(name string) string {
	if name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return string(unicode.ToLower(rune(name[0]))) + name[1:]
}

// camelCase writes long_press and long-press as longPress.
func camelCase(word string) string {
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '_' || r == '-' })
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
	}
	return strings.Join(parts, "")
}

// TestListOfActionsIsFound: the check of TestActionsAreListedOnce finds what it is for.
func TestListOfActionsIsFound(t *testing.T) {
	names := map[string]bool{}
	for _, d := range Vocabulary() {
		names[d.Name] = true
	}
	for text, want := range map[string]int{
		`[]string{"tap", "long_press", "swipe", "scroll-to", "input", "press", "launch", "open_link"}`: 8,

		`strings.Fields("tap doubleTap longPress swipe scroll scrollTo drag pinch")`: 8,

		`[]any{dsl.Tap{}, dsl.DoubleTap{}, dsl.LongPress{}, dsl.HTTP{}, dsl.Log{}, dsl.Set{}, vocabulary.If{}}`: 7,

		`"tap the button, scroll to it, press a key or set a variable, log it: retry the group on an alert"`: 0,
	} {
		parsed, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := actionsIn(parsed, names); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
