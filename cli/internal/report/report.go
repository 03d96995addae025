// Package report is taproot report: it verifies, finalizes, exports, merges, opens, packs and sends the reports of
// runs.
package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

func Command(env *process.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "work with the reports of runs: open, bundle, upload, verify, merge, export, notify, prune …",
		Long: "report works with the reports of earlier runs, by default in tests/reports.\n\n" +
			"Name a run by its folder (2026-03-04T05-06-07) or by the word latest, and the report of one test (its report\n" +
			"pack) by RUN/PACK (latest/login); paths work, too. The default is latest.\n\n" +
			"Exit codes: 0 success; 1 verify found a problem; 2 wrong usage; 3 an error.",
		Example: "  taproot report verify                    check all packs of the last run\n" +
			"  taproot report export --format junit > junit.xml\n" +
			"  taproot report upload latest/login       send one pack to TAPROOT_URL\n" +
			"  taproot report prune --dry-run           print which runs are beyond the limits",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &plan.Usage{
					Msg: fmt.Sprintf("report has no command %q", args[0]) + process.Meant(args[0], process.CommandNames(cmd)),
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	at := reportsFlag(env, cmd.PersistentFlags())
	cmd.AddCommand(
		newBundleCommand(env, at),
		newPackCommand(env, at),
		newUploadCommand(env, at),
		newPruneCommand(env, at),
		newSealCommand(env, at),
		newVerifyCommand(env, at),
		newExportCommand(env, at),
		newMergeCommand(env, at),
		newOpenCommand(env, at),
		newNotifyCommand(env, at),
		newCommentCommand(env, at),
	)
	return cmd
}

// reportsDir is the reports folder of a project.
type reportsDir struct {
	env     *process.Env
	reports string
	project string
}

// reportsFlag adds --reports, and returns what finds that folder.
func reportsFlag(env *process.Env, flags *pflag.FlagSet) locator {
	reports := flags.String("reports", "",
		"folder that holds the runs (default: tests/reports under the project's root)")
	return func() (reportsDir, error) { return newPlace(env, *reports) }
}

// formatFlag adds --format, text or JSON, and returns what reads it when the command runs.
func formatFlag(flags *pflag.FlagSet) func() (asJSON bool, err error) {
	format := flags.String("format", "text", "`FORMAT` of the output: text or json")
	return func() (bool, error) {
		if *format != "text" && *format != "json" {
			return false, &plan.Usage{Msg: fmt.Sprintf("unknown format %q: use text or json", *format)}
		}
		return *format == "json", nil
	}
}

func printJSON(env *process.Env, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err == nil {
		fmt.Fprintln(env.Stdout, string(data))
	}
	return err
}

// locator finds the folder when a command runs, because its flags are read by then.
type locator func() (reportsDir, error)

// withPacks runs a command on the packs that its arguments name.
func (at locator) withPacks(do func(cmd *cobra.Command, p reportsDir, dirs []string) error) func(*cobra.Command,
	[]string) error {
	return func(cmd *cobra.Command, args []string) error {
		p, err := at()
		if err != nil {
			return err
		}
		dirs, err := p.packs(args)
		if err != nil {
			return err
		}
		return do(cmd, p, dirs)
	}
}

func newPlace(env *process.Env, reports string) (reportsDir, error) {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return reportsDir{}, &plan.Usage{Msg: err.Error()}
	}
	p := reportsDir{env: env, reports: conf.Reports, project: run.ProjectRoot(env.Dir)}
	if reports != "" {
		p.reports = p.path(reports)
	}
	return p, nil
}

func (p reportsDir) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.env.Dir, name)
}

// linkedRun is a run with the URL of its report, for messages about it; empty: it is not published.
type linkedRun struct {
	*history.Run
	link string
}

// linkedRun loads the run that the arguments name, at most one.
func (at locator) linkedRun(env *process.Env, args []string) (r linkedRun, err error) {
	p, err := at()
	if err != nil {
		return r, err
	}
	dir, err := p.run(strings.Join(args, ""))
	if err != nil {
		return r, err
	}
	if r.Run, err = history.LoadRun(dir); err != nil {
		return r, err
	}
	if r.link, err = reporters.ReportURL(env.Getenv, r.Name); err != nil {
		return r, &plan.Usage{Msg: err.Error()}
	}
	return r, nil
}

// run returns the directory of the run that an argument names.
func (p reportsDir) run(name string) (string, error) {
	dir, err := history.FindRun(p.reports, name)
	if err == nil {
		return dir, nil
	}
	if name != "" { // a path, such as tests/reports/latest
		at := p.path(name)
		if dir, err := history.FindRun(filepath.Dir(at), filepath.Base(at)); err == nil {
			return dir, nil
		}
	}
	return "", &plan.Usage{Msg: err.Error()}
}

// packs returns the directories of the packs that the arguments name. A run means all of its packs.
func (p reportsDir) packs(words []string) ([]string, error) {
	if len(words) == 0 {
		words = []string{"latest"}
	}
	var dirs []string
	for _, word := range words {
		if at := p.path(word); isPack(at) {
			dirs = append(dirs, at)
			continue
		}
		name, kept, one := strings.Cut(filepath.ToSlash(word), "/")
		if one && (name == "latest" || pack.IsRunName(name)) && kept != "" && !strings.Contains(kept, "/") {
			run, err := p.run(name)
			if err != nil {
				return nil, err
			}
			if !isPack(filepath.Join(run, kept)) {
				return nil, &plan.Usage{Msg: fmt.Sprintf("there is no pack %s in %s", kept, run)}
			}
			dirs = append(dirs, filepath.Join(run, kept))
			continue
		}
		run, err := p.run(word)
		if err != nil {
			return nil, err
		}
		all, err := pack.Packs(run)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, &plan.Usage{Msg: "there is no pack in " + run}
		}
		dirs = append(dirs, all...)
	}
	return dirs, nil
}

// StudioPage returns the page of Studio with the report that a word names, as taproot replay does; of a run with
// several tests, the page that lists them.
func StudioPage(env *process.Env, word string) (string, error) {
	p, err := newPlace(env, "")
	if err != nil {
		return "", err
	}
	dirs, err := p.packs([]string{word})
	if err != nil {
		return "", err
	}
	run := filepath.Dir(dirs[0])
	if !pack.IsRunName(filepath.Base(run)) || filepath.Dir(run) != filepath.Clean(p.reports) {
		return "", &plan.Usage{Msg: fmt.Sprintf("--report %s: the report is not in %s", word, p.reports)}
	}
	if len(dirs) > 1 {
		return "/studio/reports", nil
	}
	name, one := url.PathEscape(filepath.Base(run)), url.PathEscape(filepath.Base(dirs[0]))
	return path.Join("/studio/reports", name, one), nil
}

func isFolder(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}

func isPack(dir string) bool {
	if !isFolder(dir) {
		return false
	}
	for _, name := range []string{"events.ndjson", "summary.json"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// options are the options for writing the files of a run again.
func (p reportsDir) options() reporters.Options {
	return reporters.Options{Getenv: p.env.Getenv, Stdout: io.Discard, Now: time.Now, Dir: p.env.Dir, Project: p.project,
		Quiet: true}
}

func newPruneCommand(env *process.Env, at locator) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "remove runs that are too old or too many",
		Long: "prune removes the runs that are older than REPORT_MAX_DAYS (30) or beyond the newest REPORT_MAX_RUNS " +
			"(100).\n" +
			"Set these in the environment or in the file .env at the project's root. A run that is active, or that has a " +
			"file\n" +
			".keep, stays. Every run prunes at its end.",
		Example: "  taproot report prune --dry-run\n  REPORT_MAX_DAYS=7 taproot report prune",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := at()
			if err != nil {
				return err
			}
			return prune(env, p, dry)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only print what would be removed")
	return cmd
}

func prune(env *process.Env, p reportsDir, dry bool) error {
	limits, err := history.LimitsFromEnv(env.Getenv, p.project)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	gone, err := history.Prune(p.reports, limits, time.Now(), dry)
	word := "removed"
	if dry {
		word = "would remove"
	}
	for _, run := range gone {
		fmt.Fprintf(env.Stdout, "%s %s: %s\n", word, run.Run, run.Why)
	}
	if len(gone) == 0 && err == nil {
		fmt.Fprintf(env.Stdout, "no run is older than %d days, or beyond the newest %d runs\n", limits.Days, limits.Runs)
	}
	return err
}

func newSealCommand(env *process.Env, at locator) *cobra.Command {
	return &cobra.Command{
		Use:   "seal",
		Short: "complete the reports of killed runs",
		Long: "seal completes the report packs of a run that was killed: it writes run.md, summary.json and the files of " +
			"the\n" +
			"run from the events that were saved. Active runs are skipped. taproot run does the same before it starts.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := at()
			if err != nil {
				return err
			}
			return seal(cmd.Context(), env, p)
		},
	}
}

func seal(ctx context.Context, env *process.Env, p reportsDir) error {
	sealed, err := history.Finalize(p.reports, time.Now())
	for _, s := range sealed {
		fmt.Fprintf(env.Stdout, "completed %s: %s\n", s.Dir, s.CaseResult.Result)
	}
	if len(sealed) == 0 && err == nil {
		fmt.Fprintln(env.Stdout, "no run has an unfinished report")
	}
	return errors.Join(err, reporters.FinishFinalized(ctx, sealed, p.options()))
}

func newVerifyCommand(env *process.Env, at locator) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [RUN[/PACK] …]",
		Short: "check that report packs are complete and unchanged",
		Long: "verify checks packs: summary.json agrees with the events, every listed file exists, images can be decoded, " +
			"and\n" +
			"no file of the manifest has changed. It exits with 1 if it finds a problem.",
		RunE: at.withPacks(func(_ *cobra.Command, _ reportsDir, dirs []string) error { return verify(env, dirs) }),
	}
}

func verify(env *process.Env, dirs []string) error {
	bad := 0
	for _, dir := range dirs {
		found := pack.Verify(dir)
		if len(found) > 0 {
			bad++
		}
		for _, d := range found {
			fmt.Fprintf(env.Stdout, "%s: %s\n", dir, markdown.Visible(d.String(), 500))
		}
	}
	if bad > 0 {
		fmt.Fprintf(env.Stderr, "packs checked: %[2]d, with problems: %[1]d\n", bad, len(dirs))
		return process.Exit(1)
	}
	fmt.Fprintf(env.Stdout, "packs checked: %d, all complete\n", len(dirs))
	return nil
}
