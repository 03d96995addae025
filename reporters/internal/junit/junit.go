// Package junit turns a run into junit.xml, which validates against the schemas of Jenkins and of Maven Surefire.
package junit

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
)

// FileName is the name that CI systems search for. No other file of a run may match junit*.xml, otherwise tests count
// twice.
const FileName = "junit.xml"

const (
	suiteName = "taproot"
	maxText   = 64 << 10 // bytes of one element's text
	maxOutput = 60 << 10 // bytes of the steps' output: with escapes it still fits into maxText
	// classProperty is the property with which a test sets its class.
	classProperty = "junitClassname"
)

// The elements, their attributes in the order in which the schemas have them.
type suite struct {
	XMLName    xml.Name   `xml:"testsuite"`
	Name       string     `xml:"name,attr"`
	Tests      int        `xml:"tests,attr"`
	Failures   int        `xml:"failures,attr"`
	Errors     int        `xml:"errors,attr"`
	Skipped    int        `xml:"skipped,attr"`
	Time       string     `xml:"time,attr"`
	Timestamp  string     `xml:"timestamp,attr,omitempty"`
	Properties []property `xml:"properties>property"`
	Cases      []testcase `xml:"testcase"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type properties struct {
	List []property `xml:"property"`
}

type testcase struct {
	Name  string `xml:"name,attr"`
	Class string `xml:"classname,attr"`
	Time  string `xml:"time,attr"`
	// Properties are those of the test, if any. The schemas do not list them here, but readers accept them, as they do
	// those that pytest writes.
	Properties   *properties `xml:"properties"`
	Failure      *problem    `xml:"failure"`
	RerunFailure []attempt   `xml:"rerunFailure"`
	FlakyFailure []attempt   `xml:"flakyFailure"`
	Skipped      *skipped    `xml:"skipped"`
	Error        *problem    `xml:"error"`
	RerunError   []attempt   `xml:"rerunError"`
	FlakyError   []attempt   `xml:"flakyError"`
	Out          *block      `xml:"system-out"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

type block struct {
	Text string `xml:",cdata"`
}

type skipped struct {
	Message string `xml:"message,attr"`
}

type attempt struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Trace   block  `xml:"stackTrace"`
}

// Write returns the bytes of junit.xml. An interrupted case is an error. Earlier attempts of a case are its reruns, or
// its flaky failures when the case passed in the end.
func Write(r *history.Run) ([]byte, error) {
	n := r.Count()
	s := suite{Name: suiteName, Tests: n.Total, Failures: n.Failed, Errors: n.Errored + n.Interrupted,
		Skipped: n.Skipped + n.Expected,
		Time:    seconds(r.Duration), Properties: []property{{"run", clean(r.Name)}, {"result", string(r.Result())}}}
	for _, f := range r.Env.Facts() {
		s.Properties = append(s.Properties, property{f[0], clean(f[1])})
	}
	if !r.Started.IsZero() {
		s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05")
	}
	base := attachmentBase(r.Dir)
	for i := range r.Cases {
		s.Cases = append(s.Cases, caseOf(&r.Cases[i], base))
	}
	body, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", FileName, err)
	}
	return append(append([]byte(xml.Header), body...), '\n'), nil
}

// attachmentBase returns the run's folder as CI systems find it: relative to the root of the checked-out project, where
// Jenkins and GitLab search for attachments. Outside of a project it is "": file names are then relative to the folder
// of junit.xml.
func attachmentBase(dir string) string {
	if dir == "" {
		return ""
	}
	// A repository may hold several modules: its own root is the one that CI systems use.
	root := cmp.Or(filetree.Project(filepath.Dir(dir), ".git"), filetree.Project(filepath.Dir(dir), "go.mod"))
	if to, err := filepath.Rel(root, dir); root != "" && err == nil {
		return filepath.ToSlash(to)
	}
	return ""
}

func caseOf(c *history.RunCase, base string) testcase {
	res := c.CaseResult
	t := testcase{Name: clean(c.FullName()), Class: clean(class(res.Case)), Time: seconds(res.Duration)}
	for _, p := range res.Case.Properties {
		if p.Name == classProperty && p.Value != "" {
			t.Class = clean(p.Value)
		}
		if t.Properties == nil {
			t.Properties = &properties{}
		}
		t.Properties.List = append(t.Properties.List, property{clean(p.Name), clean(p.Value)})
	}
	if out := output(c, base); out != "" {
		t.Out = &block{clean(phrase.LimitMiddle(out, maxOutput))}
	}
	switch res.Result {
	case event.Pass:
	case event.Skipped, event.Expected:
		t.Skipped = &skipped{Message: line(message(res))}
	case event.Fail:
		t.Failure = problemOf(res)
	default:
		t.Error = problemOf(res)
	}
	for _, try := range c.Attempts {
		a := attempt{Message: line(located(try.CaseResult)), Type: kind(try.CaseResult),
			Trace: block{clean(text(try.CaseResult))}}
		passed, failed := res.Result == event.Pass, try.CaseResult.Result == event.Fail
		switch {
		case try.CaseResult.Result.Good():
		case passed && failed:
			t.FlakyFailure = append(t.FlakyFailure, a)
		case passed:
			t.FlakyError = append(t.FlakyError, a)
		case failed:
			t.RerunFailure = append(t.RerunFailure, a)
		default:
			t.RerunError = append(t.RerunError, a)
		}
	}
	return t
}

// class is the folder of the YAML file with dots instead of slashes: CI systems group by it.
func class(c event.Case) string {
	dir := strings.Trim(path.Dir(strings.ReplaceAll(c.Place.File, `\`, "/")), "./")
	if dir == "" {
		return suiteName
	}
	var parts []string
	for part := range strings.SplitSeq(dir, "/") {
		if part = strings.Trim(part, "."); part != "" {
			parts = append(parts, strings.ReplaceAll(part, ".", "_"))
		}
	}
	return strings.Join(parts, ".")
}

func problemOf(res *event.CaseResult) *problem {
	return &problem{Message: line(located(res)), Type: kind(res), Text: clean(text(res))}
}

// kind is the type by which CI systems group problems.
func kind(res *event.CaseResult) string {
	switch {
	case res.Problem != nil && res.Problem.Kind == event.AppCrashed:
		return "AppCrashed"
	case res.Result == event.Fail && res.Problem != nil && res.Problem.Assertion:
		return "AssertionFailed"
	case res.Result == event.Fail:
		return "StepFailed"
	case res.Result == event.Interrupted:
		return "Interrupted"
	}
	return "Error"
}

func message(res *event.CaseResult) string {
	if res.Problem == nil {
		return "no reason was given"
	}
	return res.Problem.Message
}

// located is the message after its place, with the number of other failures.
func located(res *event.CaseResult) string {
	list := res.Failures()
	if len(list) == 0 {
		return message(res)
	}
	text := list[0].Located()
	if more := event.AndMore(len(list) - 1); more != "" {
		text += " (" + more + ")"
	}
	return text
}

// text describes all that went wrong for a person: place, excerpt, expected, actual, the nearest elements, what else
// happened meanwhile.
func text(res *event.CaseResult) string {
	var b strings.Builder
	list := res.Failures()
	for i, f := range list {
		if i > 0 {
			fmt.Fprintf(&b, "\n--- %d of %d\n", i+1, len(list))
		}
		failure(&b, f)
	}
	return b.String()
}

func failure(b *strings.Builder, f event.Failure) {
	b.WriteString(f.Located() + "\n")
	around := ""
	if s := f.Step; s != nil {
		fmt.Fprintf(b, "\nstep %d: %s %s\n", s.N, s.Action, s.Args)
		if s.Source != "" {
			b.WriteString(markdown.Excerpt(s.Place, s.Source, s.Action) + "\n")
		}
		for _, in := range s.Around {
			around += in.Offset(s) + " " + string(in.Kind) + ": " + in.Text + "\n"
		}
	}
	p := f.Problem
	for _, v := range [][2]string{{"expected", p.Expected}, {"actual", p.Actual},
		{"nearest on the screen", strings.Join(p.Candidates, "\n")}, {"stack", p.Stack}, {"around the failure", around},
		{"screenshot", f.Screenshot}} {
		if v[1] != "" {
			fmt.Fprintf(b, "\n%s:\n  %s\n", v[0], strings.ReplaceAll(strings.TrimRight(v[1], "\n"), "\n", "\n  "))
		}
	}
}

// output has a line per step, the step's warnings, and the files of the report pack below base, each on a line of its
// own. The screenshot of the failure is first: GitLab shows the first attachment only.
func output(c *history.RunCase, base string) string {
	var b strings.Builder
	res := c.CaseResult
	shot := ""
	if list := res.Failures(); len(list) > 0 {
		shot = list[0].Screenshot
	}
	if shot != "" {
		b.WriteString(attached(base, c.Pack, shot))
	}
	if c := res.Case; c.Device != "" || c.Model != "" {
		fmt.Fprintf(&b, "device %s\n", strings.TrimSpace(c.Model+" "+c.Device))
	}
	if res.Case.OS != "" {
		b.WriteString("os " + oneLine(res.Case.OS) + "\n")
	}
	if app := res.App.String(); app != "" {
		b.WriteString("app " + oneLine(app) + "\n")
	}
	for _, s := range res.Steps {
		fmt.Fprintf(&b, "%-11s %d %s %s (%s)%s\n", s.Result, s.N, s.Action, oneLine(s.Args), s.Place, took(s))
		for _, n := range s.Notes {
			b.WriteString("            " + oneLine(n) + "\n")
		}
	}
	for _, n := range res.Notes {
		b.WriteString("warning: " + oneLine(n) + "\n")
	}
	for _, why := range []string{c.Flaky(), c.Lost(), c.Slow()} {
		if why != "" {
			b.WriteString("warning: " + why + "\n")
		}
	}
	for _, a := range res.Attachments {
		if a.Kind == event.KindDOM || a.Path == shot { // the report page shows it; or it was written first
			continue
		}
		b.WriteString(attached(base, c.Pack, a.Path))
	}
	return b.String()
}

func attached(base, pack, file string) string {
	return "[[ATTACHMENT|" + path.Join(base, pack, file) + "]]\n"
}

func oneLine(s string) string { return markdown.Visible(s, 500) }

func took(s event.StepResult) string {
	if s.Duration == 0 {
		return ""
	}
	return " " + s.Duration.Round(time.Millisecond).String()
}

// seconds has three decimals: one of the schemas allows no more.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(max(0, d).Round(time.Millisecond).Seconds(), 'f', 3, 64)
}

// line is a text on one line, for an attribute.
func line(s string) string { return clean(markdown.Visible(s, 2000)) }

// clean makes control characters visible, removes characters that XML 1.0 does not allow in any form, and cuts a text
// that is too long.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n':
			return r
		case r < 0x20, r == 0x7f, 0xd800 <= r && r <= 0xdfff, r == 0xfffe, r == 0xffff, r > 0x10ffff:
			return -1
		}
		return r
	}, markdown.VisibleLines(strings.ToValidUTF8(s, "\ufffd"), maxText))
	return phrase.LimitBytes(s, maxText)
}
