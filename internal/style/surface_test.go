package style

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	// mostExported is the number of exported names at most. It only goes down.
	mostExported = 899
	// aimExported is what the number is to fall below: runner, its matchers and helpers, dsl, and the interfaces that
	// authors of drivers and reporters implement.
	aimExported = 900
	// slack is by how much the number may fall before mostExported has to follow.
	slack = 20
)

// private are folders whose packages are not for users: other modules cannot import them, or have no reason to.
var private = []string{"internal", "suites", "bench"}

// TestSurface counts the exported names of packages that others can import: functions, methods of exported types, types,
// constants and variables, by their declarations. Each is a promise.
func TestSurface(t *testing.T) {
	names := map[string]int{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			n := d.Name()
			if n == "testdata" || n == "bin" || n == "node_modules" || slices.Contains(private, n) ||
				strings.HasPrefix(n, ".git") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if parsed.Name.Name != "main" && !ast.IsGenerated(parsed) {
			names[path.Dir(filepath.ToSlash(rel))] += exported(parsed)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	total, table := 0, []string{}
	for pkg, n := range names {
		total += n
		table = append(table, fmt.Sprintf("%5d %s", n, pkg))
	}
	slices.Sort(table)
	slices.Reverse(table)
	t.Logf("%d exported names (aim: fewer than %d):\n%s", total, aimExported, strings.Join(table, "\n"))
	if total > mostExported {
		t.Errorf("there are %d exported names, more than %d: unexport names, or move a package below internal; "+
			"the aim is fewer than %d", total, mostExported, aimExported)
	}
	if total < mostExported-slack {
		t.Errorf("there are %d exported names: set mostExported to this number, so that none comes back", total)
	}
	if len(names) < 5 || names["dsl"] == 0 {
		t.Errorf("only %d packages were counted", len(names))
	}
}

// exported is the number of exported names that a file declares. A method counts when its type is exported.
func exported(file *ast.File) (n int) {
	count := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiver(d)) {
				count(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					count(s.Name)
				case *ast.ValueSpec:
					count(s.Names...)
				}
			}
		}
	}
	return n
}

func TestExportedCounts(t *testing.T) {
	const text = `package p
type A struct{}
type b struct{}
func (A) Yes() {}
func (*A) no() {}
func (b) No() {}
func (a *G[T]) Yes() {}
func F() {}
type G[T any] struct{}
const ( C, d = 1, 2 )
var V int
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if n := exported(file); n != 7 {
		t.Errorf("%d exported names were counted, not A, A.Yes, G.Yes, F, G, C and V", n)
	}
}
