package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// tierText introduces a tier of the reference.
func tierText(t vocabulary.Tier) string {
	switch t {
	case vocabulary.Core:
		return "What most tests need, on phones and on pages."
	case vocabulary.Pages:
		return "What only pages have. Everything else that a page shows is tapped, filled in and asserted with the " +
			"actions of *Core*, by its label or by `{css: …}`."
	case vocabulary.OnDevice:
		return "Further touches, keys, waits and assertions; apps, the settings of a device, and what a report keeps."
	default:
		return "Conditions, loops and blocks, and the data of a test."
	}
}

// actionsOf are the actions of a tier that YAML knows.
func actionsOf(t vocabulary.Tier) []vocabulary.Def {
	return slices.DeleteFunc(vocabulary.Vocabulary(), func(d vocabulary.Def) bool {
		return d.Tier != t || d.Interfaces&vocabulary.YAML == 0 || d.Current != ""
	})
}

// tiers writes the actions, by tiers: what each of them does and where it works, then what part says of each.
func tiers(b *strings.Builder, link func(*vocabulary.Def) string, part func(*strings.Builder, *vocabulary.Def)) {
	for _, t := range vocabulary.Tiers() {
		fmt.Fprintf(b, "## %s\n\n%s\n\n| | android | ios | web | |\n|---|:-:|:-:|:-:|---|\n", t, tierText(t))
		for _, d := range actionsOf(t) {
			fmt.Fprintf(b, "| [%s](%s) |", d.Name, link(&d))
			for _, p := range []vocabulary.Platform{vocabulary.Android, vocabulary.IOS, vocabulary.Web} {
				b.WriteString(map[bool]string{true: " ✓ |", false: " |"}[d.On(p)])
			}
			first, _, _ := strings.Cut(d.Doc, ". ")
			b.WriteString(" " + cell(strings.TrimSuffix(first, ".")) + " |\n")
		}
		if part != nil {
			for _, d := range actionsOf(t) {
				part(b, &d)
			}
		}
		b.WriteString("\n")
	}
}

// spellingSection lists the accepted spellings of keys, and the former names of actions.
func spellingSection(b *strings.Builder) {
	b.WriteString("\n## Spellings\n\nThese keys have a second name, which means the same and stays valid; " +
		"`taproot fmt` leaves it as it is. Both together are an error. In a spelling that ends in `Ms`, too, a time " +
		"may have its unit.\n\n" +
		"| Spelling | Documented name | Where |\n|---|---|---|\n")
	type row struct{ spelling, name string }
	where := map[row][]string{}
	var rows []row
	note := func(s *vocabulary.Shape, of string) {
		for _, f := range s.Fields {
			for _, spelling := range f.Spellings {
				r := row{spelling, f.Name}
				if where[r] == nil {
					rows = append(rows, r)
				}
				where[r] = append(where[r], of)
			}
		}
	}
	note(vocabulary.ShapeOf(reflect.TypeFor[vocabulary.StepOptions]()), "every step")
	note(vocabulary.ShapeOf(reflect.TypeFor[vocabulary.Header]()), "the top level of a test")
	note(vocabulary.ShapeOf(reflect.TypeFor[vocabulary.Suite]()), "taproot.yaml")
	note(vocabulary.ShapeOf(reflect.TypeFor[vocabulary.SuiteEnvironment]()), "an environment of taproot.yaml")
	for _, d := range vocabulary.Vocabulary() {
		note(vocabulary.ShapeOf(reflect.TypeOf(d.Args)), "`"+d.Name+"`")
	}
	for _, r := range rows {
		fmt.Fprintf(b, "| `%s` | `%s` | %s |\n", r.spelling, r.name, strings.Join(where[r], ", "))
	}
	b.WriteString("\nPlatforms: `both` is `mobile`. Keys of `press` may be written in any case, and as other tools call " +
		"them: `Enter`, `Control+A`, `ArrowDown`.\n")
}
