package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
)

// PageOptions configure a Markdown page about a run.
type PageOptions struct {
	// Base is the URL at which the folder of the run can be read, for a page that is read elsewhere; empty: links are
	// relative to the folder.
	Base string
	// NoLinks leaves the links out: the page is read elsewhere, and the URL of the run is unknown.
	NoLinks bool
	// Link is the URL of the report; it may be empty.
	Link string
	// Limit is the largest size of the page in bytes; 0: no limit. A page that is too large has shorter lists of
	// failures and warnings, with a note that they are cut.
	Limit int
}

const (
	maxShown    = 2000 // runes of a value on the page of a run
	maxFailures = 5    // of one test that the page of a run shows
	maxLedger   = 200  // lines of the list of warnings when there is no limit of bytes
	noteBytes   = 600  // bytes reserved for the notes on what was cut
)

// RunSummary returns the bytes of summary.md: totals, what is broken and where, what is flaky, warnings, all cases.
func RunSummary(r *Run, o PageOptions) []byte {
	w := &pageWriter{o: o}
	w.top(r)
	w.sections(r)
	return []byte(w.String())
}

type pageWriter struct {
	markdown.Writer
	o PageOptions
}

// fits adds a part and reports true if it is within the limit.
func (w *pageWriter) fits(part string) bool {
	if w.o.Limit > 0 && w.Len()+len(part)+noteBytes > w.o.Limit {
		return false
	}
	w.WriteString(part)
	return true
}

func (w *pageWriter) top(r *Run) {
	n := r.Count()
	w.Printf("# %s\n\n", headline(r, n))
	w.Printf("Run %s", markdown.Code(r.Name, markdown.MaxArg))
	if !r.Started.IsZero() {
		w.Printf(" · %s UTC · wall time %s", r.Started.UTC().Format("2006-01-02 15:04:05"), wholeTime(r.Duration))
	}
	w.Printf(" · %s", phrase.Plural(n.Total, "test"))
	if w.o.Link != "" {
		w.Printf(" · [open the report](%s)", strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E",
			"\n", "").Replace(w.o.Link))
	}
	w.Printf("\n")
	if !r.Choice.Empty() {
		w.Printf("\nChosen: %s\n", markdown.Text(r.Choice.String(), maxShown))
	}
	if facts := r.Env.Facts(); len(facts) > 0 {
		var parts []string
		for _, f := range facts {
			parts = append(parts, f[0]+" "+markdown.Text(f[1], markdown.MaxArg))
		}
		w.Printf("\n%s\n", strings.Join(parts, " · "))
	}
	if n.Total == 0 {
		return
	}
	w.Printf("\n| ✅ passed | ❌ failed | ⚠️ error | ⏹️ interrupted | ⏭️ skipped | ☑️ expected | 🎲 flaky |\n" +
		"|--:|--:|--:|--:|--:|--:|--:|\n")
	w.Printf("| %d | %d | %d | %d | %d | %d | %d |\n", n.Passed, n.Failed, n.Errored, n.Interrupted, n.Skipped,
		n.Expected, n.Flaky)
}

// Headline is the run in one line: the worst result first.
func Headline(r *Run) string { return headline(r, r.Count()) }

func headline(r *Run, n RunCounts) string {
	switch r.Result() {
	case event.Pass:
		if n.Expected > 0 {
			return expectedHeadline(n)
		}
		switch {
		case n.Passed == 1 && n.Skipped > 0:
			return fmt.Sprintf("✅ The one test that ran passed, %d skipped", n.Skipped)
		case n.Skipped > 0:
			return fmt.Sprintf("✅ All %d tests that ran passed, %d skipped", n.Passed, n.Skipped)
		case n.Passed == 1:
			return "✅ The test passed"
		}
		return fmt.Sprintf("✅ All %d tests passed", n.Passed)
	case event.Fail:
		return fmt.Sprintf("❌ %d of %s failed", n.Failed, phrase.Plural(n.Total, "test"))
	case event.Error:
		return fmt.Sprintf("⚠️ %d of %s ended with an error", n.Errored, phrase.Plural(n.Total, "test"))
	case event.Interrupted:
		text := fmt.Sprintf("⏹️ %d of %s interrupted", n.Interrupted, phrase.Plural(n.Total, "test"))
		if n.Failed > 0 {
			text += fmt.Sprintf(", %d failed", n.Failed)
		}
		return text
	}
	switch n.Total {
	case 0:
		return "⏭️ No test was run"
	case 1:
		return "⏭️ The test was skipped"
	}
	return fmt.Sprintf("⏭️ All %d tests were skipped", n.Total)
}

// expectedHeadline is the headline of a good run with known failures.
func expectedHeadline(n RunCounts) string {
	text := fmt.Sprintf("✅ %d of %s passed, %d failed as expected", n.Passed, phrase.Plural(n.Total, "test"), n.Expected)
	if n.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", n.Skipped)
	}
	return text
}

// wholeTime is a duration in words.
func wholeTime(d time.Duration) string {
	if d < time.Minute {
		return markdown.StepTime(d)
	}
	return d.Round(time.Second).String()
}

func (w *pageWriter) sections(r *Run) {
	bad := r.Bad()
	for i, c := range bad {
		if i == 0 {
			w.Printf("\n## What went wrong\n")
		}
		if !w.fits(w.failure(c)) {
			w.Printf("\n… and %s that did not pass\n", phrase.Plural(len(bad)-i, "more test"))
			break
		}
	}
	w.flakyOrSlow(r)
	w.ledger(r)
	w.table(r)
	for _, n := range r.Notes {
		w.fits(fmt.Sprintf("\n> ⚠️ %s\n", markdown.Text(n, maxShown)))
	}
}

// failure is one test that did not pass: what, where, and what was found instead.
func (w *pageWriter) failure(c *RunCase) string {
	res, b := c.CaseResult, &markdown.Writer{}
	b.Printf("\n### %s %s\n\n", resultSign(res.Result), w.link(c, c.Title()))
	var facts []string
	if s := res.Step(res.ProblemStep); s != nil {
		facts = append(facts, fmt.Sprintf("**Step %d, %s**", s.N, markdown.Text(s.Action, markdown.MaxArg)))
	}
	if place := res.ProblemPlace(); place != "" {
		facts = append(facts, markdown.Code(place, markdown.MaxArg))
	}
	for _, fact := range []string{string(res.Case.Platform), strings.TrimSpace(res.Case.Model + " " + res.Case.Device)} {
		if fact != "" {
			facts = append(facts, markdown.Text(fact, markdown.MaxArg))
		}
	}
	if res.Duration > 0 {
		facts = append(facts, wholeTime(res.Duration))
	}
	b.Printf("%s\n\n", strings.Join(facts, " · "))
	list := res.Failures()
	for i, f := range list[:min(len(list), maxFailures)] {
		if i > 0 {
			b.Printf("\n**Also** ")
			if f.Step != nil {
				b.Printf("step %d, %s · ", f.Step.N, markdown.Text(f.Step.Action, markdown.MaxArg))
			}
			b.Printf("%s\n\n", markdown.Code(f.Place.String(), markdown.MaxArg))
		}
		w.cause(b, c, f)
	}
	if more := event.AndMore(len(list) - maxFailures); more != "" {
		b.Printf("\n%s\n", more)
	}
	return b.String()
}

// cause is one thing that went wrong in a test.
func (w *pageWriter) cause(b *markdown.Writer, c *RunCase, f event.Failure) {
	p := f.Problem
	b.Printf("%s\n", markdown.Text(p.Message, maxShown))
	if s := f.Step; s != nil {
		if in := s.LikelyCause(); in != nil {
			b.Printf("\n**Around the failure** %s\n", markdown.Code(markdown.FirstLine(in.Text), maxShown))
		}
		if s.Source != "" {
			b.Printf("\n%s", markdown.Block("yaml", markdown.Excerpt(s.Place, s.Source, s.Action), maxShown))
		}
	}
	b.Value("Expected", phrase.LimitRunes(p.Expected, maxShown))
	b.Value("Actual", phrase.LimitRunes(p.Actual, maxShown))
	b.Candidates(p.Candidates, p.Rejected)
	if f.Screenshot != "" && c.Pack != "" {
		if href := w.href(c.Pack + "/" + f.Screenshot); href != "" {
			b.Printf("\n[![the screen at that time](%s)](%s)\n", href, href)
		}
	}
}

// link names a case, with a link to its page if there is one that can be reached.
func (w *pageWriter) link(c *RunCase, text string) string {
	if href := w.href(c.Page); c.Page != "" && href != "" {
		return "[" + markdown.Text(text, markdown.MaxArg) + "](" + href + ")"
	}
	return markdown.Text(text, markdown.MaxArg)
}

func (w *pageWriter) href(path string) string {
	if w.o.NoLinks {
		return ""
	}
	if w.o.Base != "" {
		return strings.TrimRight(w.o.Base, "/") + "/" + markdown.Href(path)
	}
	return markdown.Href(path)
}

// flakyOrSlow lists tests that passed or failed by chance, and tests that became slow.
func (w *pageWriter) flakyOrSlow(r *Run) {
	var lines []string
	for i := range r.Cases {
		c := &r.Cases[i]
		for _, why := range []string{c.Flaky(), c.Lost(), c.Slow(), c.Broken} {
			if why != "" && (why != c.Broken || c.CaseResult.Result != event.Error) {
				lines = append(lines, fmt.Sprintf("- %s: %s%s\n", w.link(c, c.Title()), markdown.Text(why, maxShown), recent(c)))
			}
		}
	}
	w.list("Flaky or slow", lines)
}

// recent shows the results of the last runs, the oldest first, this one last.
func recent(c *RunCase) string {
	if len(c.Trend.Recent) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(" · ")
	for _, e := range c.Trend.Recent[max(0, len(c.Trend.Recent)-9):] {
		b.WriteString(resultSign(e.Result))
	}
	return b.String() + resultSign(c.CaseResult.Result)
}

// ledger lists the warnings: what a pass does not cover. Steps in a row that were not reached are one line.
func (w *pageWriter) ledger(r *Run) {
	var lines []string
	list := r.Warnings()
	for i := 0; i < len(list); i++ {
		u, last := list[i], list[i]
		for u.What == "unreached" && i+1 < len(list) && list[i+1].Case == u.Case && list[i+1].What == u.What &&
			list[i+1].Step == last.Step+1 {
			i++
			last = list[i]
		}
		lines = append(lines, w.ledgerLine(u, last.Step))
	}
	w.list("Warnings", lines)
}

func (w *pageWriter) ledgerLine(u Warning, last int) string {
	step := ""
	switch {
	case u.Step > 0 && last > u.Step:
		step = fmt.Sprintf(", steps %d–%d", u.Step, last)
	case u.Step > 0:
		step = fmt.Sprintf(", step %d", u.Step)
	}
	what := map[string]string{"skipped": "⏭️ skipped", "expected": "☑️ failed as expected",
		"warned":    "⚠️ failed, which the test allows",
		"unreached": "not reached", "interrupted": "⏹️ never started", "note": "warning"}[u.What]
	line := fmt.Sprintf("- %s%s: %s", w.link(u.Case, u.Case.Title()), step, what)
	if u.Text != "" {
		line += ": " + markdown.Text(u.Text, maxShown)
	}
	if u.Place != "" {
		line += " · " + markdown.Code(u.Place, markdown.MaxArg)
	}
	return line + "\n"
}

func (w *pageWriter) list(title string, lines []string) {
	for i, line := range lines {
		if i == 0 {
			line = "\n## " + title + "\n\n" + line
		}
		if i == maxLedger || !w.fits(line) {
			w.Printf("\n… and %d more\n", len(lines)-i)
			return
		}
	}
}

func (w *pageWriter) table(r *Run) {
	for i := range r.Cases {
		c := &r.Cases[i]
		device := strings.TrimSpace(c.CaseResult.Case.Model + " " + c.CaseResult.Case.Device)
		n, took := c.CaseResult.Count(), "–"
		if c.CaseResult.Duration > 0 {
			took = wholeTime(c.CaseResult.Duration)
		}
		line := fmt.Sprintf("| %s | %s | %s | %s | %d/%d | %s |\n", resultSign(c.CaseResult.Result), w.link(c, c.Title()),
			markdown.Text(string(c.CaseResult.Case.Platform), markdown.MaxArg), markdown.Text(device, markdown.MaxArg), n.Passed,
			n.Total, took)
		if i == 0 {
			line = "\n## All tests\n\n| | Test | Platform | Device | Steps | Time |\n|---|---|---|---|--:|--:|\n" + line
		}
		if !w.fits(line) {
			w.Printf("\n… and %d more\n", len(r.Cases)-i)
			return
		}
	}
}

func resultSign(v event.Result) string {
	sign, _, _ := strings.Cut(markdown.Mark(v), " ")
	return sign
}
