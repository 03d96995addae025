package run

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/session"
	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/runner/plan"
)

// runInSession runs one test in the session of the shell, which stays open at the failed step, or at the end.
func runInSession(cmd *cobra.Command, env *process.Env, f runFlags, args []string) error {
	var other string
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains([]string{"keep", "from", "device", "var"}, flag.Name) {
			other = flag.Name
		}
	})
	if other != "" {
		return &plan.Usage{
			Msg: fmt.Sprintf("--%s cannot be combined with --keep and --from: a test in a session leaves no report", other)}
	}
	if len(args) != 1 || args[0] == "" {
		return &plan.Usage{Msg: "--keep and --from need one test: its file or its id"}
	}
	vars, err := process.ParseVars(f.vars)
	if err != nil {
		return err
	}
	s := session.Flags{Device: f.device}
	return s.Send(
		cmd.Context(),
		env,
		shell.Request{Op: shell.OpTest, Test: &shell.TestRequest{Path: args[0], From: f.from,
			Vars: vars}},
	)
}
