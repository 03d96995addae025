package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/taproot-dev/taproot"

// layers lists which packages of this module each package may import, in addition to internal, which imports none of
// them. Arrows point down only: dsl <- drivers/screen <- drivers <- the drivers; dsl <- reporters/event <- markdown <-
// pack <- history <- the other reports <- reporters; both <- runner/action <- engine <- run <- live, jobs, runner <-
// server, mcpserver <- cli <- main.
var layers = map[string][]string{
	"": {"cli"},
	"cli": {"farm/broker", "farm/dispatch", "farm/hub", "farm/host", "farm/queue", "farm/remote", "farm/work",
		"server/blob", "server/mail", "server/oidc", "server/service", "server/service/store", "dsl/maestro", "docs",
		"docs/site", "dsl", "dsl/source", "drivers", "drivers/screen", "drivers/drivertest", "drivers/android",
		"drivers/android/androidtest", "drivers/ios", "drivers/vision",
		"reporters", "reporters/event", "reporters/markdown", "reporters/pack", "reporters/history", "reporters/html",
		"reporters/junit", "reporters/ctrf",
		"reporters/github", "reporters/console", "reporters/webhook", "runner", "runner/client", "runner/jobs", "runner/live",
		"runner/plan", "runner/pool", "runner/record", "runner/run", "runner/shell", "server", "server/auth",
		"server/limit", "server/upload", "mcpserver"},
	"docs":             {},
	"docs/site":        {},
	"suites":           {"dsl", "runner", "runner/matchers"},
	"bench/peers":      {},
	"bench/assistants": {},

	"dsl/maestro": {"dsl", "dsl/source"},
	"dsl/source":  {},
	"dsl":         {"dsl/source"},

	"drivers/screen":              {"dsl"},
	"drivers":                     {"dsl", "drivers/screen"},
	"drivers/maestro":             {"dsl", "drivers", "drivers/screen"},
	"drivers/drivertest":          {"dsl", "drivers", "drivers/screen"},
	"drivers/android":             {"dsl", "drivers", "drivers/dom", "drivers/screen"},
	"drivers/android/androidtest": {},
	"drivers/ios": {"dsl", "drivers", "drivers/dom", "drivers/ios/inspector", "drivers/screen",
		"drivers/vision/pixels"},
	"drivers/ios/inspector":        {},
	"drivers/ios/iostest":          {},
	"drivers/ios/iostest/faketool": {"drivers/ios/iostest"},
	"drivers/dom":                  {"drivers", "drivers/screen"},
	"drivers/web":                  {"dsl", "dsl/source", "drivers", "drivers/dom", "drivers/screen"},
	"drivers/web/webtest":          {},
	"drivers/vision":               {"drivers", "drivers/screen"},
	"drivers/vision/pixels":        {},

	"reporters/event":           {"dsl", "dsl/source"},
	"reporters/event/eventtest": {"reporters/event"},
	"reporters/markdown":        {"dsl", "dsl/source", "reporters/event"},
	"reporters/video":           {},
	"reporters/pack":            {"reporters/event", "reporters/markdown", "reporters/video"},
	"reporters/history":         {"reporters/event", "reporters/markdown", "reporters/pack"},
	"reporters/logs":            {"reporters/event"},
	"reporters/html": {"reporters/event", "reporters/markdown", "reporters/pack", "reporters/history",
		"reporters/logs"},
	"reporters/junit":   {"reporters/event", "reporters/markdown", "reporters/history"},
	"reporters/ctrf":    {"reporters/event", "reporters/markdown", "reporters/pack", "reporters/history"},
	"reporters/github":  {"dsl", "dsl/source", "reporters/event", "reporters/markdown", "reporters/history"},
	"reporters/console": {"reporters/event", "reporters/markdown", "reporters/history"},
	"reporters/webhook": {"reporters/event", "reporters/markdown", "reporters/pack", "reporters/history"},
	"reporters/otlp":    {"reporters/event", "reporters/markdown", "reporters/pack", "reporters/history"},
	"reporters": {"reporters/pack", "reporters/history", "reporters/html", "reporters/junit",
		"reporters/ctrf", "reporters/github", "reporters/otlp", "reporters/webhook"},
	"reporters/runtest":        {"reporters/event", "reporters/history"},
	"reporters/runtest/golden": {},

	"runner/script": {},
	"runner/plan":   {"dsl/maestro", "dsl", "dsl/source"},
	"runner/pool":   {"dsl", "drivers"},
	"runner/action": {"drivers/maestro", "dsl/maestro", "runner/script", "dsl", "dsl/source", "drivers", "drivers/screen",
		"drivers/vision/pixels", "reporters/event"},
	"runner/engine": {"dsl/maestro", "runner/script", "dsl", "dsl/source", "drivers", "drivers/screen", "reporters/event",
		"reporters/logs", "runner/action", "runner/plan"},
	"runner/run": {"dsl", "drivers", "drivers/android", "drivers/ios", "drivers/web", "drivers/vision", "reporters",
		"reporters/event", "reporters/pack",
		"reporters/history", "reporters/html", "runner/plan", "runner/pool", "runner/action", "runner/engine"},
	"runner/live": {"runner/engine", "runner/plan", "dsl", "dsl/source", "drivers", "drivers/screen", "reporters/event",
		"runner/action", "runner/pool"},
	"runner/client": {"dsl", "dsl/source", "drivers", "drivers/screen", "reporters/event", "reporters/markdown",
		"runner/action", "runner/live", "runner/pool"},
	"runner/record": {"dsl", "dsl/source", "drivers", "drivers/screen", "reporters/event", "runner/action",
		"runner/client", "runner/live"},
	"runner/shell": {"runner/client", "runner/live", "runner/pool", "runner/plan", "runner/run", "runner/action", "dsl",
		"dsl/source", "drivers", "reporters/event", "reporters/markdown"},
	"runner/jobs": {"dsl", "reporters", "reporters/event", "reporters/pack", "reporters/history", "runner/plan",
		"runner/run"},
	"runner": {"farm/remote", "dsl", "dsl/source", "drivers", "drivers/screen", "reporters/event", "reporters/pack",
		"reporters/history", "runner/plan", "runner/pool", "runner/action",
		"runner/engine", "runner/run"},
	"runner/matchers":   {"dsl", "drivers", "drivers/screen", "reporters/event", "runner", "runner/action", "runner/run"},
	"runner/vocabulary": {},
	"runner/truth":      {},
	"runner/widgets":    {},

	"farm/wire":   {"drivers"},
	"farm/broker": {"farm/wire"},
	"farm/hub":    {"drivers", "dsl", "farm/wire", "farm/broker", "server/service/store"},
	"farm/host":   {"drivers", "farm/wire", "farm/broker"},

	"server/service/store":           {},
	"server/service/store/storetest": {"server/service/store"},
	"server/service":                 {"server/service/store"},
	"server/mail":                    {},
	"server/oidc":                    {},
	"server/blob":                    {},
	"server/blob/blobtest":           {},
	"server/shared":                  {"reporters/history", "reporters/pack", "server/blob", "server/upload"},
	"server/auth":                    {},
	"server/limit":                   {},
	"server/apidocs":                 {},
	"server/studio":                  {"dsl", "dsl/source", "reporters/html", "server/auth"},
	"server/upload":                  {"reporters/event", "reporters/markdown", "reporters/pack"},
	"server/console": {"farm/hub", "server/oidc", "server/service", "server/service/store",
		"reporters/event", "reporters/html", "reporters/pack", "runner/jobs"},
	"server": {"farm/hub", "farm/wire", "runner/client", "runner/record", "server/apidocs", "server/blob", "server/shared",
		"server/studio", "server/console", "server/oidc", "reporters/history", "server/service", "server/service/store",
		"dsl", "dsl/source", "drivers", "drivers/screen", "reporters/event", "reporters/markdown", "reporters/pack",
		"reporters/video", "runner/plan", "runner/pool", "runner/action",
		"runner/run", "runner/live", "runner/jobs", "server/auth", "server/limit", "server/upload"},
	"mcpserver": {"runner/client", "dsl", "dsl/source", "drivers", "drivers/screen", "reporters/event",
		"reporters/markdown", "reporters/pack", "reporters/history", "reporters/video",
		"runner/plan", "runner/pool", "runner/action", "runner/run", "runner/live"},

	"farm/archive": {"runner/plan", "server/upload"},
	"farm/queue":   {"dsl", "server/service/store"},
	"farm/order":   {"drivers/vision", "dsl", "farm/wire", "reporters/event", "runner/plan", "runner/run"},
	"farm/work": {"drivers", "dsl", "farm/archive", "farm/order", "farm/wire", "reporters/event", "reporters/pack",
		"runner/plan", "runner/pool", "runner/run", "server/upload"},
	"farm/dispatch": {"dsl", "farm/archive", "farm/broker", "farm/hub", "farm/order", "farm/queue", "farm/wire",
		"server/blob", "server/service/store", "server/upload"},
	"farm/chaos":  {},
	"farm/remote": {"dsl", "farm/archive", "farm/order", "runner/plan", "runner/pool", "runner/run", "server/upload"},

	"internal": {},
}

// outside lists the only packages that may import a library.
var outside = map[string][]string{
	"github.com/onsi/ginkgo/v2":                     {"runner", "suites"},
	"github.com/onsi/ginkgo/v2/types":               {"runner", "runner/plan"},
	"github.com/onsi/gomega":                        {"runner", "runner/matchers", "suites"},
	"github.com/playwright-community/playwright-go": {"drivers/web", "internal/toolchain"},
	"github.com/electricbubble/gadb":                {"drivers/android"},
	"github.com/goccy/go-yaml":                      {"dsl"},
	"github.com/modelcontextprotocol/go-sdk":        {"mcpserver", "bench/assistants"},
	"github.com/spf13/cobra":                        {"cli"},
	"github.com/at-wat/ebml-go":                     {"drivers/ios"},
	"github.com/danielgtaylor/huma/v2":              {"server"},
	"github.com/golang-jwt/jwt/v5":                  {"internal/jwtcheck", "server/auth", "server/service"},
	"github.com/jackc/pgx/v5":                       {"server/service/store"},
	"modernc.org/sqlite":                            {"server/service/store"},
	"github.com/pressly/goose/v3":                   {"server/service/store"},
	"github.com/pquerna/otp":                        {"server/service"},
	"github.com/wneessen/go-mail":                   {"server/mail"},
	"github.com/coreos/go-oidc/v3":                  {"server/oidc"},
	"golang.org/x/oauth2":                           {"server/oidc"},
	"github.com/dop251/goja":                        {"runner/script"},
	"github.com/dlclark/regexp2/v2":                 {"drivers/maestro"},
	"github.com/throttled/throttled/v2":             {"server/limit"},
	"github.com/rs/cors":                            {"server"},
	"github.com/coder/websocket":                    {"server", "drivers/android", "drivers/ios", "internal/devtools"},
	"howett.net/plist":                              {"drivers/ios"},
	"github.com/prometheus/client_golang":           {"server"},
	"github.com/sashabaranov/go-openai":             {"drivers/vision"},
	"github.com/yuin/goldmark":                      {"docs/site"},
	"github.com/nats-io/nats.go":                    {"farm/wire", "farm/broker"},
	"github.com/nats-io/nats-server/v2":             {"farm/broker"},
	"github.com/nats-io/jwt/v2":                     {"farm/broker"},
	"github.com/nats-io/nkeys":                      {"farm/broker"},
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
	if _, own := layers[pkg]; !own && !covers([]string{"internal"}, pkg) {
		listed = false
	}
	if !listed {
		t.Errorf("%s: package %q has no line in the table of layers", file, pkg)
	}
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if own, ok := strings.CutPrefix(name, module+"/"); ok {
			if !slices.Contains(allowed, own) && own != pkg && !covers([]string{"internal"}, own) {
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

// covers reports whether the list names the package or one above it.
func covers(list []string, pkg string) bool {
	for _, name := range list {
		if name == pkg || name != "" && strings.HasPrefix(pkg, name+"/") {
			return true
		}
	}
	return false
}
