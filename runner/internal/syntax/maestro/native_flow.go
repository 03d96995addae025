package maestro

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// guarded writes what a condition leaves in. body writes the steps.
func (w *writer) guarded(s *dsl.Step, c *Command, when *Condition, body func()) {
	if when == nil {
		body()
		return
	}
	var conditions []string
	if when.Platform != "" {
		conditions = append(conditions, "cond: "+strconv.Quote(fmt.Sprintf("platform == %q", when.Platform)))
	}
	if when.True != nil {
		expr, err := expression(*when.True)
		if err != nil {
			w.dropped(s, c, err.Error())
			return
		}
		conditions = append(conditions, "cond: "+strconv.Quote(expr))
	}
	for _, side := range []struct {
		key string
		of  *Selector
	}{{"visible", when.Visible}, {"notVisible", when.NotVisible}} {
		if side.of == nil {
			continue
		}
		sel, err := selectorMap(side.of)
		if err != nil {
			w.dropped(s, c, err.Error())
			return
		}
		conditions = append(conditions, side.key+": "+sel)
	}
	depth := w.depth
	for _, cond := range conditions {
		w.line("- if:")
		w.depth += 2
		w.line("%s", cond)
		if strings.HasPrefix(cond, "visible") || strings.HasPrefix(cond, "notVisible") {
			w.line("timeout: 7s")
		}
		w.line("then:")
		w.depth++
	}
	w.filled(body)
	w.depth = depth
}

func (w *writer) runFlow(s *dsl.Step, c *Command, do RunFlow) {
	w.guarded(s, c, do.When, func() { w.called(s, c, do) })
}

// called writes the file or the steps of runFlow.
func (w *writer) called(s *dsl.Step, c *Command, do RunFlow) {
	if do.Flow != nil {
		var with []string
		for _, p := range do.Env {
			value, err := str(p.Value)
			if err != nil {
				w.miss(p.Pos, err.Error())
				continue
			}
			with = append(with, p.Key+": "+value)
		}
		fields := []field{{"file", strconv.Quote(w.o.Rel(do.Flow.File))}}
		if len(with) > 0 {
			fields = append(fields, field{"with", "{" + strings.Join(with, ", ") + "}"})
		}
		w.step(c, "run", fields...)
		w.opened = w.opened || opens(do.Flow)
		return
	}
	w.count++
	w.line("- group:")
	w.depth += 2
	w.options(c)
	w.line("steps:")
	w.depth++
	w.item(w.env(do.Env))
	w.steps(do.Steps)
	w.depth -= 3
}

// opens reports whether a flow shows a page.
func opens(f *Flow) bool {
	for _, list := range []dsl.Steps{f.Start, f.Steps, f.Complete} {
		for s := range list.All {
			if c, is := s.Foreign().(*Command); is {
				switch c.Do.(type) {
				case Launch, OpenLink:
					return true
				}
			}
		}
	}
	return false
}

func (w *writer) options(c *Command) {
	if c.Optional {
		w.line("optional: true")
	}
	if c.Label == "" {
		return
	}
	if label, err := convert(c.Label); err == nil {
		w.line("name: %s", strconv.Quote(label))
	} else {
		w.line("# %s", shown(c.Label))
	}
}

func (w *writer) repeat(s *dsl.Step, c *Command, do Repeat) {
	fields := []string{}
	if do.Times != nil {
		n, err := strconv.ParseFloat(*do.Times, 64)
		if err != nil {
			w.dropped(s, c, "a number of rounds from a script")
			return
		}
		fields = append(fields, fmt.Sprintf("times: %d", max(int(n), 0)))
	} else {
		fields = append(fields, "times: 10000")
	}
	if do.While != nil {
		switch {
		case do.While.True != nil && do.While.Visible == nil && do.While.NotVisible == nil && do.While.Platform == "":
			expr, err := expression(*do.While.True)
			if err != nil {
				w.dropped(s, c, err.Error())
				return
			}
			fields = append(fields, "while: "+strconv.Quote(expr))
		case do.While.True == nil && do.While.Platform == "" && (do.While.Visible == nil) != (do.While.NotVisible == nil):
			key, of := "visible", do.While.Visible
			if of == nil {
				key, of = "notVisible", do.While.NotVisible
			}
			sel, err := selectorMap(of)
			if err != nil {
				w.dropped(s, c, err.Error())
				return
			}
			fields = append(fields, key+": "+sel, "timeout: 7s")
		default:
			w.dropped(s, c, "several conditions of a loop")
			return
		}
	}
	w.count++
	w.line("- repeat:")
	w.depth += 2
	for _, f := range fields {
		w.line("%s", f)
	}
	w.options(c)
	w.line("steps:")
	w.depth++
	w.steps(do.Steps)
	w.depth -= 3
}

func (w *writer) retry(s *dsl.Step, c *Command, do Retry) {
	n, err := strconv.Atoi(do.Max)
	switch {
	case strings.Contains(do.Max, "${"):
		w.dropped(s, c, "a number of attempts from a script")
		return
	case err != nil:
		n = 1
	case n < 0:
		w.line("# %s with maxRetries: %d runs nothing", c.Name, n)
		return
	}
	w.count++
	w.line("- retry:")
	w.depth += 2
	w.line("times: %d", min(n, 3)+1)
	w.options(c)
	w.line("steps:")
	w.depth++
	if do.Flow != nil {
		w.called(s, &Command{Name: c.Name}, do.RunFlow)
	} else {
		w.item(w.env(do.Env))
		w.steps(do.Steps)
	}
	w.depth -= 3
}
