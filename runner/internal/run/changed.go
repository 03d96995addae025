package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// ChangedInTree is the value of Config.OnlyChanged for the changes of the working tree.
const ChangedInTree = "HEAD"

// changedLimit limits the queries to git.
const changedLimit = 30 * time.Second

// changedFiles are the files that have changed, and folders that git names as a whole: submodules, and repositories in
// the work tree that it does not know.
type changedFiles map[string]bool

// has reports whether a file has changed, or is in such a folder.
func (c changedFiles) has(file string) bool {
	for at := realPath(file); ; at = filepath.Dir(at) {
		if c[at] || filepath.Dir(at) == at {
			return c[at]
		}
	}
}

// workTree is a folder in a work tree of git.
type workTree string

// changed lists the files that git names as changed, with absolute paths: of the work tree with untracked files against
// HEAD, or with another reference, also those against the merge base.
func (w workTree) changed(ref string) (changedFiles, error) {
	usage := func(err error) error {
		return &plan.Usage{Msg: fmt.Sprintf("--only-changed: %v", err)}
	}
	root, err := w.git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, usage(err)
	}
	base := ChangedInTree
	if ref != ChangedInTree {
		out, err := w.git("merge-base", "--", ref, "HEAD")
		if err != nil {
			return nil, usage(w.noBase(ref, err))
		}
		base = strings.TrimSpace(string(out))
	}
	top := strings.TrimRight(string(root), "\r\n")
	args := []string{"-C", top, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", base, "--"}
	tracked, err := w.git(args...)
	if err != nil {
		if _, none := w.git("rev-parse", "--verify", "HEAD"); none == nil || base != ChangedInTree {
			return nil, usage(err)
		}
		if tracked, err = w.git("-C", top, "ls-files", "-z"); err != nil { // there is no commit yet: all is new
			return nil, usage(err)
		}
	}
	untracked, err := w.git("-C", top, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, usage(err)
	}
	changed := changedFiles{}
	for _, name := range bytes.Split(slices.Concat(tracked, untracked), []byte{0}) {
		if len(name) > 0 {
			changed[realPath(filepath.Join(top, filepath.FromSlash(string(name))))] = true
		}
	}
	return changed, nil
}

// noBase explains why git finds no merge base with a reference.
func (w workTree) noBase(ref string, err error) error {
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == 1 { // git prints nothing then
		err = errors.New("git finds no common commit with HEAD")
	}
	err = fmt.Errorf("the merge base of %s: %w", ref, err)
	if out, _ := w.git("rev-parse", "--is-shallow-repository"); strings.TrimSpace(string(out)) == "true" {
		return fmt.Errorf("%w; this clone has a part of the history only: run git fetch --unshallow, or in CI clone with "+
			"the whole history (fetch-depth: 0)", err)
	}
	if _, failed := w.git("rev-parse", "--verify", "--end-of-options", ref+"^{commit}"); failed != nil {
		return fmt.Errorf("%w; git branch -a lists the branches that were fetched", err)
	}
	return err
}

// git runs git in the folder.
func (w workTree) git(args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), changedLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks"}, args...)...)
	cmd.Dir, cmd.WaitDelay = string(w), time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("git is not installed")
	}
	if text, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); err != nil && text != "" {
		return nil, fmt.Errorf("git says: %s", strings.TrimPrefix(text, "fatal: "))
	}
	return out, err
}

// realPath follows links, as far as the file is there: git names files by their real folders.
func realPath(file string) string {
	if path, err := filepath.EvalSymlinks(file); err == nil {
		return path
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil { // it was removed
		return filepath.Join(dir, filepath.Base(file))
	}
	return file
}

// changed returns a function that reports whether a case depends on a changed file.
func (c Config) changed() (func(plan.Case) bool, error) {
	files, err := workTree(c.Dir).changed(c.OnlyChanged)
	if err != nil {
		return nil, err
	}
	return func(one plan.Case) bool {
		return one.DependsOn(c.Dir, files.has, slices.Collect(maps.Keys(files)))
	}, nil
}

// ChangedNote says what --only-changed has chosen; "" without it.
func (c Config) ChangedNote(p *plan.Plan) string {
	if c.OnlyChanged == "" {
		return ""
	}
	verb := "depend"
	if p.Again == 1 {
		verb = "depends"
	}
	return fmt.Sprintf("%d of %s %s on changed files; changes of the app itself are not looked at", p.Again,
		phrase.Plural(p.Matched, "test"), verb)
}
