package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/shell"
)

// command is a command that is not an action.
type command struct {
	name, group string
	make        func(*Env) *cobra.Command
	listsAll    bool // its output contains all other commands
}

// commands are all of these.
func commands() []command {
	return []command{
		{name: "run", group: groupTests, make: newRunCommand},
		{name: "devices", group: groupTests, make: newDevicesCommand},
		{name: "agent", group: groupServe, make: newAgentCommand},
		{name: "ios", group: groupServe, make: newIOSCommand},
		{name: "find", group: groupTests, make: newFindCommand},
		{name: "studio", group: groupServe, make: newStudioCommand},
		{name: "record", group: groupTests, make: newRecordCommand},
		{name: "doctor", group: groupTests, make: newDoctorCommand},
		{name: "report", group: groupTests, make: newReportCommand},
		{name: "sim", group: groupTests, make: newSimCommand},
		{name: "validate", group: groupTests, make: newValidateCommand},
		{name: "fmt", group: groupTests, make: newFmtCommand},
		{name: "import", group: groupTests, make: newImportCommand},
		{name: "schema", group: groupServe, make: newSchemaCommand},
		{name: "docs", group: groupTests, make: newDocsCommand, listsAll: true},
		{name: "mcp", group: groupServe, make: newMCPCommand},
		{name: "serve", group: groupServe, make: newServeCommand},
		{name: "host", group: groupServe, make: newHostCommand},
		{name: "farm", group: groupServe, make: newFarmCommand},
		{name: "adb", group: groupServe, make: newADBCommand},
		{name: "admin", group: groupServe, make: newAdminCommand},
		{name: "version", group: groupServe, make: newVersionCommand},
		{name: "setup", group: groupTests, make: newSetupCommand},
		{name: "init", group: groupTests, make: newInitCommand},
		{name: "open", group: groupSession, make: newOpenDeviceCommand},
		{name: "snapshot", group: groupSession, make: newSnapshotCommand},
		{name: "screenshot", group: groupSession, make: newScreenshotCommand},
		{name: "do", group: groupSession, make: newDoCommand},
		{name: "sessions", group: groupSession, make: newSessionsCommand},
		{name: "close", group: groupSession, make: newCloseCommand},
		{name: "save", group: groupSession, make: newSaveCommand},
		{name: "guide", group: groupSession, make: newGuideCommand, listsAll: true},
		{name: sessionProcess, make: newSessionProcessCommand},
	}
}

// addCommands adds all commands, in their groups. If the first argument names one of them, only that one is built
// completely, because building the others would be a large part of the time of a shell command. A list of all commands
// needs only their names.
func addCommands(root *cobra.Command, env *Env) {
	for _, g := range [][2]string{{groupTests, "Tests:"},
		{groupSession, "Sessions, for people, scripts and assistants (taproot guide):"}, {groupTouch, "Touch and type:"},
		{groupCheck, "Wait and check:"},
		{groupPage, "Pages:"}, {groupDevice, "Apps and devices:"}, {groupServe, "Servers and the rest:"}} {
		root.AddGroup(&cobra.Group{ID: g[0], Title: g[1]})
	}
	root.SetHelpCommandGroupID(groupServe)
	root.SetCompletionCommandGroupID(groupServe)
	asked := ""
	if len(env.Args) > 0 {
		asked = env.Args[0]
	}
	listing := len(env.Args) == 1 && slices.Contains([]string{"help", "--help", "-h"}, asked)
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
		if !isActionCommand(def, func(name string) bool { return taken[name] }) {
			continue
		}
		if shell.Kebab(def.Name) == asked {
			root.AddCommand(newWordCommand(env, def))
			return
		}
		words = append(words, def)
	}
	for _, c := range commands() {
		root.AddCommand(c.new(env))
	}
	for _, def := range words {
		if listing {
			root.AddCommand(listedAction(def))
		} else {
			root.AddCommand(newWordCommand(env, def))
		}
	}
}

// new returns the command, with its group.
func (c command) new(env *Env) *cobra.Command {
	cmd := c.make(env)
	cmd.GroupID = c.group
	return cmd
}
