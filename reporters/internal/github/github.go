// Package github shows a run in GitHub Actions: annotations at the lines of the YAML files, and the job's summary page.
package github

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
)

const (
	perType    = 10 // annotations of one type that GitHub shows of a step
	maxMessage = 4000
	maxSummary = 1 << 20 // bytes of the summaries of one step
)

// Places says where files are, so that an annotation finds its line.
type Places struct {
	Dir       string // that relative places in the run start from
	Workspace string // top of the checkout; empty: Dir
}

// Annotate writes a workflow command for each case that did not pass, and a warning for each that is flaky. GitHub
// shows ten of each type: the tenth says how many more there are.
func Annotate(w io.Writer, r *history.Run, p Places) error {
	var problems, warnings []string
	var others []string // further failures of one test: they come last, as far as the limit allows
	for _, c := range r.Bad() {
		list := c.CaseResult.Failures()
		more := len(list) - 1
		text := problemText(list[0])
		if more > 0 {
			text += "\n" + event.AndMore(more) + " in this test"
		}
		for _, f := range list[1:min(len(list), perType)] {
			text += "\n" + f.Located()
			others = append(others, annotation("error", c, p, f.Place, word(c.CaseResult.Result), problemText(f)))
		}
		if rest := event.AndMore(more - perType + 1); rest != "" {
			text += "\n" + rest
		}
		problems = append(problems, annotation("error", c, p, list[0].Place, word(c.CaseResult.Result), text))
	}
	problems = append(problems, others[:max(0, min(len(others), perType-len(problems)))]...)
	for i := range r.Cases {
		c := &r.Cases[i]
		if why := c.Flaky(); why != "" {
			warnings = append(warnings, annotation("warning", c, p, c.CaseResult.ProblemPos(), "flaky", why))
		}
	}
	var b strings.Builder
	limited(&b, "error", problems, "more tests did not pass")
	limited(&b, "warning", warnings, "more tests are flaky")
	if b.Len() == 0 {
		return nil
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write annotations: %w", err)
	}
	return nil
}

func limited(b *strings.Builder, kind string, lines []string, more string) {
	if len(lines) > perType {
		rest := len(lines) - perType + 1
		lines = append(lines[:perType-1:perType-1], fmt.Sprintf("::%s title=+%d more::+%d %s", kind, rest, rest, more))
	}
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
}

func word(v event.Result) string {
	if v == event.Fail {
		return "failed"
	}
	return string(v)
}

func annotation(kind string, c *history.RunCase, p Places, pos source.Pos, what, text string) string {
	var props []string
	if pos.File != "" {
		props = append(props, "file="+property(p.file(pos.File)))
		if pos.Line > 0 {
			props = append(props, fmt.Sprintf("line=%d", pos.Line))
		}
		if pos.Col > 0 {
			props = append(props, fmt.Sprintf("col=%d", pos.Col))
		}
	}
	props = append(props, "title="+property(markdown.Visible(c.Title(), 150)+": "+what))
	return "::" + kind + " " + strings.Join(props, ",") + "::" + data(markdown.VisibleLines(text, maxMessage))
}

func problemText(f event.Failure) string {
	p, text, around := f.Problem, f.Located(), ""
	if f.Step != nil {
		if in := f.Step.LikelyCause(); in != nil {
			around, _, _ = strings.Cut(in.Text, "\n")
		}
	}
	for _, v := range [][2]string{{"expected", p.Expected}, {"actual", p.Actual},
		{"nearest", strings.Join(p.Candidates, "; ")}, {"around the failure", around}} {
		if v[1] != "" {
			text += "\n" + v[0] + ": " + v[1]
		}
	}
	return text
}

// file is relative to the checkout, with slashes.
func (p Places) file(name string) string {
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) && p.Dir != "" {
		name = filepath.Join(p.Dir, name)
	}
	top := p.Workspace
	if top == "" {
		top = p.Dir
	}
	if rel, err := filepath.Rel(top, name); top != "" && err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	return filepath.ToSlash(name)
}

// data and property escape as the runner's own toolkit does; otherwise a text could contain commands for the runner.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// Address is where a run can be read.
type Address struct {
	Link string // of the report; may be empty
	Base string // of the folder of the run; empty: the page links to none of its files
}

// Summary returns the page that AppendSummary adds, of at most limit bytes.
func Summary(r *history.Run, at Address, limit int) []byte {
	return history.RunSummary(r, history.PageOptions{Base: at.Base, NoLinks: at.Base == "", Link: at.Link, Limit: limit})
}

// AppendSummary adds the run to the job's summary: the file that GITHUB_STEP_SUMMARY names. Other steps may have
// written to it.
func AppendSummary(file string, r *history.Run, at Address) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("write the job's summary: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		room := maxSummary - int(min(info.Size(), maxSummary))
		if page := Summary(r, at, max(1, room-1)); len(page) < room {
			_, err = f.Write(append([]byte("\n"), page...))
		} else {
			err = errors.New("it has reached its size limit")
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the job's summary: %w", err)
	}
	return nil
}
