package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
)

// WordSteps returns the step's argument of the command line of an action, as its command does.
func WordSteps(def dsl.Def, words []string) (source.Value, error) {
	w := &actionCommand{def: def, fields: def.Fields()}
	w.takePlaces()
	cmd := &cobra.Command{Use: def.Name}
	w.add(cmd, true)
	w.flags(cmd)
	if err := cmd.ParseFlags(words); err != nil {
		return source.Value{}, flagError(cmd, err)
	}
	return w.value(cmd, cmd.Flags().Args())
}

// WordPlaces returns the keys of the arguments without a flag on the command line of an action.
func WordPlaces(def dsl.Def) (keys []string) {
	w := &actionCommand{def: def, fields: def.Fields()}
	w.takePlaces()
	for _, f := range w.main {
		keys = append(keys, f.Key)
	}
	return keys
}

// FlagOf returns the flag of an argument.
func FlagOf(key string) string { return flagOf(key) }

// IsWord reports whether an action is a command of its own.
func IsWord(def dsl.Def) bool {
	return isActionCommand(def, hasCommand(newRootCommand(&Env{Getenv: func(string) string { return "" }})))
}

// CheckLine checks a command line without running it: its command, its flags and the number of its arguments.
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

// Opening returns the action with which taproot open opens what it is given in a folder, and the URL or the app's name.
func Opening(dir, what string) (action, target string, err error) {
	if what, err = fileToOpen(&Env{Dir: dir}, what); err != nil {
		return "", "", err
	}
	action, v := opening(what)
	return action, v.Fields[0].Value.Text, nil
}
