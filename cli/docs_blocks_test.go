package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rhysd/actionlint"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/taproot-dev/taproot/cli"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/run"
)

// repository is the root of the repository.
const repository = ".."

// block is a fenced block of a document. A comment right before it can be `run: web`, `run: android` or `run`, which
// runs the block unchanged; or `not run: REASON`.
type block struct {
	file     string
	line     int    // of its fence
	language string // sh, yaml, …
	about    string // the text after the name of the format: the file of the block
	mark     string
	text     string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// documents are the README, CONTRIBUTING and docs, by their path in the repository.
func documents(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(repository, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(repository, file)
			if err != nil {
				t.Fatal(err)
			}
			found[filepath.ToSlash(name)] = string(data)
		}
	}
	if len(found) < 25 {
		t.Fatalf("only %d documents were found", len(found))
	}
	return found
}

var (
	fence = regexp.MustCompile("^```(\\w*)\\s*(.*)$")
	mark  = regexp.MustCompile(`^<!-- ((?:not run: .+)|(?:run(?:: (?:web|android))?)) -->$`)
)

// blocksOf are the fenced blocks of a document in their order.
func blocksOf(t *testing.T, name, text string) []block {
	t.Helper()
	var list []block
	var in *block
	said := ""
	for i, line := range strings.Split(text, "\n") {
		switch m := fence.FindStringSubmatch(line); {
		case in != nil && m != nil && m[1] == "":
			list, in = append(list, *in), nil
		case in != nil:
			in.text += line + "\n"
		case m != nil:
			in = &block{file: name, line: i + 1, language: m[1], about: m[2], mark: said}
			said = ""
		case strings.HasPrefix(line, "<!--"):
			found := mark.FindStringSubmatch(line)
			if found == nil {
				t.Errorf("%s:%d: a comment that no test understands: %s", name, i+1, line)
				continue
			}
			said = found[1]
		case said != "":
			t.Errorf("%s:%d: no block follows the comment %q", name, i, said)
			said = ""
		}
	}
	if in != nil {
		t.Errorf("%s: the block has no end", in)
	}
	return list
}

// TestDocumentsYAML checks every block of YAML: a test, steps, a taproot.yaml or a file of a CI system.
func TestDocumentsYAML(t *testing.T) {
	t.Parallel()
	tests, steps, others := 0, 0, 0
	for name, text := range documents(t) {
		for _, b := range blocksOf(t, name, text) {
			if b.language != "yaml" {
				continue
			}
			switch {
			case b.about == "taproot.yaml":
				if _, err := dsl.ParseConfig(b.String(), []byte(b.text)); err != nil {
					t.Error(err)
				}
				others++
			case strings.HasPrefix(b.about, ".github/workflows/"):
				lintWorkflow(t, b.about, b.text)
				others++
			case strings.HasPrefix(b.file, "docs/ci/"):
				checkPipeline(t, b) // TestPipelines checks the rest
				others++
			case b.about == "prometheus.yml":
				checkPrometheus(t, b)
				others++
			case strings.HasPrefix(b.about, "suites/actions/"):
				checkOwnAction(t, b)
				others++
			case strings.HasPrefix(b.about, "suites/"):
				checkFile(t, b)
				tests++
			case b.about != "":
				t.Errorf("%s: nothing checks a %s", b, b.about)
			case strings.HasPrefix(b.text, "- "):
				checkSteps(t, b)
				steps++
			default:
				if _, err := dsl.Parse(b.String(), []byte(b.text), suitesActions()); err != nil {
					t.Error(err)
				}
				tests++
			}
		}
	}
	if tests < 4 || steps < 3 || others < 7 {
		t.Errorf("%d tests, %d lists of steps, %d other files were checked", tests, steps, others)
	}
}

// checkFile checks that the block is the file of a test in the repository, and that the test is valid.
func checkFile(t *testing.T, b block) {
	t.Helper()
	if file := read(t, repository, filepath.FromSlash(b.about)); file != b.text {
		t.Errorf("%s is not what %s holds", b, b.about)
	}
	if _, err := dsl.Parse(b.String(), []byte(b.text), suitesActions()); err != nil {
		t.Error(err)
	}
}

// suitesActions are the own actions of the repository's suites.
func suitesActions() *dsl.Own {
	dir := filepath.Join(repository, "suites")
	return run.Config{Dir: dir}.OwnActions(dir)
}

// checkOwnAction checks that the block is the file of an own action in the repository, and that the action is valid.
func checkOwnAction(t *testing.T, b block) {
	t.Helper()
	if file := read(t, repository, filepath.FromSlash(b.about)); file != b.text {
		t.Errorf("%s is not what %s holds", b, b.about)
	}
	if err := suitesActions().Check(strings.TrimSuffix(path.Base(b.about), ".yaml")); err != nil {
		t.Error(err)
	}
}

// checkPrometheus checks that the configuration reads the metrics with a key in a file.
func checkPrometheus(t *testing.T, b block) {
	t.Helper()
	var conf struct {
		Scrape []struct {
			Path  string `yaml:"metrics_path"`
			Shows struct {
				Type string `yaml:"type"`
				File string `yaml:"credentials_file"`
			} `yaml:"authorization"`
			Static []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(b.text), &conf); err != nil || len(conf.Scrape) != 1 {
		t.Fatalf("%s: %v", b, err)
	}
	if one := conf.Scrape[0]; one.Path != "/metrics" || one.Shows.Type != "Bearer" || one.Shows.File == "" ||
		len(one.Static) != 1 || len(one.Static[0].Targets) == 0 {
		t.Errorf("%s: %+v", b, conf)
	}
}

// checkSteps checks steps, each on the first platform that supports it: a list of examples may be for several.
func checkSteps(t *testing.T, b block) {
	t.Helper()
	for _, step := range strings.Split("\n"+strings.TrimSuffix(b.text, "\n"), "\n- ")[1:] {
		var first error
		for _, platform := range []string{"android", "web", "ios"} {
			runsOn := "platform: " + platform
			if strings.HasPrefix(step, "on:") {
				runsOn = "devices: {alice: {platform: android}, bob: {platform: " + platform + "}}"
			}
			_, err := dsl.Parse(b.String(), []byte("id: doc\n"+runsOn+"\nsteps:\n- "+step+"\n"),
				suitesActions())
			if err == nil {
				first = nil
				break
			}
			if first == nil {
				first = err
			}
		}
		if first != nil {
			t.Error(first)
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{.*?\}\}`)

// lintWorkflow checks a workflow of GitHub Actions, and its inputs of our own action with action.yml.
func lintWorkflow(t *testing.T, name, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, "uses: taproot-dev/taproot@v0\n", "uses: ./\n")
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProjects().At(root)
	if err != nil {
		t.Fatal(err)
	}
	linter, err := actionlint.NewLinter(&bytes.Buffer{}, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := linter.Lint(name, []byte(text), project)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		t.Error(e)
	}
	var workflow struct {
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}
	if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			// GitHub replaces the expressions before the shell reads the script
			checkShell(t, name, expression.ReplaceAllString(step.Run, "X"))
		}
	}
}

// TestDocumentsCommands parses every command line with a shell, and checks the command, flags and arguments of each
// call of taproot in it, as well as of those between backticks in the text.
func TestDocumentsCommands(t *testing.T) {
	t.Parallel()
	calls := 0
	inline := regexp.MustCompile("`((?:[A-Z_]+=\\S+ )*taproot [^`]+)`")
	for name, text := range documents(t) {
		for _, b := range blocksOf(t, name, text) {
			if b.language == "sh" {
				calls += checkShell(t, b.String(), b.text)
			}
		}
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			line := m[1]
			switch {
			case strings.ContainsAny(line, "…\n") || strings.Contains(line, "COMMAND"): // a placeholder
				continue
			case strings.Count(line, " ") == 1: // the name of a command, without its arguments
				line += " --help"
			}
			calls += checkShell(t, name+": "+line, line)
		}
	}
	if calls < 60 {
		t.Errorf("only %d calls of taproot were checked", calls)
	}
}

// checkShell parses a script, checks the calls of taproot in it, and returns their number.
func checkShell(t *testing.T, name, script string) int {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(script), name)
	if err != nil {
		t.Error(err)
		return 0
	}
	calls := 0
	printer := syntax.NewPrinter()
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		var words []string
		for _, arg := range call.Args {
			if fields, err := expand.Fields(&expand.Config{Env: expand.ListEnviron()}, arg); err == nil && len(fields) == 1 {
				words = append(words, fields[0])
				continue
			}
			var text bytes.Buffer // a variable counts as one word
			if err := printer.Print(&text, arg); err != nil {
				t.Fatal(err)
			}
			words = append(words, text.String())
		}
		for len(words) > 0 && words[0] == "taproot" {
			words = words[1:]
			calls++
			if err := cli.CheckLine(words); err != nil {
				t.Errorf("%s: taproot %s: %v", name, strings.Join(words, " "), err)
			}
			if i := slices.Index(words, "--"); i >= 0 { // taproot sim -- taproot run
				words = words[i+1:]
			}
		}
		return true
	})
	return calls
}

// hereString is a text that PowerShell writes to a file.
var hereString = regexp.MustCompile(`(?s)@'\n(.*?\n)'@ \| Set-Content (\S+)\n`)

// TestDocumentsPowerShell checks the calls of taproot in blocks of PowerShell, and that a file which they write is the
// same as one that a block of sh on the page writes, which is run.
func TestDocumentsPowerShell(t *testing.T) {
	t.Parallel()
	calls, files := 0, 0
	for name, text := range documents(t) {
		blocks := blocksOf(t, name, text)
		for _, b := range blocks {
			if b.language != "powershell" {
				continue
			}
			for _, m := range hereString.FindAllStringSubmatch(b.text, -1) {
				files++
				same := "cat > " + m[2] + " <<'END'\n" + m[1] + "END\n"
				if !slices.ContainsFunc(blocks, func(sh block) bool { return strings.Contains(sh.text, same) }) {
					t.Errorf("%s: no block of sh writes the same %s", b, m[2])
				}
			}
			for line := range strings.Lines(hereString.ReplaceAllString(b.text, "")) {
				if strings.HasPrefix(line, "taproot ") {
					calls += checkShell(t, b.String(), line)
				}
			}
		}
	}
	if calls < 5 || files < 3 {
		t.Errorf("only %d calls and %d files were checked", calls, files)
	}
}

// TestDocumentsRun runs the blocks that are marked for it, document by document in a folder of its own.
func TestDocumentsRun(t *testing.T) {
	t.Parallel()
	ran := 0
	for name, text := range documents(t) {
		blocks := blocksOf(t, name, text)
		for _, b := range blocks {
			if b.language == "sh" && strings.HasPrefix(b.mark, "not run") &&
				strings.Contains(b.text, "taproot sim -- taproot run") {
				t.Errorf("%s can be run", b)
			}
		}
		blocks = slices.DeleteFunc(blocks, func(b block) bool {
			// testdata/init.txtar starts with the same commands
			return b.mark != "run" && !strings.HasPrefix(b.mark, "run: ") || testing.Short() && name != "README.md"
		})
		ran += len(blocks)
		if len(blocks) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if slices.ContainsFunc(blocks, func(b block) bool { return b.mark == "run: web" }) {
				useBrowser(t)
			}
			runBlocks(t, blocks)
		})
	}
	if !testing.Short() && ran < 6 || ran == 0 {
		t.Errorf("only %d blocks are run", ran)
	}
}

func runBlocks(t *testing.T, blocks []block) {
	server, _ := androidsim.Start(t) // no phone is attached: a block that needs one starts it
	dir, reports := t.TempDir(), t.TempDir()
	env := append(os.Environ(), "ADB_SERVER_SOCKET=tcp:"+server.Addr(), "TAPROOT_REPORTS_DIR="+reports, "XDG_RUNTIME_DIR="+
		t.TempDir(),
		"XDG_STATE_HOME="+t.TempDir(), "TAPROOT_NO_VIDEO=true", "TAPROOT_NO_TRACE=true", "GITHUB_ACTIONS=",
		"GITHUB_STEP_SUMMARY=")
	wait, err := syntax.NewParser().Parse(strings.NewReader("wait || true"), "wait")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		text, env := b.text, env
		if strings.Contains(text, "taproot serve") { // the ports in the document may be in use
			at := freePort(t)
			text, env = strings.ReplaceAll(text, "localhost:3210", at), append(env, "TAPROOT_ADDR="+at, "TAPROOT_FARM_LISTEN="+
				freePort(t))
		}
		file, err := syntax.NewParser().Parse(strings.NewReader(text), b.String())
		if err != nil {
			t.Fatal(err)
		}
		var out drivertest.Log // the programs of a pipeline write errors at once
		r, err := interp.New(interp.Env(expand.ListEnviron(env...)), interp.Dir(dir), interp.StdIO(nil, &out, &out),
			interp.Params("-e"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		err = r.Run(ctx, file)
		cancel()
		if waiting := r.Run(context.WithoutCancel(ctx), wait); waiting != nil {
			t.Errorf("%s: what goes on in the background: %v", b, waiting)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", b, err, out.String())
		}
		if strings.Contains(b.text, "taproot run") && !strings.Contains(out.String(), "✓ PASS ") {
			t.Errorf("%s: no test passed\n%s", b, out.String())
		}
	}
}

// TestDocumentsMake checks that the targets of make that documents name exist.
func TestDocumentsMake(t *testing.T) {
	t.Parallel()
	targets := read(t, repository, "Makefile")
	found := 0
	for name, text := range documents(t) {
		for _, m := range regexp.MustCompile("(?m)(?:^    |`)make ([a-z-]+)").FindAllStringSubmatch(text, -1) {
			found++
			if !regexp.MustCompile(`(?m)^` + m[1] + `:`).MatchString(targets) {
				t.Errorf("%s: there is no make %s", name, m[1])
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d targets were found", found)
	}
}
