package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

func newMergeCommand(env *process.Env, at locator) *cobra.Command {
	var partial bool
	cmd := &cobra.Command{
		Use:   "merge DIR …",
		Short: "combine the runs of several shards into one run",
		Long: "merge copies the report packs of several shards (run --shard 1/3, 2/3, 3/3) into one run of the reports " +
			"folder,\n" +
			"and writes its files: index.html, junit.xml, ctrf.json, run.json, summary.md and its lines of history.jsonl. A " +
			"DIR\n" +
			"is the folder of a run, or a folder that contains one run, such as an artifact that a CI job has downloaded. " +
			"The\n" +
			"shards stay unchanged.\n\n" +
			"Exit codes: 0 merged, whatever the results of the tests; 2 these are not the shards of one run; 3 an error.",
		Example: "  taproot report merge shard-1 shard-2 shard-3\n" +
			"  taproot report merge --reports merged artifacts/*",
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := at()
			if err != nil {
				return err
			}
			return merge(cmd, p, args, partial)
		},
	}
	cmd.Flags().BoolVar(&partial, "partial", false,
		"merge although shards are missing; the report says which shards it contains")
	return cmd
}

func merge(cmd *cobra.Command, p reportsDir, args []string, partial bool) error {
	var dirs []string
	for _, arg := range args {
		dir, err := p.shard(arg)
		if err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	into, err := history.Merge(p.reports, dirs, partial)
	var wrong *history.MergeError
	if errors.As(err, &wrong) {
		return &plan.Usage{Msg: wrong.Msg}
	}
	if err != nil {
		return err
	}
	run, err := run.Merged(cmd.Context(), into.Path(), p.options())
	if err = errors.Join(err, into.Close()); run == nil {
		return err
	}
	n := run.Count()
	fmt.Fprintf(p.env.Stdout,
		"%s: %d tests of %d shards, %d passed, %d failed, %d with an error, %d interrupted, %d "+
			"skipped, %d failed as expected\n", into.Path(), n.Total, len(dirs),
		n.Passed, n.Failed, n.Errored, n.Interrupted, n.Skipped, n.Expected)
	return err
}

// shard returns the run that an argument names: its folder, or the only run within a folder.
func (p reportsDir) shard(word string) (string, error) {
	at := p.path(word)
	if to, err := filepath.EvalSymlinks(at); err == nil && isFolder(to) { // such as a/latest
		at = to
	}
	if !isFolder(at) {
		return p.run(word)
	}
	if holdsPacks(at) || pack.IsRunName(filepath.Base(at)) {
		return at, nil
	}
	var found []string
	for _, below := range []string{".", filepath.Join("tests", "reports")} {
		entries, err := os.ReadDir(filepath.Join(at, below))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		for _, e := range entries {
			if e.IsDir() && pack.IsRunName(e.Name()) {
				found = append(found, filepath.Join(at, below, e.Name()))
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &plan.Usage{Msg: fmt.Sprintf("there is no run in %s", at)}
	}
	return "", &plan.Usage{Msg: fmt.Sprintf("there are several runs in %s: name one of them (%s)", at,
		strings.Join(found, ", "))}
}

func holdsPacks(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.IsDir() && isPack(filepath.Join(dir, e.Name())) {
			return true
		}
	}
	return false
}
