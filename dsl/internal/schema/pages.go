package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// ActionPage returns the page of an action in docs/actions, which taproot docs prints as well.
func ActionPage(d *vocabulary.Def) string {
	var b strings.Builder
	p := d.Page()
	fmt.Fprintf(&b, "# %s\n\n%s\n\n```yaml\n", d.Name, d.Doc)
	for _, e := range p.Examples {
		b.WriteString("- " + strings.ReplaceAll(e.Step, "\n", "\n  "))
		if len(e.On) < len(d.Platforms) {
			b.WriteString("    # " + vocabulary.PlatformNames(e.On))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "```\n\nWorks on %s.", vocabulary.Platforms(d))
	if d.Saves != "" {
		fmt.Fprintf(&b, " `as` saves %s.", d.Saves)
	}
	b.WriteString("\n")
	if d.Current != "" {
		fmt.Fprintf(&b, "\nIt is another name of `%s`.\n", d.Current)
	}
	arguments(&b, d)
	waits(&b, p)
	failures(&b, p)
	if len(p.Related) > 0 {
		var links []string
		for _, name := range p.Related {
			links = append(links, fmt.Sprintf("[%s](%s.md)", name, name))
		}
		for _, page := range p.See {
			title := strings.ReplaceAll(strings.TrimSuffix(page, ".md"), "-", " ")
			links = append(links, fmt.Sprintf("[%s](../%s)", title, page))
		}
		fmt.Fprintf(&b, "\n## Related\n\n%s, [all actions](../reference.md)\n", strings.Join(links, ", "))
	}
	return strings.ReplaceAll(b.String(), "](#", "](../reference.md#")
}

func arguments(b *strings.Builder, d *vocabulary.Def) {
	b.WriteString("\n## Arguments\n")
	s := vocabulary.ShapeOf(reflect.TypeOf(d.Args))
	if s.Selects {
		b.WriteString("\n" + selects(s) + "\n")
	}
	fields(b, s, s.Selects)
	if len(s.Fields) == 0 {
		b.WriteString("\nNone.\n")
	}
	b.WriteString("\nEvery step also takes `timeout`, `optional`, `soft`, `when`, `retries`, `as` and [more]" +
		"(#options-of-every-step).\n")
}

// stateWords are the states of elements in sentences.
var stateWords = map[vocabulary.ElementState]string{
	vocabulary.Appears: "is there", vocabulary.InView: "is on the screen", vocabulary.Still: "does not move",
	vocabulary.EnabledOnly: "is enabled", vocabulary.Reachable: "receives the touch", vocabulary.Gone: "is gone",
}

func waits(b *strings.Builder, p vocabulary.Page) {
	b.WriteString("\n## Waiting\n\n")
	var states []string
	for _, s := range p.Element {
		if s != vocabulary.Gone || len(p.Element) == 1 {
			states = append(states, stateWords[s])
		}
	}
	whose := "The element"
	if p.Of != "" {
		whose = "With `" + p.Of + "`, the element"
	}
	switch {
	case len(states) > 0:
		fmt.Fprintf(b, "%s is waited for until it %s.", whose, strings.ReplaceAll(phrase.Or(states), " or ", " and "))
		if p.Until != "" {
			fmt.Fprintf(b, " The step also waits: %s.", p.Until)
		}
	case p.Until != "":
		fmt.Fprintf(b, "The step ends when this holds: %s.", p.Until)
	default:
		b.WriteString("The step waits for nothing.")
	}
	if p.Verifies != "" {
		fmt.Fprintf(b, " Then it is verified: %s.", p.Verifies)
	}
	b.WriteString(" [Waiting](../waiting.md) compares all actions.\n")
}

func failures(b *strings.Builder, p vocabulary.Page) {
	if len(p.Fails) == 0 {
		return
	}
	b.WriteString("\n## Failures\n\nA `…` replaces variable parts.\n\n| message | what to do |\n|---|---|\n")
	for _, f := range p.Fails {
		fmt.Fprintf(b, "| `%s` | %s |\n", cell(f.Message), cell(f.Do))
	}
}

// Documented are the actions with a page: those that YAML knows, except other names of them.
func Documented() []vocabulary.Def {
	return slices.DeleteFunc(vocabulary.Vocabulary(), func(d vocabulary.Def) bool {
		return d.Interfaces&vocabulary.YAML == 0 || d.Current != ""
	})
}

// WaitingTables returns the section of docs/waiting.md on what each action waits for.
func WaitingTables() string {
	var b strings.Builder
	b.WriteString("These act on an element, or check one. A key in brackets names the element.\n\n" +
		"| action | there | on the screen | still | enabled | receives the touch | gone | then verified |\n" +
		"|---|:-:|:-:|:-:|:-:|:-:|:-:|---|\n")
	var rest []string
	for _, d := range Documented() {
		p := d.Page()
		link := fmt.Sprintf("[%s](actions/%s.md)", d.Name, d.Name)
		if len(p.Element) == 0 {
			rest = append(rest, fmt.Sprintf("| %s | %s | %s |\n", link, p.Until, p.Verifies))
			continue
		}
		if p.Of != "" {
			link += " (`" + p.Of + "`)"
		}
		b.WriteString("| " + link + " |")
		for _, s := range vocabulary.ElementStates() {
			b.WriteString(map[bool]string{true: " ✓ |", false: " |"}[slices.Contains(p.Element, s)])
		}
		b.WriteString(strings.TrimRight(" "+p.Verifies, " ") + " |\n")
	}
	b.WriteString("\nSome of them also wait for something else; their pages say so. These have no element:\n\n" +
		"| action | waits until | then verified |\n|---|---|---|\n" + strings.Join(rest, ""))
	return b.String()
}
