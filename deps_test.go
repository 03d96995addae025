package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/taproot-dev/taproot"

// layers says what each package may import of ours. A name stands for its subpackages, too, unless they have a line of their own.
// Arrows point down: dsl, drivers <- reporters <- runner/* <- server, mcpserver <- runner/cli <- main.
var layers = map[string][]string{
	"dsl":                         {},
	"drivers":                     {"dsl"},
	"drivers/toolchain":           {},
	"drivers/guard":               {},
	"drivers/treexml":             {},
	"drivers/android":             {"dsl", "drivers", "drivers/toolchain"},
	"drivers/ios":                 {"dsl", "drivers", "drivers/toolchain"},
	"drivers/web":                 {"dsl", "drivers", "drivers/toolchain"},
	"drivers/drivertest":          {"dsl", "drivers"},
	"drivers/vision":              {"dsl", "drivers", "drivers/toolchain"},
	"reporters":                   {"dsl"},
	"reporters/console":           {"dsl", "reporters"},
	"reporters/video":             {},
	"reporters/html":              {"dsl", "reporters"},
	"reporters/logs":              {"dsl", "reporters"},
	"reporters/junit":             {"dsl", "reporters"},
	"reporters/ctrf":              {"dsl", "reporters"},
	"reporters/github":            {"dsl", "reporters"},
	"reporters/webhook":           {"dsl", "reporters"},
	"reporters/runtest":           {"dsl", "reporters"},
	"reporters/runtest/golden":    {},
	"reporters/assemble":          {"dsl", "reporters"},
	"runner/plan":                 {"dsl"},
	"runner/action":               {"dsl", "drivers", "reporters"},
	"runner/vocabulary":           {},
	"runner/engine":               {"dsl", "drivers", "reporters", "runner/action", "runner/plan"},
	"runner":                      {"dsl", "drivers", "reporters", "runner/plan", "runner/engine", "runner/action"},
	"runner/live":                 {"dsl", "drivers", "reporters", "runner", "runner/action"},
	"mcpserver":                   {"dsl", "drivers", "reporters", "runner"},
	"server":                      {"dsl", "drivers", "reporters", "runner"},
	"server/auth":                 {},
	"server/limit":                {},
	"server/upload":               {"reporters"},
	"server/runs":                 {"dsl", "drivers", "reporters", "runner"},
	"runner/matchers":             {"dsl", "drivers", "reporters", "runner"},
	"runner/cli":                  {"dsl", "drivers", "reporters", "runner", "server", "mcpserver", "docs"},
	"docs":                        {},
	"docs/site":                   {},
	"suites":                      {"runner"},
	"bench/peers":                 {"drivers/toolchain"},
	"":                            {"runner/cli"},
	"drivers/android/androidtest": {},
	"drivers/web/webtest":         {},
	"leaktest":                    {},

	"drivers/ios/iostest":          {},
	"drivers/ios/iostest/faketool": {"drivers/ios/iostest"},
}

// outside says which packages alone may import a library.
var outside = map[string][]string{
	"github.com/onsi/ginkgo/v2":                     {"runner", "suites"},
	"github.com/onsi/ginkgo/v2/types":               {"runner", "runner/plan"},
	"github.com/onsi/gomega":                        {"runner", "runner/matchers", "suites"},
	"github.com/playwright-community/playwright-go": {"drivers/web", "drivers/toolchain"},
	"github.com/electricbubble/gadb":                {"drivers/android"},
	"github.com/goccy/go-yaml":                      {"dsl"},
	"github.com/modelcontextprotocol/go-sdk":        {"mcpserver"},
	"github.com/spf13/cobra":                        {"runner/cli"},
	"github.com/at-wat/ebml-go":                     {"drivers/ios"},
	"github.com/danielgtaylor/huma/v2":              {"server"},
	"github.com/golang-jwt/jwt/v5":                  {"server/auth"},
	"github.com/throttled/throttled/v2":             {"server/limit"},
	"github.com/rs/cors":                            {"server"},
	"github.com/prometheus/client_golang":           {"server"},
	"github.com/sashabaranov/go-openai":             {"drivers/vision"},
	"github.com/yuin/goldmark":                      {"docs/site"},
}

func TestLayers(t *testing.T) {
	checked := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != "." || d.Name() == "testdata" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		checked++
		checkFile(t, filepath.ToSlash(file))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Fatalf("only %d files were checked", checked)
	}
}

func checkFile(t *testing.T, file string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	pkg := path.Dir(file)
	if pkg == "." {
		pkg = ""
	}
	allowed, listed := rule(layers, pkg)
	if !listed {
		t.Errorf("%s: package %q has no line in the table of layers", file, pkg)
	}
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if own, ok := strings.CutPrefix(name, module+"/"); ok {
			if !covers(append(allowed, pkg), own) {
				t.Errorf("%s: %q may not import %q: the arrow points up", file, pkg, own)
			}
			continue
		}
		if users, restricted := rule(outside, name); restricted && !covers(users, pkg) {
			t.Errorf("%s: only %v may import %s", file, users, name)
		}
	}
}

// rule finds the line of the table for a package: its own, or that of the nearest package above it.
func rule(table map[string][]string, pkg string) ([]string, bool) {
	for at := pkg; ; at = path.Dir(at) {
		if line, ok := table[at]; ok && (at != "" || pkg == "") {
			return line, true
		}
		if at == "." || at == "/" || at == "" {
			return nil, false
		}
	}
}

// covers tells whether the list names the package or one above it.
func covers(list []string, pkg string) bool {
	for _, name := range list {
		if name == pkg || name != "" && strings.HasPrefix(pkg, name+"/") {
			return true
		}
	}
	return false
}
