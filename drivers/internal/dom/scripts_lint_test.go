//go:build lint

package dom

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// eslint checks the scripts. npm downloads it once.
const eslint = "eslint@9.39.5"

// lintRules find names that no scope declares, and declarations that are in the way of others or without use.
var lintRules = map[string]any{
	"no-undef": "error", "no-const-assign": "error", "no-dupe-keys": "error", "no-dupe-class-members": "error",
	"no-redeclare": []any{"error", map[string]any{"builtinGlobals": false}},
	"no-unused-vars": []any{"error", map[string]any{"args": "none", "caughtErrors": "none", "vars": "local",
		"varsIgnorePattern": "^_$"}},
}

var (
	isModule = regexp.MustCompile(`(?m)^(import|export)\b`)
	partOf   = regexp.MustCompile(`(?m)^// include (\S+)$`)
)

// script is a script as the program runs it.
type script struct{ name, text string }

// TestScripts checks that the scripts of pages, of reports and of Studio use only names that they declare, or that
// scripts.txt lists as those of browsers. Scripts that consist of several files are put together first.
func TestScripts(t *testing.T) {
	dir, browser := t.TempDir(), map[string]string{}
	for _, name := range strings.Fields(string(contents(t, "scripts.txt"))) {
		browser[name] = "readonly"
	}
	config, err := json.Marshal([]any{map[string]any{"files": []string{"**/*.js", "**/*.mjs"}, "rules": lintRules,
		"linterOptions":   map[string]any{"reportUnusedDisableDirectives": "off"},
		"languageOptions": map[string]any{"ecmaVersion": 2025, "globals": browser}},
		map[string]any{"files": []string{"**/*.js"}, "languageOptions": map[string]any{"sourceType": "script"}}})
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("eslint.config.mjs", "export default "+string(config)+";\n")
	all := allScripts(t)
	for _, s := range all {
		ending := ".js"
		if isModule.MatchString(s.text) {
			ending = ".mjs"
		}
		write(strings.ReplaceAll(strings.TrimSuffix(s.name, filepath.Ext(s.name)), "/", "+")+ending, s.text)
	}
	if len(all) < 20 {
		t.Fatalf("only %d scripts were found", len(all))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "exec", "--yes", "--silent", "--package="+eslint, "--", "eslint",
		"--max-warnings=0", ".")
	cmd.Dir, cmd.WaitDelay = dir, 5*time.Second
	cmd.Env = append(os.Environ(), "npm_config_update_notifier=false")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v (it needs Node and, once, a network)\n%s", err, strings.ReplaceAll(string(said), dir+"/", ""))
	}
}

// allScripts returns all scripts.
func allScripts(t *testing.T) (all []script) {
	t.Helper()
	included := map[string]bool{}
	var parts []string
	for _, folder := range []string{"drivers/internal/dom/script", "drivers/web/script", "runner/record", "runner/action",
		"server/internal/studio/page", "server/internal/console/assets", "docs/site/assets",
		"cli/internal/runpage/assets"} {
		for _, pattern := range []string{"*.js", "*.ts"} {
			found, err := filepath.Glob(filepath.Join("../../..", folder, pattern))
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, found...)
		}
	}
	for _, file := range parts {
		for _, m := range partOf.FindAllSubmatch(contents(t, file), -1) {
			included[string(m[1])] = true
		}
	}
	for _, file := range parts {
		text, name := string(contents(t, file)), strings.TrimPrefix(filepath.ToSlash(file), "../../../")
		switch {
		case strings.HasPrefix(name, "drivers/internal/dom/") && included[filepath.Base(file)]:
			continue
		case filepath.Ext(file) == ".ts":
			text = withoutTypes(t, file)
		case name == "drivers/web/script/far.js": // as drivers/web does
			text = strings.Replace(text, "RESTS", string(contents(t, filepath.Join(filepath.Dir(file), "rests.js"))), 1)
		}
		all = append(all, script{name: name, text: Assemble(strings.TrimSpace(text))})
	}
	return append(all, reportScripts(t)...)
}

// withoutTypes returns a script without the types of TypeScript.
func withoutTypes(t *testing.T, file string) string {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "go", "tool", "esbuild", "--target=es2022", file).Output()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return string(said)
}

// reportScripts returns the two scripts of the pages of reports: theme.js, and all others together.
func reportScripts(t *testing.T) []script {
	t.Helper()
	const folder = "reporters/internal/html/assets/"
	found, err := filepath.Glob("../../../" + folder + "*.js")
	if err != nil || len(found) < 3 {
		t.Fatalf("%d scripts of reports: %v", len(found), err)
	}
	var whole strings.Builder
	for _, file := range found {
		if filepath.Base(file) != "theme.js" {
			fmt.Fprintf(&whole, "// %s\n%s", filepath.Base(file), contents(t, file))
		}
	}
	return []script{{name: folder + "theme.js", text: string(contents(t, "../../../"+folder+"theme.js"))},
		{name: folder + "report.js", text: "(function () {\n" + whole.String() + "})();\n"}}
}

func contents(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
