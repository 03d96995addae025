package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/runner"
	"github.com/taproot-dev/taproot/runner/plan"
)

// exit ends a command with a code; what there was to say has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Main runs one command and gives the process's exit code.
func Main(env *Env) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once; one that follows on the heels of the first, from a parent that got it, too, does not.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	return Run(ctx, env)
}

// Run is Main without signals.
func Run(ctx context.Context, env *Env) int {
	root := newRootCommand(env)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	var code exit
	var usage *plan.Usage
	switch {
	case err == nil:
		return runner.ExitPass
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, errToolsMissing):
		return 1
	case errors.As(err, &usage), !cmd.SilenceUsage: // wrong words on the command line
		fmt.Fprintf(env.Stderr, "taproot: %v\n(taproot %s--help explains)\n", err, commandName(cmd))
		return runner.ExitUsage
	}
	fmt.Fprintf(env.Stderr, "taproot: %v\n", err)
	return runner.ExitError
}

func commandName(cmd *cobra.Command) string {
	if cmd == nil || !cmd.HasParent() {
		return ""
	}
	return cmd.Name() + " "
}

func newRootCommand(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "taproot",
		Short: "tests what runs on phones and in browsers",
		Long: "Taproot runs tests written in YAML on Android phones and in browsers, several at once, and leaves a report\n" +
			"pack of each.",
		Example: "  taproot doctor                  what is missing on this machine?\n" +
			"  taproot run suites/login.yaml   run one test\n" +
			"  taproot run                     run all tests of the folder suites",
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			cmd.SilenceUsage = true // from here on an error is not one of usage
		},
	}
	root.SetUsageFunc(func(*cobra.Command) error { return nil })
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.SetUsageFunc(nil)
		root.SetUsageFunc(nil)
		help(cmd, args)
	})
	root.AddCommand(newRunCommand(env), newDevicesCommand(env), newDoctorCommand(env), newSimCommand(env))
	return root
}
