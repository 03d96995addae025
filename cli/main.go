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

	"github.com/taproot-dev/taproot/cli/internal/inspect"
	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// Env is the process as a command sees it, so that a whole command can run inside a test.
type Env = process.Env

// SystemEnv returns the environment of this process.
func SystemEnv() *Env { return process.SystemEnv() }

// Main runs one command and returns the exit code of the process.
func Main(env *Env) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	// A closed pipe, as in `taproot run | head`, must not end the tests in the middle of a step: writing fails instead.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	// A second signal ends the process at once, unless it follows the first one immediately: a parent process that
	// received the first one may have sent it.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	return Run(ctx, env)
}

// endings are the signals at which a command cleans up and ends. A closed terminal is one, except under nohup.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// Run is Main without signals.
func Run(ctx context.Context, env *Env) int {
	root := newRootCommand(env)
	began := false
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	cmd, err := root, unknownCommand(root, env)
	if err == nil && !completes(env) {
		cmd, err = singleDash(root, env.Args)
	}
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	var code process.Exit
	var usage *plan.Usage
	switch {
	case err == nil:
		return run.ExitPass
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, inspect.ErrToolsMissing), errors.Is(err, inspect.ErrLiveFailed), errors.Is(err, inspect.ErrRemote):
		return 1
	case errors.As(err, &usage), !began: // wrong usage
		fmt.Fprintf(env.Stderr, "taproot: %v\n(%s --help explains)\n", err, cmd.CommandPath())
		return run.ExitUsage
	}
	fmt.Fprintf(env.Stderr, "taproot: %v\n", err)
	return run.ExitError
}

func newRootCommand(env *process.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "taproot",
		Short: "test apps on phones and pages in browsers",
		Long: "Taproot runs tests written in YAML on Android phones, iPhones and in browsers, several at once, and writes " +
			"a\n" +
			"report of each test.",
		Version:       process.ThisBuild().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate(process.ThisBuild().String() + "\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelpCommand(root, env))
	explain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			shortHelp(root)
			return
		}
		explain(cmd, args)
	})
	addCommands(root, env)
	complete(root, env)
	return root
}
