package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/session"
	"github.com/taproot-dev/taproot/dsl"
)

// IsWord reports whether an action is a command of its own.
func IsWord(def dsl.Def) bool {
	return session.IsActionCommand(
		def,
		session.HasCommand(newRootCommand(&process.Env{Getenv: func(string) string { return "" }})),
	)
}

// CheckLine checks a command line without running it: its command, its flags and the number of its arguments.
func CheckLine(words []string) error {
	env := &process.Env{Stdin: strings.NewReader(""), Getenv: func(string) string { return "" }}
	root := newRootCommand(env)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(words...)
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	switch err := cmd.ParseFlags(rest); {
	case errors.Is(err, pflag.ErrHelp):
		return nil
	case err != nil:
		return flagError(cmd, err)
	}
	if cmd == root && len(cmd.Flags().Args()) > 0 {
		return fmt.Errorf("%q is not a command", words[0])
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
