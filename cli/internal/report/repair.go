package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/reporters/html"
	"github.com/taproot-dev/taproot/runner/run"
)

// RepairCommand is taproot repair.
func RepairCommand(env *process.Env) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "repair [RUN[/PACK] …]",
		Short: "offer changed lines for steps that did not find their element",
		Long: "repair looks at actions that failed because their element was not found. It compares the screen with the\n" +
			"last report in which the same test passed, and offers a changed line if one element is clearly the one that\n" +
			"the step used before. A file is changed only after a yes; comments stay. With --format json nothing is\n" +
			"changed.\n\n" +
			"Exit codes: 0 success, also without a repair; 2 wrong usage; 3 a report or a file cannot be used.",
		Example: "  taproot repair latest\n  taproot repair latest/login --format json",
	}
	flags := cmd.Flags()
	format := formatFlag(flags)
	flags.BoolVarP(&all, "yes", "y", false, "apply all repairs without a question")
	at := reportsFlag(env, flags)
	cmd.RunE = at.withPacks(func(cmd *cobra.Command, _ reportsDir, dirs []string) error {
		asJSON, err := format()
		if err != nil {
			return err
		}
		found, err := run.Config{Dir: env.Dir}.Replays().Repairs(dirs)
		if err != nil {
			return unusable(env, err)
		}
		if asJSON {
			return printJSON(env, found.Repairs)
		}
		applied, err := offer(env, found.Repairs, all)
		record(cmd.Context(), env, dirs, applied)
		return err
	})
	return cmd
}

// record records the repairs that were applied in the runs that they are of, for the pages of these. That it cannot be
// recorded, as in a folder that is read-only, is a warning: the files of the tests have changed.
func record(ctx context.Context, env *process.Env, packs []string, applied []finding.Repair) {
	byRun := map[string][]finding.Repair{}
	for _, r := range applied {
		for _, dir := range packs {
			if at := filepath.Dir(dir); filepath.Base(dir) == r.Evidence.Pack && filepath.Base(at) == r.Evidence.Run {
				byRun[at] = append(byRun[at], r)
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(byRun)) {
		if err := repaired(ctx, dir, byRun[dir]); err != nil {
			fmt.Fprintf(env.Stderr, "taproot: the report does not show that the repair was applied: %v\n", err)
		}
	}
}

// repaired records that repairs of a run were applied, and makes the pages that show it again.
func repaired(ctx context.Context, dir string, applied []finding.Repair) error {
	if err := history.RecordApplied(dir, applied); err != nil {
		return err
	}
	all, err := history.LoadRun(dir)
	if err != nil {
		return err
	}
	var packs []string
	for _, one := range applied {
		packs = append(packs, one.Evidence.Pack)
	}
	return errors.Join(html.WritePacks(ctx, all, packs...), html.WriteRun(ctx, all),
		html.WriteRuns(ctx, filepath.Dir(dir)))
}

// offered is the dialog about repairs.
type offered struct {
	env     *process.Env
	in      *bufio.Reader
	all     bool              // no questions
	changed map[string]string // lines that were changed, with what they are now
	refused map[string]bool   // changes that were not accepted
	applied []finding.Repair
}

// offer shows repairs one by one, applies those that are accepted, and returns them. The same change of a line, for
// several cases of a test, is shown once.
func offer(env *process.Env, list []finding.Repair, all bool) ([]finding.Repair, error) {
	o := &offered{env: env, in: bufio.NewReader(env.Stdin), all: all, changed: map[string]string{},
		refused: map[string]bool{}}
	for _, r := range list {
		if err := o.one(r); err != nil {
			return o.applied, unusable(env, err)
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(env.Stdout, "no repair: nothing on a screen is clearly the element that a failed step used before")
	}
	return o.applied, nil
}

func (o *offered) one(r finding.Repair) error {
	at := fmt.Sprintf("%s:%d", r.File, r.Line)
	now, changed := o.changed[at]
	switch {
	case changed && now == r.New:
		o.mark(r)
		return nil
	case o.refused[at+r.New]:
		return nil
	}
	o.show(at, r)
	switch {
	case changed:
		fmt.Fprintln(o.env.Stdout, "not applied: another repair has changed this line")
		return nil
	case !o.accepted():
		o.refused[at+r.New] = true
		fmt.Fprintln(o.env.Stdout, "not applied")
		return nil
	}
	if err := apply(o.env, r); err != nil {
		return err
	}
	o.changed[at] = r.New
	o.mark(r)
	fmt.Fprintf(o.env.Stdout, "applied to %s\n", r.File)
	return nil
}

func (o *offered) mark(r finding.Repair) {
	r.Applied = time.Now().UTC().Format(time.RFC3339)
	o.applied = append(o.applied, r)
}

func (o *offered) show(at string, r finding.Repair) {
	out := o.env.Stdout
	fmt.Fprintf(out, "%s: score %d\n  - %s\n  + %s\n  it was %s\n  it is  %s\n", at, r.Score,
		markdown.Visible(r.Old, 500), markdown.Visible(r.New, 500), markdown.Visible(r.Evidence.Was, 300),
		markdown.Visible(r.Evidence.Now, 300))
	for _, why := range r.Evidence.Why {
		fmt.Fprintf(out, "    %s\n", markdown.Visible(why, 300))
	}
	if r.Evidence.Before != "" && r.Evidence.Current != "" {
		fmt.Fprintf(out, "  screenshots: %s, %s\n", r.Evidence.Before, r.Evidence.Current)
	}
}

// accepted reports whether the user accepts a repair.
func (o *offered) accepted() bool {
	if o.all {
		return true
	}
	fmt.Fprint(o.env.Stdout, "apply? [y/N] ")
	line, _ := o.in.ReadString('\n') // the end of the input is a no
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// maxSource is how many bytes of the file of a test are read.
const maxSource = 4 << 20

// apply changes one line of a file of the project. A file in which the line is another by now is an error.
func apply(env *process.Env, r finding.Repair) (err error) {
	folder, base, err := filetree.ProjectFile(env.Dir, r.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	data, err := filetree.ReadCapped(folder, base, maxSource)
	if err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	changed, ok := r.Apply(string(data))
	if !ok {
		return fmt.Errorf("%s:%d: the line has changed since the run: %s", r.File, r.Line, r.Old)
	}
	return filetree.WriteWhole(folder, base, []byte(changed))
}
