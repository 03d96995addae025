package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/session"
	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// ownCommand writes a command line with an action's name of another tool, or its old name, as it is written today; "":
// it has no such name.
func ownCommand(root *cobra.Command, args []string, word string) string {
	example, _ := dsl.OwnSteps(source.Field{Key: word}, "")
	if len(example) == 0 {
		return ""
	}
	own := example[0].Key
	def, known := dsl.Lookup(own)
	if !known || !session.IsActionCommand(*def, session.HasCommand(root)) {
		return ""
	}
	at := slices.Index(args, word)
	texts := args[at+1:]
	step := source.Field{Key: word}
	if len(texts) == 1 && !strings.HasPrefix(texts[0], "-") {
		step.Value = source.Value{Kind: source.String, Text: texts[0]}
	}
	steps, certain := dsl.OwnSteps(step, onPage(def))
	if len(texts) == 1 && certain && len(steps) == 1 {
		if line := commandLine(steps[0]); line != "" {
			return line
		}
	}
	line := "taproot " + shell.Kebab(own)
	for _, text := range texts {
		line += " " + quoteWord(text)
	}
	return line
}

// onPage is the platform that the text of a selector is read for: pages, where the action works on them.
func onPage(def *dsl.Def) dsl.Platform {
	if def.On(dsl.Web) {
		return dsl.Web
	}
	return dsl.Android
}

// commandLine writes a step as a command; "": it needs more than one flag for each of its arguments.
func commandLine(step source.Field) string {
	line := "taproot " + shell.Kebab(step.Key)
	switch step.Value.Kind {
	case source.Null:
		return line
	case source.Map:
	case source.List:
		return ""
	default:
		return line + " " + quoteWord(step.Value.Text)
	}
	def, known := dsl.Lookup(step.Key)
	if !known {
		return ""
	}
	for _, f := range def.Fields() {
		arg, given := step.Value.Get(f.Key)
		switch {
		case !given:
		case arg.Value.Kind == source.Map || arg.Value.Kind == source.List:
			return ""
		case f.Main:
			line += " " + quoteWord(arg.Value.Text)
		case arg.Value.Kind == source.Bool && arg.Value.Text == "true":
			line += " --" + session.FlagOf(f.Key)
		default:
			line += " --" + session.FlagOf(f.Key) + " " + quoteWord(arg.Value.Text)
		}
	}
	return line
}
