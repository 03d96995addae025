package project

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"
	"golang.org/x/term"

	"github.com/taproot-dev/taproot/cli/internal/inspect"
	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/runner/plan"
)

//go:embed template
var templates embed.FS

// ciFile is the file of a CI system, and what shows that a repository uses the system.
type ciFile struct {
	name, file, template string
	marks                []string // files and folders of the repository
	host                 string   // of its remote
}

// ciFiles are the known CI systems; every one but GitHub has a single file for all jobs.
func ciFiles() []ciFile {
	return []ciFile{
		{name: "github", file: ".github/workflows/taproot.yml", template: "github.yml.tmpl", marks: []string{".github"},
			host: "github.com"},
		{name: "gitlab", file: ".gitlab-ci.yml", template: "gitlab.yml.tmpl", marks: []string{".gitlab-ci.yml", ".gitlab"},
			host: "gitlab.com"},
		{name: "jenkins", file: "Jenkinsfile", template: "Jenkinsfile.tmpl", marks: []string{"Jenkinsfile"}},
		{name: "circleci", file: ".circleci/config.yml", template: "circleci.yml.tmpl", marks: []string{".circleci"}},
		{name: "azure", file: "azure-pipelines.yml", template: "azure.yml.tmpl", marks: []string{"azure-pipelines.yml"},
			host: "dev.azure.com"},
		{name: "buildkite", file: ".buildkite/pipeline.yml", template: "buildkite.yml.tmpl", marks: []string{".buildkite"}},
		{name: "bitbucket", file: "bitbucket-pipelines.yml", template: "bitbucket.yml.tmpl",
			marks: []string{"bitbucket-pipelines.yml"}, host: "bitbucket.org"},
	}
}

// ciNames are the values of --ci.
func ciNames() []string {
	var names []string
	for _, c := range ciFiles() {
		names = append(names, c.name)
	}
	return append(names, NoCI)
}

const NoCI = "none"

// initFlags are the flags of init.
type initFlags struct {
	web, android, ci string
	golang           bool
}

func InitCommand(env *process.Env) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "create a project: first tests, settings, editor and CI",
		Long: "init creates a folder suites with a first test that passes at once and its taproot.yaml, the schema with " +
			"which an\n" +
			"editor completes and checks tests (.taproot, .vscode), .gitignore, and a file for the CI of the repository. " +
			"Without\n" +
			"--web and --android, the tests are examples for a page and for the app of a simulated phone.\n\n" +
			"Existing files are never overwritten. At the end it prints what it wrote, and the next command.",
		Example: "  taproot init                            examples for a page and a phone\n" +
			"  taproot init --web https://example.com\n" +
			"  taproot init --android com.example.app --ci github",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := env.Dir
			if len(args) == 1 {
				if dir = args[0]; !filepath.IsAbs(dir) {
					dir = filepath.Join(env.Dir, dir)
				}
			}
			return initProject(cmd, env, dir, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.web, "web", "", "the first test opens the page with this `URL`")
	flags.StringVar(&f.android, "android", "",
		"the first test starts the Android app with this `PACKAGE`, such as com.example.app")
	flags.StringVar(&f.ci, "ci", "",
		"write a file for this `CI`: "+strings.Join(ciNames(), ", ")+" (default: the one that the repository uses)")
	flags.BoolVar(&f.golang, "go", false, "add suites_test.go and go.mod, to run the tests with go test")
	return cmd
}

// project is the project that init creates.
type project struct {
	dir      string
	env      *process.Env
	flags    initFlags
	kept     bool // a file existed already
	commands []string

	// For the templates.
	URL, Package, Version, Platforms, Run string
	Later                                 string // a YAML comment on what replaces Version once there are releases
	Phone                                 bool   // a phone must be attached
	Branch                                string // the repository's main branch, as YAML
}

func initProject(cmd *cobra.Command, env *process.Env, dir string, f initFlags) error {
	p := &project{dir: dir, env: env, flags: f, Package: f.android, Branch: mainBranch(dir),
		Version: "main", Later: " # from the first release on: @v0.1.0"}
	if v := process.ThisBuild().Version; semver.IsValid(v) && semver.Build(v) == "" {
		p.Version, p.Later = v, ""
	}
	if err := p.check(); err != nil {
		return err
	}
	ci, err := p.chooseCI()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := errors.Join(p.tests(), p.editor(), p.ignore(), p.golang(), p.writeCI(ci)); err != nil {
		return err
	}
	return p.next(cmd, ci)
}

var packageForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$`)

// check validates the flags and prepares the values of the templates.
func (p *project) check() error {
	if p.flags.android != "" && !packageForm.MatchString(p.flags.android) {
		return &plan.Usage{
			Msg: fmt.Sprintf("--android %q: write the app's package, such as com.example.app; taproot sim has "+
				"com.example.login", p.flags.android)}
	}
	if p.flags.web != "" {
		if !strings.Contains(p.flags.web, "://") {
			return &plan.Usage{Msg: fmt.Sprintf("--web %q: write the whole URL, such as https://%[1]s", p.flags.web)}
		}
		var quoted bytes.Buffer // a JSON string is a YAML string
		out := json.NewEncoder(&quoted)
		out.SetEscapeHTML(false)
		if err := out.Encode(p.flags.web); err != nil {
			return err
		}
		p.URL = strings.TrimSpace(quoted.String())
		text, err := p.render("web-page.yaml.tmpl")
		if err != nil {
			return err
		}
		if _, err := dsl.Parse("suites/web/web-home.yaml", text); err != nil {
			return &plan.Usage{Msg: fmt.Sprintf("--web %s: %v", p.flags.web, err)}
		}
	}
	var platforms []string
	if p.hasWeb() {
		platforms = append(platforms, "web")
	}
	p.Run = "taproot run --require-devices"
	if p.hasPhone() {
		platforms = append(platforms, "android")
		if p.simulated() {
			p.Run = "taproot sim -- " + p.Run
		}
		p.Phone = !p.simulated()
	}
	p.Platforms = strings.Join(platforms, ",")
	return nil
}

func (p *project) hasWeb() bool   { return p.flags.web != "" || p.flags.android == "" }
func (p *project) hasPhone() bool { return p.flags.android != "" || p.flags.web == "" }

// simulated reports whether the phone's test is for a simulated phone.
func (p *project) simulated() bool {
	return p.flags.android == "" || p.flags.android == androidsim.LoginPackage
}

// tests writes the first tests.
func (p *project) tests() error {
	errs := []error{p.write("suites/taproot.yaml", "taproot.yaml")}
	switch {
	case p.flags.web != "":
		errs = append(errs, p.write("suites/web/web-home.yaml", "web-page.yaml.tmpl"))
	case p.hasWeb():
		errs = append(errs, p.write("suites/web/web-example.yaml", "web-example.yaml"),
			p.write("suites/web/example.html", "example.html"))
	}
	switch {
	case p.hasPhone() && p.simulated():
		errs = append(errs, p.write("suites/android/android-example.yaml", "android-sim.yaml"))
	case p.hasPhone():
		errs = append(errs, p.write("suites/android/android-start.yaml", "android-app.yaml.tmpl"))
	}
	return errors.Join(errs...)
}

// editor writes the schemas, and the settings of Visual Studio Code for them. Other editors use the first line of a
// test.
func (p *project) editor() error {
	test, err := json.Marshal(dsl.Schema())
	if err != nil {
		return err
	}
	config, err := json.Marshal(dsl.ConfigSchema())
	if err != nil {
		return err
	}
	return errors.Join(p.put(".taproot/test.schema.json", append(test, '\n')), p.put(".taproot/config.schema.json",
		append(config, '\n')),
		p.write(".vscode/settings.json", "vscode-settings.json"),
		p.write(".vscode/extensions.json", "vscode-extensions.json"))
}

// ignored are the folders that do not belong into a repository: reports, and the schema that init writes again.
var ignored = []string{"/tests/reports/", "/.taproot/"}

// ignore writes them to .gitignore. An existing file gets the missing lines.
func (p *project) ignore() error {
	file := filepath.Join(p.dir, ".gitignore")
	have, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.put(".gitignore", []byte(strings.Join(ignored, "\n")+"\n"))
	case err != nil:
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(ignored), func(entry string) bool {
		for line := range strings.Lines(string(have)) {
			if strings.Trim(strings.TrimSpace(line), "/") == strings.Trim(entry, "/") {
				return true
			}
		}
		return false
	})
	if len(missing) == 0 {
		p.keep(".gitignore")
		return nil
	}
	if len(have) > 0 && !bytes.HasSuffix(have, []byte("\n")) {
		have = append(have, '\n')
	}
	if err := replaceFile(file, append(have, strings.Join(missing, "\n")+"\n"...)); err != nil {
		return err
	}
	for _, entry := range missing {
		fmt.Fprintf(p.env.Stdout, "added %s to .gitignore\n", entry)
	}
	return nil
}

// golang writes the files for go test.
func (p *project) golang() error {
	if !p.flags.golang {
		return nil
	}
	if err := p.write("suites/suites_test.go", "suites_test.go.tmpl"); err != nil {
		return err
	}
	for at := p.dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			break // there is a module
		}
		if filepath.Dir(at) == at {
			name := regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(filepath.Base(p.dir), "-")
			if err := p.put("go.mod", []byte("module "+strings.Trim(name, "-.")+"\n\ngo 1.26\n")); err != nil {
				return err
			}
			break
		}
	}
	p.commands = append(p.commands, "go get github.com/taproot-dev/taproot@"+p.Version+" && go mod tidy")
	return nil
}

// chooseCI returns the CI of --ci, else the one that the repository uses, else the one that the user types.
func (p *project) chooseCI() (string, error) {
	names := ciNames()
	if p.flags.ci != "" {
		if !slices.Contains(names, p.flags.ci) {
			return "", &plan.Usage{Msg: fmt.Sprintf("--ci %q: write %s", p.flags.ci, phrase.Or(names))}
		}
		return p.flags.ci, nil
	}
	if used := p.usedCI(); used != "" {
		return used, nil
	}
	in, ok := p.env.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) { // a file descriptor always fits an int
		return NoCI, nil
	}
	fmt.Fprintf(p.env.Stdout, "Which CI runs the tests: %s? [none] ", phrase.Or(names))
	answer, _ := bufio.NewReader(in).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); slices.Contains(names, answer) {
		return answer, nil
	}
	return NoCI, nil
}

// usedCI detects the CI of the repository by its files and its remote.
func (p *project) usedCI() string {
	for _, c := range ciFiles() {
		for _, mark := range c.marks {
			if _, err := os.Stat(filepath.Join(p.dir, mark)); err == nil {
				return c.name
			}
		}
	}
	conf, err := os.ReadFile(filepath.Join(p.dir, ".git", "config"))
	if err != nil {
		return ""
	}
	for _, c := range ciFiles() {
		if c.host != "" && regexp.MustCompile(`url = \S*`+regexp.QuoteMeta(c.host)).Match(conf) {
			return c.name
		}
	}
	return ""
}

func (p *project) writeCI(ci string) error {
	for _, c := range ciFiles() {
		if c.name != ci {
			continue
		}
		if _, err := os.Stat(filepath.Join(p.dir, c.file)); err != nil {
			return p.write(c.file, c.template)
		}
		text, err := p.render(c.template)
		if err != nil {
			return err
		}
		p.keep(c.file)
		fmt.Fprintf(p.env.Stdout, "Its job would be:\n\n%s\n", text)
	}
	return nil
}

// render returns a template's text, or that of a file that is not a template.
func (p *project) render(name string) ([]byte, error) {
	text, err := templates.ReadFile(path.Join("template", name))
	if err != nil || !strings.HasSuffix(name, ".tmpl") {
		return text, err
	}
	parsed, err := template.New(name).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = parsed.Execute(&b, p)
	return b.Bytes(), err
}

func (p *project) write(name, template string) error {
	text, err := p.render(template)
	if err != nil {
		return err
	}
	return p.put(name, text)
}

// put writes a file, unless it exists.
func (p *project) put(name string, text []byte) error {
	file := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		p.keep(name)
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	fmt.Fprintf(p.env.Stdout, "wrote %s\n", name)
	return nil
}

// keep prints that a file existed already.
func (p *project) keep(name string) {
	p.kept = true
	fmt.Fprintf(p.env.Stdout, "kept  %s, which existed already\n", name)
}

// next prints the commands to run now.
func (p *project) next(cmd *cobra.Command, ci string) error {
	if p.dir != p.env.Dir {
		p.commands = append([]string{"cd " + shellescape.Quote(process.ShownPath(p.env.Dir, p.dir))}, p.commands...)
	}
	findings, err := toolchain.FindFor(cmd.Context(), toolchain.NewHost(p.env.Getenv, p.env.Environ),
		strings.Split(p.Platforms, ",")...)
	if err != nil {
		return err
	}
	if len(inspect.MissingTools(findings)) > 0 {
		p.commands = append(p.commands, "taproot setup --platform "+p.Platforms)
	}
	run := "taproot run"
	if p.hasPhone() && p.simulated() {
		run = "taproot sim -- taproot run"
	}
	p.commands = append(p.commands, run)
	fmt.Fprintln(p.env.Stdout, "\nNext:")
	for _, c := range p.commands {
		fmt.Fprintln(p.env.Stdout, "  "+c)
	}
	return nil
}
