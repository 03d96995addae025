package console

import (
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
)

const maxField = 300 // runes of a foreign text

func one(s string) string { return markdown.Visible(s, maxField) }

// display is how a result is displayed.
type display struct{ glyph, word, color string }

const (
	green  = "32"
	red    = "31"
	yellow = "33"
	dim    = "2"
	bold   = "1"
)

func displayOf(v event.Result) display {
	switch v {
	case event.Pass:
		return display{"✓", "PASS", green}
	case event.Fail:
		return display{"✗", "FAIL", red}
	case event.Error:
		return display{"!", "ERROR", red}
	case event.Warned:
		return display{"⚠", "WARNING", yellow}
	case event.Skipped:
		return display{"-", "SKIPPED", yellow}
	case event.Expected:
		return display{"~", "EXPECTED", yellow}
	case event.Interrupted:
		return display{"■", "INTERRUPTED", yellow}
	}
	return display{"·", "NOT REACHED", dim}
}

func (c *Console) paint(code, s string) string {
	if !c.o.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// caseLine is the one line of a test that ended.
func (c *Console) caseLine(r *event.CaseResult) string {
	l := displayOf(r.Result)
	line := fmt.Sprintf("%s%s %s", c.number(), c.paint(l.color, l.glyph+" "+l.word), one(r.Case.Pack))
	if r.Result == event.Skipped || r.Result == event.Expected {
		if r.Problem != nil {
			line += ": " + one(r.Problem.Message)
		}
		return line + "\n"
	}
	return line + c.paint(dim, fmt.Sprintf(" · %s · %s", where(r.Case), seconds(r.Duration))) + "\n"
}

// number is how many of the run's tests have ended: "[7/25] ".
func (c *Console) number() string {
	if c.o.Total <= 1 {
		return ""
	}
	width := len(fmt.Sprint(c.o.Total))
	return c.paint(dim, fmt.Sprintf("[%*d/%d]", width, len(c.cases()), c.o.Total)) + " "
}

// reason is why a test that has just ended did not pass, in short; the full text follows at the end of the run. For the
// only test it follows at once.
func (c *Console) reason(r *event.CaseResult) string {
	if c.o.Total == 1 || r.Result.Good() {
		return ""
	}
	list := r.Failures()
	text := one(list[0].Located())
	if more := event.AndMore(len(list) - 1); more != "" {
		text += " (" + more + ")"
	}
	if c.o.TTY {
		text = fitTo(text, c.o.Width-5)
	}
	text = "    " + c.paint(displayOf(r.Result).color, text) + "\n"
	if s := list[0].Step; s != nil {
		if in := s.LikelyCause(); in != nil {
			first, _, _ := strings.Cut(in.Text, "\n")
			text += "    around it: " + one(first) + "\n"
		}
	}
	return text
}

// where names the platform and the device, or each of several devices.
func where(c event.Case) string {
	if len(c.Devices) > 0 {
		var list []string
		for _, d := range c.Devices {
			id := d.ID
			if id == "" {
				id = string(d.Platform)
			}
			list = append(list, one(d.Name+" "+id))
		}
		return strings.Join(list, ", ")
	}
	return one(strings.TrimSpace(string(c.Platform) + " " + c.Device))
}

func (c *Console) stepLine(r *running, e event.Event) string {
	l := displayOf(e.Result)
	text := fmt.Sprintf("  %s %s %s", c.paint(l.color, l.glyph), one(r.c.Pack), r.stepText(e.Step))
	return strings.TrimRight(text, " ") + c.paint(dim, " · "+seconds(time.Duration(e.DurationMS)*time.Millisecond)) + "\n"
}

// stepText is a step with its number, the number of steps if known, and the blocks that it runs in.
func (r *running) stepText(n int) string {
	s := r.stepN(n)
	number := fmt.Sprint(n)
	if len(r.dynamicSteps) == 0 && n <= len(r.c.Steps) {
		number += fmt.Sprintf("/%d", len(r.c.Steps))
	}
	if s.In != "" {
		number += " " + one(s.In) + " ›"
	}
	if s.Device != "" {
		number += " " + one(s.Device) + ":"
	}
	return strings.TrimRight(fmt.Sprintf("%s %s %s", number, one(s.Action), one(s.Args)), " ")
}

func (r *running) stepN(n int) event.Step {
	if s, told := r.dynamicSteps[n]; told {
		return s
	}
	for _, s := range r.c.Steps {
		if s.N == n {
			return s
		}
	}
	return event.Step{N: n}
}

// liveLine is the line of a running test, cut to the width of the terminal.
func (c *Console) liveLine(r *running) string {
	now := c.o.Clock()
	what := "starting"
	since := r.started
	if r.step > 0 {
		what, since = r.stepText(r.step), r.since
	}
	took := " " + seconds(max(0, now.Sub(since)))
	left := fmt.Sprintf("▶ %s · %s · %s", where(r.c), one(r.c.Pack), what)
	return fitTo(left, c.o.Width-1-len(took)) + c.paint(dim, took)
}

// fitTo cuts s to a number of columns.
func fitTo(s string, columns int) string {
	if columnsOf(s) <= columns {
		return s
	}
	used := 0
	for i, r := range s {
		if used += markdown.RuneWidth(r); used > columns-1 {
			return s[:i] + "…"
		}
	}
	return s
}

func columnsOf(s string) int {
	n := 0
	for _, r := range s {
		n += markdown.RuneWidth(r)
	}
	return n
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}
