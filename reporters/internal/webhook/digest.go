package webhook

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
)

// Digest is the message about a run: one message, however many tests failed.
type Digest struct {
	Run      string            `json:"run"`
	Result   event.Result      `json:"result"`
	Title    string            `json:"title"`
	Totals   string            `json:"totals"`
	Counts   history.RunCounts `json:"cases"`
	Failures []Failure         `json:"failures"`
	Link     string            `json:"link,omitempty"`
}

// Failure is one test of a digest.
type Failure struct {
	Title    string       `json:"title"`
	Result   event.Result `json:"result"`
	Platform string       `json:"platform"`
	Place    string       `json:"place,omitempty"`
	Message  string       `json:"message"`
	Flaky    string       `json:"flaky,omitempty"`
}

const (
	maxFailures = 200 // in a digest; a product shows fewer

	// Bytes. Escaping can make them five times as many, which still fit into the smallest limit of the products.
	maxTitle   = 120
	maxPlace   = 150
	maxMessage = 240
)

// Wanted reports whether chats receive a message about a run: a test failed, or ended with an error.
func Wanted(r *history.Run) bool {
	n := r.Count()
	return n.Failed+n.Errored > 0
}

// NewDigest sums a run up. link is the URL of the run; it may be empty.
func NewDigest(r *history.Run, link string) Digest {
	n := r.Count()
	d := Digest{Run: r.Name, Result: r.Result(), Counts: n, Link: link}
	d.Title = fmt.Sprintf("❌ %d of %d tests failed", n.Failed, n.Total)
	switch {
	case n.Failed > 0 && n.Errored > 0:
		d.Title += fmt.Sprintf(", %d ended with an error", n.Errored)
	case n.Failed == 0:
		d.Title = fmt.Sprintf("⚠️ %d of %d tests ended with an error", n.Errored, n.Total)
	}
	parts := []string{fmt.Sprintf("%d passed", n.Passed)}
	for _, p := range []struct {
		n    int
		what string
	}{{n.Failed, "failed"}, {n.Errored, "with an error"}, {n.Interrupted, "interrupted"}, {n.Skipped, "skipped"},
		{n.Expected, "failed as expected"},
		{n.Flaky, "flaky"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	d.Totals = fmt.Sprintf("Run %s: %s", r.Name, strings.Join(parts, ", "))
	for _, c := range r.Bad() {
		if len(d.Failures) == maxFailures {
			break
		}
		message := "no reason was given"
		if c.CaseResult.Problem != nil {
			message = c.CaseResult.Problem.Message
		}
		if more := event.AndMore(len(c.CaseResult.Failures()) - 1); more != "" {
			message = short(message, maxMessage-len(more)-3) + " (" + more + ")"
		}
		d.Failures = append(d.Failures, Failure{Title: short(c.Title(), maxTitle), Result: c.CaseResult.Result,
			Platform: short(string(c.CaseResult.Case.Platform), maxTitle), Place: short(c.CaseResult.ProblemPlace(), maxPlace),
			Message: short(message, maxMessage), Flaky: c.Flaky()})
	}
	return d
}

// short is a foreign text on one line of at most limit bytes, without invisible characters.
func short(s string, limit int) string { return cut(markdown.Visible(s, limit), limit) }

// bad is how many cases neither passed nor were skipped.
func (d *Digest) bad() int { return d.Counts.Failed + d.Counts.Errored + d.Counts.Interrupted }

func sign(v event.Result) string {
	switch v {
	case event.Fail:
		return "❌"
	case event.Error:
		return "⚠️"
	}
	return "⏹️"
}

// cut shortens s to at most limit bytes, including the mark that it was cut, at a boundary of runes.
func cut(s string, limit int) string {
	const mark = "…"
	if len(s) <= limit {
		return s
	}
	if limit < len(mark) {
		return ""
	}
	return phrase.LimitBytes(s, limit-len(mark))
}

// lines returns one text per failure, as many as fit into limit bytes, and a line with the number of the others. line
// receives texts with everything but markup already escaped by esc.
func (d *Digest) lines(limit int, gap string, line func(f Failure) string) string {
	const room = 40 // for the line with the number of the others
	var b strings.Builder
	for i, f := range d.Failures {
		text := line(f)
		if b.Len()+len(gap)+len(text)+room > limit {
			return b.String() + more(gap, d.bad()-i, b.Len())
		}
		if i > 0 {
			b.WriteString(gap)
		}
		b.WriteString(text)
	}
	if rest := d.bad() - len(d.Failures); rest > 0 {
		return b.String() + more(gap, rest, b.Len())
	}
	return b.String()
}

func more(gap string, n, before int) string {
	if before == 0 {
		gap = ""
	}
	return fmt.Sprintf("%s… and %d more", gap, n)
}

// plain is a failure without markup.
func plain(f Failure) string {
	text := sign(f.Result) + " " + f.Title + " · " + f.Platform
	if f.Place != "" {
		text += "\n" + f.Place
	}
	text += "\n" + f.Message
	if f.Flaky != "" {
		text += "\n🎲 " + f.Flaky
	}
	return text
}
