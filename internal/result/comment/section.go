package comment

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
)

// Page is what a section says in addition to the results.
type Page struct {
	Job    string
	Commit string // may be empty
	Link   string // of the report; may be empty
}

const (
	maxText     = 500 // runes of a message
	shortCommit = 9
	cutNote     = 200 // bytes reserved for the last line
)

// Section returns the section of a job: the headline, the totals, and what went wrong, each test with the place of its
// failure. It has at most limit bytes; 0: any number. Tests that do not fit are counted, with a link to the report.
func Section(r *history.Run, p Page, limit int) string {
	b := &markdown.Writer{}
	b.Printf("### %s\n\n", markdown.Text(p.Job, markdown.MaxArg))
	b.Printf("**%s**\n\n", history.Headline(r))
	facts := []string{totals(r.Count())}
	if p.Commit != "" {
		facts = append(facts, "commit "+markdown.Code(phrase.LimitRunes(p.Commit, shortCommit), markdown.MaxArg))
	}
	facts = append(facts, "run "+markdown.Code(r.Name, markdown.MaxArg))
	if p.Link != "" {
		facts = append(facts, report(p.Link))
	}
	b.Printf("%s\n", strings.Join(facts, " · "))
	var lines []string
	for _, c := range r.Bad() {
		lines = append(lines, failure(c))
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.CaseResult.Result == event.Expected {
			lines = append(lines, failure(c))
		}
		if why := c.Flaky(); why != "" && c.CaseResult.Result.Good() {
			lines = append(lines, fmt.Sprintf("- 🎲 **%s**: %s\n", markdown.Text(c.Title(), markdown.MaxArg),
				markdown.Text(why, maxText)))
		}
	}
	for i, line := range lines {
		if i == 0 {
			b.Printf("\n")
		}
		if limit > 0 && b.Len()+len(line)+cutNote+len(p.Link) > limit {
			more := fmt.Sprintf("\n… and %s", phrase.Plural(len(lines)-i, "more test"))
			if p.Link != "" {
				more += ": " + report(p.Link)
			}
			b.Printf("%s\n", more)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// report is the link to the report.
func report(link string) string {
	safe := strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\n", "")
	return "[open the report](" + safe.Replace(link) + ")"
}

// totals counts the results that occur.
func totals(n history.RunCounts) string {
	parts := []string{fmt.Sprintf("%d passed", n.Passed)}
	for _, v := range []struct {
		n    int
		word string
	}{{n.Failed, "failed"}, {n.Errored, "with an error"}, {n.Interrupted, "interrupted"}, {n.Skipped, "skipped"},
		{n.Expected, "failed as expected"}, {n.Flaky, "flaky"}} {
		if v.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", v.n, v.word))
		}
	}
	return strings.Join(parts, ", ")
}

// failure is one test that did not pass.
func failure(c *history.RunCase) string {
	res := c.CaseResult
	sign, _, _ := strings.Cut(markdown.Mark(res.Result), " ")
	message := "no reason was given"
	if res.Problem != nil {
		message = res.Problem.Message
	}
	text := fmt.Sprintf("- %s **%s** · %s", sign, quiet(markdown.Text(c.Title(), markdown.MaxArg)),
		markdown.Text(string(res.Case.Platform), markdown.MaxArg))
	if place := res.ProblemPlace(); place != "" {
		text += " · " + markdown.Code(place, markdown.MaxArg)
	}
	text += "<br>" + quiet(markdown.Text(message, maxText))
	if more := event.AndMore(len(res.Failures()) - 1); more != "" && res.Result != event.Expected {
		text += " (" + more + ")"
	}
	return text + "\n"
}

// quiet keeps names after an @ from notifying the users who have them.
func quiet(text string) string { return strings.ReplaceAll(text, "@", "@\u200b") }
