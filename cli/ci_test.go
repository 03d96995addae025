package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/taproot-dev/taproot/drivers/drivertest"
)

// TestWorkflows lints our own workflows, and the action in a workflow that uses all of its inputs.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(repository, ".github", "workflows", "*.yml"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		lintWorkflow(t, file, read(t, file))
	}
}

// composite is the part of action.yml that the tests read.
type composite struct {
	Inputs  map[string]struct{ Default, Description string }
	Outputs map[string]any
	Runs    struct {
		Steps []struct {
			ID, Name, Run, Shell, Uses string
			Env                        map[string]string
		}
	}
}

func theAction(t *testing.T) (a composite) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, repository, "action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAction checks that the scripts of the action can be parsed, that actions of others are pinned, and that the page
// lists each input with its default.
func TestAction(t *testing.T) {
	t.Parallel()
	a := theAction(t)
	page := read(t, repository, "docs", "ci", "github.md")
	for name, in := range a.Inputs {
		row := "| `" + name + "` | "
		i := strings.Index(page, row)
		if i < 0 {
			t.Errorf("docs/ci/github.md has no row for the input %s", name)
			continue
		}
		line, _, _ := strings.Cut(page[i:], "\n")
		if in.Default != "" && !strings.HasPrefix(line, row+"`"+in.Default+"` |") {
			t.Errorf("the default of %s is %q: %s", name, in.Default, line)
		}
	}
	for name := range a.Outputs {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/ci/github.md does not name the output %s", name)
		}
	}
	for _, step := range a.Runs.Steps {
		if _, pin, uses := strings.Cut(step.Uses, "@"); uses && len(pin) != 40 {
			t.Errorf("%s is not pinned to a commit", step.Uses)
		}
		if step.Run != "" {
			checkShell(t, "action.yml: "+step.Name, step.Run)
			if strings.Contains(step.Run, "${{") {
				t.Errorf("%s: an input within a script can be a script of its own: hand it over in env", step.Name)
			}
		}
	}
}

// TestActionRuns runs the action's script with a taproot that only prints its arguments: each line of the input is one
// argument, and the exit code is that of taproot.
func TestActionRuns(t *testing.T) {
	t.Parallel()
	var script string
	for _, step := range theAction(t).Runs.Steps {
		if step.ID == "run" {
			script = step.Run
		}
	}
	for _, test := range []struct {
		tests, args string
		code        int
		want        []string
	}{
		{"", "", 0, []string{"run"}},
		{"suites/web\nsuites/my tests\n", "", 1, []string{"run", "suites/web", "suites/my tests"}},
		{"a", "  --label-filter=smoke && !slow\n\n--shard=1/3 ", 3, []string{"run", "a", "--label-filter=smoke && !slow",
			"--shard=1/3"}},
		{"$(touch x); *", "`id`", 0, []string{"run", "$(touch x); *", "`id`"}},
	} {
		output := filepath.Join(t.TempDir(), "output")
		var got []string
		code := runScript(t, script, []string{"TESTS=" + test.tests, "ARGS=" + test.args, "GITHUB_OUTPUT=" + output},
			map[string]func([]string) uint8{
				"taproot": func(words []string) uint8 {
					got = words[1:]
					return uint8(test.code)
				},
			})
		if diff := cmp.Diff(test.want, got); diff != "" || code != test.code {
			t.Errorf("%q, %q: exit code %d\n%s", test.tests, test.args, code, diff)
		}
		if data, err := os.ReadFile(output); err != nil || string(data) != "exit-code="+string(rune('0'+test.code))+"\n" {
			t.Errorf("%q, %v", data, err)
		}
	}
}

// TestActionInstalls runs the action's script that installs, with releases of the test: it downloads the program for
// the system, and rejects an archive that does not match its checksum.
func TestActionInstalls(t *testing.T) {
	t.Parallel()
	var script string
	for _, step := range theAction(t).Runs.Steps {
		if step.ID == "install" {
			script = step.Run
		}
	}
	var archive bytes.Buffer
	zipped := gzip.NewWriter(&archive)
	packed := tar.NewWriter(zipped)
	if err := errors.Join(packed.WriteHeader(&tar.Header{Name: "taproot", Mode: 0o755, Size: 7}),
		second(packed.Write([]byte("program"))), packed.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	sums := fmt.Sprintf("%064d  taproot_linux_amd64.tar.gz\n%x  taproot_darwin_arm64.tar.gz\n", 0,
		sha256.Sum256(archive.Bytes()))
	for _, test := range []struct {
		system, machine, version, from string // from: the folder of the downloads; empty: refused
	}{
		{"macOS", "ARM64", "latest", "latest/download"},
		{"macOS", "ARM64", "v1.2.3", "download/v1.2.3"},
		{"Linux", "X64", "latest", ""},   // the sum is another one
		{"Linux", "ARM64", "latest", ""}, // no sum
		{"macOS", "ARM64", "1.2.3; id", ""},
		{"Linux", "X86", "latest", ""},
		{"Plan9", "X64", "latest", ""},
	} {
		dir := t.TempDir()
		code := runScript(t, script, []string{"RUNNER_OS=" + test.system, "RUNNER_ARCH=" + test.machine, "VERSION=" +
			test.version, "RUNNER_TEMP=" + dir,
			"GITHUB_PATH=" + filepath.Join(dir, "path"), "GITHUB_OUTPUT=" + filepath.Join(dir, "output")},
			map[string]func([]string) uint8{
				"curl": func(words []string) uint8 {
					i := slices.Index(words, "--output")
					address, name := words[len(words)-1], words[i+1]
					data := archive.Bytes()
					if name == "checksums.txt" {
						data = []byte(sums)
					}
					if want := "https://github.com/taproot-dev/taproot/releases/" + test.from + "/" + name; test.from != "" &&
						address != want {
						t.Errorf("%s is asked for, not %s", address, want)
					}
					if err := os.WriteFile(filepath.Join(dir, "taproot", name), data, 0o600); err != nil {
						t.Error(err)
					}
					return 0
				},
			})
		program, err := os.ReadFile(filepath.Join(dir, "taproot", "bin", "taproot"))
		if test.from == "" {
			if code == 0 || err == nil {
				t.Errorf("%v: exit code %d, and the program is there", test, code)
			}
			continue
		}
		if code != 0 || string(program) != "program" || read(t, dir, "path") != filepath.Join(dir, "taproot", "bin")+"\n" {
			t.Errorf("%v: exit code %d, %q, %v", test, code, program, err)
		}
	}
}

func second(_ int, err error) error { return err }

// runScript runs a Bash script as a step does, with stubs for the programs that it calls.
func runScript(t *testing.T, script string, env []string, stubs map[string]func([]string) uint8) int {
	t.Helper()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		t.Fatal(err)
	}
	var out drivertest.Log // the programs of a pipeline write errors at once
	handler := func(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
		return func(ctx context.Context, words []string) error {
			stub := stubs[words[0]]
			if stub == nil {
				return next(ctx, words)
			}
			if code := stub(words); code != 0 {
				return interp.ExitStatus(code)
			}
			return nil
		}
	}
	r, err := interp.New(interp.Env(expand.ListEnviron(append(os.Environ(), env...)...)), interp.Dir(t.TempDir()),
		interp.StdIO(nil, &out, &out),
		interp.ExecHandlers(handler), interp.Params("-e", "-o", "pipefail"))
	if err != nil {
		t.Fatal(err)
	}
	err = r.Run(t.Context(), file)
	var status interp.ExitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return 0
}
