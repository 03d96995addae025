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
	"github.com/taproot-dev/taproot/internal/testrun"
)

// gitLimit limits the queries to git: a file system that does not respond must not block the run.
const gitLimit = 5 * time.Second

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
	switch ci := testrun.CIOf(get); {
	case ci.Build != "":
		return ci.Name + " " + ci.Build
	case dir == nil:
		return ""
	}
	return filepath.Base(dir.Path())
}

func environmentOf(ctx context.Context, c Config, options []string) history.Environment {
	get := c.getenv()
	e := history.Environment{Taproot: version(), Options: options, OS: runtime.GOOS + "/" + runtime.GOARCH}
	ci := testrun.CIOf(get)
	e.CI, e.Commit, e.Branch, e.Job = ci.Name, ci.Commit, ci.Branch, ci.Job
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
