package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
)

// groups are the groups of commands, in the order of lists.
var groups = [][2]string{
	{process.GroupTests, "Tests:"},
	{process.GroupSession, "Sessions, for people, scripts and assistants (taproot guide):"},
	{process.GroupTouch, "Touch and type:"},
	{process.GroupCheck, "Wait and check:"},
	{process.GroupPage, "Pages:"},
	{process.GroupDevice, "Apps and devices:"},
	{process.GroupServe, "Servers and the rest:"},
}

// first are the commands of the short help, in the order in which a new user needs them.
var first = []string{"init", "setup", "doctor", "run", "validate", "studio", "record", "report", "devices", "serve",
	"mcp"}

// shortHelp prints the commands that a new user needs, and where the others are.
func shortHelp(root *cobra.Command) {
	out := root.OutOrStdout()
	fmt.Fprintf(out, "%s\n\nUsage: taproot COMMAND [flags]\n\n", root.Long)
	for _, name := range first {
		if cmd, _, err := root.Find([]string{name}); err == nil && cmd != root {
			printCommand(out, cmd)
		}
	}
	fmt.Fprint(out, "\n"+
		"taproot COMMAND --help    explains a command and its flags\n"+
		"taproot commands          lists all commands: sim, fmt, import, find, farm, admin …\n"+
		"taproot actions           lists the actions as commands, such as taproot tap \"Sign in\" (taproot guide)\n"+
		"taproot docs              prints the reference, or a page of the documentation\n")
}

func printCommand(out io.Writer, cmd *cobra.Command) {
	fmt.Fprintf(out, "  %-*s  %s\n", cmd.NamePadding(), cmd.Name(), cmd.Short)
}

// newCommandsCommand lists all commands.
func newCommandsCommand(env *process.Env) *cobra.Command {
	return listCommand(env, "commands", "list all commands",
		"commands lists all commands. Those of actions act in a session that stays open between them (taproot guide).")
}

// newActionsCommand lists the actions that are commands.
func newActionsCommand(env *process.Env) *cobra.Command {
	return listCommand(env, "actions", "list the actions as commands of a session",
		"actions lists the actions that are commands: taproot tap \"Sign in\" taps in a session that stays open (taproot\n"+
			"guide). In tests they are written as steps (taproot docs reference).",
		process.GroupTouch, process.GroupCheck, process.GroupPage, process.GroupDevice)
}

// listCommand makes a command that lists the commands of some groups, or of all.
func listCommand(env *process.Env, name, short, long string, only ...string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Long: long, Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			between := ""
			for _, g := range groups {
				if len(only) > 0 && !slices.Contains(only, g[0]) {
					continue
				}
				fmt.Fprintln(env.Stdout, between+g[1])
				between = "\n"
				for _, c := range cmd.Root().Commands() {
					if c.GroupID == g[0] && c.IsAvailableCommand() {
						printCommand(env.Stdout, c)
					}
				}
			}
		},
	}
}
