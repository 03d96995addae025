package maestro

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

var (
	defaulted = lazyregexp.New(`^\$\{\s*([A-Za-z_]\w*)\s*\|\|\s*(?:'([^']*)'|"([^"]*)")\s*\}$`)
	placeForm = lazyregexp.New(`\$\{([^$]*)\}`)
	nameForm  = lazyregexp.New(`^\s*([A-Za-z_]\w*)\s*$`)
	outForm   = lazyregexp.New(`^\s*output\.([A-Za-z_]\w*)\s*$`)
	orForm    = lazyregexp.New(`^\s*([A-Za-z_]\w*)\s*\|\|\s*(?:'([^']*)'|"([^"]*)")\s*$`)
	logForm   = lazyregexp.New(`^\s*console\.log\(\s*([^()]*?)\s*\)\s*$`)
	textForm  = lazyregexp.New(`^(?:'([^'\\]+)'|"([^"\\]+)")$`)
	setForm   = lazyregexp.New(
		`^\s*output\.([A-Za-z_]\w*)\s*=\s*(?:'([^']*)'|"([^"]*)"|(-?\d+(?:\.\d+)?)|(true|false))\s*;?\s*$`)
)

// variables declares what the flow and those that it calls need from outside.
func (w *writer) variables() {
	if w.o.Block {
		return
	}
	values := Needs(w.flow)
	for _, p := range w.flow.Env {
		if m := defaulted.FindStringSubmatch(p.Value); m != nil && m[1] == p.Key {
			values[p.Key] = m[2] + m[3]
		}
	}
	if len(values) == 0 {
		return
	}
	w.line("vars:")
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w.line("  %s: %s", name, strconv.Quote(values[name]))
	}
}

// Needs are the variables that a flow and those that it calls use and none of them sets, with the value that
// they have then: the word undefined, or nothing, where a called flow has a default.
func Needs(f *Flow) map[string]string {
	given, used, own := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var flow func(f *Flow)
	var steps func(list dsl.Steps)
	use := func(names []string) {
		for _, name := range names {
			used[name] = true
		}
	}
	look := func(value string) {
		for _, m := range placeForm.FindAllStringSubmatch(strings.ReplaceAll(value, `\${`, ""), -1) {
			use(envNames(loggedMessage(m[1])))
		}
	}
	values := func(v source.Value) {
		var walk func(v source.Value)
		walk = func(v source.Value) {
			look(v.Text)
			for _, item := range v.Items {
				walk(item)
			}
			for _, f := range v.Fields {
				walk(f.Value)
			}
		}
		walk(v)
	}
	env := func(list []Pair) {
		for _, p := range list {
			if m := defaulted.FindStringSubmatch(p.Value); m != nil && m[1] == p.Key {
				used[p.Key], own[p.Key] = true, true
			} else {
				given[p.Key] = true
			}
			look(p.Value)
		}
	}
	flow = func(f *Flow) {
		env(f.Env)
		look(f.App)
		for _, list := range []dsl.Steps{f.Start, f.Steps, f.Complete} {
			steps(list)
		}
	}
	steps = func(list dsl.Steps) {
		for _, s := range list {
			values(s.Args)
			switch do := s.Foreign().(*Command).Do.(type) {
			case RunFlow:
				env(do.Env)
				steps(do.Steps)
				if do.Flow != nil {
					flow(do.Flow)
				}
			case Retry:
				env(do.Env)
				steps(do.Steps)
				if do.Flow != nil {
					flow(do.Flow)
				}
			case Repeat:
				steps(do.Steps)
			case Script:
				if _, err := actsOf(do.Text); do.File == "" || err != nil {
					continue
				}
				for _, statement := range statements(do.Text) {
					use(envNames(loggedMessage(statement)))
				}
			}
		}
	}
	flow(f)
	needs := map[string]string{}
	for name := range used {
		switch {
		case given[name]:
		case own[name]:
			needs[name] = ""
		default:
			needs[name] = "undefined"
		}
	}
	return needs
}

// loggedMessage is a statement that logs, reduced to its message; any other is itself.
func loggedMessage(statement string) string {
	if m := logForm.FindStringSubmatch(statement); m != nil {
		return m[1]
	}
	return statement
}

// env returns the step that sets a flow's variables, without its dash. It returns "" when there are none.
func (w *writer) env(list []Pair) string {
	set, _ := dsl.Lookup("set")
	var sets, taken []string // taken: of names that are keys of every step
	for _, p := range list {
		if m := defaulted.FindStringSubmatch(p.Value); m != nil && m[1] == p.Key && !w.o.Block {
			continue
		}
		value, err := convert(p.Value)
		if err != nil {
			w.miss(p.Pos, err.Error())
			continue
		}
		if one := p.Key + ": " + strconv.Quote(value); set.Takes(p.Key) {
			taken = append(taken, one)
		} else {
			sets = append(sets, one)
		}
	}
	if len(taken) > 0 {
		sets = append(sets, "vars: {"+strings.Join(taken, ", ")+"}")
	}
	if len(sets) == 0 {
		return ""
	}
	return "set: {" + strings.Join(sets, ", ") + "}"
}

// convert writes the ${…} of a text as Taproot does, and \${…}, which Maestro shows without the backslash, as $${…}.
func convert(value string) (string, error) {
	parts := strings.Split(value, `\${`)
	for i, part := range parts {
		var err error
		if parts[i], err = places(part); err != nil {
			return "", err
		}
	}
	return strings.Join(parts, "$${"), nil
}

// places is convert for a text in which no place is escaped.
func places(value string) (string, error) {
	if !strings.Contains(value, "${") {
		return value, nil
	}
	var broken error
	out := placeForm.ReplaceAllStringFunc(value, func(place string) string {
		code := place[2 : len(place)-1]
		switch {
		case strings.TrimSpace(code) == "":
			return ""
		case nameForm.MatchString(code):
			return "${" + strings.TrimSpace(code) + "}"
		case strings.TrimSpace(code) == "maestro.copiedText":
			return "${copiedText}"
		}
		if m := outForm.FindStringSubmatch(code); m != nil {
			return "${output_" + m[1] + "}"
		}
		if m := orForm.FindStringSubmatch(code); m != nil {
			return "${" + m[1] + ":-" + m[2] + m[3] + "}"
		}
		broken = fmt.Errorf("the script ${%s}", short(code))
		return place
	})
	return out, broken
}

// computed returns a text with scripts in it as one expression.
func computed(value string) (expression string, can bool) {
	if strings.Contains(value, `\${`) {
		return "", false
	}
	var parts []string
	end := 0
	for _, at := range append(placeForm.FindAllStringSubmatchIndex(value, -1), []int{len(value), len(value)}) {
		if plain := value[end:at[0]]; plain != "" {
			parts = append(parts, strconv.Quote(plain))
		}
		if end = at[1]; at[0] == at[1] {
			break
		}
		of, err := translate(value[at[2]:at[3]])
		if err != nil {
			return "", false
		}
		parts = append(parts, of.asText())
	}
	return strings.Join(parts, " + "), true
}

// counted are the texts that Maestro takes for false, in addition to "false", "undefined" and "null": nothing, and any
// zero.
const counted = `^\s*$|^(?i:false)$|^(undefined|null)$|^\s*[+-]?(0+\.?0*|\.0+)([eE][+-]?[0-9]+)?[fFdD]?\s*$`

// expression writes a condition of a script as an expression.
func expression(value string) (string, error) {
	if !strings.Contains(value, "${") {
		return strconv.FormatBool(Truth(value)), nil
	}
	m := placeForm.FindStringSubmatch(value)
	switch {
	case value == "true" || value == "false":
		return value, nil
	case m == nil:
		return "", fmt.Errorf("the condition %q", short(value))
	case m[0] != value:
		if strings.ContainsAny(placeForm.ReplaceAllString(value, ""), `'"=<>&|()`) {
			return "true", nil // a text around places, which is not empty whatever they hold
		}
		return "", fmt.Errorf("the condition %q", short(value))
	}
	of, err := translate(m[1])
	if err != nil {
		return "", err
	}
	if of.kind == boolKind {
		return of.text, nil
	}
	return fmt.Sprintf("not (string(%s) matches %q)", of.text, counted), nil
}
