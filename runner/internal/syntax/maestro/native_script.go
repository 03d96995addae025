package maestro

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// act is a native step that does what one statement of a script does.
type act struct {
	action string
	field
}

// script writes a script that puts values on output or logs, one step for each statement.
func (w *writer) script(s *dsl.Step, c *Command, do Script) {
	code := do.Text
	switch {
	case do.File == "":
		m := placeForm.FindStringSubmatch(do.Text)
		if m == nil || m[0] != strings.TrimSpace(do.Text) {
			w.dropped(s, c, "a script")
			return
		}
		code = m[1]
	case len(do.Env) > 0:
		w.dropped(s, c, "the env of a script")
		return
	}
	acts, err := actsOf(code)
	if err != nil {
		w.dropped(s, c, err.Error())
		return
	}
	if len(acts) == 0 {
		w.line("# %s has nothing to do", c.Name)
		return
	}
	w.guarded(s, c, do.When, func() {
		for _, a := range acts {
			w.step(c, a.action, a.field)
		}
	})
}

// actsOf are the statements of a script, each as a step.
func actsOf(code string) (acts []act, err error) {
	for _, statement := range statements(code) {
		if m := logForm.FindStringSubmatch(statement); m != nil {
			said, err := logged(m[1])
			if err != nil {
				return nil, err
			}
			acts = append(acts, act{"log", field{"message", said}})
			continue
		}
		set, err := setOf(statement)
		if err != nil {
			return nil, err
		}
		acts = append(acts, act{"set", set})
	}
	return acts, nil
}

// logged is what console.log says, as the message of a step: one text in quotes, or one value.
func logged(argument string) (string, error) {
	if m := textForm.FindStringSubmatch(argument); m != nil {
		return strconv.Quote(strings.ReplaceAll(m[1]+m[2], "${", "$${")), nil
	}
	said, err := convert("${" + argument + "}")
	if err != nil || said == "" {
		return "", fmt.Errorf("the script ${console.log(%s)}", short(argument))
	}
	return strconv.Quote(said), nil
}

// setOf is a statement that sets one value of output, as an argument of set.
func setOf(statement string) (field, error) {
	set := setForm.FindStringSubmatch(statement)
	if set == nil {
		name, value, err := assignment(statement)
		if err != nil {
			return field{}, err
		}
		return field{"expr", "{" + name + ": " + strconv.Quote(value.text) + "}"}, nil
	}
	value := strconv.Quote(set[2] + set[3])
	if plain := set[4] + set[5]; plain != "" {
		value = plain
	}
	return field{"output_" + set[1], value}, nil
}
