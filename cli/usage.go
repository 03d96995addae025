package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/run"
	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/runner/plan"
)

// unknownCommand reports a first argument that is not a command, with a suggestion.
func unknownCommand(root *cobra.Command, env *process.Env) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(env.Args...)
	if completes(env) {
		return nil
	}
	cmd, rest, err := root.Find(env.Args)
	if err == nil || cmd != root {
		return nil
	}
	word := ""
	for _, arg := range rest {
		if !strings.HasPrefix(arg, "-") {
			word = arg
			break
		}
	}
	msg := fmt.Sprintf("%q is not a command", word)
	if namesTests(env, word) {
		msg += "; to run tests, write: taproot run " + strings.Join(env.Args, " ")
	} else if now := renamedCommand(word); now != "" {
		msg += fmt.Sprintf("; it is called taproot %s now", now)
	} else if own := foreignCommands[word]; own != "" {
		msg += "; " + own
	} else if own := ownCommand(root, rest, word); own != "" {
		msg += own
	} else {
		msg += process.Meant(word, process.CommandNames(root))
	}
	return &plan.Usage{Msg: msg}
}

// renamedCommand returns the present command of an action that had another name; "" when there is none.
func renamedCommand(word string) string {
	for _, def := range dsl.Vocabulary() {
		if def.Was != "" && shell.Kebab(def.Was) == word {
			return shell.Kebab(def.Name)
		}
	}
	return ""
}

// completes reports whether a shell requests completions.
func completes(env *process.Env) bool {
	return len(env.Args) > 0 && (env.Args[0] == cobra.ShellCompRequestCmd ||
		env.Args[0] == cobra.ShellCompNoDescRequestCmd)
}

// foreignCommands maps commands of other test tools to those of Taproot.
var foreignCommands = map[string]string{
	"test": "taproot run runs tests", "start": "taproot run runs tests, taproot serve the REST API",
	"list":          "taproot validate lists the tests, taproot devices the devices",
	"ls":            "taproot validate lists the tests, taproot devices the devices",
	"lint":          "taproot validate finds mistakes in tests",
	"check":         "taproot validate finds mistakes in tests, taproot doctor missing programs",
	"new":           "taproot init creates a project",
	"create":        "taproot init creates a project",
	"show-report":   "taproot report open shows the reports",
	"reports":       "taproot report open shows the reports",
	"show-trace":    "taproot report open shows the reports with their traces",
	"merge-reports": "taproot report merge combines several reports",
	"format":        "taproot fmt formats test files", "emulator": "taproot sim starts simulated phones",
	"start-device": "taproot sim starts simulated phones",
	"inspect":      "taproot find '' lists the elements of the screen",
	"hierarchy":    "taproot find '' lists the elements of the screen",
	"codegen": "taproot record --url URL -o FILE.yaml records a test; taproot studio does so on a page, for phones, " +
		"too",
	"server": "taproot serve serves the REST API",
	"hub":    hubWords, "grid": hubWords, "lab": hubWords, "node": nodeWords, "provider": nodeWords,
	"drain": "taproot host --drain drains the host that runs here",
	"queue": "taproot farm status lists the waiting cases of a farm, with the reason", "lease": leaseWords,
	"reserve": leaseWords,
}

// Suggestions for words of other device farms.
const (
	hubWords = "taproot serve --service --farm is the hub of a device farm, taproot host adds devices to it (taproot " +
		"docs farm)"
	nodeWords  = "taproot host adds the devices of this machine to a farm (taproot docs farm)"
	leaseWords = "POST /devices/ID/lease leases or reserves a device of a server or a farm (taproot docs rest)"
)

// namesTests reports whether an argument looks like a test file, or is a file or a folder.
func namesTests(env *process.Env, word string) bool {
	if word == "" {
		return false
	}
	if ext := filepath.Ext(word); ext == ".yaml" || ext == ".yml" {
		return true
	}
	if !filepath.IsAbs(word) {
		word = filepath.Join(env.Dir, word)
	}
	_, err := os.Stat(word)
	return err == nil
}

// newHelpCommand is cobra's help command, except that an unknown topic is an error.
func newHelpCommand(root *cobra.Command, env *process.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "explain a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, &process.Env{Args: args, Dir: env.Dir})
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
}

// flagError adds a suggestion to the error of an invalid flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	msg := err.Error()
	switch {
	case errors.As(err, &unknown) && cmd.Name() == "run" && run.ForeignFlag(unknown.GetSpecifiedName()) != "":
		msg += "; " + run.ForeignFlag(unknown.GetSpecifiedName())
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := dsl.Suggest(unknown.GetSpecifiedName(), names); near != "" {
			msg += fmt.Sprintf("; did you mean --%s?", near)
		}
	case errors.As(err, &unknown) && takesText(cmd):
		arg := "-" + unknown.GetSpecifiedShortnames()
		msg = fmt.Sprintf(
			"unknown flag: %s; if it is not a flag, write -- before it: %s -- %s",
			arg,
			cmd.CommandPath(),
			arg,
		)
	case errors.As(err, &invalid):
		want := "a value of another kind"
		switch invalid.GetFlag().Value.Type() {
		case "int", "int64":
			want = "a whole number"
		case "duration":
			want = "a time such as 10s or 1m30s, or milliseconds"
			if _, near, _ := phrase.ParseDuration(invalid.GetValue()); near != "" {
				want = near
			}
		case "bool":
			want = "true or false"
		case "stringToString":
			want = "NAME=VALUE, and a comma between several, such as room=3,desk=west"
		}
		msg = fmt.Sprintf("--%s %q: write %s", invalid.GetFlag().Name, invalid.GetValue(), want)
	}
	return &plan.Usage{Msg: msg}
}
