package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// Reference writes the reference of the test syntax in Markdown, out of the structs: every action with its arguments,
// then what steps, tests, selectors and taproot.yaml can hold, and the other spellings.
func Reference() string {
	link := func(d *vocabulary.Def) string { return "#" + strings.ToLower(d.Name) }
	return reference(link, "Written by `taproot docs`. An action's argument in **bold** has to be given; one marked "+
		"*short* can be written alone, as in `tap: Sign in`.", action)
}

// Index writes docs/reference.md: the reference with links to the pages of the actions in their place.
func Index() string {
	return reference(actionFile, "Each action has a page, with examples, arguments and messages. `taproot docs tap` and "+
		"`taproot actions tap` print it, `taproot docs` prints all of them. In tables, an argument in **bold** has to be "+
		"given; one marked *short* can be written alone, as in `tap: Sign in`.", nil)
}

// actionFile is the page of an action, from the folder of the documentation.
func actionFile(d *vocabulary.Def) string { return "actions/" + d.Name + ".md" }

// reference writes an introduction, the actions by tiers, and all topics. Without part, actions are only listed.
func reference(link func(*vocabulary.Def) string, intro string, part func(*strings.Builder, *vocabulary.Def)) string {
	var b strings.Builder
	b.WriteString("# The test syntax\n\n" + intro + "\n\n" +
		"For help while you type, let an editor with a YAML language server know the schema that `taproot schema` prints: " +
		"save it, and start a test\n" +
		"file with\n\n    # yaml-language-server: $schema=taproot.schema.json\n\nThe actions are in four parts: " +
		"[Core](#core), [Pages](#pages), [Device](#device) and [Control flow](#control-flow). The tables say where they " +
		"work; each mark and each example is run by a test, on a simulated phone or in a browser.\n\n")
	tiers(&b, link, part)
	for _, t := range topics() {
		section(&b, t.title, t.text, t.typ)
	}
	browserSection(&b)
	spellingSection(&b)
	actionSpellings(&b)
	refusedSection(&b, link)
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
` + "`device.id`, `device.model`, `device.os`" + ` and ` + "`visible(\"label\")`" +
		`, which looks for a second at most. ` + "`totp(SECRET)`" + ` is the
one-time code of RFC 6238 that an authenticator shows for a secret in base32 or an otpauth URL; no report shows it.
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
	for _, r := range vocabulary.BrowserTable() {
		works := vocabulary.BrowserSupport{}
		if r.Chromium == works && r.Firefox == works && r.WebKit == works && r.Remote == works {
			same = append(same, "`"+r.Word+"`")
			continue
		}
		word := "`" + r.Word + "`"
		if part, of := strings.CutPrefix(r.Word, "report: "); of {
			word = part
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |\n", word, r.Chromium, r.Firefox, r.WebKit, r.Remote))
	}
	fmt.Fprintf(b, "%s.\n\n| | Chromium | Firefox | WebKit | [Remote](remotes.md) |\n|---|---|---|---|---|\n%s",
		strings.Join(same, ", "), strings.Join(rows, ""))
}

// topic is a section of the reference in addition to the actions.
type topic struct {
	name, title, text string
	typ               reflect.Type
}

func topics() []topic {
	return []topic{
		{name: "options", title: "Options of every step", text: "They are written among the arguments of the action.",
			typ: reflect.TypeFor[vocabulary.StepOptions]()},
		{
			name:  "selectors",
			title: "Selectors",
			text:  "A plain text is a label. Everything that is given must hold together.",
			typ:   vocabulary.SelectorType,
		},
		{name: "test", title: "The top level of a test", text: "A file can hold several tests, with `---` between them.",
			typ: reflect.TypeFor[vocabulary.Header]()},
		{
			name:  "device",
			title: "What a test wants of its device",
			text:  "Under `device`.",
			typ:   reflect.TypeFor[vocabulary.Need](),
		},
		{
			name:  "devices",
			title: "Each of several devices",
			text:  "Under `devices`, by a name of your own. See [several devices](several-devices.md).",
			typ:   reflect.TypeFor[vocabulary.DeviceEntry](),
		},
		{
			name:  "taproot.yaml",
			title: "taproot.yaml",
			text:  "At the root of a suite.",
			typ:   reflect.TypeFor[vocabulary.Suite](),
		},
		{
			name:  "start",
			title: "Servers of the app",
			text:  "Under `start` of taproot.yaml. Exactly one of `url`, `output` and `port` says when the server is ready.",
			typ:   reflect.TypeFor[vocabulary.StartServer](),
		},
		{
			name:  "remotes",
			title: "Remotes",
			text:  "Under `remotes` of taproot.yaml, by a name of your own. See [remotes](remotes.md).",
			typ:   reflect.TypeFor[vocabulary.Remote](),
		},
		{
			name:  "own-actions",
			title: "Own actions",
			text: "At the top of a file in the folder `actions`, which is called as its file ([own actions]" +
				"(own-actions.md)). Either `steps` or `run`.",
			typ: reflect.TypeFor[vocabulary.ActionFile](),
		},
		{
			name:  "params",
			title: "Parameters of own actions",
			text:  "Under `params` of an own action, by their names.",
			typ:   reflect.TypeFor[vocabulary.Param](),
		},
	}
}

// Topics are the names that ReferenceOf knows: the actions, and what else the reference has a section on.
func Topics() []string {
	names := slices.Clone(vocabulary.ActionNames())
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return names
}

// ReferenceOf writes the part of the reference that is about one of the Topics, or about an own action; own may be nil.
func ReferenceOf(name string, own vocabulary.OwnActions) (text string, known bool) {
	var b strings.Builder
	if own != nil {
		if d, err := own.Lookup(name); err == nil && d != nil {
			return ownPage(d), true
		}
	}
	if d, is := vocabulary.Lookup(name); is && d.Interfaces&vocabulary.YAML != 0 {
		b.WriteString(ActionPage(d))
	}
	for _, t := range topics() {
		if t.name == name {
			section(&b, t.title, t.text, t.typ)
		}
	}
	return strings.TrimLeft(b.String(), "\n"), b.Len() > 0
}

// ownPage is the page of an own action.
func ownPage(d *vocabulary.Def) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n```yaml\n- %s\n```\n\nIt is an action of this project", d.Name, d.Doc, d.Example)
	switch own := d.Own; {
	case own.Script != nil:
		fmt.Fprintf(&b, ", defined in `%s` by the script `%s`.", own.File, own.Script.File)
	case own.File != "":
		fmt.Fprintf(&b, ", defined in `%s`.", own.File)
	default:
		b.WriteString(", a function in Go.")
	}
	if d.Saves != "" {
		fmt.Fprintf(&b, " `as` saves %s.", d.Saves)
	}
	b.WriteString("\n\n## Parameters\n")
	s := vocabulary.ShapeOf(reflect.TypeOf(d.Args))
	fields(&b, s, false)
	if len(s.Fields) == 0 {
		b.WriteString("\nNone.\n")
	}
	return b.String()
}

// actionSpellings lists the actions that are other names of others.
func actionSpellings(b *strings.Builder) {
	b.WriteString("\nThese actions are other names, with the keys of their own that the editor and the command " +
		"line show. They do the same as the documented one and stay valid; `taproot fmt` leaves them as they are. " +
		"[Decision 12](adr/0012-twins-of-actions.md) says which are, and why.\n\n| Spelling | Documented |\n|---|---|\n")
	for _, d := range vocabulary.Vocabulary() {
		if d.Current != "" {
			fmt.Fprintf(b, "| `%s` | `%s` |\n", d.Example, d.Current)
		}
	}
	for _, s := range vocabulary.PartSpellings() {
		fmt.Fprintf(b, "| `%s` | `%s` |\n", s[0], s[1])
	}
}

func action(b *strings.Builder, d *vocabulary.Def) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", d.Name, d.Doc)
	fmt.Fprintf(b, "    - %s\n\nWorks on %s.", d.Example, vocabulary.Platforms(d))
	if d.Saves != "" {
		fmt.Fprintf(b, " `as` saves %s.", d.Saves)
	}
	b.WriteString("\n")
	t := reflect.TypeOf(d.Args)
	s := vocabulary.ShapeOf(t)
	if s.Selects {
		b.WriteString("\n" + selects(s) + "\n")
	}
	fields(b, s, s.Selects)
}

// selects says that an action takes the keys of a selector.
func selects(s *vocabulary.Shape) string {
	text := "Takes a [selector](#selectors)"
	if !slices.Contains(s.Takes, "point") {
		text += ", no point"
	}
	if len(s.Fields) > len(vocabulary.ShapeOf(vocabulary.SelectorType).Fields) {
		text += ", and these"
	}
	return text + "."
}

func section(b *strings.Builder, title, text string, t reflect.Type) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", title, text)
	fields(b, vocabulary.ShapeOf(t), false)
}

// fields writes a table of keys, those of a selector left out where they are known.
func fields(b *strings.Builder, s *vocabulary.Shape, selector bool) {
	rows := 0
	for i, f := range s.Fields {
		if selector && vocabulary.ShapeOf(vocabulary.SelectorType).Has(f.Name) {
			continue
		}
		if rows++; rows == 1 {
			b.WriteString("\n| Key | Value | |\n|---|---|---|\n")
		}
		key := "`" + f.Name + "`"
		if f.Required {
			key = "**" + key + "**"
		}
		if i == s.Scalar {
			key += " *short*"
		}
		defaultText := ""
		if f.DefaultText != "" {
			defaultText = "; default `" + f.Default() + "`"
		}
		fmt.Fprintf(b, "| %s | %s%s | %s |\n", key, cell(words(f)), defaultText, cell(f.Doc))
	}
	ruleWords(b, s)
}

// ruleWords writes the rules between the keys, those between the keys of a selector left out.
func ruleWords(b *strings.Builder, s *vocabulary.Shape) {
	var all []string
	for _, r := range s.Rules {
		if hidden(r, s) {
			continue
		}
		all = append(all, sentence(r))
	}
	if len(all) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(all, " "))
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// words says what a field takes.
func words(f vocabulary.Key) string {
	if own, is := ownFormOf(f.Typ); is {
		return own.words
	}
	switch f.Typ {
	case vocabulary.SelectorType:
		return "[selector](#selectors)"
	case reflect.TypeFor[vocabulary.Target]():
		return "[selector](#selectors) or point"
	}
	switch f.Typ.Kind() {
	case reflect.Int:
		if f.Format == vocabulary.Duration {
			return "time" + bounds(f)
		}
		return "whole number" + bounds(f)
	case reflect.Float64:
		return "number" + bounds(f)
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		if f.Typ.Elem() == vocabulary.SelectorType {
			return "list of [selectors](#selectors)"
		}
		if f.Typ.Elem().Kind() == reflect.Interface {
			return "list"
		}
		if f.Typ.Elem().Kind() == reflect.Int {
			return "whole number or list of them"
		}
		if f.Typ.Elem() == reflect.TypeFor[vocabulary.StartServer]() {
			return "list of [servers](#servers-of-the-app)"
		}
		return "text or list of texts"
	case reflect.Map:
		return "map" + choices(f)
	case reflect.Struct:
		if f.Typ == vocabulary.TemplateType {
			return "text"
		}
		return "map: `" + strings.Join(vocabulary.ShapeOf(f.Typ).Keys(), "`, `") + "`"
	case reflect.Interface:
		return "anything"
	default:
		if f.Format == vocabulary.Number {
			return "number"
		}
		return "text" + choices(f)
	}
}

func choices(f vocabulary.Key) string {
	if f.Enum == nil {
		return ""
	}
	return ": `" + strings.Join(f.Enum, "`, `") + "`"
}

func bounds(f vocabulary.Key) string {
	switch {
	case f.Minimum != nil && f.Maximum != nil:
		return fmt.Sprintf(", %s–%s", f.Bound(*f.Minimum), f.Bound(*f.Maximum))
	case f.Minimum != nil:
		return ", from " + f.Bound(*f.Minimum)
	default:
		return ""
	}
}
