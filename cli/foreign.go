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

// ownCommand says how a command with the name that another tool has for an action is written here, with its arguments
// where they are clear; "": no tool has such a name.
func ownCommand(root *cobra.Command, args []string, word string) string {
	example, _ := dsl.OwnSteps(source.Field{Key: word}, "")
	if len(example) == 0 {
		return ""
	}
	def, known := dsl.Lookup(example[0].Key)
	if !known || !session.IsActionCommand(*def, session.HasCommand(root)) {
		return ""
	}
	texts := args[slices.Index(args, word)+1:]
	step := source.Field{Key: word}
	for _, text := range texts {
		step.Value.Items = append(step.Value.Items, source.Value{Kind: source.String, Text: text})
	}
	switch {
	case slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, "-") }):
		texts = nil // flags have other names here
	case len(texts) == 1:
		step.Value = step.Value.Items[0]
	case len(texts) > 1:
		step.Value.Kind = source.List
	}
	steps, certain := dsl.OwnSteps(step, onPage(def))
	if len(texts) > 0 && certain && len(steps) == 1 {
		if line := commandLine(steps[0]); line != "" {
			return "; write: " + line
		}
	}
	return "; the command is taproot " + shell.Kebab(def.Name)
}

// onPage is the platform that the text of a selector is read for: pages, where the action works on them.
func onPage(def *dsl.Def) dsl.Platform {
	if def.On(dsl.Web) {
		return dsl.Web
	}
	return dsl.Android
}

// commandLine writes a step as a command; "": it has an argument that no flag takes.
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
		case arg.Value.Kind == source.List:
			return ""
		case arg.Value.Kind == source.Map:
			line += " --" + session.FlagOf(f.Key) + " " + quoteWord(source.Flow(arg.Value))
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
