package html

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/markdown"
)

const (
	briefNodes = 40 // lines of the tree around the target
	briefLog   = 20 // lines of the log
)

// brief is the failure as Markdown for a reader without access to the report: cause, step, YAML, the elements around
// the target, an excerpt of the log. Secrets were masked when the pack was written.
func (b *builder) brief() string {
	list := b.res.Failures()
	if len(list) == 0 {
		return ""
	}
	var w strings.Builder
	c := b.res.Case
	fmt.Fprintf(&w, "## %s %s (%s)\n\n", sign(b.res.Result), b.out.ID,
		strings.TrimSpace(strings.Join([]string{b.out.Platform, b.out.Model, b.out.OS}, " ")))
	for _, f := range b.out.Environment {
		fmt.Fprintf(&w, "- %s: %s\n", f.Name, f.Value)
	}
	for i, f := range list[:min(len(list), firstFailures)] {
		fmt.Fprintf(&w, "\n### Failure %d of %d\n\n%s\n", i+1, len(list), shownLines(f.Located(), maxText))
		s := f.Step
		if s == nil {
			continue
		}
		for _, in := range s.Around[:min(len(s.Around), 10)] {
			fmt.Fprintf(&w, "\n- around it, %s, %s: `%s`", in.Offset(s), in.Kind, strings.ReplaceAll(shown(in.Text, maxLabel),
				"`", "'"))
		}
		fmt.Fprintf(&w, "\n\nStep %d:\n\n%s", s.N, fenced("yaml", markdown.Excerpt(s.Place, s.Source, s.Action)))
		for _, v := range [][2]string{{"Expected", f.Problem.Expected}, {"Actual", f.Problem.Actual},
			{"Stack", f.Problem.Stack}} {
			if v[1] != "" {
				fmt.Fprintf(&w, "\n%s:\n\n%s", v[0], fenced("", v[1]))
			}
		}
		for k, near := range f.Problem.Candidates[:min(len(f.Problem.Candidates), 8)] {
			why := ""
			if len(f.Problem.Rejected) == len(f.Problem.Candidates) {
				why = ": " + f.Problem.Rejected[k]
			}
			fmt.Fprintf(&w, "\n- near: `%s`%s", strings.ReplaceAll(shown(near, maxLabel), "`", "'"), shown(why, maxLabel))
		}
	}
	if tree := b.briefTree(); tree != "" {
		fmt.Fprintf(&w, "\n\nElements around the target, step %d:\n\n%s", b.out.Elements.Step, fenced("", tree))
	}
	for _, s := range b.out.Steps {
		if s.N == b.res.ProblemStep && s.Log != nil {
			lines := append(s.Log.Head[:len(s.Log.Head):len(s.Log.Head)], s.Log.Tail...)
			fmt.Fprintf(&w, "\n\nLog of the step:\n\n%s", fenced("", strings.Join(lines[max(0, len(lines)-briefLog):], "\n")))
		}
	}
	fmt.Fprintf(&w, "\n\nTest: %s, run %s\n", shown(c.Place.String(), maxLabel), b.out.Run)
	return w.String()
}

// briefTree is the part of the tree around the first element that matched, or nearly matched.
func (b *builder) briefTree() string {
	e := b.out.Elements
	if e == nil || len(e.Nodes) == 0 {
		return ""
	}
	at := 0
	for i, n := range e.Nodes {
		if n.Match || n.Near == 1 {
			at = i
			break
		}
	}
	from := max(0, at-briefNodes/2)
	var lines []string
	for _, n := range e.Nodes[from:min(len(e.Nodes), from+briefNodes)] {
		line := strings.Repeat("  ", min(n.Depth, 20)) + n.Type
		for _, v := range [][2]string{{"", n.Text}, {"desc ", n.Desc}, {"hint ", n.Hint}, {"id ", n.ID}} {
			if v[1] != "" {
				line += " " + v[0] + `"` + v[1] + `"`
			}
		}
		if len(n.Flags) > 0 {
			line += " " + strings.Join(n.Flags, " ")
		}
		if n.Why != "" {
			line += "  <- not picked: " + n.Why
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// fenced makes a code block with a fence that does not occur in the text.
func fenced(info, text string) string {
	text = shownLines(strings.TrimRight(text, "\n"), maxText)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + info + "\n" + text + "\n" + fence + "\n"
}
