package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// writeManual writes the manual pages of a command and its subcommands: taproot.1, taproot-run.1 and so on. They
// contain no date, so that the same program writes the same pages.
func writeManual(cmd *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, c := range manuals(cmd) {
		if err := writeManual(c, dir); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, manualName(cmd)+".1"), []byte(manual(cmd)), 0o644)
}

// manuals are the subcommands that have a page.
func manuals(cmd *cobra.Command) (list []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			list = append(list, c)
		}
	}
	return list
}

func manualName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manual is a page in the macros of man(7).
func manual(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH TAPROOT 1 \"\" Taproot Taproot\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n%s",
		roff(manualName(cmd)), roff(cmd.Short),
		roff(cmd.UseLine()), paragraphs(long))
	manualFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manualFlags(&b, "OPTIONS INHERITED FROM PARENT COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLE\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, manualName(cmd.Parent()))
	}
	for _, c := range manuals(cmd) {
		also = append(also, manualName(c))
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n\\fB" + roff(strings.Join(also, "(1), ")) + "(1)\\fR\n")
	}
	return b.String()
}

func manualFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" && f.ShorthandDeprecated == "" {
			name = "-" + f.Shorthand + ", " + name
		}
		switch {
		case value != "" && f.NoOptDefVal != "":
			value = "[=" + value + "]"
		case value != "":
			value = " " + value
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR%s\n%s\n", roff(name), roff(value), roff(usage))
	})
}

// paragraphs writes texts with an empty line between them. Indented lines keep their form.
func paragraphs(text string) string {
	var b strings.Builder
	for _, p := range strings.Split(text, "\n\n") {
		if strings.HasPrefix(p, " ") {
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(p))
		} else {
			fmt.Fprintf(&b, ".PP\n%s\n", roff(p))
		}
	}
	return b.String()
}

// roff escapes a text for a manual page: hyphens stay copyable, and no line starts with a macro.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
