package report

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// WeakCommand is taproot weak.
func WeakCommand(env *process.Env) *cobra.Command {
	var least int
	cmd := &cobra.Command{
		Use:   "weak [RUN[/PACK] …]",
		Short: "list the assertions of a run that cannot fail",
		Long: "weak lists the assertions of passed tests that would not notice a bug: they hold on the screen before the\n" +
			"last action ahead of them, too. Listed are also an assertNot that fails on no screen of the run, an\n" +
			"assertTrue that is always true, tests that assert nothing after their last action, and tests that would pass\n" +
			"without it.\n\n" +
			"The strength of a run is the share of its assertions that are not weak, in percent. Runs are named as in\n" +
			"taproot report; the default is latest. Name a whole run: its other tests show what an assertion is worth.\n\n" +
			"Exit codes: 0 success; 1 the strength is below --min-strength; 2 wrong usage; 3 a report cannot be used.",
		Example: "  taproot weak latest\n  taproot weak latest --format json --min-strength 80",
	}
	flags := cmd.Flags()
	format := formatFlag(flags)
	flags.IntVar(&least, "min-strength", 0, "exit with 1 if the strength is below this `PERCENTAGE`")
	at := reportsFlag(env, flags)
	cmd.RunE = at.withPacks(func(_ *cobra.Command, _ reportsDir, dirs []string) error {
		asJSON, err := format()
		if err != nil {
			return err
		}
		if least < 0 || least > 100 {
			return &plan.Usage{Msg: fmt.Sprintf("--min-strength %d is not a percentage: use 0 to 100", least)}
		}
		return weak(env, dirs, asJSON, least)
	})
	return cmd
}

func weak(env *process.Env, dirs []string, asJSON bool, least int) error {
	w, err := run.Config{}.Replays().Weak(dirs)
	if err != nil {
		return unusable(env, err)
	}
	if asJSON {
		if err := printJSON(env, w); err != nil {
			return err
		}
	} else {
		for _, f := range w.Findings {
			fmt.Fprintf(env.Stdout, "%s:%d: %s\n", f.File, f.Line, markdown.Visible(f.Why, 500))
		}
		for _, u := range w.Unjudged {
			fmt.Fprintf(env.Stdout, "%s:%d: not judged: %s\n", u.File, u.Line, markdown.Visible(u.Why, 500))
		}
		fmt.Fprintf(env.Stdout, "strength %d: %d of %s weak\n", w.Strength, w.Weak,
			phrase.Plural(w.Assertions, "assertion"))
	}
	if w.Strength < least {
		fmt.Fprintf(env.Stderr, "taproot: the strength is %d, below --min-strength %d\n", w.Strength, least)
		return process.Exit(1)
	}
	return nil
}
