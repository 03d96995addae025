package report

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// The exit codes of replay, in addition to those of process.
const (
	exitDiffers   = 1
	exitUnusable  = 3
	exitAmbiguous = 4
)

// ReplayCommand is taproot replay.
func ReplayCommand(env *process.Env) *cobra.Command {
	var try string
	var step int
	cmd := &cobra.Command{
		Use:   "replay [RUN[/PACK] …]",
		Short: "decide the steps of a report again, without a device, or evaluate others on its screens",
		Long: "replay decides every step of report packs again, on the frames of the screen that they keep. No device is\n" +
			"used. It prints steps with another result: the version of Taproot that wrote the report decided differently.\n\n" +
			"With --step and --try it evaluates a question on the screen that decided a step: before the touch for an\n" +
			"action, the last one for an assertion. The question is a step, such as 'assert: {label: Paid}' or\n" +
			"'tap: Sign in', or a selector. The first line of the output is holds, fails, ambiguous, or not recorded.\n\n" +
			"A run is named as in taproot report: by its folder, by latest (the default), or by a path; one test of it by\n" +
			"RUN/PACK.\n\n" +
			"Exit codes: 0 the same results, or holds; 1 a result differs, or fails; 2 wrong usage; 3 a report cannot\n" +
			"be used, or not recorded; 4 ambiguous.",
		Example: "  taproot replay latest\n" +
			"  taproot replay latest/login --step 7 --try 'assert: {label: Paid}'\n" +
			"  taproot replay latest/login --step 3 --try '{label: Sign in, below: Password}'",
	}
	flags := cmd.Flags()
	flags.IntVar(&step, "step", 0, "only step `N`")
	flags.StringVar(&try, "try", "", "evaluate this `QUESTION` on the screen of --step: a step or a selector, in YAML")
	at := reportsFlag(env, flags)
	cmd.RunE = at.withPacks(func(cmd *cobra.Command, _ reportsDir, dirs []string) error {
		tries, steps := cmd.Flags().Changed("try"), cmd.Flags().Changed("step")
		switch {
		case tries && !steps:
			return &plan.Usage{Msg: "--try needs the screen of a step: add --step N"}
		case steps && step < 1:
			return &plan.Usage{Msg: fmt.Sprintf("--step %d: steps are numbered from 1", step)}
		case steps && len(dirs) > 1:
			return &plan.Usage{Msg: fmt.Sprintf("--step is of one test, and there are %d reports: name one, such as %s",
				len(dirs), filepath.Join("latest", filepath.Base(dirs[0])))}
		case tries:
			return ask(env, dirs[0], step, try)
		}
		return again(env, dirs, step)
	})
	return cmd
}

// ask evaluates a question on the screen of a step.
func ask(env *process.Env, dir string, step int, question string) error {
	word, why, err := run.Config{}.Replays().Try(dir, step, question)
	var usage *plan.Usage
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		return unusable(env, err)
	}
	fmt.Fprintln(env.Stdout, word)
	if why != "" {
		fmt.Fprintln(env.Stdout, why)
	}
	switch word {
	case "holds":
		return nil
	case "fails":
		return process.Exit(exitDiffers)
	case "ambiguous":
		return process.Exit(exitAmbiguous)
	}
	return process.Exit(exitUnusable)
}

// again decides all steps of reports again, or one of them.
func again(env *process.Env, dirs []string, only int) error {
	bad, differ := 0, 0
	for _, dir := range dirs {
		n, err := run.Config{}.Replays().Again(env.Stdout, dir, only)
		var usage *plan.Usage
		switch {
		case errors.As(err, &usage):
			return err
		case err != nil:
			bad++
			_ = unusable(env, err)
		}
		differ += n
	}
	switch {
	case bad > 0:
		return process.Exit(exitUnusable)
	case differ > 0:
		return process.Exit(exitDiffers)
	}
	return nil
}

// unusable prints why a report cannot be used.
func unusable(env *process.Env, err error) error {
	fmt.Fprintf(env.Stderr, "taproot: %v\n", err)
	return process.Exit(exitUnusable)
}
