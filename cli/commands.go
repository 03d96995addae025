package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/inspect"
	"github.com/taproot-dev/taproot/cli/internal/ops"
	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/project"
	"github.com/taproot-dev/taproot/cli/internal/report"
	"github.com/taproot-dev/taproot/cli/internal/run"
	"github.com/taproot-dev/taproot/cli/internal/session"
	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
)

// command is a command that is not an action.
type command struct {
	name, group string
	make        func(*process.Env) *cobra.Command
	listsAll    bool // its output contains all other commands
}

// commands are all of these.
func commands() []command {
	return []command{
		{name: "run", group: process.GroupTests, make: run.Command},
		{name: "devices", group: process.GroupTests, make: inspect.DevicesCommand},
		{name: "agent", group: process.GroupServe, make: inspect.AgentCommand},
		{name: "ios", group: process.GroupServe, make: inspect.IOSCommand},
		{name: "find", group: process.GroupTests, make: inspect.FindCommand},
		{name: "studio", group: process.GroupServe, make: ops.StudioCommand},
		{name: "record", group: process.GroupTests, make: project.RecordCommand},
		{name: "doctor", group: process.GroupTests, make: inspect.DoctorCommand},
		{name: "report", group: process.GroupTests, make: report.Command},
		{name: "replay", group: process.GroupTests, make: report.ReplayCommand},
		{name: "weak", group: process.GroupTests, make: report.WeakCommand},
		{name: "repair", group: process.GroupTests, make: report.RepairCommand},
		{name: "sim", group: process.GroupTests, make: ops.SimCommand},
		{name: "validate", group: process.GroupTests, make: project.ValidateCommand},
		{name: "fmt", group: process.GroupTests, make: project.FmtCommand},
		{name: "import", group: process.GroupTests, make: project.ImportCommand},
		{name: "schema", group: process.GroupServe, make: project.SchemaCommand},
		{name: "docs", group: process.GroupTests, make: project.DocsCommand, listsAll: true},
		{name: "mcp", group: process.GroupServe, make: ops.MCPCommand},
		{name: "serve", group: process.GroupServe, make: ops.ServeCommand},
		{name: "host", group: process.GroupServe, make: ops.HostCommand},
		{name: "farm", group: process.GroupServe, make: ops.FarmCommand},
		{name: "adb", group: process.GroupServe, make: inspect.ADBCommand},
		{name: "admin", group: process.GroupServe, make: ops.AdminCommand},
		{name: "version", group: process.GroupServe, make: newVersionCommand},
		{name: "setup", group: process.GroupTests, make: inspect.SetupCommand},
		{name: "init", group: process.GroupTests, make: project.InitCommand},
		{name: "open", group: process.GroupSession, make: session.OpenCommand},
		{name: "snapshot", group: process.GroupSession, make: session.SnapshotCommand},
		{name: "screenshot", group: process.GroupSession, make: session.ScreenshotCommand},
		{name: "do", group: process.GroupSession, make: session.DoCommand},
		{name: "sessions", group: process.GroupSession, make: session.SessionsCommand},
		{name: "close", group: process.GroupSession, make: session.CloseCommand},
		{name: "save", group: process.GroupSession, make: session.SaveCommand},
		{name: "guide", group: process.GroupSession, make: project.GuideCommand, listsAll: true},
		{name: "commands", group: process.GroupServe, make: newCommandsCommand, listsAll: true},
		{name: "actions", group: process.GroupServe, make: newActionsCommand, listsAll: true},
		{name: session.ProcessName, make: session.ProcessCommand},
	}
}

// addCommands adds all commands, in their groups. If the first argument names one of them, only that one is built
// completely, because building the others would be a large part of the time of a shell command. A list of all commands
// needs only their names.
func addCommands(root *cobra.Command, env *process.Env) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g[0], Title: g[1]})
	}
	root.SetHelpCommandGroupID(process.GroupServe)
	root.SetCompletionCommandGroupID(process.GroupServe)
	asked := ""
	if len(env.Args) > 0 {
		asked = env.Args[0]
	}
	listing := len(env.Args) == 1 && slices.Contains([]string{"help", "--help", "-h", "commands", "actions"}, asked)
	taken := map[string]bool{"help": true, "completion": true}
	for _, c := range commands() {
		if c.name == asked && !c.listsAll {
			root.AddCommand(c.new(env))
			return
		}
		taken[c.name] = true
	}
	var words []dsl.Def
	for _, def := range dsl.Vocabulary() {
		if !session.IsActionCommand(def, func(name string) bool { return taken[name] }) {
			continue
		}
		if shell.Kebab(def.Name) == asked {
			root.AddCommand(session.ActionCommand(env, def))
			return
		}
		words = append(words, def)
	}
	own := process.OwnActions(env).Defs()
	for _, def := range own {
		if shell.Kebab(def.Name) == asked && !taken[asked] {
			root.AddGroup(&cobra.Group{ID: process.GroupOwn, Title: ownTitle})
			root.AddCommand(session.ActionCommand(env, *def))
			return
		}
	}
	for _, c := range commands() {
		root.AddCommand(c.new(env))
	}
	if len(own) > 0 {
		root.AddGroup(&cobra.Group{ID: process.GroupOwn, Title: ownTitle})
	}
	for _, def := range own {
		if session.IsActionCommand(*def, func(name string) bool { return taken[name] }) {
			words = append(words, *def)
		}
	}
	for _, def := range words {
		if listing {
			root.AddCommand(session.ListedAction(def))
		} else {
			root.AddCommand(session.ActionCommand(env, def))
		}
	}
}

// new returns the command, with its group.
func (c command) new(env *process.Env) *cobra.Command {
	cmd := c.make(env)
	cmd.GroupID = c.group
	return cmd
}

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

// ownTitle is the title of the group of a project's own actions, which other projects do not have.
const ownTitle = "Own actions of this project:"

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

// newActionsCommand lists the actions that are commands, or prints the page of an action.
func newActionsCommand(env *process.Env) *cobra.Command {
	cmd := listCommand(env, "actions", "list the actions as commands of a session, or explain one",
		"actions lists the actions that are commands: taproot tap \"Sign in\" taps in a session that stays open (taproot\n"+
			"guide). With the NAME of an action, as in tests or as a command, it prints its page: examples, arguments, what\n"+
			"it waits for, messages. In tests they are written as steps (taproot docs reference).",
		process.GroupTouch, process.GroupCheck, process.GroupPage, process.GroupDevice, process.GroupOwn)
	list := cmd.Run
	cmd.Use, cmd.Args, cmd.Run = "actions [NAME]", cobra.MaximumNArgs(1), nil
	cmd.Example = "  taproot actions\n  taproot actions scrollTo"
	names := func() (all []string) {
		for _, def := range dsl.Vocabulary() {
			if def.Interfaces&dsl.YAML != 0 {
				all = append(all, def.Name)
			}
		}
		return append(all, process.OwnActions(env).Names()...)
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			list(cmd, args)
			return nil
		}
		for _, name := range names() {
			if name == args[0] || shell.Kebab(name) == args[0] {
				own := process.OwnActions(env)
				if _, err := own.Lookup(name); err != nil {
					return &plan.Usage{Msg: err.Error()}
				}
				text, _ := dsl.ReferenceOf(name, own)
				_, err := fmt.Fprint(env.Stdout, text)
				return err
			}
		}
		return &plan.Usage{Msg: fmt.Sprintf("there is no action %q", args[0]) + process.Meant(args[0], names())}
	}
	return cmd
}

// listCommand makes a command that lists the commands of some groups, or of all.
func listCommand(env *process.Env, name, short, long string, only ...string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Long: long, Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			between := ""
			for _, g := range append(slices.Clone(groups), [2]string{process.GroupOwn, ownTitle}) {
				if !cmd.Root().ContainsGroup(g[0]) {
					continue
				}
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

func newVersionCommand(env *process.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version of Taproot",
		Long:  "version prints the module's version, its commit and date, and the Go version that built it.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := process.ThisBuild()
			if !asJSON {
				_, err := fmt.Fprintln(env.Stdout, b)
				return err
			}
			out := json.NewEncoder(env.Stdout)
			out.SetIndent("", "  ")
			return out.Encode(b)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
