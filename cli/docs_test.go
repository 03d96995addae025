package cli_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/cli"
	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestConfigurationIsFresh compares docs/configuration.md and docs/commands.md with the commands; -update writes them.
func TestConfigurationIsFresh(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"configuration", "commands"} {
		file := "../docs/" + page + ".md"
		want := docs(t, page)
		if *testutil.Update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%[1]s is not up to date; run \"taproot docs %[2]s -o docs/%[2]s.md\" (-want +got)\n%[3]s", file, page,
				diff)
		}
	}
}

// docs returns the output of taproot docs.
func docs(t *testing.T, args ...string) string {
	t.Helper()
	code, out, complaints := runDocs(t, args...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, complaints)
	}
	return out
}

func runDocs(t *testing.T, args ...string) (code int, out, complaints string) {
	return runCommand(t, append([]string{"docs"}, args...)...)
}

func runCommand(t *testing.T, args ...string) (code int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	env := &process.Env{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout,
		Stderr: &stderr, Dir: t.TempDir(),
		Getenv: func(string) string { return "" }}
	code = cli.Run(t.Context(), env)
	return code, stdout.String(), stderr.String()
}

// TestConfiguration checks that the page lists each variable of the code once, and no other.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	told := map[string]int{}
	rows := regexp.MustCompile("(?m)^\\| (`[A-Za-z0-9_`, ]+`) \\|")
	text := docs(t, "configuration")
	for _, row := range rows.FindAllStringSubmatch(text, -1) {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(row[1], -1) {
			told[name]++
		}
	}
	read := variablesOf(t, "..")
	for name, where := range read {
		if told[name] == 0 {
			t.Errorf("%s, which %s reads, is not on the page: give it a line in variables()", name, where)
		}
	}
	// The server has its own meaning of three variables of runs.
	for name, n := range told {
		if n > 1 && !slices.Contains([]string{"TAPROOT_ALLOW_PRIVATE", "TAPROOT_ALLOW_SHELL"}, name) {
			t.Errorf("%s is on the page %d times", name, n)
		}
		if read[name] == "" {
			t.Errorf("%s is on the page, and nothing reads it", name)
		}
	}
	if len(read) < 60 {
		t.Errorf("only %d variables were found in the code", len(read))
	}
}

// variablesOf finds the environment variables in the code: texts with the form of our variables or of those of a
// program that we drive, and arguments of functions that read the environment.
func variablesOf(t *testing.T, root string) map[string]string {
	ours := regexp.MustCompile(
		`^(TAPROOT|REPORT_MAX|OPENAI|PLAYWRIGHT|ANDROID|ADB_SERVER|XDG|GITHUB|CORS|OTEL)_[A-Z0-9_]*[A-Z0-9]$`)
	every := regexp.MustCompile(`^([A-Z][A-Z0-9_]+|LocalAppData)$`)
	readers := []string{"Getenv", "getenv", "LookupEnv", "lookup", "list", "boolean", "get"}
	found := map[string]string{}
	note := func(file string, e ast.Expr, pattern *regexp.Regexp) {
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return
		}
		if name, err := strconv.Unquote(lit.Value); err == nil && pattern.MatchString(name) {
			found[name] = filepath.ToSlash(file)
		}
	}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		// Users do not configure the simulated devices, and the lists of this page must not count as uses.
		if d.IsDir() && (slices.Contains([]string{"sim", "webtest", "testdata", "bin"}, d.Name()) ||
			strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
			strings.HasSuffix(filepath.ToSlash(file), "cli/internal/project/configuration.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				note(file, n, ours)
			case *ast.CallExpr:
				name := ""
				switch f := n.Fun.(type) {
				case *ast.Ident:
					name = f.Name
				case *ast.SelectorExpr:
					name = f.Sel.Name
				}
				if slices.Contains(readers, name) && len(n.Args) == 1 {
					note(file, n.Args[0], every)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(found, "TAPROOT_JWT") // the prefix of several names
	return found
}

// TestDocs prints an action, a section and a page by their names; an unknown name is an error.
func TestDocs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"tap":             "# tap\n\nWaits for an element",
		"selectors":       "## Selectors\n",
		"install":         "# install\n\nInstalls an app",
		"install.md":      "# Install\n\nTaproot is one program",
		"ci/github":       "# GitHub Actions\n",
		"troubleshooting": "# Troubleshooting\n",
		"llms.txt":        "# Taproot\n\n> ",
	} {
		if got := docs(t, name); !strings.HasPrefix(got, want) {
			t.Errorf("docs %s begins with %.60q", name, got)
		}
	}
	if got := docs(t, "tap"); strings.Contains(got, "# doubleTap") {
		t.Errorf("docs tap prints more than tap: %s", got)
	}
	for _, name := range []string{"scrollTo", "scroll-to"} {
		if code, got, complaints := runCommand(t, "actions", name); code != 0 || got != docs(t, "scrollTo") {
			t.Errorf("actions %s: exit code %d, %s%s", name, code, got, complaints)
		}
	}
	if code, _, complaints := runCommand(t, "actions", "scrolTo"); code != 2 || !strings.Contains(complaints, "scrollTo") {
		t.Errorf("actions scrolTo: exit code %d, %s", code, complaints)
	}
	for _, args := range [][]string{{"taps"}, {"../go"}, {""}, {"tap", "swipe"}} {
		if code, out, complaints := runDocs(t, args...); code != 2 || out != "" {
			t.Errorf("docs %q: exit code %d, %s%s", args, code, out, complaints)
		}
	}
}

// TestDocsSiteSearch opens the site as a reader does, from the disk and without a server, and searches it. On a
// phone no page scrolls sideways.
func TestDocsSiteSearch(t *testing.T) {
	testutil.Leave(t, "the tests of docs/site read the pages")
	t.Parallel()
	useBrowser(t)
	site := filepath.Join(t.TempDir(), "site")
	cmd := exec.Command("go", "run", "github.com/taproot-dev/taproot/docs/site", site)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runBlocks(t, []block{{file: "the site", language: "sh", text: "cp -r '" + site + "' site" + `
cat > search.yaml <<'END'
id: search
platform: web
steps:
  - openBrowser: {url: site/ci/github.html, viewport: 390x844}
  - tap: Search
  - input: exit codes jenkins
  - assert: {label: Jenkins, match: contains, inside: {id: hits}}
  - press: enter
  - webAssert: {selector: h1, text: Jenkins}
  - webAssert: {noConsoleErrors: true}
  - webEval: {script: document.documentElement.scrollWidth, as: width}
  - assertTrue: width == 390
END
cat > narrow.yaml <<'END'
id: narrow
platform: web
steps:
  - forEach:
      in: [index, reference, actions/tap, actions/webRoute, waiting, configuration, commands, farm, clients]
      steps:
        - openBrowser: {url: "site/${item}.html", viewport: 390x844}
        - webEval: {script: "document.documentElement.scrollWidth", as: width}
        - webEval: {script: "document.querySelectorAll('img:not([alt])').length", as: silent}
        - assertTrue: width == 390 && silent == 0
END
taproot run search.yaml narrow.yaml
`}})
}
