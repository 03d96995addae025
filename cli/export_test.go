package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// CheckLine tells what is wrong with the words of a command line without running it: its command, its flags, how many arguments there are.
func CheckLine(words []string) error {
	env := &Env{Stdin: strings.NewReader(""), Getenv: func(string) string { return "" }}
	root := newRootCommand(env)
	root.InitDefaultHelpCmd()
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
