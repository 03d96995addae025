package report

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/markdown"
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
	cmd.RunE = at.withPacks(func(_ *cobra.Command, _ reportsDir, dirs []string) error {
		asJSON, err := format()
		if err != nil {
			return err
		}
		found, err := run.Config{}.Replays().Repairs(dirs)
		if err != nil {
			return unusable(env, err)
		}
		if asJSON {
			return printJSON(env, found.Repairs)
		}
		return offer(env, found.Repairs, all)
	})
	return cmd
}

// offer shows repairs one by one, and applies those that are accepted.
func offer(env *process.Env, list []finding.Repair, all bool) error {
	in := bufio.NewReader(env.Stdin)
	for _, r := range list {
		fmt.Fprintf(env.Stdout, "%s:%d: score %d\n  - %s\n  + %s\n  it was %s\n  it is  %s\n", r.File, r.Line, r.Score,
			markdown.Visible(r.Old, 500), markdown.Visible(r.New, 500), markdown.Visible(r.Evidence.Was, 300),
			markdown.Visible(r.Evidence.Now, 300))
		for _, why := range r.Evidence.Why {
			fmt.Fprintf(env.Stdout, "    %s\n", markdown.Visible(why, 300))
		}
		if r.Evidence.Before != "" && r.Evidence.Current != "" {
			fmt.Fprintf(env.Stdout, "  screenshots: %s, %s\n", r.Evidence.Before, r.Evidence.Current)
		}
		if !all {
			fmt.Fprint(env.Stdout, "apply? [y/N] ")
			line, _ := in.ReadString('\n') // the end of the input is a no
			if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
				fmt.Fprintln(env.Stdout, "not applied")
				continue
			}
		}
		if err := apply(env, r); err != nil {
			return unusable(env, err)
		}
		fmt.Fprintf(env.Stdout, "applied to %s\n", r.File)
	}
	if len(list) == 0 {
		fmt.Fprintln(env.Stdout, "no repair: nothing on a screen is clearly the element that a failed step used before")
	}
	return nil
}

// apply changes one line of a file. A file in which the line is another by now is an error.
func apply(env *process.Env, r finding.Repair) error {
	name := filepath.FromSlash(r.File)
	if !filepath.IsAbs(name) {
		name = filepath.Join(env.Dir, name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(data), "\n")
	if r.Line < 1 || r.Line > len(lines) || strings.TrimSpace(lines[r.Line-1]) != r.Old {
		return fmt.Errorf("%s:%d: the line has changed since the run: %s", r.File, r.Line, r.Old)
	}
	lines[r.Line-1] = strings.Replace(lines[r.Line-1], r.Old, r.New, 1)
	return filetree.WriteFile(filepath.Dir(name), filepath.Base(name), []byte(strings.Join(lines, "")))
}
