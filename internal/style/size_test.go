package style

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	mostMethods = 40  // declared by a type
	mostFiles   = 30  // of a package, without its tests
	mostLines   = 500 // of a file
	fewestLines = 60  // of a package, without its tests
	mostSmall   = 3   // packages with fewer lines
	medianLines = 150 // at least; of the files that are not tests
)

// large lists what is larger all the same, with the reason.
var large = map[string]string{}

// TestSizes: a type that does too much, a package of too many files and a file that is too long are hard to walk.
func TestSizes(t *testing.T) {
	methods, files, lines := map[string]int{}, map[string]int{}, map[string]int{}
	var lengths []int
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); n == "testdata" || n == "bin" || n == "node_modules" || strings.HasPrefix(n, ".git") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		length := strings.Count(string(data), "\n")
		if length > mostLines && large[rel] == "" {
			t.Errorf("%s has %d lines, more than %d: divide it by noun", rel, length, mostLines)
		}
		if strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		files[path.Dir(rel)]++
		lengths = append(lengths, length)
		parsed, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if path.Base(rel) != "doc.go" && parsed.Name.Name != "main" && !isFront(parsed) {
			lines[path.Dir(rel)] += length
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[path.Dir(rel)+"."+receiver(f)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range methods {
		if n > mostMethods && large[name] == "" {
			t.Errorf("%s has %d methods, more than %d: compose it of parts that can be tested alone", name, n, mostMethods)
		}
	}
	for name, n := range files {
		if n > mostFiles && large[name] == "" {
			t.Errorf("%s has %d files without its tests, more than %d: divide the package, or merge files of one noun", name, n,
				mostFiles)
		}
	}
	checkSmall(t, lines)
	slices.Sort(lengths)
	if median := lengths[len(lengths)/2]; median < medianLines {
		t.Errorf("the median file has %d lines, fewer than %d: merge files that have one noun", median, medianLines)
	}
	if len(methods) < 300 || len(files) < 100 {
		t.Errorf("only %d types and %d packages were counted", len(methods), len(files))
	}
}

// checkSmall: a reader has to open one more folder for each package. Programs, which may consist of one call, packages
// that only hold tests, and fronts are not counted: farm/queue is what other folders may use of farm/internal/queue.
func checkSmall(t *testing.T, lines map[string]int) {
	var small []string
	for name, n := range lines {
		if n < fewestLines {
			small = append(small, name)
		}
	}
	slices.Sort(small)
	if len(small) > mostSmall {
		t.Errorf("%d packages have fewer than %d lines, more than %d: fold some into their users: %s", len(small),
			fewestLines, mostSmall, strings.Join(small, ", "))
	}
}

// isFront reports whether a file is what other folders may use of an internal package of the same name.
func isFront(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		return strings.HasSuffix(spec.Path.Value, "/internal/"+file.Name.Name+`"`)
	})
}

// receiver is the name of a method's type.
func receiver(f *ast.FuncDecl) string {
	at := f.Recv.List[0].Type
	if star, ok := at.(*ast.StarExpr); ok {
		at = star.X
	}
	switch x := at.(type) {
	case *ast.IndexExpr:
		at = x.X
	case *ast.IndexListExpr:
		at = x.X
	}
	if name, ok := at.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
