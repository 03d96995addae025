package main

import (
	"fmt"
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

// floors are the folders at the top, from the ground up. A package imports packages of lower floors and of its own
// folder; folders on one floor do not import each other.
var floors = [][]string{
	{"internal"},
	{"dsl", "docs"},
	{"drivers", "reporters"},
	{"runner"},
	{"farm", "suites", "bench"},
	{"server", "mcpserver"},
	{"cli"},
	{"."},
}

// packages lists the packages of each folder, from the bottom up: a package imports only packages before it. Those of
// internal are not listed.
var packages = map[string][]string{
	".":      {"."},
	"docs":   {"docs", "docs/site"},
	"suites": {"suites", "suites/pages/chat"},
	"bench":  {"bench/peers", "bench/assistants"},
	"dsl": {
		"dsl/internal/expr", "dsl/internal/vocabulary", "dsl/internal/form", "dsl/internal/decode", "dsl/internal/foreign",
		"dsl/internal/check", "dsl/internal/fix", "dsl/internal/lint", "dsl/internal/schema", "dsl",
	},
	"drivers": {
		"drivers/internal/screen", "drivers/screen", "drivers", "drivers/internal/fleet", "drivers/drivertest",
		"drivers/internal/dom", "drivers/internal/webdriver", "drivers/internal/remote", "drivers/internal/native",
		"drivers/internal/inspector",
		"drivers/internal/vision", "drivers/vision", "drivers/android/internal/adb",
		"drivers/android/internal/phone", "drivers/android/internal/restore", "drivers/android/internal/watch",
		"drivers/android/internal/apps", "drivers/android/internal/input", "drivers/android/internal/dump",
		"drivers/android/internal/webview", "drivers/android/internal/agent", "drivers/android/internal/capture",
		"drivers/android/internal/ui", "drivers/android/internal/system", "drivers/android/internal/appium",
		"drivers/android",
		"drivers/ios/internal/source", "drivers/ios/internal/geometry",
		"drivers/ios/internal/wda", "drivers/ios/internal/host", "drivers/ios/internal/agent",
		"drivers/ios/internal/webview", "drivers/ios/internal/apps", "drivers/ios/internal/view",
		"drivers/ios/internal/alert", "drivers/ios/internal/capture", "drivers/ios/internal/touch",
		"drivers/ios/internal/keyboard", "drivers/ios/internal/settings", "drivers/ios/internal/appium", "drivers/ios",
		"drivers/web/internal/classic", "drivers/web/internal/bidi", "drivers/web/internal/webkit",
		"drivers/web/internal/browser",
		"drivers/web/internal/journal", "drivers/web/internal/network",
		"drivers/web/internal/pages", "drivers/web/internal/visit", "drivers/web/internal/read",
		"drivers/web/internal/field", "drivers/web/internal/touch", "drivers/web/internal/elements",
		"drivers/web/internal/capture", "drivers/web", "drivers/internal/reading", "drivers/vision/reading",
	},
	"reporters": {
		"reporters/internal/html", "reporters/html", "reporters/internal/junit", "reporters/junit",
		"reporters/internal/ctrf", "reporters/ctrf", "reporters/internal/github", "reporters/github",
		"reporters/internal/console", "reporters/console", "reporters/internal/webhook", "reporters/webhook",
		"reporters/internal/otlp", "reporters",
	},
	"runner": {
		"runner/internal/syntax/maestro", "runner/internal/maestro", "runner/internal/script",
		"runner/internal/plan", "runner/plan",
		"runner/internal/pool", "runner/pool", "runner/internal/start", "runner/internal/feed", "runner/internal/decide",
		"runner/internal/replay", "runner/internal/observe",
		"runner/internal/action", "runner/action", "runner/internal/engine",
		"runner/internal/run", "runner/run", "runner/internal/live", "runner/live", "runner/internal/client",
		"runner/client", "runner/internal/record", "runner/record", "runner/internal/archive",
		"runner/internal/order", "runner/internal/remote", "runner/remote", "runner/internal/failure",
		"runner/internal/testdevice", "runner/devicetest", "runner", "runner/matchers", "runner/tests/vocabulary",
		"runner/tests/truth", "runner/tests/widgets",
		"runner/remote/archive", "runner/remote/order", "runner/maestro",
	},
	"farm": {
		"farm/internal/wire", "farm/internal/broker", "farm/internal/hub", "farm/hub", "farm/internal/host",
		"farm/host", "farm/internal/queue", "farm/queue", "farm/internal/dispatch", "farm/internal/work",
		"farm/work", "farm/tests/chaos", "farm/broker", "farm/dispatch", "farm/wire",
	},
	"server": {
		"server/internal/jobs", "server/internal/received", "server/internal/mail", "server/internal/oidc",
		"server/internal/auth", "server/internal/limit", "server/internal/apidocs", "server/internal/shared",
		"server/internal/service", "server/internal/console", "server/internal/rest", "server/internal/sandbox",
		"server/internal/devices", "server/internal/runs", "server/internal/accounts", "server/internal/tenants",
		"server/internal/farmapi", "server/internal/studio", "server", "server/auth", "server/limit", "server/mail",
		"server/oidc", "server/service",
	},
	"mcpserver": {"mcpserver"},
	"cli": {
		"cli/internal/shell", "cli/internal/process", "cli/internal/session", "cli/internal/report",
		"cli/internal/runpage", "cli/internal/run", "cli/internal/inspect", "cli/internal/project", "cli/internal/ops", "cli",
	},
}

// narrow lists packages that may import only these packages of other folders, in addition to internal: what makes them
// easy to test, or to embed.
var narrow = map[string][]string{
	"drivers/internal/inspector": {},
	"runner/internal/script":     {},
	"runner/internal/plan":       {"dsl"},
	"runner/internal/pool":       {"dsl", "drivers"},
	"runner/internal/decide":     {"dsl", "drivers/screen"},
	"runner/internal/replay":     {"dsl", "drivers/screen"},
	"runner/internal/observe":    {"drivers", "drivers/screen"},
	"runner/internal/action": {"dsl", "drivers", "drivers/screen",
		"drivers/vision/reading"},
	"runner/internal/engine": {"dsl", "drivers", "drivers/screen"},
	"farm/internal/wire":     {"drivers"},
	"suites":                 {"dsl", "runner", "runner/matchers"},
	"server/internal/auth":   {},
}

// outside lists the only packages that may import a library.
var outside = map[string][]string{
	"github.com/onsi/ginkgo/v2":                     {"runner", "suites"},
	"github.com/onsi/ginkgo/v2/types":               {"runner", "runner/internal/plan"},
	"github.com/onsi/gomega":                        {"runner", "suites"},
	"github.com/playwright-community/playwright-go": {"drivers/web", "internal/toolchain"},
	"github.com/electricbubble/gadb":                {"drivers/android/internal/adb"},
	"github.com/goccy/go-yaml":                      {"internal/source"},
	"github.com/modelcontextprotocol/go-sdk":        {"mcpserver", "bench/assistants"},
	"github.com/spf13/cobra":                        {"cli"},
	"github.com/at-wat/ebml-go":                     {"drivers/ios"},
	"github.com/danielgtaylor/huma/v2":              {"server"},
	"github.com/golang-jwt/jwt/v5":                  {"internal/jwtcheck", "server/internal"},
	"github.com/jackc/pgx/v5":                       {"internal/store"},
	"modernc.org/sqlite":                            {"internal/store"},
	"github.com/pressly/goose/v3":                   {"internal/store"},
	"github.com/pquerna/otp":                        {"server/internal/service", "dsl/internal/expr"},
	"github.com/wneessen/go-mail":                   {"server/internal/mail"},
	"github.com/emersion/go-imap/v2":                {"internal/mailbox"},
	"github.com/emersion/go-message":                {"internal/mailbox"},
	"github.com/coreos/go-oidc/v3":                  {"server/internal/oidc"},
	"golang.org/x/oauth2":                           {"server/internal/oidc"},
	"github.com/dop251/goja": {"runner/internal/script", "runner/internal/plan",
		"runner/internal/syntax/maestro"},
	"github.com/dlclark/regexp2/v2":     {"runner/internal/maestro"},
	"github.com/throttled/throttled/v2": {"server/internal/limit"},
	"github.com/rs/cors":                {"server"},
	"github.com/coder/websocket": {"server", "drivers/android", "drivers/internal/inspector",
		"drivers/internal/webdriver", "internal/devtools", "internal/sim"},
	"howett.net/plist":                  {"drivers/ios", "drivers/internal/inspector", "internal/sim"},
	"github.com/sashabaranov/go-openai": {"drivers/internal/vision"},
	"github.com/yuin/goldmark":          {"docs/site"},
	"github.com/nats-io/nats.go":        {"farm"},
	"github.com/nats-io/nats-server/v2": {"farm/internal/broker"},
	"github.com/nats-io/jwt/v2":         {"farm/internal/broker"},
	"github.com/nats-io/nkeys":          {"farm/internal/broker"},
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
	if top(pkg) != "internal" && !slices.Contains(packages[top(pkg)], pkg) {
		t.Errorf("%s: package %q is not listed in packages", file, pkg)
	}
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if own, ok := strings.CutPrefix(name, module+"/"); ok {
			if why := upward(pkg, own); why != "" {
				t.Errorf("%s: %q may not import %q: %s", file, pkg, own, why)
			}
			continue
		}
		if users, restricted := rule(outside, name); restricted && !covers(users, pkg) {
			t.Errorf("%s: only %v may import %s", file, users, name)
		}
	}
}

// upward returns why a package may not import another one of this module, or "" if it may.
func upward(from, to string) string {
	a, b := top(from), top(to)
	if a != b {
		if floor(b) >= floor(a) {
			return fmt.Sprintf("%s is not below %s", b, a)
		}
		if allowed, ok := narrow[from]; ok && b != "internal" && !slices.Contains(allowed, to) {
			return "narrow does not list it"
		}
		return ""
	}
	if a == "internal" || from == to {
		return ""
	}
	if slices.Index(packages[a], to) >= slices.Index(packages[a], from) {
		return "it is not listed before it in packages"
	}
	return ""
}

// top returns the folder at the top that a package is in, "." for the root.
func top(pkg string) string {
	name, _, _ := strings.Cut(pkg, "/")
	return name
}

// floor returns the number of a folder's floor.
func floor(folder string) int {
	return slices.IndexFunc(floors, func(f []string) bool { return slices.Contains(f, folder) })
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
