package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/result/history"
)

func TestEnvironmentOfARun(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"},
			args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	file := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(file, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "topic")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	env := map[string]string{}
	of := func() history.Environment {
		e := environmentOf(t.Context(), Config{Dir: dir, Getenv: func(name string) string { return env[name] }},
			[]string{"--parallel=2"})
		if e.Taproot == "" || e.OS == "" || len(e.Options) != 1 {
			t.Errorf("%+v", e)
		}
		e.Taproot, e.OS, e.Options = "", "", nil
		return e
	}
	e := of()
	if len(e.Commit) != 40 || e.Branch != "topic" || e.Dirty || e.CI != "" {
		t.Errorf("%+v", e)
	}
	if err := os.WriteFile(file, []byte("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_SHA": "abc", "GITHUB_REF_NAME": "main",
		"GITHUB_SERVER_URL": "https://git.example",
		"GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "7"} {
		env[name] = value
	}
	want := history.Environment{Commit: "abc", Branch: "main", Dirty: true, CI: "GitHub Actions",
		Job: "https://git.example/o/r/actions/runs/7"}
	if diff := cmp.Diff(want, of()); diff != "" {
		t.Error(diff)
	}
	clear(env)
	env["BUILDKITE"], env["BUILDKITE_BUILD_URL"] = "true", "javascript:alert(1)"
	if e := of(); e.Job != "" || e.CI != "Buildkite" {
		t.Errorf("an address that is none: %+v", e)
	}
	if commit, branch, dirty := gitState(t.Context(), t.TempDir()); commit != "" || branch != "" || dirty {
		t.Errorf("outside a repository: %s %s %v", commit, branch, dirty)
	}
}
