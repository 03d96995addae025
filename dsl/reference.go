package dsl

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Reference writes the reference of the test syntax in Markdown, out of the structs: every action with its arguments,
// then what steps, tests, selectors and taproot.yaml can hold.
func Reference() string {
	var b strings.Builder
	b.WriteString("# The test syntax\n\n" +
		"Written by `taproot docs -o docs/reference.md`; do not edit. An action's argument in **bold** has to be given; " +
		"one marked *short* can be written alone, as in `tap: Sign in`.\n\n" +
		"For help while you type, let an editor with a YAML language server know the schema that `taproot schema` prints: " +
		"save it, and start a test\n" +
		"file with\n\n    # yaml-language-server: $schema=taproot.schema.json\n\n## Actions\n\n")
	b.WriteString(
		"Where they work; each mark is proved by a test on a simulated phone or in a browser.\n\n| | android | ios | web " +
			"|\n" +
			"|---|:-:|:-:|:-:|\n")
	for _, d := range Vocabulary() {
		if d.Interfaces&YAML != 0 {
			fmt.Fprintf(&b, "| [%s](#%s) |", d.Name, strings.ToLower(d.Name))
			for _, p := range []Platform{Android, IOS, Web} {
				b.WriteString(map[bool]string{true: " ✓ |", false: " |"}[d.On(p)])
			}
			b.WriteString("\n")
		}
	}
	for _, d := range Vocabulary() {
		if d.Interfaces&YAML != 0 {
			action(&b, &d)
		}
	}
	for _, t := range topics() {
		section(&b, t.title, t.text, t.typ)
	}
	browserSection(&b)
	b.WriteString(`
## Variables and expressions

` + "`${NAME}`" + ` in a text is replaced by the value of the variable; ` + "`${NAME:-default}`" +
		` has a value for when there is none or an empty one,
` + "`${answer.json.id}`" + ` and ` + "`${rows.0}`" + ` lead into a map or a list, and ` + "`$${`" +
		` is the text itself. A list or a map is
written as JSON.

Where a table says *expression*, variables go by their names alone, and numbers are numbers. The syntax is that of
[expr-lang](https://expr-lang.org/docs/language-definition); in addition to the variables there are ` + "`platform`" +
		` (android, ios or web),
` + "`device.id`, `device.model`, `device.os`" + ` and ` + "`visible(\"label\")`" + `, which looks for a second at most.
`)
	return b.String()
}

// browserSection is the table of browsers.
func browserSection(b *strings.Builder) {
	b.WriteString(
		"\n## Browsers\n\nA test runs in the browsers that its `browsers` name, a case in each, else in that of " +
			"`--browser`, " +
			"else in Chromium. What one refuses is reported by\n" +
			"`taproot validate`, and before a page opens. What follows works in each as in Chromium:\n")
	var same, rows []string
	for _, r := range BrowserTable() {
		if r.Chromium == (BrowserSupport{}) && r.Firefox == (BrowserSupport{}) {
			same = append(same, "`"+r.Word+"`")
			continue
		}
		word := "`" + r.Word + "`"
		if part, of := strings.CutPrefix(r.Word, "report: "); of {
			word = part
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", word, r.Chromium, r.Firefox))
	}
	fmt.Fprintf(b, "%s.\n\n| | Chromium | Firefox |\n|---|---|---|\n%s", strings.Join(same, ", "), strings.Join(rows, ""))
}

// topic is a section of the reference in addition to the actions.
type topic struct {
	name, title, text string
	typ               reflect.Type
}

func topics() []topic {
	return []topic{
		{"options", "Options of every step", "They are written among the arguments of the action.",
			reflect.TypeFor[StepOptions]()},
		{"selectors", "Selectors", "A plain text is a label. Everything that is given must hold together.", selectorType},
		{"test", "The top level of a test", "A file can hold several tests, with `---` between them.",
			reflect.TypeFor[header]()},
		{"device", "What a test wants of its device", "Under `device`.", reflect.TypeFor[Need]()},
		{"taproot.yaml", "taproot.yaml", "At the root of a suite.", reflect.TypeFor[suite]()},
	}
}

// Topics are the names that ReferenceOf knows: the actions, and what else the reference has a section on.
func Topics() []string {
	names := slices.Clone(vocabulary().names)
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return names
}

// ReferenceOf writes the part of the reference that is about one of the Topics.
func ReferenceOf(name string) (text string, known bool) {
	var b strings.Builder
	if d, is := Lookup(name); is && d.Interfaces&YAML != 0 {
		action(&b, d)
	}
	for _, t := range topics() {
		if t.name == name {
			section(&b, t.title, t.text, t.typ)
		}
	}
	return strings.TrimLeft(b.String(), "\n"), b.Len() > 0
}

func action(b *strings.Builder, d *Def) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", d.Name, d.Doc)
	fmt.Fprintf(b, "    - %s\n\nWorks on %s.", d.Example, platforms(d))
	if d.Saves != "" {
		fmt.Fprintf(b, " `as` saves %s.", d.Saves)
	}
	b.WriteString("\n")
	t := reflect.TypeOf(d.Args)
	s := shapeOf(t)
	if s.selects {
		text := "\nTakes a [selector](#selectors)"
		if !slices.Contains(s.takes, "point") {
			text += ", no point"
		}
		if len(s.fields) > len(shapeOf(selectorType).fields) {
			text += ", and these"
		}
		b.WriteString(text + ".\n")
	}
	fields(b, s, s.selects)
}

func section(b *strings.Builder, title, text string, t reflect.Type) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", title, text)
	fields(b, shapeOf(t), false)
}

// fields writes a table of keys, those of a selector left out where they are known.
func fields(b *strings.Builder, s *shape, selector bool) {
	rows := 0
	for i, f := range s.fields {
		if selector && shapeOf(selectorType).has(f.key) {
			continue
		}
		if rows++; rows == 1 {
			b.WriteString("\n| Key | Value | Default | |\n|---|---|---|---|\n")
		}
		key := "`" + f.key + "`"
		if f.required {
			key = "**" + key + "**"
		}
		if i == s.scalar {
			key += " *short*"
		}
		defaultText := ""
		if f.defaultText != "" {
			defaultText = "`" + f.defaultText + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", key, cell(f.words()), defaultText, cell(f.doc))
	}
	ruleWords(b, s)
}

// ruleWords writes the rules between the keys, those between the keys of a selector left out.
func ruleWords(b *strings.Builder, s *shape) {
	var all []string
	for _, r := range s.rules {
		if r.hidden(s) {
			continue
		}
		all = append(all, r.words())
	}
	if len(all) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(all, " "))
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// words says what a field takes.
func (f field) words() string {
	if own := ownForm(f.typ); own != nil {
		return own.words()
	}
	switch f.typ {
	case selectorType:
		return "[selector](#selectors)"
	case reflect.TypeFor[Target]():
		return "[selector](#selectors) or point"
	}
	switch f.typ.Kind() {
	case reflect.Int:
		return "whole number" + f.bounds()
	case reflect.Float64:
		return "number" + f.bounds()
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		if f.typ.Elem() == selectorType {
			return "list of [selectors](#selectors)"
		}
		if f.typ.Elem().Kind() == reflect.Int {
			return "whole number or list of them"
		}
		return "text or list of texts"
	case reflect.Map:
		return "map" + f.choices()
	case reflect.Struct:
		return "map: `" + strings.Join(shapeOf(f.typ).keys(), "`, `") + "`"
	case reflect.Interface:
		return "anything"
	default:
		return "text" + f.choices()
	}
}

func (f field) choices() string {
	if f.enum == nil {
		return ""
	}
	return ": `" + strings.Join(f.enum, "`, `") + "`"
}

func (f field) bounds() string {
	switch {
	case f.minimum != nil && f.maximum != nil:
		return fmt.Sprintf(", %d–%d", *f.minimum, *f.maximum)
	case f.minimum != nil:
		return ", from " + strconv.Itoa(*f.minimum)
	default:
		return ""
	}
}
