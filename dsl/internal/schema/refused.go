package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/foreign"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// refusedSection lists the words of other tools, and the old names of actions, with the lines to write instead.
func refusedSection(b *strings.Builder, link func(*vocabulary.Def) string) {
	b.WriteString("\n## Refused words\n\nThere are three classes of words:\n\n" +
		"- *Current* words are the ones of this page.\n" +
		"- *Spellings* are accepted and mean the same as a current word. `taproot fmt` leaves them alone.\n" +
		"- *Refused* words are those of other tools, and old names of actions. The message shows the line to write " +
		"instead, with your arguments,\n  and `taproot fmt --fix` replaces them. Nothing else of the file changes.\n\n" +
		"Case, hyphens and underscores of a refused word do not matter. Where a translation is *not certain*, `fmt --fix` " +
		"leaves the step and lists it.\n")
	if old := vocabulary.Renamed(); len(old) > 0 {
		b.WriteString("\nOld names: ")
		var all []string
		for name, now := range old {
			if d, known := vocabulary.Lookup(now); known {
				all = append(all, fmt.Sprintf("`%s` is now [%s](%s)", name, now, link(d)))
			}
		}
		slices.Sort(all)
		b.WriteString(strings.Join(all, ", ") + ".\n")
	}
	b.WriteString("\n| Words | Of | For example | Write | |\n|---|---|---|---|---|\n")
	table(b, foreign.Rows())
	b.WriteString("\nThese actions have other arguments in other tools. They are translated in the same way:\n" +
		"\n| Action | Of | For example | Write | |\n|---|---|---|---|---|\n")
	table(b, foreign.FormRows())
}

func table(b *strings.Builder, rows []foreign.Row) {
	for _, r := range rows {
		why := ""
		if r.Why != "" {
			why = "not certain: " + r.Why
		}
		var names []string
		for name := range strings.FieldsSeq(r.Words) {
			names = append(names, "`"+name+"`")
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", strings.Join(names, ", "), r.Of, codeCell(r.Sample), codeCell(r.Line),
			strings.ReplaceAll(why, "|", `\|`))
	}
}

// codeCell is code in a table.
func codeCell(lines string) string {
	if lines == "" {
		return ""
	}
	var all []string
	for _, line := range strings.Split(lines, "\n") {
		all = append(all, "`"+strings.ReplaceAll(line, "|", `\|`)+"`")
	}
	return strings.Join(all, ", ")
}
