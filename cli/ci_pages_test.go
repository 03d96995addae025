package cli_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// pipelines are the pages of CI systems, with the file of each.
var pipelines = map[string]string{
	"github": ".github/workflows/taproot.yml", "gitlab": ".gitlab-ci.yml", "jenkins": "Jenkinsfile",
	"circleci": ".circleci/config.yml", "azure": "azure-pipelines.yml", "buildkite": ".buildkite/pipeline.yml",
	"bitbucket": "bitbucket-pipelines.yml",
}

// TestPipelines checks that each CI page has a file that builds Taproot, caches, installs programs, runs a shard and
// keeps the reports, with the JUnit file at the same path as all others.
func TestPipelines(t *testing.T) {
	t.Parallel()
	for name, file := range pipelines {
		page := "docs/ci/" + name + ".md"
		blocks := blocksOf(t, page, read(t, repository, "docs", "ci", name+".md"))
		i := slices.IndexFunc(blocks, func(b block) bool { return b.about == file })
		if i < 0 {
			t.Errorf("%s has no %s", page, file)
			continue
		}
		for _, part := range []string{
			"go install github.com/taproot-dev/taproot@main", "from the first release on: @v0.1.0",
			"taproot setup --platform web", "taproot run suites --require-devices", "--shard ",
			"--format junit --output test-results/junit.xml", "tests/reports", "cache",
		} {
			if !strings.Contains(blocks[i].text, part) {
				t.Errorf("%s has no %q", blocks[i], part)
			}
		}
		if n := strings.Count(blocks[i].text, "test-results/junit.xml"); n < 2 && name != "bitbucket" {
			t.Errorf("%s: nothing publishes the JUnit file", blocks[i])
		}
		if name == "jenkins" {
			checkJenkinsfile(t, blocks[i].String(), blocks[i].text)
		}
	}
}

// TestInitPipelines checks the files that init writes for CI systems, as those of the pages.
func TestInitPipelines(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	for name := range pipelines {
		l.taproot("init", name, "--ci", name).exits(t, 0)
		text := read(t, l.dir, name, filepath.FromSlash(pipelines[name]))
		b := block{file: "taproot init --ci " + name, about: pipelines[name], text: text}
		switch name {
		case "github":
			lintWorkflow(t, b.about, text)
		case "jenkins":
			checkJenkinsfile(t, b.file, text)
		default:
			checkPipeline(t, b)
		}
		if n := strings.Count(text, "test-results/junit.xml"); n < 2 || !strings.Contains(text, "cache") {
			t.Errorf("%s: the JUnit file occurs %d times in\n%s", b.file, n, text)
		}
		// The same lines as on the page of the system, so that a release changes one of them.
		for _, part := range []string{"go install github.com/taproot-dev/taproot@", "taproot setup --platform ",
			"--require-devices"} {
			if strings.Count(text, part) != 1 {
				t.Errorf("%s: %q occurs %d times", b.file, part, strings.Count(text, part))
			}
		}
	}
}

// checkPipeline checks the scripts of a file of a CI system in YAML, and that jobs of GitLab extend jobs that exist.
func checkPipeline(t *testing.T, b block) {
	t.Helper()
	var file map[string]any
	if err := yaml.Unmarshal([]byte(b.text), &file); err != nil {
		t.Errorf("%s: %v", b, err)
		return
	}
	calls := 0
	for _, script := range scriptsIn(file) {
		if b.about == pipelines["buildkite"] {
			script = strings.ReplaceAll(script, "$$", "$") // Buildkite does so when it reads the file
		}
		calls += checkShell(t, b.String(), script)
	}
	if calls < 2 {
		t.Errorf("%s calls taproot %d times", b, calls)
	}
	for key, value := range file {
		job, _ := value.(map[string]any)
		if parent, extends := job["extends"].(string); extends && file[parent] == nil {
			t.Errorf("%s: %s extends %s, which does not exist", b, key, parent)
		}
	}
}

// scriptsIn returns the shell scripts below a value of YAML.
func scriptsIn(value any) (list []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, value := range v {
			if slices.Contains([]string{"script", "before_script", "run", "command"}, key) {
				if lines, ok := value.([]any); ok {
					for _, line := range lines {
						list = append(list, fmt.Sprint(line))
					}
				} else {
					list = append(list, fmt.Sprint(value))
				}
				continue
			}
			list = append(list, scriptsIn(value)...)
		}
	case []any:
		for _, value := range v {
			list = append(list, scriptsIn(value)...)
		}
	}
	return list
}

func checkJenkinsfile(t *testing.T, name, text string) {
	t.Helper()
	if open, closed := strings.Count(text, "{"), strings.Count(text, "}"); open != closed {
		t.Errorf("%s has %d { and %d }", name, open, closed)
	}
	calls := 0
	for _, m := range regexp.MustCompile(`(?m)^ +sh '([^']+)'`).FindAllStringSubmatch(text, -1) {
		calls += checkShell(t, name, m[1])
	}
	if calls < 2 {
		t.Errorf("%s calls taproot %d times", name, calls)
	}
}

var released = regexp.MustCompile(
	`taproot-dev/taproot@v|ghcr\.io/taproot|taproot/releases|brew install taproot|taproot/v[0-9.]+/`)

// TestNoReleaseIsUsed checks that documents use releases, images and the action only where they say from when on.
func TestNoReleaseIsUsed(t *testing.T) {
	t.Parallel()
	all := documents(t)
	files, err := filepath.Glob(filepath.Join("internal", "project", "template", "*"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		all[file] = read(t, file)
	}
	found := 0
	for name, text := range all {
		above := ""
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "## ") {
				above = line
			}
			if !released.MatchString(line) {
				continue
			}
			found++
			if above != "## From the first release on" && !strings.HasPrefix(name, "docs/verified") {
				t.Errorf("%s:%d uses a release, and none exists: %s", name, i+1, line)
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d uses of releases were found", found)
	}
}
