package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/run"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
)

// singleDash rejects a long flag with a single dash, which the flag package reads as several short flags: -headless
// would be -h and show the help.
func singleDash(root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd.DisableFlagParsing {
		return cmd, nil
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	flags := cmd.Flags()
	flags.AddFlagSet(cmd.InheritedFlags())
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		switch {
		case arg == "--":
			return cmd, nil
		case strings.HasPrefix(arg, "--"):
			name, _, given := strings.Cut(arg[2:], "=")
			if f := flags.Lookup(name); f != nil && !given && f.NoOptDefVal == "" {
				i++ // its value
			}
		case len(arg) == 2 && arg[0] == '-':
			if f := flags.ShorthandLookup(arg[1:]); f != nil && f.NoOptDefVal == "" {
				i++
			}
		case len(arg) > 2 && arg[0] == '-':
			if msg := longFlag(root, cmd, arg); msg != "" {
				return cmd, &plan.Usage{Msg: msg}
			}
		}
	}
	return cmd, nil
}

// longFlag proposes the correct form of a word with a single dash; "" if its characters are short flags.
func longFlag(root, cmd *cobra.Command, arg string) string {
	name, _, _ := strings.Cut(arg[1:], "=")
	_, value, _ := strings.Cut(arg, "=")
	if value != "" {
		value = "=" + value
	}
	if cmd.Flags().Lookup(name) != nil && len(name) > 1 {
		return fmt.Sprintf("%s has one dash too few; write --%s%s", arg, name, value)
	}
	if words := run.ForeignFlag(name); words != "" && cmd.Name() == "run" && len(name) > 1 {
		return fmt.Sprintf("unknown flag: %s; %s", arg, words)
	}
	if isShort(cmd.Flags(), arg) {
		return ""
	}
	msg := "unknown flag: " + arg
	switch near := dsl.Suggest(name, flagNames(cmd)); {
	case near != "":
		msg += fmt.Sprintf("; did you mean --%s?", near)
	case anyHas(root, name):
		msg += fmt.Sprintf("; %s has no flag --%s", cmd.CommandPath(), name)
	case takesText(cmd):
		msg += fmt.Sprintf("; if it is not a flag, write -- before it: %s -- %s", cmd.CommandPath(), quoteWord(arg))
	}
	return msg
}

// isShort reports whether the characters of a word are short flags of a command: several switches, each once, or one
// flag with its value. A flag with a value cannot be joined to others, and neither can -h.
func isShort(flags *pflag.FlagSet, arg string) bool {
	letters, _, _ := strings.Cut(arg[1:], "=")
	for i, letter := range letters {
		f := flags.ShorthandLookup(string(letter))
		switch {
		case letter > '~' || f == nil:
			return false
		case f.NoOptDefVal == "":
			return i == 0
		case f.Name == "help" && len(letters) > 1, strings.ContainsRune(letters[:i], letter):
			return false
		}
	}
	return true
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// anyHas reports whether a command has a flag of the name.
func anyHas(cmd *cobra.Command, name string) bool {
	if cmd.Flags().Lookup(name) != nil || cmd.PersistentFlags().Lookup(name) != nil {
		return true
	}
	for _, c := range cmd.Commands() {
		if anyHas(c, name) {
			return true
		}
	}
	return false
}

// takesText reports whether a command takes arguments that are not flags.
func takesText(cmd *cobra.Command) bool {
	_, args, given := strings.Cut(cmd.Use, " ")
	return given && strings.Trim(args, " ") != "[flags]"
}

// quoteWord quotes a word for a shell.
func quoteWord(word string) string {
	if strings.ContainsAny(word, " \t\n'\"$`\\&|;<>()*?[]{}~!#") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
