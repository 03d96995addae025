package console

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
)

const (
	maxLines    = 12 // of one value
	candidates  = 5
	maxFailures = 5 // of one test
)

// closing is the output of End.
func (c *Console) closing(run Run) string {
	var b strings.Builder
	for _, tries := range c.cases() {
		first, word := passedLater(tries)
		switch last := tries[len(tries)-1]; {
		case first != nil:
			b.WriteString("\n" + c.failure(first, display{word: word, color: yellow}, run.Dir))
		case !last.Result.Good():
			b.WriteString("\n" + c.failure(last, displayOf(last.Result), run.Dir))
		}
	}
	b.WriteString("\n" + c.warnings() + c.slowest() + c.totals(run) + "\n")
	if !run.Choice.Empty() {
		b.WriteString("chosen: " + one(run.Choice.String()) + "\n")
	}
	if run.Dir != "" {
		b.WriteString("reports: " + one(run.Dir) + "\n")
	}
	return b.String()
}

// warnings lists what to fix on devices, each once, with the number of tests that it affected.
func (c *Console) warnings() string {
	count, order := map[string]int{}, []string{}
	add := func(text string) {
		if count[text]++; count[text] == 1 {
			order = append(order, text)
		}
	}
	for _, pack := range c.order {
		for _, text := range c.ended[pack].Warnings {
			add(text)
		}
	}
	for _, text := range c.warned {
		add(text)
	}
	var b strings.Builder
	for _, text := range order {
		b.WriteString(c.paint(yellow, "warning") + ": " + one(text))
		if n := count[text]; n > 1 {
			fmt.Fprintf(&b, " (%d times)", n)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// cases returns the attempts of each case in the order in which the cases first ended. The last attempt of a case
// counts.
func (c *Console) cases() [][]*event.CaseResult {
	var list [][]*event.CaseResult
	place := map[string]int{}
	for _, pack := range c.order {
		key := history.CaseKey(pack)
		at, known := place[key]
		if !known {
			at = len(list)
			place[key], list = at, append(list, nil)
		}
		list[at] = append(list[at], c.ended[pack])
	}
	return list
}

// The label of a case that passed only on a later attempt.
const (
	labelFlaky = "FLAKY"
	labelLost  = "LOST" // only because its device was lost, which does not make a test flaky
)

// passedLater returns the attempt to show of a case that passed only on a later attempt, and its label; nil for any
// other case.
func passedLater(tries []*event.CaseResult) (first *event.CaseResult, word string) {
	before := tries[:len(tries)-1]
	if len(before) == 0 || tries[len(before)].Result != event.Pass {
		return nil, ""
	}
	for _, t := range before {
		if !t.LostDevice() {
			return t, labelFlaky
		}
	}
	return before[0], labelLost
}

// failure formats one test that did not pass.
func (c *Console) failure(r *event.CaseResult, l display, dir string) string {
	var b strings.Builder
	if c.o.Groups {
		b.WriteString("::group::")
	}
	fmt.Fprintf(&b, "%s %s", c.paint(bold+";"+l.color, l.word), c.paint(bold, one(r.Case.Pack)))
	if at := where(r.Case); at != "" {
		fmt.Fprintf(&b, " (%s)", at)
	}
	b.WriteString("\n")
	list := r.Failures()
	for i, f := range list[:min(len(list), maxFailures)] {
		if i > 0 {
			b.WriteString("\n")
		}
		c.problem(&b, r, f, dir)
	}
	if more := event.AndMore(len(list) - maxFailures); more != "" {
		b.WriteString("\n" + more + " in " + one(r.Case.Pack) + "\n")
	}
	if c.o.Groups {
		b.WriteString("::endgroup::\n")
	}
	return b.String()
}

// problem formats one thing that went wrong in a test.
func (c *Console) problem(b *strings.Builder, r *event.CaseResult, f event.Failure, dir string) {
	text := one(f.Located())
	if strings.HasPrefix(text, "::") { // GitHub would read it as a command
		text = " " + text
	}
	b.WriteString(text + "\n")
	if s := f.Step; s != nil && s.Source != "" {
		excerpt := strings.ReplaceAll(markdown.Excerpt(s.Place, s.Source, s.Action), "\t", " ")
		for line := range strings.SplitSeq(excerpt, "\n") {
			b.WriteString("  " + one(line) + "\n")
		}
	}
	p := f.Problem
	field(b, "expected", p.Expected)
	field(b, "actual", p.Actual)
	if n := len(p.Candidates); n > candidates {
		rest := fmt.Sprintf("… and %d more", n-candidates)
		field(b, "nearest", strings.Join(append(p.Candidates[:candidates:candidates], rest), "\n"))
	} else {
		field(b, "nearest", strings.Join(p.Candidates, "\n"))
	}
	field(b, "stack", p.Stack)
	if f.Step != nil {
		var around []string
		for _, in := range f.Step.Around[:min(len(f.Step.Around), candidates)] {
			text, _, _ := strings.Cut(in.Text, "\n")
			around = append(around, in.Offset(f.Step)+" "+string(in.Kind)+": "+text)
		}
		field(b, "around", strings.Join(around, "\n"))
	}
	if f.Screenshot != "" && dir != "" {
		field(b, "screenshot", filepath.Join(dir, r.Case.Pack, filepath.FromSlash(f.Screenshot)))
	}
}

// field writes a value after its name, and its further lines below the first.
func field(b *strings.Builder, name, value string) {
	value = strings.TrimRight(value, "\n")
	if strings.TrimSpace(value) == "" {
		return
	}
	lines := strings.Split(value, "\n")
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("… and %d more lines", more))
	}
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		line = one(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "  "))
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-10s  %s", name, line), " ") + "\n")
	}
}

// slowMost is how many of the slowest tests are named.
const slowMost = 5

// slowest names the tests that took longest, if there are several.
func (c *Console) slowest() string {
	var all []*event.CaseResult
	var sum time.Duration
	for _, tries := range c.cases() {
		if last := tries[len(tries)-1]; last.Duration > 0 {
			all = append(all, last)
			sum += last.Duration
		}
	}
	if len(all) < 2 || c.o.Quiet {
		return ""
	}
	slices.SortStableFunc(all, func(a, b *event.CaseResult) int { return cmp.Compare(b.Duration, a.Duration) })
	var parts []string
	for _, r := range all[:min(len(all), slowMost)] {
		parts = append(parts, one(r.Case.Pack)+" "+seconds(r.Duration))
	}
	return c.paint(dim, "slowest: "+strings.Join(parts, ", ")+" · sum of tests "+seconds(sum)) + "\n"
}

// tally counts how the tests ended so far.
func (c *Console) tally() string {
	n := map[event.Result]int{}
	for _, tries := range c.cases() {
		n[tries[len(tries)-1].Result]++
	}
	parts := []string{fmt.Sprintf("%d passed", n[event.Pass])}
	for _, v := range []struct {
		result event.Result
		word   string
	}{{event.Fail, "failed"}, {event.Error, "with an error"}, {event.Interrupted, "interrupted"},
		{event.Skipped, "skipped"}, {event.Expected, "failed as expected"}} {
		if n[v.result] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[v.result], v.word))
		}
	}
	return strings.Join(parts, ", ")
}

// totals counts how the tests ended. A run without tests is not a success.
func (c *Console) totals(run Run) string {
	n, again := map[event.Result]int{}, map[string]int{}
	for _, tries := range c.cases() {
		n[tries[len(tries)-1].Result]++
		if _, word := passedLater(tries); word != "" {
			again[word]++
		}
	}
	if missing := run.Planned - len(c.cases()); missing > 0 && len(c.ended) > 0 {
		n[event.Interrupted] += missing
	}
	if len(c.ended) == 0 {
		return c.paint(yellow, "no test was run in "+seconds(run.Took))
	}
	parts := []string{fmt.Sprintf("%d passed", n[event.Pass])}
	if k := again[labelFlaky]; k > 0 {
		parts[0] += fmt.Sprintf(" (%d flaky)", k)
	}
	if k := again[labelLost]; k > 0 {
		parts[0] += fmt.Sprintf(" (%d after a lost device)", k)
	}
	add := func(v event.Result, word, many string) {
		switch k := n[v]; {
		case k == 1:
			parts = append(parts, "1 "+word)
		case k > 1:
			parts = append(parts, fmt.Sprintf("%d %s", k, many))
		}
	}
	add(event.Fail, "failed", "failed")
	add(event.Error, "error", "errors")
	add(event.Interrupted, "interrupted", "interrupted")
	add(event.Skipped, "skipped", "skipped")
	add(event.Expected, "failed as expected", "failed as expected")
	color := green
	switch {
	case n[event.Fail]+n[event.Error] > 0:
		color = red
	case n[event.Interrupted] > 0 || n[event.Pass]+n[event.Expected] == 0:
		color = yellow
	}
	return c.paint(color, strings.Join(parts, ", ")+" in "+seconds(c.span(run.Took)))
}

// span returns the time from the start of the first test to the end of the last one, as on the report page; otherwise
// if it is unknown.
func (c *Console) span(otherwise time.Duration) time.Duration {
	var start, end time.Time
	for _, r := range c.ended {
		if !r.Started.IsZero() && (start.IsZero() || r.Started.Before(start)) {
			start = r.Started
		}
		if r.Ended.After(end) {
			end = r.Ended
		}
	}
	if start.IsZero() || !end.After(start) {
		return otherwise
	}
	return end.Sub(start)
}
