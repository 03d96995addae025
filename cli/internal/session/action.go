package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/plan"
)

// commonKeys are the keys of a selector with a flag of their own; --selector takes all keys.
func commonKeys() []string {
	return []string{"id", "text", "type", "testId", "css", "index", "first", "match", "inside", "rightOf", "leftOf",
		"above", "below", "near", "enabled", "checked", "point"}
}

// IsActionCommand reports whether an action is a command of its own. Actions that only contain steps, and those with
// the name of another command, are not.
func IsActionCommand(def dsl.Def, taken func(string) bool) bool {
	return !def.HoldsSteps() && !taken(shell.Kebab(def.Name))
}

// ActionGroups are the groups of commands that are actions.
func ActionGroups() []string {
	return []string{process.GroupTouch, process.GroupCheck, process.GroupPage, process.GroupDevice, process.GroupOwn}
}

// HasCommand reports whether a name is a command that is not an action.
func HasCommand(root *cobra.Command) func(string) bool {
	return func(name string) bool {
		for _, c := range root.Commands() {
			if c.Name() == name && !slices.Contains(ActionGroups(), c.GroupID) {
				return true
			}
		}
		return false
	}
}

// GroupOf returns the group of an action in the help.
func GroupOf(def dsl.Def) string {
	switch {
	case def.Own != nil:
		return process.GroupOwn
	case def.Effect&dsl.ReadOnly != 0:
		return process.GroupCheck
	case slices.Equal(def.Platforms, []dsl.Platform{dsl.Web}):
		return process.GroupPage
	case def.Effect&dsl.Apart != 0 || !def.On(dsl.Web) || !def.Selects() && def.Effect&dsl.OpenWorld == 0:
		return process.GroupDevice
	}
	return process.GroupTouch
}

// actionCommand is the command of an action.
type actionCommand struct {
	Flags
	def       dsl.Def
	fields    []dsl.Field
	main      []dsl.Field // the arguments without a flag
	selector  string
	timeout   string
	timeoutMs int // its older flag
	as        string
}

func newAction(def dsl.Def) *actionCommand {
	w := &actionCommand{def: def, fields: def.Fields()}
	w.takePlaces()
	return w
}

// ActionUse returns the name of an action's command with its arguments without a flag.
func ActionUse(def dsl.Def) string { return shell.Kebab(def.Name) + newAction(def).places() }

// ListedAction is the command of an action for the list of all commands; it cannot run.
func ListedAction(def dsl.Def) *cobra.Command {
	return &cobra.Command{Use: shell.Kebab(def.Name), Short: short(def.Doc), GroupID: GroupOf(def),
		Hidden: def.Current != "", Run: func(*cobra.Command, []string) {}}
}

func ActionCommand(env *process.Env, def dsl.Def) *cobra.Command {
	w := newAction(def)
	cmd := ListedAction(def)
	cmd.Use += w.places()
	cmd.Long = def.Doc + "\n\nWorks on: " + platforms(def) + ". In a test: " + def.Example
	cmd.Run = nil
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v, err := w.value(cmd, args)
		if err != nil {
			return err
		}
		return w.Send(cmd.Context(), env, shell.Request{Op: shell.OpWord, Word: def.Name, Args: source.Flow(v)})
	}
	w.add(cmd, true)
	w.flags(cmd)
	if def.Selects() || def.OwnKey("selector") {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return w.references(cmd.Context(), env, typed), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return cmd
}

// takePlaces finds the arguments without a flag: the one that a plain text fills, else the required ones.
func (w *actionCommand) takePlaces() {
	for _, f := range w.fields {
		if f.Main {
			w.main = []dsl.Field{f}
			return
		}
	}
	for _, f := range w.fields {
		if f.Required || f.Key == "selector" {
			w.main = append(w.main, f)
		}
	}
}

func platforms(def dsl.Def) string {
	var list []string
	for _, p := range def.Platforms {
		list = append(list, string(p))
	}
	return strings.Join(list, ", ")
}

// short returns the first sentence, without its full stop.
func short(doc string) string {
	text, _, _ := strings.Cut(doc, ". ")
	return strings.TrimSuffix(text, ".")
}

// places returns the arguments without a flag, for the usage line.
func (w *actionCommand) places() string {
	var b strings.Builder
	if w.setsAny() {
		b.WriteString(" [NAME=VALUE …]")
	}
	for _, f := range w.main {
		name := strings.ToUpper(strings.ReplaceAll(shell.Kebab(f.Key), "-", "_"))
		if f.List {
			name += " …"
		}
		if !f.Required || f.Main {
			name = "[" + name + "]"
		}
		b.WriteString(" " + name)
	}
	return b.String()
}

// FlagOf returns the flag of an argument. An argument with the name of a common flag gets the prefix arg-.
func FlagOf(key string) string {
	name := shell.Kebab(key)
	if slices.Contains([]string{"session", "device", "then", "server", "expose-env", "json", "as", "help"}, name) {
		return "arg-" + name
	}
	return name
}

// flags adds a flag for every other argument.
func (w *actionCommand) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	for _, f := range w.fields {
		if f.Selector && !slices.Contains(commonKeys(), f.Key) && !f.Main {
			continue
		}
		addFlag(flags, f, FlagOf(f.Key))
		for _, spelling := range f.Spellings {
			addFlag(flags, f, FlagOf(spelling))
			_ = flags.MarkHidden(FlagOf(spelling))
		}
	}
	if w.def.Selects() {
		flags.StringVar(&w.selector, "selector", "",
			"a `SELECTOR` in the test syntax: '{label: Save, rightOf: {id: total}}'")
	}
	flags.StringVar(&w.timeout, "timeout", "", "wait at most this `TIME`: 5s, 1m30s, or milliseconds")
	flags.IntVar(&w.timeoutMs, "timeout-ms", 0, "the same, as a number of milliseconds")
	_ = flags.MarkHidden("timeout-ms")
	if w.def.Saves != "" {
		flags.StringVar(&w.as, "as", "", "save "+w.def.Saves+" as the variable `NAME`")
	}
	for _, f := range w.fields {
		if list := f.Enum; list != nil && flags.Lookup(FlagOf(f.Key)) != nil {
			_ = cmd.RegisterFlagCompletionFunc(FlagOf(f.Key), func(*cobra.Command, []string, string) ([]string,
				cobra.ShellCompDirective) {
				return list, cobra.ShellCompDirectiveNoFileComp
			})
		}
	}
}

func addFlag(flags *pflag.FlagSet, f dsl.Field, name string) {
	doc := strings.ReplaceAll(short(f.Doc), "`", "'")
	switch {
	case f.Kind == dsl.BoolField && !f.List:
		flags.Bool(name, f.Default == "true", doc)
	case f.List:
		flags.StringArray(name, nil, "`"+strings.ToUpper(string(f.Kind))+"`, can be repeated: "+doc)
	default:
		flags.String(name, "", "`"+strings.ToUpper(string(f.Kind))+"`: "+doc+defaultOf(f))
	}
}

func defaultOf(f dsl.Field) string {
	if f.Default == "" || strings.Contains(f.Doc, "Default:") {
		return ""
	}
	return " (default: " + f.Default + ")"
}

// value builds the step's argument from the command line. Errors that do not depend on the device are reported here,
// before a session is started.
func (w *actionCommand) value(cmd *cobra.Command, args []string) (source.Value, error) {
	v := source.Value{Kind: source.Map}
	if err := w.placed(&v, args); err != nil {
		return v, err
	}
	for _, f := range w.fields {
		for _, key := range append([]string{f.Key}, f.Spellings...) {
			flag := cmd.Flags().Lookup(FlagOf(key))
			if flag == nil || !flag.Changed {
				continue
			}
			if _, twice := v.Get(f.Key); twice {
				return v, &plan.Usage{Msg: fmt.Sprintf("--%s cannot be combined with the argument that means the same",
					flag.Name)}
			}
			texts := []string{flag.Value.String()}
			if f.List {
				texts, _ = cmd.Flags().GetStringArray(flag.Name)
			}
			if err := set(&v, f, texts); err != nil {
				return v, err
			}
		}
	}
	if w.selector != "" {
		more, err := written("--selector", w.selector)
		if err != nil || more.Kind != source.Map {
			return v, &plan.Usage{Msg: fmt.Sprintf("--selector %q: write a map, such as '{label: Save, rightOf: Total}'",
				w.selector)}
		}
		v.Fields = append(v.Fields, more.Fields...)
	}
	if w.timeout != "" {
		limit, err := written("--timeout", w.timeout)
		if err != nil {
			return v, err
		}
		v = v.With("timeout", limit)
	}
	if w.timeoutMs != 0 {
		v.Fields = append(v.Fields, source.Field{Key: "timeoutMs",
			Value: source.Value{Kind: source.Int, Text: fmt.Sprint(w.timeoutMs)}})
	}
	if w.as != "" {
		v = v.With("as", source.Value{Kind: source.String, Text: w.as})
	}
	return v, w.check(v)
}

// placed reads the arguments without a flag.
func (w *actionCommand) placed(v *source.Value, args []string) error {
	if w.setsAny() {
		return variables(v, args)
	}
	for i, f := range w.main {
		switch {
		case len(args) == 0:
		case f.List && i == len(w.main)-1:
			if err := set(v, f, args); err != nil {
				return err
			}
			args = nil
		default:
			if (f.Key == "selector" || f.Selector) && client.IsRef(args[0]) {
				f = dsl.Field{Key: "ref", Kind: dsl.TextField}
			}
			if err := set(v, f, args[:1]); err != nil {
				return err
			}
			args = args[1:]
		}
	}
	if len(args) > 0 {
		return &plan.Usage{Msg: fmt.Sprintf("%q is one argument too many; quote a text of several words", args[0])}
	}
	return nil
}

// setsAny reports whether keys of any name are variables.
func (w *actionCommand) setsAny() bool { return w.def.Name == "set" }

// variables reads variables as NAME=VALUE.
func variables(v *source.Value, args []string) error {
	for _, arg := range args {
		name, text, given := strings.Cut(arg, "=")
		if !given || name == "" {
			return &plan.Usage{Msg: fmt.Sprintf("%q: write NAME=VALUE", arg)}
		}
		value, err := written(name, text)
		if err != nil {
			return err
		}
		v.Fields = append(v.Fields, source.Field{Key: name, Value: value})
	}
	return nil
}

// check finds errors that do not depend on the screen, unless a reference or a variable is in the place of an unknown
// value.
func (w *actionCommand) check(v source.Value) error {
	if _, given := v.Get("ref"); given || strings.Contains(source.Flow(v), "${") {
		return nil
	}
	_, _, err := dsl.DecodeStep(&w.def, v)
	if err == nil {
		return nil
	}
	return &plan.Usage{Msg: strings.ReplaceAll(client.Plainly(err).Error(), "\ntry: ", "; ")}
}

// set adds an argument in the form of its kind.
func set(v *source.Value, f dsl.Field, texts []string) error {
	var items []source.Value
	for _, text := range texts {
		one := source.Value{Kind: source.String, Text: text}
		if f.Kind != dsl.TextField && f.Kind != dsl.ElementField || f.Kind == dsl.ElementField &&
			strings.HasPrefix(text, "{") {
			var err error
			if one, err = written("--"+FlagOf(f.Key), text); err != nil {
				return err
			}
		}
		items = append(items, one)
	}
	value := items[0]
	if f.List {
		value = source.Value{Kind: source.List, Items: items}
	}
	v.Fields = append(v.Fields, source.Field{Key: f.Key, Value: value})
	return nil
}

// written parses a value in the test syntax: a number, true, {a: b}, [a, b]. A # does not start a comment here.
func written(name, text string) (source.Value, error) {
	clean, src, bad := source.Readable(name, []byte(text))
	if bad != nil {
		return source.Value{}, &plan.Usage{Msg: bad.Msg}
	}
	values, err := source.Read(clean, src)
	whole := source.Value{Kind: source.String, Text: text}
	switch {
	case err != nil:
		return source.Value{}, &plan.Usage{Msg: client.Plainly(err).Error()}
	case len(values) > 1:
		return source.Value{}, &plan.Usage{Msg: fmt.Sprintf("%s takes one value, and --- divides this one into %d", name,
			len(values))}
	case len(values) == 0:
		return whole, nil
	}
	v, bare := values[0], strings.TrimSpace(text)
	if v.Kind < source.List && v.Text != bare && !strings.HasPrefix(bare, `"`) && !strings.HasPrefix(bare, "'") {
		return whole, nil
	}
	return v, nil
}
