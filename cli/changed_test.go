package cli_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// git runs git in the project.
func (l *lab) git(args ...string) {
	l.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c",
		"init.defaultBranch=main", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = l.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// Only the tests that depend on a change run: in the working tree, or since a reference.
func TestOnlyChanged(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	e := l.taproot("run", ".", "--only-changed")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, "--only-changed: git says: not a git repository")
	for _, dir := range []string{"sub", "blocks"} {
		if err := os.Mkdir(filepath.Join(l.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	test := "id: %s\nplatform: android\n%ssteps:\n  - log: hello\n%s"
	l.write("plain.yaml", fmt.Sprintf(test, "plain", "", ""))
	l.write("rows.yaml", fmt.Sprintf(test, "rows", "data: rows.csv\n", ""))
	l.write("rows.csv", "A\n1\n")
	l.write("blocks/greet.yaml", "steps:\n  - log: greet\n")
	l.write("taproot.yaml", "exclude: [blocks]\n")
	l.write("runs.yaml", fmt.Sprintf(test, "runs", "", "  - run: {file: blocks/greet.yaml}\n"))
	l.write("needs.yaml", fmt.Sprintf(test, "needs", "needs: [runs]\n", ""))
	l.write("sub/deep.yaml", fmt.Sprintf(test, "deep", "", ""))
	l.write(".gitignore", "first\n")
	l.git("init", "-q")
	l.git("add", "-A")
	l.git("commit", "-qm", "first")
	e = l.taproot("run", ".", "--only-changed")
	e.exits(t, 0)
	has(t, "stderr", e.stderr, "none of the 5 tests depends on a changed file, so there is nothing to run")
	changed := func(want, name, text string, args ...string) {
		t.Helper()
		file := filepath.Join(l.dir, name)
		before, err := os.ReadFile(file)
		l.write(name, text)
		e := l.taproot(append([]string{"run", ".", "--only-changed"}, args...)...)
		e.exits(t, 0)
		has(t, "stderr", e.stderr, " on changed files; changes of the app itself are not looked at")
		if got := fmt.Sprint(l.results()); got != want {
			t.Errorf("%s: %s", name, got)
		}
		switch {
		case err == nil:
			l.write(name, string(before))
		case errors.Is(err, os.ErrNotExist):
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	changed("map[plain:pass]", "plain.yaml", fmt.Sprintf(test, "plain", "", "  - log: more\n"))
	changed("map[rows--row-1:pass rows--row-2:pass]", "rows.csv", "A\n1\n2\n")
	changed("map[needs:pass runs:pass]", "blocks/greet.yaml", "steps:\n  - log: greetings\n")
	changed("map[fresh:pass]", "fresh.yaml", fmt.Sprintf(test, "fresh", "", ""))
	changed("map[deep:pass]", "sub/taproot.yaml", "tags: [deep]\n")
	inner := filepath.Join(l.dir, "inner") // git names such a repository, and a submodule that has changed, as a whole
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	l.write("inner/inner.yaml", fmt.Sprintf(test, "inner", "", ""))
	l.git("-C", inner, "init", "-q")
	l.git("-C", inner, "add", "-A")
	l.git("-C", inner, "commit", "-qm", "inner")
	l.taproot("run", ".", "--only-changed").exits(t, 0)
	if got := fmt.Sprint(l.results()); got != "map[inner:pass]" {
		t.Error(got)
	}
	l.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./inner", "inner")
	l.git("commit", "-qm", "inner")
	e = l.taproot("run", ".", "--only-changed")
	e.exits(t, 0)
	has(t, "stderr", e.stderr, "none of the 6 tests depends on a changed file")
	changed("map[inner:pass]", "inner/inner.yaml", fmt.Sprintf(test, "inner", "", "  - log: more\n"))
	l.git("checkout", "-q", "-b", "work")
	l.write("plain.yaml", fmt.Sprintf(test, "plain", "", "  - log: more\n"))
	l.git("commit", "-qam", "second")
	e = l.taproot("run", ".", "--only-changed=main")
	e.exits(t, 0)
	if got := fmt.Sprint(l.results()); got != "map[plain:pass]" {
		t.Error(got)
	}
	e = l.taproot("run", ".", "--only-changed=nowhere")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, "the merge base of nowhere", "git branch -a lists the branches")
	clone := newLab(t, 0)
	l.git("clone", "-q", "--depth", "1", "file://"+l.dir, clone.dir)
	l.git("-C", clone.dir, "fetch", "-q", "--depth", "1", "origin", "main")
	e = clone.taproot("run", ".", "--only-changed=FETCH_HEAD")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, "the merge base of FETCH_HEAD: git finds no common commit", "fetch-depth: 0")
	g, program := goLab(t, 2)
	g.dir = l.dir
	g.env = append(g.env, "TAPROOT_ONLY_CHANGED=main")
	g.ginkgo(program, "android").exits(t, 0)
	if got := fmt.Sprint(g.results()); got != "map[plain:pass]" {
		t.Error(got)
	}
}
