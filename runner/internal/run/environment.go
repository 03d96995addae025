package run

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// gitLimit limits the queries to git: a file system that does not respond must not block the run.
const gitLimit = 5 * time.Second

// ciSystems are the variables in which CI systems describe the job; the first system with its sign set counts.
var ciSystems = []struct{ name, sign, commit, branch, job, build string }{
	{"GitHub Actions", "GITHUB_ACTIONS", "GITHUB_SHA", "GITHUB_HEAD_REF GITHUB_REF_NAME", "", "GITHUB_RUN_ID"},
	{"GitLab CI", "GITLAB_CI", "CI_COMMIT_SHA", "CI_COMMIT_REF_NAME", "CI_JOB_URL", "CI_PIPELINE_ID"},
	{"Jenkins", "JENKINS_URL", "GIT_COMMIT", "CHANGE_BRANCH BRANCH_NAME GIT_BRANCH", "BUILD_URL",
		"BUILD_TAG BUILD_NUMBER"},
	{"Buildkite", "BUILDKITE", "BUILDKITE_COMMIT", "BUILDKITE_BRANCH", "BUILDKITE_BUILD_URL", "BUILDKITE_BUILD_NUMBER"},
	{"CircleCI", "CIRCLECI", "CIRCLE_SHA1", "CIRCLE_BRANCH", "CIRCLE_BUILD_URL", "CIRCLE_BUILD_NUM"},
	{"Azure Pipelines", "TF_BUILD", "BUILD_SOURCEVERSION", "BUILD_SOURCEBRANCHNAME", "", "BUILD_BUILDNUMBER"},
	{"Bitbucket Pipelines", "BITBUCKET_BUILD_NUMBER", "BITBUCKET_COMMIT", "BITBUCKET_BRANCH", "",
		"BITBUCKET_BUILD_NUMBER"},
	{"Travis CI", "TRAVIS", "TRAVIS_COMMIT", "TRAVIS_BRANCH", "TRAVIS_JOB_WEB_URL", "TRAVIS_BUILD_NUMBER"},
	{"TeamCity", "TEAMCITY_VERSION", "BUILD_VCS_NUMBER", "", "BUILD_URL", "BUILD_NUMBER"},
}

// NoteEnvironment writes the environment of the run: commit, branch, CI job, machine, version and options. It runs git
// in parallel with the tests; Report and End wait for it. Use it for trusted projects only: git executes what the files
// of a project configure.
func (r *Runner) NoteEnvironment(ctx context.Context, options []string) {
	conf, dir := r.Config, r.Dir // copies: the run may still change its own
	r.noting.Go(func() {
		e := environmentOf(context.WithoutCancel(ctx), conf, options)
		if err := history.WriteEnvironment(dir, e); err != nil {
			conf.logger().Warn("the environment is not kept", "error", err)
		}
	})
}

// buildName is the build of the CI system, by which a cloud groups its sessions; without one it is the run.
func buildName(get func(string) string, dir *pack.RunDir) string {
	for _, s := range ciSystems {
		if get(s.sign) == "" {
			continue
		}
		for name := range strings.FieldsSeq(s.build) {
			if v := get(name); v != "" {
				return s.name + " " + v
			}
		}
	}
	if dir == nil {
		return ""
	}
	return filepath.Base(dir.Path())
}

func environmentOf(ctx context.Context, c Config, options []string) history.Environment {
	get := c.getenv()
	e := history.Environment{Taproot: version(), Options: options, OS: runtime.GOOS + "/" + runtime.GOARCH}
	first := func(names string) string {
		for _, name := range strings.Fields(names) {
			if v := get(name); v != "" {
				return v
			}
		}
		return ""
	}
	for _, s := range ciSystems {
		if get(s.sign) == "" {
			continue
		}
		e.CI, e.Commit, e.Branch, e.Job = s.name, first(s.commit), first(s.branch), first(s.job)
		break
	}
	if e.CI == "GitHub Actions" && get("GITHUB_RUN_ID") != "" {
		e.Job = strings.TrimRight(get("GITHUB_SERVER_URL"), "/") + "/" + get("GITHUB_REPOSITORY") + "/actions/runs/" +
			get("GITHUB_RUN_ID")
	}
	if !strings.HasPrefix(e.Job, "https://") && !strings.HasPrefix(e.Job, "http://") {
		e.Job = ""
	}
	commit, branch, dirty := gitState(ctx, c.Dir)
	if e.Commit == "" {
		e.Commit = commit
	}
	if e.Branch == "" {
		e.Branch = branch
	}
	e.Dirty = dirty
	return e
}

// gitState queries git for the checked-out commit; without git, or outside a repository, all is empty.
func gitState(ctx context.Context, dir string) (commit, branch string, dirty bool) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "--no-optional-locks", "status", "--porcelain=v2", "--branch",
		"--untracked-files=no")
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", "", false
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "# branch.oid "):
			commit = strings.TrimPrefix(line, "# branch.oid ")
		case strings.HasPrefix(line, "# branch.head "):
			branch = strings.TrimPrefix(line, "# branch.head ")
		case line != "" && !strings.HasPrefix(line, "#"):
			dirty = true
		}
	}
	if commit == "(initial)" {
		commit = ""
	}
	if branch == "(detached)" {
		branch = ""
	}
	return commit, branch, dirty
}

// version is Taproot's version: that of the module, otherwise the commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	if version != "" && version != "(devel)" {
		return version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel " + s.Value[:12]
		}
	}
	return "devel"
}
