package maestro

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// Native is a flow as a file of Taproot.
type Native struct {
	Text  []byte
	Steps int // commands that were written
	Lost  []*source.Error
}

// NativeOptions say what a flow becomes.
type NativeOptions struct {
	ID       string
	Block    bool // other flows call it: it is written as a block
	Platform dsl.Platform
	// Rel returns a path of the flow as the new file names it.
	Rel func(path string) string
}

// ToNative writes a flow as Taproot YAML. What has no native form becomes a comment, and is listed.
func ToNative(f *Flow, o NativeOptions) Native {
	w := &writer{o: o, flow: f, platform: o.Platform}
	if f.Web {
		w.platform = dsl.Web
	}
	w.comments = commentsOf(f)
	w.head()
	return Native{Text: []byte(w.b.String()), Steps: w.count, Lost: w.lost}
}

type writer struct {
	b        strings.Builder
	o        NativeOptions
	flow     *Flow
	platform dsl.Platform
	depth    int
	count    int
	lost     []*source.Error
	current  *dsl.Step        // the command that is being written
	entries  int              // of lists that were written
	opened   bool             // a page is, as far as it is known here
	comments map[int][]string // by the line of a command
}

func (w *writer) line(format string, args ...any) {
	if strings.HasPrefix(format, "- ") {
		w.entries++
	}
	w.b.WriteString(strings.Repeat("  ", w.depth) + fmt.Sprintf(format, args...) + "\n")
}

// item writes a step that is given without its dash; "" is none.
func (w *writer) item(step string) {
	if step != "" {
		w.line("- %s", step)
	}
}

// commentsOf returns the comments that stand right above a line, and behind its text.
func commentsOf(f *Flow) map[int][]string {
	all := map[int][]string{}
	var block []string
	for i, line := range f.Source.Lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "#"):
			block = append(block, trimmed)
		case trimmed == "":
		default:
			if at := strings.Index(line, " #"); at >= 0 && !strings.ContainsAny(line[at:], `"'`) {
				block = append(block, strings.TrimSpace(line[at:]))
			}
			all[i+1] = block
			block = nil
		}
	}
	all[0] = block // at the end
	return all
}

// remark writes the comments of the lines from one to another.
func (w *writer) remark(from, to int) {
	for n := from; n <= to; n++ {
		for _, c := range w.comments[n] {
			w.line("%s", c)
		}
		delete(w.comments, n)
	}
}

func (w *writer) head() {
	f := w.flow
	first := 1 << 30
	for _, list := range []dsl.Steps{f.Start, f.Complete, f.Steps} {
		for _, s := range list {
			first = min(first, s.Pos.Line)
		}
	}
	if w.o.Block {
		w.blockHead()
		return
	}
	w.remark(1, max(first-1, 1))
	w.line("id: %s", w.o.ID)
	switch {
	case strings.Contains(f.Name, "${"): // a name holds no variables
		w.line("# name: %s", shown(f.Name))
	case strings.TrimSpace(f.Name) != "":
		w.line("name: %s", text(f.Name))
	}
	w.line("platform: %s", w.platform)
	if len(f.Tags) > 0 {
		w.line("tags: [%s]", strings.Join(quoted(f.Tags), ", "))
	}
	if len(f.Properties) > 0 {
		w.line("properties:")
		for _, p := range f.Properties {
			w.line("  %s: %s", text(p.Name), strconv.Quote(p.Value))
		}
	}
	w.variables()
	if set := w.env(f.Env); len(f.Start) > 0 || set != "" {
		w.line("before:")
		w.depth++
		w.item(set)
		if len(f.Start) > 0 {
			w.steps(f.Start)
		}
		w.depth--
	}
	w.line("steps:")
	w.depth++
	w.steps(f.Steps)
	w.depth--
	if len(f.Complete) > 0 {
		w.line("after:")
		w.depth++
		w.steps(f.Complete)
		w.depth--
	}
	for _, c := range w.comments[0] {
		w.line("%s", c)
	}
}

func (w *writer) blockHead() {
	f := w.flow
	w.variables()
	w.line("steps:")
	w.depth++
	w.item(w.env(f.Env))
	if len(f.Start)+len(f.Complete) == 0 {
		w.steps(f.Steps)
		w.depth--
		return
	}
	w.line("- try:")
	w.depth += 2
	w.line("steps:")
	w.depth++
	w.steps(f.Start)
	w.steps(f.Steps)
	w.depth--
	w.line("always:")
	w.depth++
	if len(f.Complete) == 0 {
		w.line("- log: done")
	}
	w.steps(f.Complete)
	w.depth -= 4
}

// miss says that something has no native form.
func (w *writer) miss(pos source.Pos, why string) {
	w.lost = append(w.lost, &source.Error{Pos: pos, Msg: "no native form: " + why, Source: w.flow.Source})
}

func text(s string) string { return source.Flow(source.Value{Kind: source.String, Text: s}) }

func quoted(list []string) []string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = strconv.Quote(s)
	}
	return all
}

func (w *writer) steps(list dsl.Steps) {
	w.filled(func() {
		last := 0
		for _, s := range list {
			if last == 0 {
				last = s.Pos.Line
			}
			w.remark(min(last, s.Pos.Line), s.Pos.Line)
			w.current = s
			w.command(s, s.Foreign().(*Command))
			last = s.Pos.Line + 1
		}
	})
}

// filled writes a list, which must hold something.
func (w *writer) filled(list func()) {
	before := w.entries
	list()
	if w.entries == before {
		w.line("- log: nothing")
	}
}

// field is one argument of a native step: a key, and its value in one line.
type field struct{ key, value string }

// step writes a native step.
func (w *writer) step(c *Command, action string, fields ...field) {
	var parts []string
	for _, f := range fields {
		if f.value != "" {
			parts = append(parts, f.key+": "+f.value)
		}
	}
	if c.Label != "" {
		label, err := convert(c.Label)
		named := slices.ContainsFunc(fields, func(f field) bool { return f.key == "name" && f.value != "" })
		switch {
		case named: // the step says what it is called
			w.line("# %s", shown(c.Label))
		case err == nil:
			parts = append(parts, "name: "+strconv.Quote(label))
		}
	}
	if c.Optional {
		parts = append(parts, "optional: true")
	}
	w.count++
	line := fmt.Sprintf("%s: {%s}", action, strings.Join(parts, ", "))
	if len(parts) == 0 {
		line = action + ":"
	}
	if why := w.refused(line); why != "" {
		w.count--
		w.dropped(w.current, c, why)
		return
	}
	w.line("- %s", line)
}

// refused returns why Taproot does not accept a step, or "". Maestro reads some arguments only when it performs them,
// such as the point of an element, and accepts values there that no native step may have.
func (w *writer) refused(line string) string {
	_, err := dsl.ParseBlock("flow.yaml", []byte("steps:\n  - "+line+"\n"), w.platform)
	var all source.Errors
	if errors.As(err, &all) && len(all) > 0 {
		return all[0].Msg
	}
	return ""
}

// shown writes a text in one line of a comment.
func shown(text string) string { return short(strings.Join(strings.Fields(text), " ")) }

// dropped writes a command that has no native form as a comment.
func (w *writer) dropped(s *dsl.Step, c *Command, why string) {
	w.miss(s.Pos, why)
	w.line("# no native form (%s): %s: %s", why, c.Name, source.Flow(s.Args))
	w.line("- log: %s", strconv.Quote("not imported: "+c.Name))
}

func str(s string) (string, error) {
	out, err := convert(s)
	return strconv.Quote(out), err
}

// plain writes a step with one text; one that is computed is set before.
func (w *writer) plain(s *dsl.Step, c *Command, action, key, value string, more ...field) {
	text, err := str(value)
	if err != nil {
		sum, can := computed(value)
		if !can {
			w.dropped(s, c, err.Error())
			return
		}
		w.step(&Command{}, "set", field{"expr", "{computed: " + strconv.Quote(sum) + "}"})
		text = `"${computed}"`
	}
	w.step(c, action, append([]field{{key, text}}, more...)...)
}
