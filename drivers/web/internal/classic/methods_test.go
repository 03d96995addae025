package classic

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// The types of this package embed interfaces of playwright-go of which most methods are never called. A method that the
// other packages of the driver call, by its name, must be one of the type's own.
func TestMethodsThatAreCalledAreThere(t *testing.T) {
	called := map[string]bool{}
	for _, pattern := range []string{"../*/*.go", "../../*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "classic/") || strings.Contains(file, "webkit/") ||
				strings.Contains(file, "bidi/") {
				continue
			}
			eachCall(t, file, func(name string) { called[name] = true })
		}
	}
	if len(called) < 100 {
		t.Fatalf("%d calls were found", len(called))
	}
	own := map[string]map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for typ, methods := range declared(t, file) {
			for _, name := range methods {
				if own[typ] == nil {
					own[typ] = map[string]bool{}
				}
				own[typ][name] = true
				if part := map[string]string{"events": "Page", "notForPages": "Page", "stopped": "Route", "Traffic": "Page",
					"network": "Context", "emulation": "Context"}[typ]; part != "" {
					if own[part] == nil {
						own[part] = map[string]bool{}
					}
					own[part][name] = true
				}
			}
		}
	}
	// Names that other types of the same callers have, which are not called here.
	const ofElement = "Check Click Dblclick Fill Focus Hover IsEditable IsEnabled Press SelectOption SetChecked " +
		"SetInputFiles Tap TextContent Type "
	elsewhere := map[string]string{
		"Browser": "NewPage On RemoveListener",
		"Context": "Browser On OnClose RemoveListener Request SetExtraHTTPHeaders",
		"Page": ofElement + "Frame On OnConsole OnDialog OnRequest OnRequestFailed OnRequestFinished OnResponse Pause " +
			"Request SetExtraHTTPHeaders",
		"Frame":    ofElement + "EvaluateHandle Goto Locator Name Title WaitForLoadState",
		"Locator":  "All Check Dblclick Err EvaluateHandle Press Screenshot Tap Type",
		"Handle":   "EvaluateHandle String",
		"Request":  "Response Timing",
		"Response": "Body Ok Request String",
		"Route":    "Continue",
		"Download": "Delete Failure Page Path String",
	}
	for typ, of := range map[string]reflect.Type{
		"Browser": reflect.TypeFor[playwright.Browser](), "Context": reflect.TypeFor[playwright.BrowserContext](),
		"Page": reflect.TypeFor[playwright.Page](), "Frame": reflect.TypeFor[playwright.Frame](),
		"Locator": reflect.TypeFor[playwright.Locator](), "Keyboard": reflect.TypeFor[playwright.Keyboard](),
		"Mouse": reflect.TypeFor[playwright.Mouse](), "Dialog": reflect.TypeFor[playwright.Dialog](),
		"Handle": reflect.TypeFor[playwright.JSHandle](), "Request": reflect.TypeFor[playwright.Request](),
		"Response": reflect.TypeFor[playwright.Response](), "Route": reflect.TypeFor[playwright.Route](),
		"Download": reflect.TypeFor[playwright.Download](),
	} {
		unused := strings.Fields(elsewhere[typ])
		for i := range of.NumMethod() {
			name := of.Method(i).Name
			is := false
			for _, other := range unused {
				is = is || other == name
			}
			if called[name] && !own[typ][name] && !is {
				t.Errorf("%s.%s is called by a name, and has no method here", typ, name)
			}
		}
	}
}

// eachCall calls f with the name of each method that a file calls.
func eachCall(t *testing.T, file string, f func(name string)) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if selected, ok := call.Fun.(*ast.SelectorExpr); ok {
				f(selected.Sel.Name)
			}
		}
		return true
	})
}

// declared returns the names of the methods that a file declares, by their types.
func declared(t *testing.T, file string) map[string][]string {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		typ := f.Recv.List[0].Type
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		if name, ok := typ.(*ast.Ident); ok {
			found[name.Name] = append(found[name.Name], f.Name.Name)
		}
	}
	return found
}
